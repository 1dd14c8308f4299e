/* SPDX-License-Identifier: Apache-2.0 */
/* secret-value - values that are nobody's secret, but may repeat one. */
#include "config.h"

#include "base/secret-value.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

enum { DEEPEST = 64 }; /* deeper values are not shown */

/* A text, or NULL where it has none. */
static char *
scrub_text(struct rh_secrets *s, const char *text, size_t n)
{
    struct rh_buf b = { 0 };

    return rh_secrets_scrub(s, text, n, &b) ? rh_buf_take(&b) : NULL;
}

static bool
is_affected(struct rh_secrets *s, const struct rh_value *v, int depth)
{
    rh_autobuf struct rh_buf b = { 0 };
    bool hash = v->kind == RH_HASH, any = false;

    if (v->marks & RH_SENSITIVE || depth > DEEPEST)
        return false;
    if (rh_kind_has_text(v->kind))
        return rh_secrets_scrub(s, v->u.string, v->count, &b);
    if (v->kind == RH_INTEGER || v->kind == RH_FLOAT) {
        rh_autofree char *scrubbed = NULL;

        rh_value_show(&b, v, 0);
        scrubbed = rh_secrets_scrubbed(s, rh_buf_text(&b));
        return scrubbed != NULL;
    }
    for (uint32_t i = 0; (hash || rh_kind_has_items(v->kind)) && i < v->count && !any; i++) {
        rh_autofree char *key = hash ? scrub_text(s, v->u.entries[i].key, strlen(v->u.entries[i].key)) : NULL;

        any = key || is_affected(s, rh_value_part(v, i), depth + 1);
    }
    return any;
}

static struct rh_value *
hidden_copy(struct rh_secrets *s, struct rh_arena *a, const struct rh_value *v, int depth)
{
    struct rh_value *copy;

    if (!is_affected(s, v, depth))
        return rh_value_copy(a, v);
    if (v->kind == RH_HASH || rh_kind_has_items(v->kind)) {
        copy = rh_value_new(a, (enum rh_kind)v->kind);
        for (uint32_t i = 0; i < v->count; i++) {
            if (v->kind == RH_HASH) {
                const struct rh_entry *e = &v->u.entries[i];

                rh_autofree char *key = scrub_text(s, e->key, strlen(e->key));

                rh_value_put(copy, key ? key : e->key, hidden_copy(s, a, e->value, depth + 1));
            } else {
                rh_value_append(copy, hidden_copy(s, a, v->u.items[i], depth + 1));
            }
        }
    } else if (v->kind == RH_STRING) {
        rh_autofree char *text = scrub_text(s, v->u.string, v->count);

        copy = rh_value_string(a, text ? text : "");
    } else {
        copy = rh_value_string(a, "");
        copy->marks = RH_SENSITIVE;
    }
    return copy;
}

bool
rh_secret_value_has(struct rh_secrets *s, const struct rh_value *v)
{
    return v && s->n && is_affected(s, v, 0);
}

const struct rh_value *
rh_secret_value_hide(struct rh_secrets *s, struct rh_arena *a, const struct rh_value *v)
{
    return rh_secret_value_has(s, v) ? hidden_copy(s, a, v, 0) : v;
}
