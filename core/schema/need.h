/* SPDX-License-Identifier: Apache-2.0 */
/* need - the rights that applying resources of a type takes, as its provider declares them: "root",
 * "user[$user]", "write[$target] if $persist". */
#ifndef RH_SCHEMA_NEED_H
#define RH_SCHEMA_NEED_H

#include "base/cleanup.h"
#include "schema/type.h"

#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_value;

/* Who applies. */
struct rh_rights {
    uint32_t uid;
    const char *user;                   /* its name; NULL: it has none */
    bool (*writable)(const char *path); /* whether what is at the path can be replaced, or created */
};

/* Reads one need of `t`, whose attributes are known. */
RH_CHECKED int rh_need_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_need *n,
                            struct rh_error *err);

/* Whether these rights suffice for a resource of this name and these desired values. */
bool rh_needs_are_met(const struct rh_type *t, const struct rh_value *name, const struct rh_value *should,
                      const struct rh_rights *rights);

#endif
