/* SPDX-License-Identifier: Apache-2.0 */
/* export - a catalog as data. */
#include "config.h"

#include "catalog/export.h"

#include "base/arena.h"
#include "base/source.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/later.h"
#include "catalog/meta.h"
#include "catalog/order.h"
#include "catalog/origin.h"

#include <math.h>
#include <string.h>

static const char *const relation_words[] = { "require", "before", "subscribe", "notify" };

static struct rh_value *
marker(struct rh_arena *a, const char *word, struct rh_value *v)
{
    const struct rh_entry e = { word, v };

    return rh_value_hash_of(a, &e, NULL, 1);
}

static struct rh_value *
place_value(struct rh_arena *a, const struct rh_catalog *c, struct rh_place place)
{
    const char *name = rh_sources_name(c->sources, place.file);
    struct rh_value *v = rh_value_hash(a, 3);

    if (!name)
        return v;
    rh_value_put_ref(v, "file", rh_value_string(a, name));
    rh_value_put_ref(v, "line", rh_value_integer(a, place.line));
    if (place.column)
        rh_value_put_ref(v, "column", rh_value_integer(a, place.column));
    return v;
}

/* What the expression means that stands there is known when that resource was applied. */
static struct rh_value *
known_after(struct rh_arena *a, const struct rh_catalog *c, const char *resource, const struct rh_value *v)
{
    struct rh_value *all = rh_value_hash(a, 2);

    rh_value_put_ref(all, "resource", rh_value_string(a, resource));
    rh_value_put_ref(all, "place", place_value(a, c, rh_value_place(v)));
    return marker(a, "$known_after", all);
}

static struct rh_value *
plain(struct rh_arena *a, const struct rh_catalog *c, const struct rh_value *v)
{
    struct rh_value *out;

    if (c && rh_value_deferred(v))
        return known_after(a, c, rh_value_deferred(v)->after, v);

    if (v->marks & RH_SENSITIVE || v->kind == RH_WRAPPED)
        return marker(a, "$sensitive", rh_value_boolean(a, true));
    switch (v->kind) {
    case RH_ARRAY:
        out = rh_value_new(a, RH_ARRAY);
        for (uint32_t i = 0; i < v->count; i++)
            rh_value_append(out, plain(a, c, v->u.items[i]));
        break;
    case RH_HASH:
        out = rh_value_hash(a, v->count);
        for (uint32_t i = 0; i < v->count; i++)
            rh_value_add_ref(out, v->u.entries[i].key, plain(a, c, v->u.entries[i].value));
        if (v->count == 1 && v->u.entries[0].key[0] == '$')
            out = marker(a, "$literal", out);
        break;
    case RH_FLOAT:
        if (!isfinite(v->u.real))
            out = marker(a, "$float",
                         rh_value_string(a, isnan(v->u.real)  ? ".nan"
                                            : v->u.real > 0.0 ? ".inf"
                                                              : "-.inf"));
        else
            out = rh_value_float(a, v->u.real);
        break;
    default:
        out = rh_value_copy(a, v);
        out->marks = 0;
    }
    if (v->marks & (RH_APPEND | RH_REMOVE))
        out = marker(a, v->marks & RH_APPEND ? "$append" : "$remove", out);
    return out;
}

struct rh_value *
rh_catalog_plain(struct rh_arena *a, const struct rh_value *v)
{
    return plain(a, NULL, v);
}

static struct rh_value *
reference(struct rh_arena *a, const char *type, const char *title)
{
    return rh_value_string(a, rh_arena_printf(a, "%s[%s]", type, title));
}

static struct rh_value *
resource_reference(struct rh_arena *a, const struct rh_resource *r)
{
    return reference(a, r->type->type, r->title);
}

