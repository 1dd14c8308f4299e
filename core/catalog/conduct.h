/* SPDX-License-Identifier: Apache-2.0 */
/* conduct - how a resource is to be dealt with, apart from what it should be: guards, retries, how
 * long it may take, and what its failure means. */
#ifndef RH_CATALOG_CONDUCT_H
#define RH_CATALOG_CONDUCT_H

#include "base/value.h"

#include <stdbool.h>
#include <stdint.h>

struct rh_conduct {
    const struct rh_value *only_if, *not_if; /* an argument list, a text for the shell, or a list of those,
                                              * see rh_guard_is_list(); or NULL */
    /* Expressions over its own result, which are known later (catalog/later.h); or NULL */
    const struct rh_value *success_when, *changed_when, *until;
    uint32_t retries;    /* further tries when it fails */
    double retry_delay;  /* seconds between them */
    double timeout;      /* seconds for each try; 0: no limit of its own */
    bool ignore_failure; /* it fails without consequences */
};

/* Whether an expression judges what came of it. */
static inline bool
rh_conduct_judges(const struct rh_conduct *c)
{
    return c && (c->success_when || c->changed_when || c->until);
}

/* Whether it can't be in the middle of a batch. */
static inline bool
rh_conduct_needs_own_batch(const struct rh_conduct *c)
{
    return c && (c->only_if || c->not_if || c->retries || c->timeout > 0 || rh_conduct_judges(c));
}

/* Whether a guard is a list of commands: one of them is an argument list, since a list of texts is one
 * itself. */
static inline bool
rh_guard_is_list(const struct rh_value *guard)
{
    for (size_t i = 0; guard->kind == RH_ARRAY && i < guard->count; i++)
        if (rh_value_at(guard, i)->kind == RH_ARRAY)
            return true;
    return false;
}

#endif
