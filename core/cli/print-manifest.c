/* SPDX-License-Identifier: Apache-2.0 */
/* print-manifest - resources that were read, as a manifest that can be applied. */
#include "config.h"

#include "cli/print-value.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/writable.h"
#include "manifest/entry/long-form.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

/* One attribute as it is to be shown. */
struct shown {
    const struct rh_attr *attr;
    const struct rh_value *is;
    struct rh_value *written; /* NULL: it can't be applied */
    const char *why;          /* not */
};

/* A resource, under the title that a manifest can give it. */
struct listed {
    const struct rh_value *item;
    const char *title;
    struct shown *attrs;
    size_t n_attrs;
    bool unknown; /* nothing but its name was read: who knows what applying it would do */
    bool apart;   /* its attributes stand apart from its type: the long form */
};

struct printing {
    const struct rh_type *type;
    const char *provider; /* to be named in each; NULL: the one that would be taken anyway */
    struct rh_arena *arena;
    struct listed *list;
    size_t n;
};

/* A title that a manifest may hold, by which the resource is found among these. */
static bool
is_title(const struct rh_value *v)
{
    return rh_value_is(v, RH_STRING) && v->count && strlen(v->u.string) == v->count
           && rh_utf8_valid(v->u.string, v->count);
}

static const char *
title_of(const struct printing *p, const struct rh_value *item, const char *asked_for)
{
    const struct rh_type *t = p->type;
    const struct rh_value *given = rh_value_get(item, "title");
    const struct rh_value *only = t->n_namevars == 1 ? rh_value_get(item, t->namevars[0]->name) : NULL;
    const char *text;

    if (is_title(given))
        return given->u.string;
    if (is_title(only))
        return only->u.string;
    if (asked_for)
        return asked_for;
    text = rh_resource_title(p->arena, t, item);
    return *text ? text : "(empty)";
}

static int
by_title(const void *a, const void *b)
{
    return strcmp(((const struct listed *)a)->title, ((const struct listed *)b)->title);
}

/* Whether the title alone says what the attribute has, or leaves it to its default. */
static bool
is_said_by_title(const struct rh_value *from_title, const struct rh_attr *attr, const struct rh_value *v)
{
    const struct rh_value *said = rh_value_get(from_title, attr->name);

    if (from_title && !said)
        said = attr->default_value;
    return said && rh_value_equal(said, v);
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

static void
choose_attributes(const struct printing *p, struct listed *l)
{
    const struct rh_type *t = p->type;
    struct rh_value *from_title = rh_value_new(p->arena, RH_HASH);

    if (rh_title_parse(t, l->title, from_title, NULL) <= 0)
        from_title = NULL;
    l->unknown = is_unknown(t, l->item);
    l->apart = rh_entry_needs_long(t->type, "");
    l->attrs = rh_arena_alloc(p->arena, t->n_attrs * sizeof *l->attrs);
    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_attr *attr = &t->attrs[i];
        const struct rh_value *v = rh_value_get(l->item, attr->name);
        struct shown *s = &l->attrs[l->n_attrs];

        if (!v || v->kind == RH_UNDEF || attr->behaviour & RH_PARAMETER)
            continue;
        if (attr->behaviour & RH_NAMEVAR && is_said_by_title(from_title, attr, v))
            continue;
        *s = (struct shown){ .attr = attr, .is = v };
        if (attr->behaviour & RH_READ_ONLY)
            s->why = "read-only";
        else
            s->written = rh_writable(p->arena, attr, v, &s->why);
        l->apart |= rh_entry_needs_long(t->type, attr->name);
        l->n_attrs++;
    }
}

static const char nothing_known[] = "nothing can be read of it but its name";