/* Where the defaults stand that it has taken. */
static void
put_defaults(struct rh_arena *a, struct rh_value *to, const struct rh_catalog *c, const struct rh_resource *r)
{
    struct rh_value *all = rh_value_new(a, RH_HASH);

    for (const struct rh_origin *o = r->origins; o; o = o->next)
        if (o->kind == RH_ORIGIN_DEFAULT)
            rh_value_put_ref(all, o->name, place_value(a, c, o->place));
    if (all->count)
        rh_value_put_ref(to, "defaults", all);
}

static void
put_relations(struct rh_arena *a, struct rh_value *to, const struct rh_resource *r)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct rh_value *list = NULL;

        for (const struct rh_stated *s = r->stated; s; s = s->next) {
            if (s->kind != kind)
                continue;
            if (!list)
                list = rh_value_new(a, RH_ARRAY);
            rh_value_append(list, reference(a, s->to.type, s->to.title));
        }
        if (list)
            rh_value_put_ref(to, relation_words[kind], list);
    }
}

static void
put_notifications(struct rh_arena *a, struct rh_value *to, const struct rh_resource *r)
{
    struct rh_value *lists[2] = { NULL, NULL };

    for (const struct rh_stated_notification *s = r->notifications; s; s = s->next) {
        struct rh_value *v = rh_value_hash(a, 4);

        rh_value_put_ref(v, "action", rh_value_string(a, s->action));
        rh_value_put_ref(v, "resource", reference(a, s->other->type, s->other->title));
        rh_value_put_ref(v, "when", rh_value_string(a, rh_timing_name(s->timing)));
        rh_value_put_ref(v, "on_failure", rh_value_string(a, rh_on_failure_name(s->on_failure)));
        if (!lists[s->subscribes])
            lists[s->subscribes] = rh_value_new(a, RH_ARRAY);
        rh_value_append(lists[s->subscribes], v);
    }
    if (lists[false])
        rh_value_put_ref(to, "notifies", lists[false]);
    if (lists[true])
        rh_value_put_ref(to, "subscribes", lists[true]);
}

static void
put_conduct(struct rh_arena *a, struct rh_value *to, const struct rh_catalog *all, const struct rh_conduct *c)
{
    if (c->only_if)
        rh_value_put_ref(to, "only_if", plain(a, all, c->only_if));
    if (c->not_if)
        rh_value_put_ref(to, "not_if", plain(a, all, c->not_if));
    if (c->retries)
        rh_value_put_ref(to, "retries", rh_value_integer(a, c->retries));
    if (c->retry_delay > 0)
        rh_value_put_ref(to, "retry_delay", rh_value_float(a, c->retry_delay));
    if (c->timeout > 0)
        rh_value_put_ref(to, "timeout", rh_value_float(a, c->timeout));
    if (c->ignore_failure)
        rh_value_put_ref(to, "ignore_failure", rh_value_boolean(a, true));
}

/* An expression over the resource's own result. */
static void
put_judge(struct rh_arena *a, struct rh_value *to, const struct rh_catalog *c, const struct rh_resource *r,
          const char *word, const struct rh_value *v)
{
    if (v)
        rh_value_put_ref(to, word,
                         known_after(a, c, rh_arena_printf(a, "%s[%s]", r->type->type, r->title), v));
}

/* {on_failure: ["file[/a]", ...]} */
static struct rh_value *
watched(struct rh_arena *a, const struct rh_watched *w)
{
    struct rh_value *v = rh_value_hash(a, 1), *of = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < w->n; i++)
        rh_value_append(of, resource_reference(a, w->resources[i]));
    rh_value_put_ref(v, w->always ? "always" : "on_failure", of);
    return v;
}

/* What is known only at its turn, beside attributes: conditions, and what judges its own result. */
static void
put_later(struct rh_arena *a, struct rh_value *to, const struct rh_catalog *c, const struct rh_resource *r)
{
    const struct rh_conduct *conduct = r->conduct;
    struct rh_value *when = NULL;

    for (const struct rh_later_condition *l = r->conditions; l; l = l->outer) {
        if (!when)
            when = rh_value_new(a, RH_ARRAY);
        rh_value_append(when, l->watched ? watched(a, l->watched) : plain(a, c, l->value));
    }
    if (when)
        rh_value_put_ref(to, "when", when);
    if (!conduct)
        return;
    put_judge(a, to, c, r, "success_when", conduct->success_when);
    put_judge(a, to, c, r, "changed_when", conduct->changed_when);
    put_judge(a, to, c, r, "until", conduct->until);
}

