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
struct rh_cell;
struct rh_value;

struct rh_step {
    const char *op; /* as it was written: "set", "remove_default"; "fact" */
    int level;      /* -1: none was named */
    struct rh_path path;
    const struct rh_value *value; /* NULL: it has none */
    struct rh_place place;
};

enum rh_node_change_kind {
    RH_CHANGE_PUT,
    RH_CHANGE_REMOVE,
    RH_CHANGE_APPEND,
    RH_CHANGE_MERGE,
    RH_CHANGE_OVERLAY, /* a merge that replaces lists */
};

struct rh_change {
    enum rh_node_change_kind kind;
    enum rh_node_level level;
    uint32_t step; /* from 1 */
    struct rh_path path;
    struct rh_value *value; /* adopted; NULL for a removal */
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

/* trace.c: which steps touched a place, and what became of what they put there.
 *
 * The history is done again on trees of its own, as far as it concerns the place, and after each
 * change one looks what is left of those before. */

/* What one step did to the place on one component. */
struct rh_note {
    uint32_t step;
    enum rh_node_level level;
    bool put;                     /* it put something there */
    bool alive;                   /* some of that is still there */
    bool removed;                 /* it was taken away, not replaced */
    bool hides;                   /* what it put is no table or list that leads on to the place */
    uint32_t by;                  /* the step that did it; 0: nobody did */
    const struct rh_value *value; /* what the change says of the place; NULL: nothing */
    struct rh_path path;          /* of the change */
};

struct rh_trace {
    struct rh_note *v; /* in the order in which it was done */
    size_t n, cap;
};

void rh_trace_make(struct rh_trace *t, const struct rh_history *h, struct rh_path path);
void rh_trace_clear(struct rh_trace *t);

/* Calls `one` for each scalar, list, element and table that was written empty, at or
 * below a cell. */
void rh_cell_walk(const struct rh_cell *c, void (*one)(void *to, const struct rh_cell *c), void *to);

#endif
