/* SPDX-License-Identifier: Apache-2.0 */
/* claim - what a resource of a type determines, beside its own attributes: "owns path[$path] unless $follow".
 */
#ifndef RH_SCHEMA_CLAIM_H
#define RH_SCHEMA_CLAIM_H

#include "schema/auto-relation.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether it is a claim, by its first word. */
bool rh_is_claim(const char *text);

/* Reads one claim of `t`, whose attributes are known: it is among the relations of its description. */
RH_CHECKED int rh_claim_read(struct rh_arena *a, const struct rh_type *t, const char *text,
                             struct rh_claim *c, struct rh_error *err);

/* Calls `fn` with each thing that a resource of this name and these desired values claims; with none unless
 * its conditions hold. */
void rh_claim_titles(const struct rh_claim *c, const struct rh_value *name, const struct rh_value *should,
                     rh_title_fn *fn, void *data);

#endif
