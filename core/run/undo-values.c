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
#include "run/backup.h"
#include "run/content.h"
#include "run/journal-read.h"
#include "run/seal.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

void
rh_undo_report(struct rh_undo_making *m, const char *key, const char *fmt, ...)
{
    rh_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    rh_value_append(m->undo->problems, rh_value_string(m->a, rh_arena_printf(m->a, "%s: %s", key, text)));
}

static const struct rh_value *
from_bytes(struct rh_arena *a, const char *form, const char *bytes, size_t n, struct rh_error *err)
{
    if (strcmp(form, "json") == 0)
        return rh_value_from_json(a, bytes, n, err);
    if (strcmp(form, "binary") == 0)
        return rh_value_binary(a, bytes, n);
    return rh_value_stringn(a, bytes, n);
}

static const struct rh_value *
read_content(struct rh_undo_making *m, const struct rh_undo_change *c, const char *attribute,
             const struct rh_value *kept)
{
    const char *digest = rh_value_get_str(kept, "content", ""), *form = rh_value_get_str(kept, "form", "");
    rh_autoerror struct rh_error err = { 0 };
    size_t n = 0;
    rh_autofree char *bytes = rh_content_read(m->source->state_dir, m->j->run, digest, &n, &err);
    const struct rh_value *v = bytes ? from_bytes(m->a, form, bytes, n, &err) : NULL;

    if (!v)
        rh_undo_report(m, c->key, "'%s' cannot be restored: %s", attribute, err.message);
    return v;
}

/* Without its key nothing is restored: another try may have it. */
static const struct rh_value *
lock(struct rh_undo_making *m, const struct rh_undo_change *c, const char *attribute, const char *why)
{
    if (!m->undo->locked)
        m->undo->locked = rh_arena_printf(m->a, "%s: '%s' cannot be restored: %s", c->key, attribute, why);
    return NULL;
}

