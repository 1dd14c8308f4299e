/* SPDX-License-Identifier: Apache-2.0 */
/* secret - learns the secrets of a provider: what it was given, and what it has read. */
#include "config.h"

#include "provider/secret.h"

#include "base/arena.h"
#include "base/value.h"
#include "provider/runtime-parts.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

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

        rh_autoarena struct rh_arena *scratch = within ? rh_arena_new(NULL) : NULL;

        if (within)
            rh_arena_keep_secret(scratch);
        rh_secrets_learn(
            &rt->secrets, within ? rh_attribute_marked(scratch, attr, e->value) : e->value,
            (attr && attr->sensitive)
                || (wanted && (within ? wanted->marks & RH_SENSITIVE : rh_value_sensitive(wanted))));
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

void
rh_secret_update(struct rh_runtime *rt)
{
    if (rt->watched)
        rh_secret_read(rt, rt->watched_should, rt->watched);
}
