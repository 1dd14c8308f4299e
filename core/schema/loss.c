/* SPDX-License-Identifier: Apache-2.0 */
/* loss - what a change of a resource destroys beside its own attributes. */
#include "config.h"

#include "schema/loss.h"

#include "base/arena.h"
#include "base/error.h"
#include "schema/condition.h"
#include "schema/type.h"

#include <string.h>

static const char loses[] = "loses ";

bool
rh_is_loss(const char *text)
{
    return text && strncmp(text, loses, sizeof loses - 1) == 0;
}

static const char *
first_condition(const char *text)
{
    const char *i = strstr(text, " if $"), *u = strstr(text, " unless $");

    return i && (!u || i < u) ? i : u;
}

int
rh_loss_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_loss *l,
             struct rh_error *err)
{
    const char *what = text + sizeof loses - 1, *conditions = first_condition(what);

    *l = (struct rh_loss){ .text = what };
    l->what = conditions ? rh_arena_strndup(a, what, (size_t)(conditions - what)) : what;
    if (!*l->what)
        return rh_error_set(err, RH_EINPUT, "invalid relation '%s': expected 'loses WHAT if $attribute'",
                            text);
    switch (rh_conditions_read(a, t, conditions ? conditions : "", &l->conditions, &l->n_conditions)) {
    case RH_CONDITION_SHAPE:
        return rh_error_set(err, RH_EINPUT, "invalid relation '%s': expected 'loses WHAT if $attribute'",
                            text);
    case RH_CONDITION_ATTRIBUTE:
        return rh_error_set(err, RH_EINPUT, "unknown attribute in the relation '%s'", text);
    default:
        return 0;
    }
}

bool
rh_loss_happens(const struct rh_loss *l, const struct rh_loss_change *change)
{
    bool any = false, changes = false;

    if (!rh_conditions_match(l->conditions, l->n_conditions, change->name, change->should))
        return false;
    for (size_t i = 0; i < l->n_conditions; i++) {
        const struct rh_attr *attr = l->conditions[i].attr;

        if (!rh_attr_is_property(attr))
            continue;
        any = true;
        changes |= change->changes(change->data, attr->name);
    }
    return any ? changes && !change->removed : change->removed;
}
