/* SPDX-License-Identifier: Apache-2.0 */
/* why-value - where what a resource says comes from, as data. */
#include "config.h"

#include "cli/why.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/source.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/export.h"
#include "catalog/origin.h"
#include "cli/session.h"
#include "node/node.h"

#include <string.h>

static const char *const kinds[] = {
    [RH_ORIGIN_ENTRY] = "entry",
    [RH_ORIGIN_DEFAULT] = "default",
    [RH_ORIGIN_EDIT] = "edit",
};
static const char *const relation_words[] = { "require", "before", "subscribe", "notify" };

struct why {
    struct rh_session *s;
    struct rh_arena *a;
    const struct rh_resource *r;
};

static void
put_text(struct rh_value *to, const char *key, const char *text)
{
    rh_value_put(to, key, rh_value_string(rh_value_arena(to), text));
}

static void
put_place(const struct why *w, struct rh_value *to, struct rh_place place)
{
    const char *name = rh_sources_name(&w->s->sources, place.file);
    struct rh_value *v = rh_value_new(w->a, RH_HASH);

    if (!name || !place.line)
        return;
    put_text(v, "file", name);
    rh_value_put(v, "line", rh_value_integer(w->a, place.line));
    if (place.column)
        rh_value_put(v, "column", rh_value_integer(w->a, place.column));
    rh_value_put(to, "place", v);
}

/* The levels that made what the expression read. */
static void
put_node(const struct why *w, struct rh_value *to, const struct rh_value *reads)
{
    struct rh_value *list = rh_value_new(w->a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(reads); i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *path = rh_node_path_parse(w->a, rh_value_str(rh_value_at(reads, i), ""), &err);

        if (path) /* one that cannot be written as a path is left out */
            rh_value_append(list, rh_node_explain(w->s->machine.node, w->a, &w->s->sources, path));
    }
    if (list->count)
        rh_value_put(to, "node", list);
}

static struct rh_value *attribute(const struct why *w, const struct rh_entry *e);

static bool
is_in_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether an expression in the text names `name`: outside of quotes, and not as a part of something else. */
static bool
names(const char *text, const char *name)
{
    size_t n = strlen(name);
    bool within = !strstr(text, "${"); /* a condition is an expression as a whole */
    char quote = '\0', before = ' ';
    int depth = 0;

    for (const char *s = text; *s; before = *s++) {
        if (!within && s[0] == '$' && s[1] == '{') {
            within = true;
            before = *s++;
        } else if (within && quote) {
            s += *s == '\\' && s[1];
            if (*s == quote)
                quote = '\0';
        } else if (within && (*s == '"' || *s == '\'')) {
            quote = *s;
        } else if (within && *s == '{') {
            depth++;
        } else if (within && *s == '}' && depth-- == 0) {
            within = false;
            depth = 0;
        } else if (within && !is_in_name(before) && before != '.' && strncmp(s, name, n) == 0
                   && !is_in_name(s[n])) {
            return true;
        }
    }
    return false;
}

static bool
is_named_in(const struct rh_value *written, const char *name)
{
    if (rh_value_is(written, RH_STRING))
        return names(written->u.string, name);
    for (size_t i = 0; i < rh_value_count(written); i++)
        if (is_named_in(rh_value_part(written, i), name))
            return true;
    return false;
}

/* The parameters of the instance that it is part of, with where they come from in turn. */
static void
put_parameters(const struct why *w, struct rh_value *to, const struct rh_value *written)
{
    const struct why outer = { w->s, w->a, w->r->container };
    struct rh_value *list;

    if (!outer.r)
        return;
    list = rh_value_new(w->a, RH_ARRAY);
    for (size_t i = 0; i < rh_value_count(outer.r->should); i++) {
        const struct rh_entry *e = rh_value_entry(outer.r->should, i);

        if (is_named_in(written, e->key))
            rh_value_append(list, attribute(&outer, e));
    }
    if (list->count)
        rh_value_put(to, "parameters", list);
}

static void
put_origin(const struct why *w, struct rh_value *to, const struct rh_origin *o)
{
    put_text(to, "from", kinds[o->kind]);
    put_place(w, to, o->place);
    if (o->written) {
        rh_value_put(to, "written", o->written);
        put_parameters(w, to, o->written);
    }
    put_node(w, to, o->reads);
}

/* Where the entry says it; false when it does not. */
static bool
put_declared(const struct why *w, struct rh_value *to, const char *name)
{
    const struct rh_attr *attr = rh_type_attr(w->r->type, name);

    for (size_t i = 0; i < rh_value_count(w->r->declared); i++)
        if (rh_type_attr(w->r->type, rh_value_entry(w->r->declared, i)->key) == attr) {
            put_text(to, "from", "entry");
            put_place(w, to, rh_value_key_place(w->r->declared, i));
            return true;
        }
    return false;
}

