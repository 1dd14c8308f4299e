/* SPDX-License-Identifier: Apache-2.0 */
/* layers - what several components have at one place, and what of it can be seen.
 *
 * Within a precedence tables and lists join those below them, and anything else replaces what is
 * below; then the same between precedences, save that lists replace too. What is left is one
 * cell, tables that merge, or lists that join. Going down by a key looks at that key alone. */
#ifndef RH_NODE_LAYERS_H
#define RH_NODE_LAYERS_H

#include "node/node.h"
#include "node/path.h"

struct rh_cell;

struct rh_layer {
    struct rh_cell *cell;
    enum rh_node_level level;
};

struct rh_layers {
    unsigned n;                   /* 0: there is nothing; more than one: tables, or lists of one precedence */
    struct rh_layer v[RH_LEVELS]; /* low to high */
};

/* Adds what the next component (low to high) has; `end` when there are no more. */
struct rh_layers_fold {
    struct rh_layers all, part;
    int precedence;
};
void rh_layers_begin(struct rh_layers_fold *f);
void rh_layers_add(struct rh_layers_fold *f, struct rh_cell *c, enum rh_node_level level);
void rh_layers_end(struct rh_layers_fold *f, struct rh_layers *out);

/* What stands behind a key: of one cell, or of tables. Lists that join have to be one before. */
void rh_layers_down(const struct rh_layers *in, struct rh_key key, struct rh_layers *out);

#endif
