/* SPDX-License-Identifier: Apache-2.0 */
/* restore - how an undo asks for exactly the state that was there: "restores with membership=inclusive". */
#ifndef RH_SCHEMA_RESTORE_H
#define RH_SCHEMA_RESTORE_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_arena;
struct rh_error;
struct rh_restore;
struct rh_type;

/* Whether it is one, by its first words. */
bool rh_is_restore(const char *text);

/* Reads one of `t`, whose attributes are known: it is among the relations of its description. */
RH_CHECKED int rh_restore_read(struct rh_arena *a, const struct rh_type *t, const char *text,
                               struct rh_restore *r, struct rh_error *err);

#endif
