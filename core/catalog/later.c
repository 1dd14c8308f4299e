/* SPDX-License-Identifier: Apache-2.0 */
/* later - values that are known only when other resources were applied. */
#include "config.h"

#include "catalog/later.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/order.h"
#include "schema/type.h"

#include <string.h>

static bool
is_same(const struct rh_use *a, const struct rh_use *b)
{
    return strcmp(a->ref.type, b->ref.type) == 0 && strcmp(a->ref.title, b->ref.title) == 0
           && !a->attribute == !b->attribute && (!a->attribute || strcmp(a->attribute, b->attribute) == 0);
}

void
rh_catalog_use(struct rh_catalog *c, struct rh_resource *r, const struct rh_use *uses)
{
    r->later = true;
    for (; uses; uses = uses->next) {
        struct rh_use **last = &r->uses;

        while (*last && !is_same(*last, uses))
            last = &(*last)->next;
        if (*last)
            continue;
        *last = rh_arena_alloc(c->arena, sizeof **last);
        **last = (struct rh_use){ .ref = uses->ref, .attribute = uses->attribute };
    }
}

/* What every result has beside the attributes. */
static bool
is_own(const char *name)
{
    return strcmp(name, "changed") == 0 || strcmp(name, "status") == 0;
}

static int
refuse_attribute(const struct rh_use *use, const struct rh_type *t, struct rh_complaints *complaints)
{
    rh_autofree char *hint = NULL;
    struct rh_suggest near;

    rh_suggest_init(&near, use->attribute);
    for (size_t i = 0; i < t->n_attrs; i++)
        if (t->defined || !(t->attrs[i].behaviour & RH_PARAMETER))
            rh_suggest_try(&near, t->attrs[i].name);
    rh_suggest_try(&near, "changed");
    rh_suggest_try(&near, "status");
    hint = rh_did_you_mean(near.best, NULL);
    if (!hint)
        hint = rh_printf("'rhost describe %s' lists its attributes; a result has no parameters", t->type);
    rh_complain(complaints, use->ref.place, hint, "the result of %s[%s] has no attribute '%s'", use->ref.type,
                use->ref.title, use->attribute);
    return -1;
}

/* The output of a command is only kept where that is asked for. */
static bool
is_not_captured(const struct rh_resource *r, const char *attribute)
{
    return (strcmp(attribute, "stdout") == 0 || strcmp(attribute, "stderr") == 0)
           && strcmp(rh_value_get_str(r->should, "capture", ""), "no") == 0;
}

static int
check_attribute(const struct rh_use *use, const struct rh_resource *other, struct rh_complaints *complaints)
{
    const struct rh_attr *attr;

    if (!use->attribute || is_own(use->attribute))
        return 0;
    attr = rh_type_attr(other->type, use->attribute);
    if (!attr || (attr->behaviour & RH_PARAMETER && !other->type->defined))
        return refuse_attribute(use, other->type, complaints);
    if (!is_not_captured(other, use->attribute))
        return 0;
    rh_complain(complaints, use->ref.place, "add 'capture: text' or 'capture: sensitive' to it",
                "%s[%s] does not capture its output, so its result lacks '%s'", use->ref.type, use->ref.title,
                use->attribute);
    return -1;
}

/* Whether one of the edges from the one at `first` on comes from it: many uses of one resource are one
 * relation. */
static bool
comes_from(const struct rh_catalog *c, size_t first, const struct rh_resource *other)
{
    for (size_t i = first; i < c->n_edges; i++)
        if (c->edges[i].from == other->index)
            return true;
    return false;
}

static void
add_edge(struct rh_catalog *c, const struct rh_resource *from, const struct rh_resource *to,
         struct rh_place place)
{
    c->edges = rh_xgrow(c->edges, &c->cap_edges, c->n_edges, sizeof *c->edges);
    c->edges[c->n_edges++] =
        (struct rh_edge){ .from = from->index, .to = to->index, .place = place, .kind = RH_REQUIRE };
}

bool
rh_catalog_watches(const struct rh_resource *r, const struct rh_resource *other)
{
    for (const struct rh_later_condition *l = r->conditions; l; l = l->outer)
        for (size_t i = 0; l->watched && i < l->watched->n; i++)
            if (l->watched->resources[i] == other)
                return true;
    return false;
}

void
rh_uses_resolve(struct rh_catalog *c, struct rh_complaints *complaints)
{
    for (size_t i = 0; i < c->n_resources; i++) {
        size_t first = c->n_edges;

        for (const struct rh_later_condition *l = c->resources[i]->conditions; l; l = l->outer)
            for (size_t k = 0; l->watched && k < l->watched->n; k++)
                add_edge(c, l->watched->resources[k], c->resources[i], l->place);

        for (const struct rh_use *use = c->resources[i]->uses; use; use = use->next) {
            struct rh_resource *other = rh_catalog_find(c, use->ref.type, use->ref.title);

            if (!other && !rh_catalog_is_refused(c, &use->ref))
                rh_relation_refuse_missing(c, c->resources[i], "result", &use->ref, complaints);
            if (!other || check_attribute(use, other, complaints) < 0)
                continue;
            other->result_used = true;
            if (!comes_from(c, first, other))
                add_edge(c, other, c->resources[i], use->ref.place);
        }
    }
}

bool
rh_value_is_later(const struct rh_value *v)
{
    if (v->kind == RH_UNKNOWN)
        return rh_value_deferred(v) != NULL;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_value_is_later(rh_value_part(v, i)))
            return true;
    return false;
}

const struct rh_value *
rh_catalog_resolve(const struct rh_catalog *c, const struct rh_value *v, const struct rh_results *results,
                   struct rh_error *err)
{
    struct rh_value *copy;

    if (v->kind == RH_UNKNOWN)
        return rh_value_deferred(v) ? c->later.resolve(c->later.data, v, results, err) : v;
    if (!rh_value_is_later(v))
        return v;
    copy = v->kind == RH_HASH ? rh_value_hash(c->arena, v->count) : rh_value_new(c->arena, RH_ARRAY);
    copy->marks = v->marks;
    rh_value_set_place(copy, rh_value_place(v));
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_value *part = rh_catalog_resolve(c, rh_value_part(v, i), results, err);

        if (!part)
            return NULL;
        if (v->kind == RH_HASH)
            rh_value_add_ref(copy, rh_value_entry(v, i)->key, part);
        else
            rh_value_append(copy, part);
    }
    return copy;
}