static struct rh_value *
attribute(const struct why *w, const struct rh_entry *e)
{
    struct rh_value *v = rh_value_new(w->a, RH_HASH);
    const struct rh_origin *o = rh_origin_find(w->r, e->key);
    const struct rh_attr *attr = rh_type_attr(w->r->type, e->key);

    put_text(v, "name", e->key);
    rh_value_put(v, "value", e->value);
    if (o && (o->kind != RH_ORIGIN_EDIT || rh_value_get(w->r->declared, e->key)))
        put_origin(w, v, o);
    else if (put_declared(w, v, e->key))
        return v;
    else if (attr && attr->behaviour & RH_NAMEVAR)
        put_text(v, "from", "title");
    else if (w->r->declared)
        put_text(v, "from", "type");
    return v;
}

/* The words that the entry has beside its attributes and relations. */
static struct rh_value *
keywords(const struct why *w, const struct rh_value *compiled)
{
    static const char *const others[] = { "type",       "title",    "provider",  "container", "place",
                                          "attributes", "defaults", "require",   "before",    "subscribe",
                                          "notify",     "notifies", "subscribes" };
    struct rh_value *list = rh_value_new(w->a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(compiled); i++) {
        const struct rh_entry *e = rh_value_entry(compiled, i);
        const struct rh_origin *o = rh_origin_find(w->r, e->key);
        struct rh_value *v = rh_value_new(w->a, RH_HASH);
        bool other = false;

        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
            other |= strcmp(others[k], e->key) == 0;
        if (other)
            continue;
        put_text(v, "name", e->key);
        rh_value_put(v, "value", e->value);
        if (o)
            put_origin(w, v, o);
        rh_value_append(list, v);
    }
    return list;
}

static struct rh_value *
reference(const struct why *w, const struct rh_resource *r)
{
    return rh_value_string(w->a, rh_arena_printf(w->a, "%s[%s]", r->type->type, r->title));
}

/* What comes right before it, or right after it. */
static struct rh_value *
relations(const struct why *w, bool after)
{
    const struct rh_catalog *c = &w->s->catalog;
    struct rh_value *list = rh_value_new(w->a, RH_ARRAY);

    for (size_t i = 0; i < c->n_edges; i++) {
        const struct rh_edge *edge = &c->edges[i];
        struct rh_value *v;

        if ((after ? edge->to : edge->from) != w->r->index || edge->yielded)
            continue;
        v = rh_value_new(w->a, RH_HASH);
        rh_value_put(v, "resource", reference(w, c->resources[after ? edge->from : edge->to]));
        put_text(v, "kind", relation_words[edge->kind]);
        rh_value_put(v, "automatic", rh_value_boolean(w->a, edge->automatic));
        if (!edge->automatic)
            put_place(w, v, edge->place);
        rh_value_append(list, v);
    }
    return list;
}

static struct rh_value *
notifications(const struct why *w, bool in)
{
    const struct rh_catalog *c = &w->s->catalog;
    const struct rh_notifications *n = &c->notifications;
    struct rh_value *list = rh_value_new(w->a, RH_ARRAY);

    for (size_t i = 0; i < n->n; i++) {
        const struct rh_slot_of_target *slot = &n->slots[n->v[i].slot];
        struct rh_value *v;

        if (in ? slot->to != w->r : n->v[i].from != w->r->index)
            continue;
        v = rh_value_new(w->a, RH_HASH);
        rh_value_put(v, "resource", reference(w, in ? c->resources[n->v[i].from] : slot->to));
        put_text(v, "action", slot->action);
        put_text(v, "when", rh_timing_name((enum rh_timing)n->v[i].timing));
        rh_value_append(list, v);
    }
    return list;
}

struct rh_value *
rh_why_value(struct rh_session *s, const struct rh_resource *r)
{
    const struct why w = { s, s->arena, r };
    struct rh_value *v = rh_value_new(s->arena, RH_HASH), *list = rh_value_new(s->arena, RH_ARRAY);
    struct rh_value *container;

    rh_value_put(v, "resource", reference(&w, r));
    put_text(v, "type", r->type->type);
    put_text(v, "title", r->title);
    put_text(v, "provider", r->type->provider);
    put_place(&w, v, r->place);
    if (r->container) {
        container = rh_value_new(s->arena, RH_HASH);
        rh_value_put(container, "resource", reference(&w, r->container));
        put_place(&w, container, r->container->place);
        rh_value_put(v, "container", container);
    }
    for (size_t i = 0; i < rh_value_count(r->should); i++)
        rh_value_append(list, attribute(&w, rh_value_entry(r->should, i)));
    rh_value_put(v, "attributes", list);
    rh_value_put(v, "keywords", keywords(&w, rh_catalog_resource_to_value(&s->catalog, r, s->arena)));
    rh_value_put(v, "after", relations(&w, true));
    rh_value_put(v, "before", relations(&w, false));
    rh_value_put(v, "notified_by", notifications(&w, true));
    rh_value_put(v, "notifies", notifications(&w, false));
    return v;
}
