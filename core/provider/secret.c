/* SPDX-License-Identifier: Apache-2.0 */
/* secret - what is nobody's to see, kept out of all that the runtime says. */
#include "config.h"

#include "provider/secret.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/secret-value.h"
#include "base/value.h"
#include "provider/runtime-parts.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

#include <stdlib.h>

void
rh_secret_wanted(struct rh_runtime *rt, const struct rh_value *v)
{
    rh_secrets_learn(&rt->secrets, v, false);
}

static void
learn_reading(struct rh_runtime *rt, const struct rh_value *should, const struct rh_value *reading)
{
    bool any = rt->hides || rh_value_sensitive(should);

    if (!any)
        rh_secrets_learn(&rt->secrets, reading, false);
    for (size_t i = 0; any && rh_value_is(reading, RH_HASH) && i < reading->count; i++) {
        const struct rh_entry *e = rh_value_entry(reading, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        const struct rh_value *wanted = rh_value_get(should, e->key);
        bool within = attr && attr->sensitive_within;

        if (within)
            rh_attribute_mark_sensitive(attr, e->value);
        rh_secrets_learn(&rt->secrets, e->value,
                         (attr && attr->sensitive)
                             || (wanted && (within ? wanted->marks & RH_SENSITIVE
                                                   : rh_value_sensitive(wanted))));
    }
}

void
rh_secret_read(struct rh_runtime *rt, const struct rh_value *should, const struct rh_value *reading)
{
    size_t before = rt->secrets.n;

    learn_reading(rt, should, reading);
    if (rt->secrets.n > before) {
        rh_arena_keep_secret(rt->cache_arena);
        if (rt->arena_of_batch)
            rh_arena_keep_secret(rt->arena_of_batch);
    }
    for (size_t i = before; i < rt->secrets.n && rt->sink.secret; i++)
        rt->sink.secret(rt->sink.data, rt->secrets.v[i].s, rt->secrets.v[i].n);
}

void
rh_secret_watch(struct rh_runtime *rt, const struct rh_value *should, const struct rh_value *reading)
{
    rt->watched = reading;
    rt->watched_should = should;
}

static bool
has_secrets(struct rh_runtime *rt)
{
    if (rt->watched)
        rh_secret_read(rt, rt->watched_should, rt->watched);
    return rt->secrets.n > 0;
}

const char *
rh_secret_hide(struct rh_runtime *rt, struct rh_arena *a, const char *text)
{
    rh_autofree char *scrubbed =
        text && has_secrets(rt) ? rh_secrets_scrubbed(&rt->secrets, text) : NULL;

    return scrubbed ? rh_arena_strdup(a, scrubbed) : text;
}

void
rh_secret_hide_error(struct rh_runtime *rt, struct rh_error *err)
{
    char *scrubbed = err && err->message && has_secrets(rt)
                         ? rh_secrets_scrubbed(&rt->secrets, err->message)
                         : NULL;

    if (!scrubbed)
        return;
    free(err->message);
    err->message = scrubbed;
}

const struct rh_value *
rh_secret_hide_value(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *v)
{
    return has_secrets(rt) ? rh_secret_value_hide(&rt->secrets, a, v) : v;
}

void
rh_secret_mark(struct rh_runtime *rt, struct rh_value *reading)
{
    for (size_t i = 0; has_secrets(rt) && i < rh_value_count(reading); i++) {
        const struct rh_entry *e = rh_value_entry(reading, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (!(attr && attr->behaviour & RH_NAMEVAR) && rh_secret_value_has(&rt->secrets, e->value))
            e->value->marks |= RH_SENSITIVE;
    }
}
