/* SPDX-License-Identifier: Apache-2.0 */
/* dot - the action list and its relations as a graph, in the language of Graphviz. */
#ifndef RH_CATALOG_DOT_H
#define RH_CATALOG_DOT_H

#include <stdio.h>

struct rh_catalog;
struct rh_order;

/* Each resource is a node with its turns in the list ("3 restart"); one that is only in the set is
 * dashed. Each relation is an edge from what comes first, labelled with the word it was written
 * with; automatic ones are dashed. `order` may be NULL (a cycle): turns then count as written.
 * Returns -1 with errno set when the stream fails. */
int rh_catalog_to_dot(const struct rh_catalog *c, const struct rh_order *order, FILE *to);

#endif
