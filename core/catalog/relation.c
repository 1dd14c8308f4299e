/* SPDX-License-Identifier: Apache-2.0 */
/* relation - from what resources and types say about each other to edges between resources. */
#include "config.h"

#include "catalog/order.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "schema/auto-relation.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* `one` says it of `other`: who comes first depends on the kind. */
static void
add_edge(struct rh_catalog *c, const struct rh_resource *one, const struct rh_resource *other,
         enum rh_relation_kind kind, struct rh_place place, bool automatic)
{
    bool one_first = kind == RH_BEFORE || kind == RH_NOTIFY;

    c->edges = rh_xgrow(c->edges, &c->cap_edges, c->n_edges, sizeof *c->edges);
    c->edges[c->n_edges++] = (struct rh_edge){
        .from = one_first ? one->index : other->index,
        .to = one_first ? other->index : one->index,
        .place = place,
        .kind = (uint8_t)kind,
        .automatic = automatic,
    };
}

void
rh_relation_refuse_missing(const struct rh_catalog *c, const struct rh_resource *r, const char *word,
                           const struct rh_reference *to, struct rh_complaints *complaints)
{
    rh_autofree char *wanted = rh_printf("%s[%s]", to->type, to->title);
    rh_autofree char *from = rh_resource_text(r);
    rh_autofree char *hint = NULL;
    struct rh_place when = rh_catalog_excluded(c, to);
    struct rh_suggest near;

    if (when.line) {
        rh_complain(complaints, to->place, "give both the same condition",
                    "%s: %s names %s, which is excluded by 'when'", from, word, wanted);
        rh_complain_also(complaints, when, "this condition is false");
        return;
    }
    rh_suggest_init(&near, to->title);
    for (size_t i = 0; i < c->n_resources && !rh_complaints_full(complaints); i++)
        if (strcmp(c->resources[i]->type->type, to->type) == 0)
            rh_suggest_try(&near, c->resources[i]->title);
    if (near.best)
        hint = rh_printf("did you mean '%s[%s]'?", to->type, near.best);
    rh_complain(complaints, to->place, hint, "%s: %s names %s, which is not in the manifest", from, word,
                wanted);
}

static void
resolve_stated(struct rh_catalog *c, struct rh_complaints *complaints)
{
    static const char *const words[] = { "require", "before", "subscribe", "notify" };

    for (size_t i = 0; i < c->n_resources; i++) {
        struct rh_resource *r = c->resources[i];

        for (const struct rh_stated *s = r->stated; s; s = s->next) {
            const struct rh_resource *other = rh_catalog_find(c, s->to.type, s->to.title);

            if (!other && rh_catalog_is_refused(c, &s->to))
                continue;
            if (!other && s->kind != RH_REQUIRE && rh_catalog_excluded(c, &s->to).line)
                rh_debug("%s[%s]: '%s' falls away: %s[%s] is excluded by 'when'", r->type->type, r->title,
                         words[s->kind], s->to.type, s->to.title);
            else if (!other)
                rh_relation_refuse_missing(c, r, words[s->kind], &s->to, complaints);
            else
                add_edge(c, r, other, s->kind, s->to.place, false);
        }
    }
}

/* Whether `a` states something about `b`, by whatever name. */
static bool
stated_between(const struct rh_catalog *c, const struct rh_resource *a, const struct rh_resource *b)
{
    for (const struct rh_stated *s = a->stated; s; s = s->next)
        if (strcmp(s->to.type, b->type->type) == 0
            && (strcmp(s->to.title, b->title) == 0 || rh_catalog_find(c, s->to.type, s->to.title) == b))
            return true;
    for (const struct rh_use *use = a->uses; use; use = use->next)
        if (rh_catalog_find(c, use->ref.type, use->ref.title) == b)
            return true;
    return false;
}

static bool
wants_gone(const struct rh_resource *r)
{
    return r->type->ensure && strcmp(rh_value_get_str(r->should, r->type->ensure->name, ""), "absent") == 0;
}

/* What comes first when it is made goes last: between two that are to be absent, the relation is
 * turned round. Nobody is notified then: there is nothing left to be told. */
static void
add_automatic(struct rh_catalog *c, struct rh_resource *r, const struct rh_auto_relation *rel,
              const struct rh_resource *other)
{
    if (!other || other == r)
        return;
    if (stated_between(c, r, other) || stated_between(c, other, r)) {
        rh_debug("%s[%s]: leaving out the automatic relation with %s[%s], which the manifest settles",
                 r->type->type, r->title, other->type->type, other->title);
        return;
    }
    if (wants_gone(r) && wants_gone(other))
        add_edge(c, r, other, rel->kind == RH_BEFORE || rel->kind == RH_NOTIFY ? RH_REQUIRE : RH_BEFORE,
                 r->place, true);
    else
        add_edge(c, r, other, rel->kind, r->place, true);
    c->edges[c->n_edges - 1].yields = true;
}

/* How many bytes of `path` name what it is in, by text alone: those of "/a//b" of "/a//b/c/". 0: it is in
 * nothing. */
