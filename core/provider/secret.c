/* SPDX-License-Identifier: Apache-2.0 */
/* secret - what is nobody's to see, kept out of all that the runtime says. */
#include "config.h"

#include "provider/secret.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* deeper values are not shown */

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

        rh_secrets_learn(&rt->secrets, e->value,
                         (attr && attr->sensitive)
                             || rh_value_sensitive(rh_value_get(should, e->key)));
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

/* A text, or NULL where it has none. */
static char *
scrub_text(struct rh_runtime *rt, const char *s, size_t n)
{
    struct rh_buf b = { 0 };

    return rh_secrets_scrub(&rt->secrets, s, n, &b) ? rh_buf_take(&b) : NULL;
}

static bool
is_affected(struct rh_runtime *rt, const struct rh_value *v, int depth)
{
    rh_autobuf struct rh_buf b = { 0 };
    bool hash = v->kind == RH_HASH, any = false;

    if (v->marks & RH_SENSITIVE || depth > DEEPEST)
        return false;
    if (rh_kind_has_text(v->kind))
        return rh_secrets_scrub(&rt->secrets, v->u.string, v->count, &b);
    if (v->kind == RH_INTEGER || v->kind == RH_FLOAT) {
        rh_autofree char *scrubbed = NULL;

        rh_value_show(&b, v, 0);
        scrubbed = rh_secrets_scrubbed(&rt->secrets, rh_buf_text(&b));
        return scrubbed != NULL;
    }
    for (uint32_t i = 0; (hash || rh_kind_has_items(v->kind)) && i < v->count && !any; i++) {
        rh_autofree char *key = hash ? scrub_text(rt, v->u.entries->e[i].key,
                                                  strlen(v->u.entries->e[i].key))
                                     : NULL;

        any = key || is_affected(rt, hash ? v->u.entries->e[i].value : v->u.items->v[i], depth + 1);
    }
    return any;
}

static struct rh_value *
hidden_copy(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *v, int depth)
{
    struct rh_value *copy;

    if (!is_affected(rt, v, depth))
        return rh_value_copy(a, v);
    if (v->kind == RH_HASH || rh_kind_has_items(v->kind)) {
        copy = rh_value_new(a, (enum rh_kind)v->kind);
        for (uint32_t i = 0; i < v->count; i++) {
            if (v->kind == RH_HASH) {
                const struct rh_entry *e = &v->u.entries->e[i];

                rh_value_put(copy, rh_secret_hide(rt, a, e->key),
                             hidden_copy(rt, a, e->value, depth + 1));
            } else {
                rh_value_append(copy, hidden_copy(rt, a, v->u.items->v[i], depth + 1));
            }
        }
    } else if (v->kind == RH_STRING) {
        rh_autofree char *text = scrub_text(rt, v->u.string, v->count);

        copy = rh_value_string(a, text ? text : "");
    } else {
        copy = rh_value_string(a, "");
        copy->marks = RH_SENSITIVE;
    }
    return copy;
}

const struct rh_value *
rh_secret_hide_value(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *v)
{
    if (!v || !has_secrets(rt) || !is_affected(rt, v, 0))
        return v;
    return hidden_copy(rt, a, v, 0);
}

void
rh_secret_mark(struct rh_runtime *rt, struct rh_value *reading)
{
    for (size_t i = 0; has_secrets(rt) && i < rh_value_count(reading); i++) {
        const struct rh_entry *e = rh_value_entry(reading, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (!(attr && attr->behaviour & RH_NAMEVAR) && is_affected(rt, e->value, 0))
            e->value->marks |= RH_SENSITIVE;
    }
}
