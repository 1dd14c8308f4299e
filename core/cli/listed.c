/* SPDX-License-Identifier: Apache-2.0 */
/* listed - a resource that was read, as the entry of a manifest that means it. */
#include "config.h"

#include "cli/listed.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value-yaml.h"
#include "base/value.h"
#include "cli/print-value.h"
#include "cli/writable.h"
#include "manifest/entry/long-form.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <string.h>

const char rh_listed_nothing_known[] = "nothing can be read of it but its name";

/* A title that a manifest may hold, by which the resource is found among these. */
static bool
is_title(const struct rh_value *v)
{
    return rh_value_is(v, RH_STRING) && v->count && strlen(v->u.string) == v->count
           && rh_utf8_valid(v->u.string, v->count);
}

const char *
rh_listed_title(struct rh_arena *a, const struct rh_type *t, const struct rh_value *item,
                const char *asked_for)
{
    const struct rh_value *own_title = rh_value_get(item, "title");
    const struct rh_value *only = t->n_namevars == 1 ? rh_value_get(item, t->namevars[0]->name) : NULL;
    const char *text;

    if (is_title(own_title))
        return own_title->u.string;
    if (is_title(only))
        return only->u.string;
    if (asked_for)
        return asked_for;
    text = rh_resource_title(a, t, item);
    return *text ? text : "(empty)";
}

/* Whether the title alone says what the attribute has, or leaves it to its default. */
static bool
is_implied_by_title(const struct rh_value *from_title, const struct rh_attr *attr, const struct rh_value *v)
{
    const struct rh_value *implied = rh_value_get(from_title, attr->name);

    if (from_title && !implied)
        implied = attr->default_value;
    return implied && rh_value_equal(implied, v);
}

static bool
is_unknown(const struct rh_type *t, const struct rh_value *item)
{
    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_value *v = rh_value_get(item, t->attrs[i].name);

        if (v && v->kind != RH_UNDEF && !(t->attrs[i].behaviour & (RH_NAMEVAR | RH_PARAMETER)))
            return false;
    }
    return true;
}

/* Whether the attribute is left out of every entry of this kind. */
static bool
is_left_out(const struct rh_attr *attr, const struct rh_value *v, bool brief)
{
    if (!brief)
        return attr->behaviour & RH_PARAMETER;
    return attr->behaviour & RH_READ_ONLY
           || (!(attr->behaviour & RH_NAMEVAR) && attr->default_value
               && rh_value_equal(attr->default_value, v));
}

/* The same, which no sink holds back any more. */
static struct rh_value *
without_marks(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *copy;

    if (v->kind != RH_ARRAY && v->kind != RH_HASH) {
        copy = rh_value_copy(a, v);
        copy->marks &= (uint8_t)~RH_SENSITIVE;
        return copy;
    }
    copy = rh_value_new(a, v->kind);
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (e)
            rh_value_put(copy, e->key, without_marks(a, e->value));
        else
            rh_value_append(copy, without_marks(a, rh_value_at(v, i)));
    }
    return copy;
}

void
rh_listed_choose(struct rh_arena *a, const struct rh_type *t, struct rh_listed *l, unsigned how)
{
    bool brief = how & RH_LISTED_BRIEF;
    struct rh_value *from_title = rh_value_new(a, RH_HASH);

    if (rh_title_parse(t, l->title, from_title, NULL) <= 0)
        from_title = NULL;
    l->unknown = !brief && is_unknown(t, l->item);
    l->apart = rh_entry_needs_long(t->type, "");
    l->attrs = rh_arena_alloc(a, t->n_attrs * sizeof *l->attrs);
    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_attr *attr = &t->attrs[i];
        const struct rh_value *v = rh_value_get(l->item, attr->name);
        struct rh_shown *s = &l->attrs[l->n_attrs];

        if (!v || v->kind == RH_UNDEF || is_left_out(attr, v, brief))
            continue;
        if (attr->behaviour & RH_NAMEVAR && is_implied_by_title(from_title, attr, v))
            continue;
        *s = (struct rh_shown){ .attr = attr, .is = v, .secret = rh_value_sensitive(v) };
        if (s->secret && how & RH_LISTED_SECRETS)
            v = without_marks(a, v);
        if (attr->behaviour & RH_READ_ONLY)
            s->why = "read-only";
        else
            s->written = rh_writable(a, attr, v, &s->why);
        l->apart |= rh_entry_needs_long(t->type, attr->name);
        l->n_attrs++;
    }
}

static void
add_attribute(struct rh_buf *b, const struct rh_shown *s, bool apart, bool blocks)
{
    size_t depth = apart ? 3 : 2;

    for (size_t i = 0; i < depth; i++)
        rh_buf_add(b, "  ");
    rh_buf_add(b, s->written ? "" : "# ");
    rh_buf_add(b, s->attr->name);
    rh_buf_addc(b, ':');
    if (s->written && blocks && rh_yaml_add_literal(b, s->written, depth + 1))
        return;
    rh_buf_addc(b, ' ');
    if (s->written)
        rh_yaml_add(b, s->written);
    else if (s->attr->behaviour & RH_READ_ONLY && s->is->kind != RH_BINARY)
        rh_yaml_add(b, s->is);
    else
        rh_value_show(b, s->is, 200);
    if (s->why)
        rh_buf_addf(b, "  (%s)", s->why);
    rh_buf_addc(b, '\n');
}

/* What a manifest would not know for a secret by its type. */
static void
add_sensitive(struct rh_buf *b, const struct rh_listed *l)
{
    size_t n = 0;

    for (size_t i = 0; i < l->n_attrs; i++)
        if (l->attrs[i].written && l->attrs[i].secret && !l->attrs[i].attr->sensitive) {
            rh_buf_add(b, n++ ? ", " : "    sensitive: [");
            rh_buf_add(b, l->attrs[i].attr->name);
        }
    rh_buf_add(b, n ? "]\n" : "");
}

void
rh_listed_add_yaml(struct rh_buf *b, struct rh_arena *a, const struct rh_type *t, const struct rh_listed *l,
                   bool blocks)
{
    rh_buf_add(b, l->unknown ? "  # - " : "  - ");
    rh_buf_add(b, l->apart ? "type: " : t->type);
    rh_buf_add(b, l->apart ? t->type : ": ");
    if (l->apart)
        rh_buf_add(b, l->unknown ? ", title: " : "\n    title: ");
    rh_yaml_add(b, rh_writable_text(a, l->title, strlen(l->title)));
    if (l->unknown) {
        rh_buf_addf(b, "  (%s)\n", rh_listed_nothing_known);
        return;
    }
    rh_buf_addc(b, '\n');
    if (l->provider)
        rh_buf_addf(b, "    provider: %s\n", l->provider);
    if (blocks)
        add_sensitive(b, l);
    if (l->apart && l->n_attrs)
        rh_buf_add(b, "    attributes:\n");
    for (size_t k = 0; k < l->n_attrs; k++)
        add_attribute(b, &l->attrs[k], l->apart, blocks);
}