struct rh_value *
rh_catalog_resource_to_value(const struct rh_catalog *c, const struct rh_resource *r, struct rh_arena *a)
{
    struct rh_value *v = rh_value_hash(a, 8);
    struct rh_value *attributes = rh_value_hash(a, rh_value_count(r->should));

    rh_value_put_ref(v, "type", rh_value_string(a, r->type->type));
    rh_value_put_ref(v, "title", rh_value_string(a, r->title));
    rh_value_put_ref(v, "provider", rh_value_string(a, r->type->provider));
    if (r->container)
        rh_value_put_ref(v, "container", resource_reference(a, r->container));
    if (rh_sources_name(c->sources, r->place.file))
        rh_value_put_ref(v, "place", place_value(a, c, r->place));
    for (size_t i = 0; i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);

        rh_value_put_ref(attributes, e->key, plain(a, c, e->value));
    }
    rh_value_put_ref(v, "attributes", attributes);
    put_later(a, v, c, r);
    put_defaults(a, v, c, r);
    if (r->noop_specified)
        rh_value_put_ref(v, "noop", rh_value_boolean(a, r->noop));
    if (r->meta)
        rh_meta_to_value(a, v, r->meta);
    put_relations(a, v, r);
    put_notifications(a, v, r);
    if (r->conduct)
        put_conduct(a, v, c, r->conduct);
    return v;
}

static struct rh_value *
one_todo(struct rh_arena *a, const struct rh_todo *todo)
{
    struct rh_value *v = rh_value_hash(a, 2);

    rh_value_put_ref(v, "resource", resource_reference(a, todo->resource));
    rh_value_put_ref(v, "action", rh_value_string(a, todo->action));
    return v;
}

static struct rh_value *
one_edge(struct rh_arena *a, const struct rh_catalog *c, const struct rh_edge *edge)
{
    struct rh_value *v = rh_value_hash(a, 4);

    rh_value_put_ref(v, "from", resource_reference(a, c->resources[edge->from]));
    rh_value_put_ref(v, "to", resource_reference(a, c->resources[edge->to]));
    rh_value_put_ref(v, "kind", rh_value_string(a, relation_words[edge->kind]));
    rh_value_put_ref(v, "automatic", rh_value_boolean(a, edge->automatic));
    return v;
}

struct rh_value *
rh_catalog_to_value(const struct rh_catalog *c, const struct rh_order *order, struct rh_arena *a)
{
    struct rh_value *v = rh_value_hash(a, 5);
    struct rh_value *resources = rh_value_new(a, RH_ARRAY);
    struct rh_value *list = rh_value_new(a, RH_ARRAY);
    struct rh_value *edges = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < c->n_resources; i++)
        rh_value_append(resources, rh_catalog_resource_to_value(c, c->resources[i], a));
    for (size_t i = 0; i < (order ? order->n : c->n_list); i++)
        rh_value_append(list, one_todo(a, &c->list[order ? order->entries[i] : i]));
    for (size_t i = 0; i < c->n_edges; i++)
        if (!c->edges[i].yielded)
            rh_value_append(edges, one_edge(a, c, &c->edges[i]));
    rh_value_put_ref(v, "catalog", rh_value_integer(a, RH_CATALOG_FORMAT));
    rh_value_put_ref(v, "rhost", rh_value_string(a, PACKAGE_VERSION));
    rh_value_put_ref(v, "resources", resources);
    rh_value_put_ref(v, "list", list);
    rh_value_put_ref(v, "edges", edges);
    return v;
}
