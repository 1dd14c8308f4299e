/* SPDX-License-Identifier: Apache-2.0 */
/* claims - resources that would undo each other's work in every run, by what their types own and edit. */
#ifndef RH_CATALOG_CLAIMS_H
#define RH_CATALOG_CLAIMS_H

struct rh_catalog;
struct rh_complaints;

/* Complains about each resource that owns, or edits, what another one owns; names are canonical. */
int rh_claims_check(struct rh_catalog *c, struct rh_complaints *complaints);

#endif
