/* SPDX-License-Identifier: Apache-2.0 */
/* order - relations between resources, and the order that comes of them. */
#ifndef RH_CATALOG_ORDER_H
#define RH_CATALOG_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct rh_catalog;
struct rh_complaints;
struct rh_map;
struct rh_order;
struct rh_reference;
struct rh_resource;
struct rh_value;

struct rh_order {
    uint32_t *entries; /* numbers of list entries, in the order of execution */
    size_t n;
    /* For each resource, the resources that come before it by an edge: from
     * dependencies[start[i]] up to but not including dependencies[start[i + 1]]. */
    uint32_t *start, *dependencies;
};

/* Sorts. An edge A -> B puts A's first entry before each of B's; the sort is stable. A cycle is a
 * complaint that shows the shortest one as a path, each edge with its reason and place. Automatic
 * relations of types yield where they would close a cycle with what the manifest says. */
int rh_order_make(struct rh_catalog *c, struct rh_order *order, struct rh_complaints *complaints);
void rh_order_clear(struct rh_order *order);

/* relation.c: from what resources and types say about each other to edges between resources. */

/* Makes the edges of all stated and automatic relations, once, when all resources are declared. A
 * stated target that is not in the set is a complaint with its place; an automatic one is nothing
 * (S12). An automatic relation that a stated one contradicts is left out (I107). */

void rh_relations_resolve(struct rh_catalog *c, struct rh_complaints *complaints);

/* `name` is NULL, or the name that `title` is the text of (rh_type_name_text), when the relation gives its
 * namevars. It is valid until the function returns. */
typedef void rh_relation_title_fn(void *data, const char *type, const char *title,
                                  const struct rh_value *name);

/* Calls `fn` with each title that a relation names, stated or automatic, where `types` has the type; of a
 * relation with what is above a path, with what the path is in. */
void rh_relations_each_title(const struct rh_catalog *c, const struct rh_map *types, rh_relation_title_fn *fn,
                             void *data);

/* Complains that `r` names in its `word` something that is not in the set. */
void rh_relation_refuse_missing(const struct rh_catalog *c, const struct rh_resource *r, const char *word,
                                const struct rh_reference *to, struct rh_complaints *complaints);

/* cycle.c: the shortest way by which resources wait for each other in a ring. */

/* Complains about the shortest cycle among the resources whose `waits` is not zero. */
void rh_cycle_complain(const struct rh_catalog *c, const struct rh_order *order, const uint32_t *waits,
                       struct rh_complaints *complaints);

#endif
