/* SPDX-License-Identifier: Apache-2.0 */
/* need - what applying resources of a type takes, as its provider declares it: "root", "user[$user]",
 * "write[$target] if $persist", "run[/usr/bin/crontab]". sdk/rhost/abi.h has all kinds. */
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

/* The word of a kind: "write". */
const char *rh_need_word(enum rh_need_kind kind) __attribute__((returns_nonnull));

/* Whether `value` is one of this kind: an absolute path or "~anna/.ssh", both without "..", "tcp:443",
 * "chown". */
bool rh_need_fits(enum rh_need_kind kind, const char *value);

/* `value` is a path, a port and so on, and NULL for RH_NEED_ROOT. It is valid until the function returns. */
typedef void rh_need_fn(void *data, enum rh_need_kind kind, const char *value);

/* Calls `fn` with each thing that a resource of this name and these desired values needs. What an attribute
 * gives that is not of the need's kind, such as a path that is not absolute, is left out. */
void rh_needs_each(const struct rh_type *t, const struct rh_value *name, const struct rh_value *should,
                   rh_need_fn *fn, void *data);

/* The same of those alone that are not the same for each resource of the type. */
void rh_needs_each_varying(const struct rh_type *t, const struct rh_value *name,
                           const struct rh_value *should, rh_need_fn *fn, void *data);

/* Whether these rights suffice for a resource of this name and these desired values: it looks at "root",
 * "user" and "write" only, since the others are about the provider and not about who applies; and at no path
 * that a namevar gives, such as that of a file: it may be in sync, or the user's own. */
bool rh_needs_are_met(const struct rh_type *t, const struct rh_value *name, const struct rh_value *should,
                      const struct rh_rights *rights);

#endif