static size_t
measure_above(const char *path, size_t n)
{
    const char *slash;

    while (n > 1 && path[n - 1] == '/')
        n--;
    if (n == 1 && path[0] == '/')
        return 0;
    slash = memrchr(path, '/', n);
    for (n = slash ? (size_t)(slash - path) + 1 : 0; n > 1 && path[n - 1] == '/';)
        n--;
    return n;
}

enum { LAST = 8 };

/* The directory that was looked for last, and what was found: many resources are in one. There is one of
 * these for each relation of a type, up to LAST. */
struct last_above {
    const char *type;
    struct rh_buf path, walked;
    const struct rh_resource *found;
};

static bool
is_last(const struct last_above *last, const char *type, const char *path, size_t n)
{
    return last->type && strcmp(last->type, type) == 0 && last->path.n == n
           && memcmp(last->path.s, path, n) == 0;
}

static void
take_last(struct last_above *last, const char *type, const char *path, size_t n)
{
    last->type = type;
    rh_buf_truncate(&last->path, 0);
    rh_buf_addn(&last->path, path, n);
}

static void
clear_last(struct last_above *last)
{
    for (size_t i = 0; i < LAST; i++) {
        rh_buf_clear(&last[i].path);
        rh_buf_clear(&last[i].walked);
    }
}

/* The nearest directory above `path` that is in the set. */
static const struct rh_resource *
find_above(const struct rh_catalog *c, struct last_above *last, const char *type, const char *path)
{
    size_t n = measure_above(path, strlen(path));
    const char *name;

    if (!n || is_last(last, type, path, n))
        return n ? last->found : NULL;
    take_last(last, type, path, n);
    name = rh_catalog_spelling(c, type, rh_buf_text(&last->path));
    rh_buf_truncate(&last->walked, 0);
    rh_buf_add(&last->walked, name ? name : rh_buf_text(&last->path));
    last->found = NULL;
    while (last->walked.n && !(last->found = rh_catalog_find(c, type, rh_buf_text(&last->walked))))
        rh_buf_truncate(&last->walked, measure_above(last->walked.s, last->walked.n));
    return last->found;
}

/* Which relations of a type name one of these types; most name types that a manifest does not have. Resources
 * of one type mostly follow each other. */
struct related {
    const struct rh_map *types;
    const struct rh_type *type; /* of which it is known */
    uint64_t relations;         /* a bit for each of the first 64 */
};

static bool
is_related(struct related *known, const struct rh_type *t, size_t k)
{
    if (known->type != t) {
        known->type = t;
        known->relations = 0;
        for (size_t i = 0; i < t->n_relations && i < 64; i++)
            known->relations |= (uint64_t)(rh_map_get_const(known->types, t->relations[i].type) != NULL) << i;
    }
    return k >= 64 || known->relations >> k & 1;
}

/* A relation of a resource's type. */
struct relating {
    struct rh_catalog *c;
    struct rh_resource *r;
    const struct rh_auto_relation *rel;
    const struct rh_type *target;
    struct last_above *last;
};

static void
relate(void *data, const char *title)
{
    const struct relating *d = data;
    const char *type = d->rel->type;

    add_automatic(d->c, d->r, d->rel,
                  d->rel->above ? find_above(d->c, d->last, type, title)
                                : rh_catalog_find(d->c, type, title));
}

static void
relate_name(void *data, const struct rh_value *name)
{
    const struct relating *d = data;
    rh_autobuf struct rh_buf text = { 0 };

    rh_type_name_text(d->target, name, &text);
    add_automatic(d->c, d->r, d->rel, rh_catalog_find_name(d->c, d->rel->type, rh_buf_text(&text)));
}

/* Once for each relation: the plugin's author has to mend it. */
static void
warn_of_misfit(struct rh_arena *a, struct rh_map *warned, const struct rh_type *t,
               const struct rh_auto_relation *rel, const char *why)
{
    rh_autofree char *text = rh_printf("type '%s': ignoring the automatic relation with %s[%s]: %s", t->type,
                                       rel->type, rel->title, why);
    const char *key = rh_arena_strdup(a, text);

    if (!rh_map_put_const(warned, key, key))
        rh_log(RH_WARNING, "%s", key);
}

static void
resolve_named(struct relating *d, struct rh_map *warned)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_auto_relation_fits(d->rel, d->target, &err) < 0)
        warn_of_misfit(d->c->arena, warned, d->r->type, d->rel, err.message);
    else
        rh_auto_relation_names(d->rel, d->target, d->r->name, d->r->should, relate_name, d);
}

/* The types of the set by their names. Where several providers serve one, their namevars are the same. */
static void
collect_types(const struct rh_catalog *c, struct rh_map *types)
{
    for (size_t i = 0; i < c->n_resources; i++)
        if (i == 0 || c->resources[i]->type != c->resources[i - 1]->type)
            rh_map_put_const(types, c->resources[i]->type->type, c->resources[i]->type);
}

