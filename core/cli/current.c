/* SPDX-License-Identifier: Apache-2.0 */
/* current - what is there now, for expressions of a manifest that ask.
 *
 * The provider is asked as 'rhost resource TYPE TITLE' asks it: it reads, and touches nothing. */
#include "config.h"

#include "cli/current.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/secrets.h"
#include "base/suggest.h"
#include "base/value.h"
#include "cli/session.h"
#include "datatype/datatype.h"
#include "plugin/registry.h"
#include "provider/log-record.h"
#include "schema/type.h"

#include <string.h>

struct reading {
    struct rh_arena *arena;
    struct rh_value *item; /* the last that came */
};

static void
take_item(void *data, const struct rh_value *item)
{
    struct reading *r = data;

    r->item = rh_value_copy(r->arena, item);
}

/* The type, or NULL: without an error when no provider suits this machine yet. */
static const struct rh_type *
find_type(struct rh_session *s, const char *name, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    const struct rh_type *t = rh_registry_find(s->registry, name, NULL, &why);
    struct rh_suggest near;

    if (!t && why.kind == RH_EPROVIDER)
        return NULL;
    if (!t && why.message) {
        rh_error_move(err, &why);
        return NULL;
    }
    if (!t) {
        rh_suggest_init(&near, name);
        rh_registry_suggest(s->registry, &near);
        (void)rh_error_set(err, RH_EINPUT, "unknown type '%s', or one without state that can be read", name);
        (void)rh_error_suggest(err, near.best, NULL);
        return NULL;
    }
    if (!(t->slots & (RH_HAS_GET | RH_HAS_LOAD)))
        (void)rh_error_set(err, RH_EINPUT, "type '%s' cannot be read: it has no state", name);
    else if ((t->features & RH_REMOTE_RESOURCE) != 0 && !s->device)
        (void)rh_error_set(err, RH_EINPUT, "type '%s' manages a device: only 'rhost device' can read it",
                           name);
    else if (!(t->features & RH_REMOTE_RESOURCE) && s->device)
        (void)rh_error_set(err, RH_EINPUT, "type '%s' manages this machine, not a device", name);
    else
        return t;
    return NULL;
}

/* The namevar as its type has it: 22 for a port. */
static const struct rh_value *
read_namevar(struct rh_arena *a, const struct rh_attr *attr, const struct rh_value *text,
             struct rh_error *err)
{
    if (rh_datatype_match(attr->type, text))
        return rh_value_copy(a, text);
    return rh_datatype_from_text(a, attr->type, "the title", rh_value_str(text, ""), err);
}

/* The namevars that a title means; NULL with the reason. */
static struct rh_value *
read_title(const struct rh_type *t, const char *title, struct rh_arena *a, struct rh_error *err)
{
    struct rh_value *parsed = rh_value_new(a, RH_HASH), *name = rh_value_new(a, RH_HASH);
    int matched = rh_title_parse(t, title, parsed, err);

    if (matched < 0)
        return NULL;
    if (!matched) {
        (void)rh_error_set(err, RH_EINPUT, "title '%s' matches no title pattern of '%s'", title, t->type);
        return NULL;
    }
    for (size_t i = 0; i < t->n_namevars; i++) {
        const struct rh_attr *attr = t->namevars[i];
        const struct rh_value *text = rh_value_get(parsed, attr->name);
        const struct rh_value *v = NULL;

        if (text)
            v = read_namevar(a, attr, text, err);
        else if (attr->default_value)
            v = rh_value_copy(a, attr->default_value);
        else if (rh_datatype_match(attr->type, NULL))
            continue;
        else
            (void)rh_error_set(err, RH_EINPUT, "title '%s' contains no value for '%s'", title, attr->name);
        if (!v)
            return NULL;
        rh_value_put_ref(name, attr->name, v);
    }
    return name;
}

static bool
is_absent(const struct rh_type *t, const struct rh_value *is)
{
    if (t->ensure)
        return strcmp(rh_value_get_str(is, "ensure", ""), "absent") == 0;
    return rh_value_count(is) <= t->n_namevars;
}

const struct rh_value *
rh_session_current(void *data, const char *type, const char *title, struct rh_arena *a, struct rh_error *err)
{
    struct rh_session *s = data;
    const struct rh_type *t = find_type(s, type, err);
    struct reading r = { .arena = a };
    const struct rh_sink sink = { .data = &r, .item = take_item, .log = rh_log_record_print };
    rh_autoerror struct rh_error why = { 0 };
    struct rh_value *names, *name;

    if (t && rh_pool_suits(&s->pool, t, &why) <= 0)
        return rh_value_new(a, RH_UNKNOWN); /* something in the manifest may make it suit */
    if (!t)
        return err->message ? NULL : rh_value_new(a, RH_UNKNOWN);
    name = read_title(t, title, a, err);
    if (!name)
        return NULL;
    names = rh_value_new(a, RH_ARRAY);
    rh_value_append(names, name);
    s->read = true;
    if (rh_worker_read(rh_pool_worker(&s->pool, t), names, &sink, err) < 0) {
        (void)rh_error_prefix(err, "cannot read %s[%s]", type, title);
        return NULL;
    }
    if (!r.item || is_absent(t, r.item))
        return rh_value_new(a, RH_UNDEF);
    if (rh_value_sensitive(r.item))
        rh_secrets_learn(&s->pool.secrets, r.item, false);
    return r.item;
}
