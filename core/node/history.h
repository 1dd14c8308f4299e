/* SPDX-License-Identifier: Apache-2.0 */
/* history - what was done to a node, step by step, in a form that can be done again.
 *
 * A step is an operation as somebody wrote it. What it did are changes, each to one component:
 * they say what happened, not why, so that doing them again in order gives the same tree. */
#ifndef RH_NODE_HISTORY_H
#define RH_NODE_HISTORY_H

#include "base/place.h"
#include "node/tree.h"

struct rh_arena;
struct rh_value;

struct rh_step {
    const char *op; /* as it was written: "set", "remove_default"; "fact" */
    int level;      /* -1: none was named */
    struct rh_path path;
    const struct rh_value *value; /* NULL: it has none */
    struct rh_place place;
};

enum rh_change_kind { RH_CHANGE_PUT, RH_CHANGE_REMOVE, RH_CHANGE_APPEND, RH_CHANGE_MERGE };

struct rh_change {
    enum rh_change_kind kind;
    enum rh_node_level level;
    uint32_t step; /* from 1 */
    struct rh_path path;
    const struct rh_value *value; /* adopted; NULL for a removal */
};

struct rh_history {
    struct rh_step *steps;
    struct rh_change *changes;
    size_t n_steps, cap_steps, n_changes, cap_changes;
};

void rh_history_clear(struct rh_history *h);

/* The number of the new step. Path and value are borrowed and live as long as the history. */
uint32_t rh_history_add(struct rh_history *h, const struct rh_step *step);
void rh_history_note(struct rh_history *h, const struct rh_change *change);
const struct rh_step *rh_history_step(const struct rh_history *h, uint32_t number);

/* Does it to a component. So many keys of its path, as it returns, lead to where things are
 * otherwise now. */
size_t rh_change_apply(const struct rh_change *change, struct rh_tree *t, struct rh_arena *a);

#endif
