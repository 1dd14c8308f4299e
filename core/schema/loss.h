/* SPDX-License-Identifier: Apache-2.0 */
/* loss - what a change of a resource destroys beside its own attributes, and that cannot be undone: "loses
 * what is in it if $force". */
#ifndef RH_SCHEMA_LOSS_H
#define RH_SCHEMA_LOSS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_loss;
struct rh_type;
struct rh_value;

/* Whether it is one, by its first word. */
bool rh_is_loss(const char *text);

/* Reads one of `t`, whose attributes are known: it is among the relations of its description. */
RH_CHECKED int rh_loss_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_loss *l,
                            struct rh_error *err);

/* A change of a resource. */
struct rh_loss_change {
    const struct rh_value *name, *should; /* hashes: what identifies it, and what is desired */
    bool removed;
    void *data;
    bool (*changes)(void *data, const char *attribute); /* whether this property changes */
};

/* Whether it happens: its conditions hold, and a property among them changes; where there is none, the
 * resource is removed. */
bool rh_loss_happens(const struct rh_loss *l, const struct rh_loss_change *change);

#endif