static const struct rh_value *
read_sealed(struct rh_undo_making *m, const struct rh_undo_change *c, const char *attribute,
            const struct rh_value *kept)
{
    const char *digest = rh_value_get_str(kept, "sealed", ""), *form = rh_value_get_str(kept, "form", "");
    rh_autofree char *about = rh_backup_about(m->j->run, c->type, c->title, attribute);
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *bytes = NULL;
    const struct rh_value *v;
    const char *text;
    size_t n = 0;

    if (m->source->without_key) {
        m->undo->sealed++;
        rh_undo_report(m, c->key, "'%s' cannot be restored: it is encrypted, and its key is lost", attribute);
        return NULL;
    }
    if (!m->source->seal)
        return lock(m, c, attribute, "it is encrypted");
    bytes = rh_content_read(m->source->state_dir, m->j->run, digest, &n, &err);
    if (!bytes) {
        rh_undo_report(m, c->key, "'%s' cannot be restored: %s", attribute, err.message);
        return NULL;
    }
    text = rh_seal_decrypt(m->source->seal, about, bytes, n, m->a, &n, &err);
    if (!text)
        return lock(m, c, attribute, err.message);
    v = from_bytes(m->a, form, text, n, &err);
    if (v)
        return rh_value_marked(m->a, v, RH_SENSITIVE);
    rh_undo_report(m, c->key, "'%s' cannot be restored: what was encrypted is damaged", attribute);
    return NULL;
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
    if (rh_value_get(kept, "sealed"))
        return read_sealed(m, c, attribute, kept);
    rh_undo_report(m, c->key, "'%s' cannot be restored: it was not kept%s%s", attribute, withheld ? ": " : "",
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
rh_undo_attributes(struct rh_undo_making *m, const struct rh_undo_change *c, const struct rh_type *t,
                   bool gone)
{
    const struct rh_value *name = rh_value_get(c->before, "name");
    const struct rh_value *parameters = rh_value_get(c->before, "parameters");
    const struct rh_value *secrets = rh_value_get(c->before, "secrets");
    struct rh_value *all = rh_value_new(m->a, RH_HASH);

    for (size_t i = 0; rh_value_is(name, RH_HASH) && i < name->count; i++)
        rh_value_put(all, rh_value_entry(name, i)->key, rh_value_entry(name, i)->value);
    for (size_t i = 0; rh_value_is(parameters, RH_HASH) && i < parameters->count; i++) {
        const struct rh_entry *e = rh_value_entry(parameters, i);

        if (!gone || !is_flag(e->value))
            rh_value_put(all, e->key, e->value);
    }
    for (size_t i = 0; !gone && i < t->n_restores; i++)
        rh_value_put_ref(all, t->restores[i].attr->name, t->restores[i].value);
    for (size_t i = 0; i < rh_value_count(secrets); i++) {
        const struct rh_entry *e = rh_value_entry(secrets, i);
        const struct rh_value *v = value_of(m, c, e->key, e->value);

        if (v)
            rh_value_put_ref(all, e->key, v);
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
    size_t n = 0, missing = 0;

    for (size_t i = 0; i < was->count; i++) {
        const struct rh_entry *e = rh_value_entry(was, i);
        const struct rh_attr *attr = rh_type_attr(t, e->key);
        const struct rh_value *v;

        if (!attr || attr->behaviour & (RH_READ_ONLY | RH_PARAMETER | RH_NAMEVAR)
            || (attr->behaviour & RH_INIT_ONLY && !removed)
            || (!removed && attr != t->ensure && !attr->default_value && !is_changed(m, c, e->key, e->value)))
            continue;
        v = value_of(m, c, e->key, e->value);
        if (v) { /* of what has not changed, that which would get the default of the type */
            rh_value_put_ref(attributes, attr->name, v);
            n += removed || is_changed(m, c, e->key, e->value);
        } else {
            missing++;
        }
    }
    for (size_t i = 0; !removed && rh_value_is(after, RH_HASH) && i < after->count; i++) {
        const char *key = rh_value_entry(after, i)->key;
        const struct rh_attr *attr = rh_type_attr(t, key);

        if (attr && attr != t->ensure && !rh_value_get(was, key)) {
            rh_undo_report(m, c->key, "'%s' cannot be restored: it had no value, or one that is not known",
                           key);
            missing++;
        }
    }
    return n || !missing ? 0 : -1;
}

/* Of a file of which a part was edited, only what the run has changed: what it has not changed of mode and
 * owners may have been set by others since. */
static const struct rh_value *
changed_of(struct rh_undo_making *m, const struct rh_undo_change *c, const struct rh_value *after)
{
    const struct rh_value *was = rh_value_get(c->before, "attributes");
    struct rh_value *all = rh_value_hash(m->a, after->count);

    for (size_t i = 0; i < after->count; i++) {
        const struct rh_entry *e = rh_value_entry(after, i);
        const struct rh_value *kept = rh_value_get(was, e->key);

        if (!kept || is_changed(m, c, e->key, kept))
            rh_value_put_ref(all, e->key, e->value);
    }
    return all;
}

const struct rh_value *
rh_undo_expected(struct rh_undo_making *m, const struct rh_undo_change *c)
{
    const struct rh_value *after = c->after ? rh_value_get(c->after, "attributes") : NULL;

    if (!c->after || rh_value_get(c->after, "unknown"))
        return NULL;
    if (!rh_value_is(after, RH_HASH))
        return rh_value_new(m->a, RH_UNDEF);
    return c->edited ? changed_of(m, c, after) : after;
}

static bool
is_sealed(const struct rh_undo_change *c, const char *name)
{
    return rh_value_get(rh_value_get(rh_value_get(c->before, "attributes"), name), "sealed")
           || rh_value_get(rh_value_get(c->before, "secrets"), name);
}

bool
rh_undo_keeps_secrets(const struct rh_undo_change *c)
{
    const struct rh_value *was = rh_value_get(c->before, "attributes");

    for (size_t i = 0; i < rh_value_count(was); i++)
        if (is_sealed(c, rh_value_entry(was, i)->key))
            return true;
    return rh_value_count(rh_value_get(c->before, "secrets")) > 0;
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
            || rh_value_get(rh_value_get(was, name), "withheld") || is_sealed(c, name))
            rh_value_append(names, rh_value_string(m->a, name));
    }
    return names->count ? names : NULL;
}
