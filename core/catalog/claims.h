/* SPDX-License-Identifier: Apache-2.0 */
/* claims - resources that would undo each other's work in every run, by what their types own and edit. */
#ifndef RH_CATALOG_CLAIMS_H
#define RH_CATALOG_CLAIMS_H

#include <stddef.h>

struct rh_catalog;
struct rh_complaints;
struct rh_resource;

/* Complains about each resource that owns, or edits, what another one owns; names are canonical. */
void rh_claims_check(struct rh_catalog *c, struct rh_complaints *complaints);

/* claims-shared.c: calls `fn` for pairs of resources of two types that claim the same, owning or editing it.
 * `rank` has, by index, when each was changed, or 0; `by` is the last of its type. `what` is "content", or
 * what else it is. */
typedef void rh_shared_fn(void *data, const struct rh_resource *earlier, const struct rh_resource *by,
                          const char *what);
void rh_claims_shared(const struct rh_catalog *c, const size_t *rank, rh_shared_fn *fn, void *data);

#endif
