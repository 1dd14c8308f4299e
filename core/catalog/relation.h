/* SPDX-License-Identifier: Apache-2.0 */
/* relation - from what resources and types say about each other to edges between resources. */
#ifndef RH_CATALOG_RELATION_H
#define RH_CATALOG_RELATION_H

struct rh_catalog;
struct rh_complaints;

/* Makes the edges of all stated and automatic relations, once, when all resources are declared. A
 * stated target that is not in the set is a complaint with its place; an automatic one is nothing
 * (S12). An automatic relation that a stated one contradicts is left out (I107). */
struct rh_reference;
struct rh_resource;

int rh_relations_resolve(struct rh_catalog *c, struct rh_complaints *complaints);

/* Complains that `r` names in its `word` something that is not in the set; returns -1. */
int rh_relation_refuse_missing(const struct rh_catalog *c, const struct rh_resource *r,
                               const char *word, const struct rh_reference *to,
                               struct rh_complaints *complaints);

#endif
