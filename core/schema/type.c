/* SPDX-License-Identifier: Apache-2.0 */
/* type - reading a description into a type, refusing what can't work. */
#include "config.h"

#include "schema/type.h"

#include "base/arena.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

bool
rh_is_reserved_attribute(const char *name)
{
    static const char *const reserved[] = {
        "alias",    "audit",   "before",   "consume", "export",    "loglevel", "noop",  "notify",
        "provider", "require", "schedule", "stage",   "subscribe", "tag",      "title",
    };

    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return false;
}

static const struct rh_attr *
attr_formerly(const struct rh_type *t, const char *name)
{
    for (size_t i = 0; i < t->n_attrs; i++)
        for (size_t k = 0; k < rh_value_count(t->attrs[i].formerly); k++)
            if (strcmp(rh_value_str(rh_value_at(t->attrs[i].formerly, k), ""), name) == 0)
                return &t->attrs[i];
    return NULL;
}

static unsigned
beginning(const char *name)
{
    return (unsigned char)name[0] % RH_BEGINNINGS;
}

const struct rh_attr *
rh_type_attr(const struct rh_type *t, const char *name)
{
    const struct rh_attr *attr;

    for (unsigned n = t->begins[beginning(name)]; n; n = attr->next) {
        attr = &t->attrs[n - 1];
        if (attr->name == name || strcmp(attr->name, name) == 0) /* who knows the type has its own text */
            return attr;
    }
    return t->renamed ? attr_formerly(t, name) : NULL;
}

void
rh_type_index_attr(struct rh_type *t, size_t i)
{
    uint16_t *first = &t->begins[beginning(t->attrs[i].name)];

    t->attrs[i].next = *first;
    *first = (uint16_t)(i + 1);
}

const struct rh_action *
rh_type_action(const struct rh_type *t, const char *name)
{
    for (size_t i = 0; i < t->n_actions; i++)
        if (strcmp(t->actions[i].name, name) == 0)
            return &t->actions[i];
    return NULL;
}

bool
rh_type_wants_gone(const struct rh_type *t, const struct rh_value *should)
{
    return t->ensure && strcmp(rh_value_get_str(should, "ensure", "present"), "absent") == 0;
}

bool
rh_attr_is_property(const struct rh_attr *attr)
{
    return !(attr->behaviour & (RH_NAMEVAR | RH_PARAMETER | RH_READ_ONLY));
}

const char *
rh_type_suggest(const struct rh_type *t, const char *word)
{
    struct rh_suggest s;

    rh_suggest_init(&s, word);
    for (size_t i = 0; i < t->n_attrs; i++)
        rh_suggest_try(&s, t->attrs[i].name);
    return s.best;
}

/* Text that is seen to be text without quotes. */
static bool
is_word(const struct rh_value *v)
{
    static const char *const others[] = { "undef", "true", "false", "null", "default" };

    if (!rh_value_is(v, RH_STRING) || rh_value_sensitive(v) || !v->count
        || v->count != strcspn(v->u.string, " \t\r\n\"'\\=,;[]{}()")
        || !strchr("/._@ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", v->u.string[0]))
        return false;
    for (size_t i = 0; i < v->count; i++)
        if ((unsigned char)v->u.string[i] < ' ' || v->u.string[i] == 0x7f)
            return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(v->u.string, others[i]) == 0)
            return false;
    return true;
}

struct rh_value *
rh_resource_name(const struct rh_type *t, struct rh_arena *a, const struct rh_value *resource)
{
    struct rh_value *name = rh_value_hash(a, t->n_namevars);

    for (size_t i = 0; i < t->n_namevars; i++) {
        const char *key = t->namevars[i]->name;
        const struct rh_value *v = rh_value_get(resource, key);

        if (v)
            rh_value_add_ref(name, key, v);
    }
    return name;
}

void
rh_type_name_text(const struct rh_type *t, const struct rh_value *name, struct rh_buf *b)
{
    const struct rh_value *only = t->n_namevars == 1 ? rh_value_get(name, t->namevars[0]->name) : NULL;
    bool any = false;

    if (rh_value_is(only, RH_STRING)) {
        rh_buf_addn(b, only->u.string, only->count);
        return;
    }
    if (only) {
        rh_value_show(b, only, 0);
        return;
    }
    /* Only the namevars, and in the type's order: a whole resource has the same text as its name. */
    for (size_t i = 0; i < t->n_namevars; i++) {
        const struct rh_value *v = rh_value_get(name, t->namevars[i]->name);

        if (!v)
            continue;
        rh_buf_addf(b, "%s%s=", any ? " " : "", t->namevars[i]->name);
        if (is_word(v))
            rh_buf_addn(b, v->u.string, v->count);
        else
            rh_value_show(b, v, 0);
        any = true;
    }
}

const struct rh_type *
rh_type_undeclared(const struct rh_type *t)
{
    for (size_t i = 0; i < t->n_lookups; i++)
        if (!t->lookups[i]->declares_needs)
            return t->lookups[i];
    return t->declares_needs ? NULL : t;
}

const char *
rh_type_with_provider(const struct rh_type *t, struct rh_arena *a)
{
    return rh_arena_printf(a, "%s,%s", t->type, t->provider);
}
