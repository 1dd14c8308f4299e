/* SPDX-License-Identifier: Apache-2.0 */
/* node-parts - the inside of a node, for the files that operate on it. */
#ifndef RH_NODE_NODE_PARTS_H
#define RH_NODE_NODE_PARTS_H

#include "base/text.h"
#include "node/history.h"
#include "node/merge.h"
#include "node/node.h"

struct rh_change;
struct rh_node;

enum rh_node_view { RH_VIEW_MERGED, RH_VIEW_DEFAULT, RH_VIEW_OVERRIDE, RH_VIEWS };

struct rh_node {
    struct rh_arena *arena;
    struct rh_tree trees[RH_LEVELS];
    struct rh_view views[RH_VIEWS];
    struct rh_history history;
    struct rh_node_facts facts;
    struct rh_keys asked; /* facts that have been */
    bool asked_all;
    struct rh_node_source source;
    struct rh_buf message;
    struct rh_path *hidden; /* that are secrets */
    size_t n_hidden, cap_hidden;
    struct rh_keys kept; /* what `hold` keeps, by name: see op-read.c */
};

/* Does something to one component: to the tree, into the history, and the views forget. `value` is
 * adopted, the path the arena's. */
void rh_node_change(struct rh_node *node, const struct rh_change *change);

/* The automatic level below this path is to be looked at: asks for the facts that it needs. */
void rh_node_need_facts(struct rh_node *node, struct rh_path path);

/* Something below this path is read or written on the level `normal`: what is put there on demand comes
 * first. */
void rh_node_need_source(struct rh_node *node, struct rh_path path);

/* Facts are not asked for any more: somebody has replaced them all. */
void rh_node_forget_facts(struct rh_node *node);

/* A view or a component at a path; NULL when there is nothing. `bits` as rh_view_bits says them. */
const struct rh_value *rh_node_read_bits(struct rh_node *node, unsigned bits, struct rh_path path);

/* hidden.c: what of a node's attributes is a secret, whoever writes it. */

/* Marks what of a change's value, which is the node's own, belongs to a path that is to be shown
 * nowhere (rh_node_hide of node/node.h). */
void rh_node_hide_change(struct rh_node *node, const struct rh_change *change);

#endif
