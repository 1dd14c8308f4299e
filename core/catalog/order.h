/* SPDX-License-Identifier: Apache-2.0 */
/* order - the action list sorted: as written, unless relations say otherwise. */
#ifndef RH_CATALOG_ORDER_H
#define RH_CATALOG_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct rh_catalog;
struct rh_complaints;

struct rh_order {
    uint32_t *entries; /* numbers of list entries, in the order of execution */
    size_t n;
    /* For each resource, the resources that come before it by an edge: of[start[i]] up to but not
     * of[start[i + 1]]. */
    uint32_t *start, *of;
};

/* Sorts. An edge A -> B puts A's first entry before each of B's; the sort is stable. A cycle is a
 * complaint that shows the shortest one as a path, each edge with its reason and place. Automatic
 * relations of types yield where they would close a cycle with what the manifest says. */
int rh_order_make(struct rh_catalog *c, struct rh_order *order, struct rh_complaints *complaints);
void rh_order_clear(struct rh_order *order);

#endif