static void
resolve_automatic(struct rh_catalog *c)
{
    rh_automap struct rh_map types = { 0 }, warned = { 0 };
    struct related known = { .types = &types };
    struct last_above last[LAST] = { 0 };

    collect_types(c, &types);
    for (size_t i = 0; i < c->n_resources; i++) {
        struct rh_resource *r = c->resources[i];

        for (size_t k = 0; k < r->type->n_relations; k++) {
            struct relating d = { .c = c, .r = r, .rel = &r->type->relations[k], .last = &last[k % LAST] };

            if (!is_related(&known, r->type, k))
                continue;
            if (d.rel->n_parts) {
                d.target = rh_map_get_const(&types, d.rel->type);
                resolve_named(&d, &warned);
            } else {
                rh_auto_relation_titles(d.rel, r->name, r->should, relate, &d);
            }
        }
    }
    clear_last(last);
}

/* Who asks for the titles, and of which relation. */
struct asking {
    const struct rh_auto_relation *rel;
    const struct rh_type *target;
    rh_relation_title_fn *fn;
    void *data;
    struct last_above *last; /* that was asked for */
};

static void
ask(void *data, const char *title)
{
    const struct asking *d = data;
    const char *type = d->rel->type;
    size_t n = d->rel->above ? measure_above(title, strlen(title)) : 0;

    if (!d->rel->above) {
        d->fn(d->data, type, title, NULL);
    } else if (n && !is_last(d->last, type, title, n)) {
        take_last(d->last, type, title, n);
        d->fn(d->data, type, rh_buf_text(&d->last->path), NULL);
    }
}

static void
ask_name(void *data, const struct rh_value *name)
{
    const struct asking *d = data;
    rh_autobuf struct rh_buf text = { 0 };

    rh_type_name_text(d->target, name, &text);
    d->fn(d->data, d->rel->type, rh_buf_text(&text), name);
}

static void
ask_automatic(struct asking *d, const struct rh_resource *r, const struct rh_map *types)
{
    rh_autoerror struct rh_error err = { 0 };

    if (!d->rel->n_parts) {
        rh_auto_relation_titles(d->rel, r->name, r->should, ask, d);
        return;
    }
    d->target = rh_map_get_const(types, d->rel->type);
    if (d->target && rh_auto_relation_fits(d->rel, d->target, &err) == 0)
        rh_auto_relation_names(d->rel, d->target, r->name, r->should, ask_name, d);
}

void
rh_relations_each_title(const struct rh_catalog *c, const struct rh_map *types, rh_relation_title_fn *fn,
                        void *data)
{
    rh_automap struct rh_map present = { 0 };
    struct last_above last[LAST] = { 0 };
    struct related known = { .types = types };

    collect_types(c, &present);
    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_resource *r = c->resources[i];

        for (const struct rh_stated *s = r->stated; s; s = s->next)
            if (rh_map_get(types, s->to.type))
                fn(data, s->to.type, s->to.title, NULL);
        for (const struct rh_use *use = r->uses; use; use = use->next)
            if (rh_map_get(types, use->ref.type))
                fn(data, use->ref.type, use->ref.title, NULL);
        for (size_t k = 0; k < r->type->n_relations; k++) {
            struct asking d = {
                .rel = &r->type->relations[k], .fn = fn, .data = data, .last = &last[k % LAST]
            };

            if (is_related(&known, r->type, k))
                ask_automatic(&d, r, &present);
        }
    }
    clear_last(last);
}

static bool
is_part_of(const struct rh_resource *r, const struct rh_resource *instance)
{
    while (r && r != instance)
        r = r->container;
    return r != NULL;
}

/* What comes before an instance comes before all that is part of it. */
static void
pass_on(struct rh_catalog *c, const struct rh_edge *edge, const struct rh_resource *instance)
{
    for (const struct rh_resource *m = instance->members; m; m = m->next_member) {
        if (m->members)
            pass_on(c, edge, m);
        if (is_part_of(c->resources[edge->from], m))
            continue;
        c->edges = rh_xgrow(c->edges, &c->cap_edges, c->n_edges, sizeof *c->edges);
        c->edges[c->n_edges++] = (struct rh_edge){
            .from = edge->from,
            .to = m->index,
            .place = edge->place,
            .kind = RH_REQUIRE,
            .automatic = true,
        };
    }
}

/* An instance comes after all that is part of it: its turn is their end. */
static void
resolve_parts(struct rh_catalog *c)
{
    size_t n = c->n_edges;

    for (size_t i = 0; i < n; i++) {
        const struct rh_edge edge = c->edges[i];
        const struct rh_resource *to = c->resources[edge.to];

        if (to->members && !is_part_of(c->resources[edge.from], to))
            pass_on(c, &edge, to);
    }
    for (size_t i = 0; i < c->n_resources; i++)
        if (c->resources[i]->container)
            add_edge(c, c->resources[i], c->resources[i]->container, RH_BEFORE, c->resources[i]->place, true);
}

void
rh_relations_resolve(struct rh_catalog *c, struct rh_complaints *complaints)
{
    resolve_stated(c, complaints);
    resolve_automatic(c);
    resolve_parts(c);
}
