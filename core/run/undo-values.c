/* SPDX-License-Identifier: Apache-2.0 */
/* undo-values - what is desired of a resource that is restored, and what it must be. */
#include "config.h"

#include "run/undo-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "provider/observed.h"
#include "run/content.h"
#include "run/journal-read.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

void
rh_undo_tell(struct rh_undo_making *m, const char *key, const char *fmt, ...)
{
    rh_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    rh_value_append(m->undo->problems, rh_value_string(m->a, rh_arena_printf(m->a, "%s: %s", key, text)));
}

static const struct rh_value *
read_content(struct rh_undo_making *m, const struct rh_undo_change *c, const char *attribute,
             const struct rh_value *kept)
{
    const char *digest = rh_value_get_str(kept, "content", ""), *form = rh_value_get_str(kept, "form", "");
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    rh_autofree char *bytes = rh_content_read(m->source->state_dir, m->j->run, digest, &n, &err);
    const struct rh_value *v = NULL;

    if (bytes && strcmp(form, "json") == 0)
        v = rh_value_from_json(m->a, bytes, n, &err);
    else if (bytes && strcmp(form, "binary") == 0)
        v = rh_value_binary(m->a, bytes, n);
    else if (bytes)
        v = rh_value_stringn(m->a, bytes, n);
    if (!v)
        rh_undo_tell(m, c->key, "'%s' cannot be restored: %s", attribute, err.message);
    return v;
}

/* NULL after telling why it cannot be restored. */
static const struct rh_value *
value_of(struct rh_undo_making *m, const struct rh_undo_change *c, const char *attribute,
         const struct rh_value *kept)
{
    const struct rh_value *v = rh_value_get(kept, "value");
    const char *withheld = rh_value_get_str(kept, "withheld", NULL);

    if (v)
        return v;
    if (rh_value_get(kept, "content"))
        return read_content(m, c, attribute, kept);
    rh_undo_tell(m, c->key, "'%s' cannot be restored: it was not kept%s%s", attribute, withheld ? ": " : "",
                 withheld ? withheld : "");
    return NULL;
}

/* The record of what was there, to be held against what the run has left. NULL: it is not known. */
static const struct rh_value *
record_of(struct rh_undo_making *m, const char *attribute, const struct rh_value *kept)
{
    const struct rh_value *v = rh_value_get(kept, "value");
    struct rh_value *record;

    if (v)
        return rh_observed_new(m->a, attribute, v, NULL);
    if (!rh_value_get(kept, "content") || strcmp(rh_value_get_str(kept, "form", ""), "json") == 0)
        return NULL;
    record = rh_value_hash(m->a, 1);
    rh_value_put_ref(record, "sha256", rh_value_get(kept, "content"));
    return record;
}

static bool
is_flag(const struct rh_value *v)
{
    return v->kind == RH_BOOLEAN;
}

struct rh_value *
rh_undo_attributes(struct rh_undo_making *m, const struct rh_undo_change *c, bool gone)
{
    const struct rh_value *name = rh_value_get(c->before, "name");
    const struct rh_value *parameters = rh_value_get(c->before, "parameters");
    struct rh_value *all = rh_value_new(m->a, RH_HASH);

    for (size_t i = 0; rh_value_is(name, RH_HASH) && i < name->count; i++)
        rh_value_put(all, rh_value_entry(name, i)->key, rh_value_entry(name, i)->value);
    for (size_t i = 0; rh_value_is(parameters, RH_HASH) && i < parameters->count; i++) {
        const struct rh_entry *e = rh_value_entry(parameters, i);

        if (!gone || !is_flag(e->value))
            rh_value_put(all, e->key, e->value);
    }
    return all;
}

/* Whether the run has changed this attribute, as far as is known. */
static bool
is_changed(struct rh_undo_making *m, const struct rh_undo_change *c, const char *attribute,
           const struct rh_value *kept)
{
    const struct rh_value *after = c->after ? rh_value_get(c->after, "attributes") : NULL, *left, *record;

    if (!rh_value_is(after, RH_HASH))
        return true;
    left = rh_value_get(after, attribute);
    record = record_of(m, attribute, kept);
    return left && (!record || !rh_observed_equal(record, left));
}

bool
rh_undo_is_removed(const struct rh_undo_change *c)
{
    return c->after && !rh_value_get(c->after, "unknown")
           && !rh_value_is(rh_value_get(c->after, "attributes"), RH_HASH);
}

int
rh_undo_restore(struct rh_undo_making *m, struct rh_undo_change *c, const struct rh_type *t,
                const struct rh_value *was, struct rh_value *attributes)
{
    const struct rh_value *after = c->after ? rh_value_get(c->after, "attributes") : NULL;
    bool removed = rh_undo_is_removed(c);
    size_t n = 0, lost = 0;

    for (size_t i = 0; i < was->count; i++) {
        const struct rh_entry *e = rh_value_entry(was, i);
        const struct rh_attr *attr = rh_type_attr(t, e->key);
        const struct rh_value *v;

        if (!attr || attr->behaviour & (RH_READ_ONLY | RH_PARAMETER | RH_NAMEVAR)
            || (attr->behaviour & RH_INIT_ONLY && !removed)
            || (!removed && attr != t->ensure && !is_changed(m, c, e->key, e->value)))
            continue;
        v = value_of(m, c, e->key, e->value);
        if (v) {
            rh_value_put_ref(attributes, attr->name, v);
            n += attr != t->ensure || removed || is_changed(m, c, e->key, e->value);
        } else {
            lost++;
        }
    }
    for (size_t i = 0; !removed && rh_value_is(after, RH_HASH) && i < after->count; i++) {
        const char *key = rh_value_entry(after, i)->key;
        const struct rh_attr *attr = rh_type_attr(t, key);

        if (attr && attr != t->ensure && !rh_value_get(was, key)) {
            rh_undo_tell(m, c->key, "'%s' cannot be restored: it had no value, or one that is not known",
                         key);
            lost++;
        }
    }
    return n || !lost ? 0 : -1;
}

const struct rh_value *
rh_undo_expected(struct rh_undo_making *m, const struct rh_undo_change *c)
{
    const struct rh_value *after = c->after ? rh_value_get(c->after, "attributes") : NULL;

    if (!c->after || rh_value_get(c->after, "unknown"))
        return NULL;
    return rh_value_is(after, RH_HASH) ? after : rh_value_new(m->a, RH_UNDEF);
}

struct rh_value *
rh_undo_secrets(struct rh_undo_making *m, const struct rh_undo_change *c, const struct rh_value *attributes)
{
    const struct rh_value *was = rh_value_get(c->before, "attributes");
    const struct rh_value *left = rh_value_get(c->after, "attributes");
    struct rh_value *names = rh_value_new(m->a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(attributes); i++) {
        const char *name = rh_value_entry(attributes, i)->key;

        if (rh_observed_is_secret(rh_value_get(left, name))
            || rh_value_get(rh_value_get(was, name), "withheld"))
            rh_value_append(names, rh_value_string(m->a, name));
    }
    return names->count ? names : NULL;
}
