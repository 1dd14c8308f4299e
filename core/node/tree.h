/* SPDX-License-Identifier: Apache-2.0 */
/* tree - one component: a table of cells that is written and removed from by path. */
#ifndef RH_NODE_TREE_H
#define RH_NODE_TREE_H

#include "node/node.h"
#include "node/path.h"

struct rh_cell;

struct rh_tree {
    struct rh_cell *root; /* a table */
};

/* What to do about something in the way that is no container, or a list met with a key. */
enum rh_put_how {
    RH_PUT_CHAIN,   /* not_container */
    RH_PUT_STRICT,  /* type_mismatch */
    RH_PUT_REPLACE, /* it becomes a table */
};

/* What is in the way: the first `depth` keys of the path lead to it. `there` is NULL when it is
 * a position that the list does not have. */
struct rh_obstacle {
    enum rh_node_fault fault;
    size_t depth;
    const struct rh_cell *there;
};

void rh_tree_init(struct rh_tree *t, struct rh_arena *a);

/* NULL when there is nothing. The empty path is all of it. */
struct rh_cell *rh_tree_find(const struct rh_tree *t, struct rh_path path);

/* Whether rh_tree_put would work. */
enum rh_node_fault rh_tree_check(const struct rh_tree *t, struct rh_path path, enum rh_put_how how,
                                 struct rh_obstacle *o);

/* Puts a value (adopted) there; tables that are missing on the way are made. Returns how many keys
 * lead to the outermost cell that is another now. Only after rh_tree_check, and only a table
 * at the empty path. */
size_t rh_tree_put(struct rh_tree *t, struct rh_arena *a, struct rh_path path, const struct rh_value *v,
                   uint32_t step);

/* Removes what is there. Behind a position the others move up. */
void rh_tree_remove(struct rh_tree *t, struct rh_path path);

/* Adds at the end of the list that is there. */
void rh_tree_append(struct rh_tree *t, struct rh_arena *a, struct rh_path path, const struct rh_value *v,
                    uint32_t step);

/* Deep assignment of a table (adopted): tables merge, lists are joined, all else is replaced. `replace`:
 * lists are replaced, too. */
void rh_tree_merge(struct rh_tree *t, struct rh_arena *a, const struct rh_value *table, uint32_t step,
                   bool replace);

#endif
