/* SPDX-License-Identifier: Apache-2.0 */
/* export - a catalog as data, for `rhost compile`, and as a graph. */
#ifndef RH_CATALOG_EXPORT_H
#define RH_CATALOG_EXPORT_H

#include <stdbool.h>

struct rh_arena;
struct rh_buf;
struct rh_catalog;
struct rh_order;
struct rh_resource;
struct rh_value;

#define RH_CATALOG_FORMAT 1

/* The list is in the order of execution, or as written when `order` is NULL. Shares values with the
 * catalog, so it must not outlive it. */
struct rh_value *rh_catalog_to_value(const struct rh_catalog *c, const struct rh_order *order,
                                     struct rh_arena *arena);

/* One resource of it. */
struct rh_value *rh_catalog_resource_to_value(const struct rh_catalog *c, const struct rh_resource *r,
                                              struct rh_arena *arena);

/* A value as a catalog has it: secrets and what JSON cannot say are marked by hashes with a '$'. */
struct rh_value *rh_catalog_plain(struct rh_arena *a, const struct rh_value *v);

/* dot.c: the action list and its relations as a graph, in the language of Graphviz. */

/* Each resource is a node with its turns in the list ("3 restart"); one that is only in the set is
 * dashed. Each relation is an edge from what comes first, labelled with the word it was written
 * with; automatic ones are dashed. `order` may be NULL (a cycle): turns then count as written.
 * Resources for which `shown` (NULL: all) is false are left out. */
void rh_catalog_to_dot(const struct rh_catalog *c, const struct rh_order *order, const bool *shown,
                       struct rh_buf *b);

#endif
