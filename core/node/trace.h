/* SPDX-License-Identifier: Apache-2.0 */
/* trace - which steps touched a place, and what became of what they put there.
 *
 * The history is done again on trees of its own, as far as it concerns the place, and after each
 * change one looks what is left of those before. */
#ifndef RH_NODE_TRACE_H
#define RH_NODE_TRACE_H

#include "node/history.h"

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
struct rh_cell;
void rh_cell_walk(const struct rh_cell *c, void (*one)(void *to, const struct rh_cell *c),
                  void *to);

#endif
