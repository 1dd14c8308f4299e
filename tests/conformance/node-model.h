/* SPDX-License-Identifier: Apache-2.0 */
/* node-model - attributes as simple as can be: nothing is kept, everything is merged each time. */
#ifndef RH_TESTS_CONFORMANCE_NODE_MODEL_H
#define RH_TESTS_CONFORMANCE_NODE_MODEL_H

#include "node/node.h"

struct rh_value;

struct node_model {
    struct rh_arena *arena;
    struct datum *levels[RH_LEVELS];
    /* Chef's rule: rm and full assignment look at the parent in what is merged first, and do nothing
     * when that is no table. Ours removes wherever the path is. */
    bool parent_must_show;
};

void model_init(struct node_model *m, struct rh_arena *a);

/* Whether the model knows the operation; if so, what it returned, or the fault. */
bool model_operate(struct node_model *m, const struct rh_value *op, enum rh_node_fault *fault,
                   const struct rh_value **returns);

/* What is at a path of a view, with keys as JSON has them; NULL when there is nothing. */
const struct rh_value *model_read(const struct node_model *m, const char *view, const struct rh_value *path);

#endif
