/* SPDX-License-Identifier: Apache-2.0 */
/* agree - a second declaration of a resource that agrees with the first: --duplicates=agree. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/meta.h"
#include "manifest/load/load.h"
#include "schema/type.h"

#include <string.h>

enum { SHOWN = 60 };

/* What the second declaration says in a way of its own, apart from attributes, relations and tags; or NULL.
 */
static const char *
own_word(const struct rh_reading *r)
{
    const struct rh_keyword_values *k = &r->keywords;

    if (rh_conduct_needs_own_batch(&k->conduct) || k->conduct.ignore_failure)
        return "a guard, retries or a judgement of its own";
    if (k->n_actions || k->nothing || k->anchor)
        return "actions or a place of its own";
    if (k->meta
        && (k->meta->aliases.n || k->meta->audits || k->meta->secrets.n || k->meta->verify_specified
            || k->meta->replace || k->meta->backup || k->meta->level_specified || k->meta->schedule
            || k->meta->purge))
        return "keywords of its own";
    return NULL;
}

/* Why the first one is not applied in every run, as who declares it again expects; or NULL. */
static const char *
condition_of(const struct rh_resource *first)
{
    if (first->conduct && (first->conduct->only_if || first->conduct->not_if))
        return "has a guard";
    if (first->meta && (first->meta->schedule || first->meta->only_audits))
        return "is not applied in every run";
    if (first->first_entry == RH_NO_ENTRY)
        return "is declared, but not in the list";
    return first->conditions || first->later || first->undecided ? "depends on what is known later" : NULL;
}

static int
refuse(const struct rh_reading *r, const struct rh_resource *first, struct rh_place place, const char *why)
{
    struct rh_complaints *complaints = r->load->complaints;
    rh_autofree char *text = rh_resource_text(first);

    rh_complain(complaints, place, "state it in one of the two, or both alike",
                "%s is declared twice, and the declarations do not agree: %s", text, why);
    rh_complain_also(complaints, first->place, "first declared here");
    return -1;
}

static int
refuse_value(const struct rh_reading *r, const struct rh_resource *first, struct rh_place place,
             const char *attribute, const struct rh_value *was, const struct rh_value *is)
{
    rh_autobuf struct rh_buf why = { 0 };

    rh_buf_addf(&why, "'%s' is ", attribute);
    rh_value_show(&why, was, SHOWN);
    rh_buf_add(&why, " in the first, and ");
    rh_value_show(&why, is, SHOWN);
    rh_buf_add(&why, " in the second");
    return refuse(r, first, place, rh_buf_text(&why));
}

static bool
is_same(const struct rh_value *a, const struct rh_value *b)
{
    return !((a->marks | b->marks) & (RH_APPEND | RH_REMOVE)) && rh_value_equal(a, b);
}

/* Adds what only the second one states. A default gives way to what is stated, but for `ensure`: what is
 * declared is to be there, unless it says otherwise. */
static int
merge_attributes(const struct rh_reading *r, struct rh_resource *first, const struct rh_resource *again)
{
    struct rh_arena *a = r->load->catalog->arena;
    struct rh_value *should = NULL, *declared = NULL;

    for (size_t i = 0; i < rh_value_count(again->should); i++) {
        const struct rh_entry *e = rh_value_entry(again->should, i);
        const struct rh_value *was = rh_value_get(first->should, e->key);
        bool stated = rh_value_get(again->declared, e->key) != NULL;
        bool ensure = r->type->ensure && strcmp(e->key, r->type->ensure->name) == 0;

        if (was && is_same(was, e->value))
            continue;
        if (was && (ensure || (stated && rh_value_get(first->declared, e->key))))
            return refuse_value(r, first, again->place, e->key, was, e->value);
        if (was && !stated)
            continue;
        if (!should)
            should = rh_value_copy_top(a, first->should);
        rh_value_put_ref(should, e->key, e->value);
        if (first->declared && !declared)
            declared = rh_value_copy_top(a, first->declared);
        if (declared && stated)
            rh_value_put_ref(declared, e->key, rh_value_get(again->declared, e->key));
    }
    if (should)
        first->should = should;
    if (declared)
        first->declared = declared;
    return 0;
}

static void
add_tags(struct rh_arena *a, struct rh_resource *first, const struct rh_meta *more)
{
    struct rh_meta *meta;
    size_t n = first->meta ? first->meta->tags.n : 0;

    if (!more || !more->tags.n)
        return;
    meta = rh_arena_alloc(a, sizeof *meta);
    if (first->meta)
        *meta = *first->meta;
    meta->tags.v = rh_arena_alloc(a, (n + more->tags.n) * sizeof *meta->tags.v);
    if (n)
        memcpy(meta->tags.v, first->meta->tags.v, n * sizeof *meta->tags.v);
    memcpy(meta->tags.v + n, more->tags.v, more->tags.n * sizeof *meta->tags.v);
    meta->tags.n = n + more->tags.n;
    first->meta = meta;
}

/* What is said of the instance of a definition that declares it again holds as if it were part of it: it
 * comes before the instance is complete. */
static void
contain_again(const struct rh_reading *r, const struct rh_resource *first)
{
    struct rh_resource *container = r->load->context.container;
    const struct rh_reference to = { first->type->type, first->title, container->place };

    for (const struct rh_resource *c = first->container; c; c = c->container)
        if (c == container)
            return;
    rh_catalog_state(r->load->catalog, container, RH_REQUIRE, &to);
}

int
rh_entry_agree(struct rh_reading *r, struct rh_resource *first, const struct rh_resource *again)
{
    struct rh_load *load = r->load;
    const char *own = own_word(r), *condition = condition_of(first);
    rh_autofree char *why = own         ? rh_printf("the second one has %s", own)
                            : condition ? rh_printf("the first one %s", condition)
                                        : NULL;

    if (first->type != again->type)
        return refuse(r, first, again->place, "their providers differ");
    if (again->conditions || again->later || again->undecided)
        return refuse(r, first, again->place, "the second one depends on what is known later");
    if (why)
        return refuse(r, first, again->place, why);
    if (first->noop != again->noop || first->noop_specified != again->noop_specified)
        return refuse(r, first, again->place, "'noop' differs");
    if (merge_attributes(r, first, again) < 0)
        return -1;
    add_tags(load->catalog->arena, first, r->keywords.meta);
    rh_keyword_values_relate(load, &r->keywords, first);
    if (load->context.container)
        contain_again(r, first);
    return 0;
}