static void
print_yaml_attribute(struct rh_buf *b, const struct shown *s, bool apart)
{
    rh_buf_add(b, apart ? "      " : "    ");
    rh_buf_add(b, s->written ? "" : "# ");
    rh_buf_add(b, s->attr->name);
    rh_buf_add(b, ": ");
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

static void
print_yaml_resource(struct rh_buf *b, const struct printing *p, const struct listed *l)
{
    rh_buf_add(b, l->unknown ? "  # - " : "  - ");
    rh_buf_add(b, l->apart ? "type: " : p->type->type);
    rh_buf_add(b, l->apart ? p->type->type : ": ");
    if (l->apart)
        rh_buf_add(b, l->unknown ? ", title: " : "\n    title: ");
    rh_yaml_add(b, rh_writable_text(p->arena, l->title, strlen(l->title)));
    if (l->unknown) {
        rh_buf_addf(b, "  (%s)\n", nothing_known);
        return;
    }
    rh_buf_addc(b, '\n');
    if (p->provider)
        rh_buf_addf(b, "    provider: %s\n", p->provider);
    if (l->apart && l->n_attrs)
        rh_buf_add(b, "    attributes:\n");
    for (size_t k = 0; k < l->n_attrs; k++)
        print_yaml_attribute(b, &l->attrs[k], l->apart);
}

static void
print_yaml(struct rh_buf *b, const struct printing *p)
{
    bool any = false;

    for (size_t i = 0; i < p->n; i++)
        any |= !p->list[i].unknown;
    rh_buf_add(b, any ? "resources:\n" : "resources: []\n");
    for (size_t i = 0; i < p->n; i++)
        print_yaml_resource(b, p, &p->list[i]);
}

/* What stands beside the resources, for programs: it is not applied. */
static void
put_note(struct rh_value *notes, const struct printing *p, const struct listed *l, const char *key,
         struct rh_value *v)
{
    const char *title = rh_arena_printf(p->arena, "%s[%s]", p->type->type, l->title);
    size_t n = notes->count;
    bool same = n && strcmp(rh_value_entry(notes, n - 1)->key, title) == 0;
    struct rh_value *of_title = same ? rh_draft_part(notes, n - 1) : NULL;

    if (!of_title) {
        of_title = rh_value_new(p->arena, RH_HASH);
        rh_value_add_ref(notes, title, of_title);
    }
    rh_value_put(of_title, key, v);
}

static void
print_json(struct rh_buf *b, const struct printing *p)
{
    struct rh_arena *a = p->arena;
    struct rh_value *root = rh_value_new(a, RH_HASH), *list = rh_value_new(a, RH_ARRAY);
    struct rh_value *read_only = rh_value_new(a, RH_HASH), *omitted = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < p->n; i++) {
        const struct listed *l = &p->list[i];
        struct rh_value *entry = rh_value_new(a, RH_HASH), *attributes = entry;

        if (l->unknown) {
            put_note(omitted, p, l, p->type->type, rh_value_string(a, nothing_known));
            continue;
        }
        if (l->apart)
            rh_value_put(entry, "type", rh_value_string(a, p->type->type));
        rh_value_put(entry, l->apart ? "title" : p->type->type,
                     rh_writable_text(a, l->title, strlen(l->title)));
        if (p->provider)
            rh_value_put(entry, "provider", rh_value_string(a, p->provider));
        if (l->apart)
            rh_value_put(entry, "attributes", attributes = rh_value_new(a, RH_HASH));
        for (size_t k = 0; k < l->n_attrs; k++) {
            const struct shown *s = &l->attrs[k];

            if (s->written)
                rh_value_put(attributes, s->attr->name, s->written);
            else if (s->attr->behaviour & RH_READ_ONLY)
                put_note(read_only, p, l, s->attr->name, rh_value_copy(a, s->is));
            else
                put_note(omitted, p, l, s->attr->name, rh_value_string(a, s->why));
        }
        rh_value_append(list, entry);
    }
    rh_value_put(root, "resources", list);
    if (read_only->count)
        rh_value_put(root, "read_only", read_only);
    if (omitted->count)
        rh_value_put(root, "omitted", omitted);
    rh_value_to_json_pretty(b, root, false);
    rh_buf_addc(b, '\n');
}

void
rh_print_manifest(FILE *to, const struct rh_type *t, const char *title, const char *provider,
                  const struct rh_value *items, bool json)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree struct listed *list = rh_xalloc(rh_xmul(items->count, sizeof *list));
    rh_autobuf struct rh_buf b = { 0 };
    const struct printing p = {
        .type = t,
        .provider = provider,
        .arena = a,
        .list = list,
        .n = items->count,
    };

    for (size_t i = 0; i < p.n; i++) {
        list[i].item = rh_value_at(items, i);
        list[i].title = title_of(&p, list[i].item, title);
    }
    for (size_t i = 1; i < p.n; i++)
        if (by_title(&list[i - 1], &list[i]) > 0) { /* most come in order */
            qsort(list, p.n, sizeof *list, by_title);
            break;
        }
    for (size_t i = 0; i < p.n; i++) {
        /* One that a provider calls what another is called already goes by its name. */
        if (i && strcmp(list[i].title, list[i - 1].title) == 0)
            list[i].title = rh_resource_title(a, t, list[i].item);
        choose_attributes(&p, &list[i]);
    }
    if (json)
        print_json(&b, &p);
    else
        print_yaml(&b, &p);
    (void)fputs(rh_buf_text(&b), to);
}
