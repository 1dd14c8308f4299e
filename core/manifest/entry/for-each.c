/* SPDX-License-Identifier: Apache-2.0 */
/* for-each - an entry that is read once for each element of a list or hash. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/expression/expression.h"
#include "manifest/load/budget.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <string.h>

enum { LONGEST_NAME = 60 };

static int
refuse(struct rh_load *load, const struct rh_value *v)
{
    rh_autofree char *advice = NULL;

    if (v->kind == RH_UNKNOWN && v->marks & RH_INVALID)
        return -1; /* was complained about */
    if (v->kind == RH_UNKNOWN) {
        rh_complain(load->complaints, rh_value_place(v),
                    "rhost must know all resources before it applies the first one",
                    "the value of 'for_each' is not known before the run");
        return -1;
    }
    if (v->kind == RH_STRING && v->marks & RH_PLAIN && !(v->marks & RH_SENSITIVE) && v->count < LONGEST_NAME
        && v->count)
        advice = rh_printf("an expression is written in ${...}, as in ${%s}", v->u.string);
    rh_complain(
        load->complaints, rh_value_place(v),
        v->kind == RH_UNDEF ? "default(VALUE, {}) gives an empty list when the value is missing" : advice,
        "'for_each' must be a list or a hash, not %s", v->kind == RH_UNDEF ? "nil" : rh_kind_name(v->kind));
    return -1;
}

/* The names of the scope around it, and `each`. */
static struct rh_value *
scope_of(struct rh_load *load, const struct rh_value *each)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *scope = rh_value_hash(a, rh_value_count(load->context.scope) + 1);

    for (size_t i = 0; i < rh_value_count(load->context.scope); i++) {
        const struct rh_entry *e = rh_value_entry(load->context.scope, i);

        if (strcmp(e->key, "each") != 0)
            rh_value_add_ref(scope, e->key, e->value);
    }
    rh_value_add_ref(scope, "each", each);
    return scope;
}

/* Which element a complaint is about: by its key, or by its text where that is short. */
static char *
describe(const struct rh_value *all, size_t i, const struct rh_value *element)
{
    rh_autobuf struct rh_buf shown = { 0 };

    if (rh_value_sensitive(all))
        return rh_printf("for element %zu", i + 1);
    if (all->kind == RH_HASH)
        rh_buf_add(&shown, rh_value_entry(all, i)->key);
    else if (element->kind == RH_STRING)
        rh_buf_addn(&shown, element->u.string, element->count);
    else if (!rh_value_count(element))
        rh_value_show(&shown, element, LONGEST_NAME);
    if (!shown.n || shown.n > LONGEST_NAME)
        return rh_printf("for element %zu", i + 1);
    return rh_printf("for the element '%s'", rh_buf_text(&shown));
}

static int
read_element(struct rh_load *load, struct rh_value *entry, struct rh_value *all, size_t i, size_t first,
             int (*one)(struct rh_load *load, struct rh_value *entry))
{
    struct rh_arena *a = load->catalog->arena;
    const struct rh_value *scope = load->context.scope;
    struct rh_value *value = rh_draft_part(all, i);
    struct rh_value *each = rh_value_hash(a, 4), *index = rh_value_integer(a, (int64_t)i + 1);
    struct rh_value *key = index;
    size_t before = rh_complaints_count(load->complaints);
    struct rh_place place = rh_value_place(value);
    int rc;

    if (all->kind == RH_HASH)
        key = rh_value_string_ref(a, rh_value_entry(all, i)->key, strlen(rh_value_entry(all, i)->key));
    if (all->marks & RH_SENSITIVE) {
        key->marks |= RH_SENSITIVE;
        value->marks |= RH_SENSITIVE;
    }
    rh_value_add_ref(each, "key", key);
    rh_value_add_ref(each, "value", value);
    rh_value_add_ref(each, "index", index);
    if (rh_value_get(scope, "each"))
        rh_value_add_ref(each, "outer", rh_value_get(scope, "each"));
    load->context.scope = scope_of(load, each);
    rc = one(load, rh_value_copy_sharing(a, entry));
    load->context.scope = scope;
    if (rh_complaints_count(load->complaints) > before && !rh_complaints_full(load->complaints)) {
        rh_autofree char *what = describe(all, i, value);

        rh_complain_element(load->complaints, first, before, place.line ? place : rh_value_place(all), what);
    }
    return rc;
}

/* What the list or hash says as it stands: numbers are numbers, and an element that is null is nil. */
static int
read_all(struct rh_load *load, struct rh_value *all)
{
    if (rh_substitute(load, all) < 0)
        return -1;
    if (all->kind != RH_ARRAY && all->kind != RH_HASH)
        return refuse(load, all);
    (void)rh_scalar_read(load->catalog->arena, NULL, all);
    return 0;
}

int
rh_for_each(struct rh_load *load, struct rh_value *entry,
            int (*one)(struct rh_load *load, struct rh_value *entry))
{
    struct rh_value *all = rh_draft_get(entry, "for_each");
    size_t first = rh_complaints_count(load->complaints);
    int rc = 0;

    if (rh_scalar_is_null(all))
        all->kind = RH_UNDEF;
    if (read_all(load, all) < 0)
        return -1;
    rh_value_drop(entry, "for_each");
    load->spent.loops++;
    for (size_t i = 0; i < rh_value_count(all) && !load->spent.exceeded; i++)
        if (rh_budget_add_element(load, rh_value_place(entry)) < 0
            || read_element(load, entry, all, i, first, one) < 0)
            rc = -1;
    load->spent.loops--;
    return rc;
}
