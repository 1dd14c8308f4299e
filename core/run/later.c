/* SPDX-License-Identifier: Apache-2.0 */
/* later - what waited for the results of other resources gets known at its turn. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/map.h"
#include "base/message-code.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/later.h"
#include "run/pool.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <string.h>
#include <time.h>

static void
fail(struct rh_transaction *t, const struct rh_task *task, const char *attribute, const struct rh_error *err)
{
    rh_autofree char *text = attribute ? rh_printf("%s: %s", attribute, err->message) : NULL;
    const struct rh_outcome o = {
        .id = task->entry,
        .status = RH_FAILED,
        .reason = text ? text : err->message,
        .code = rh_error_code(err),
        .attribute = attribute,
        .blame = RH_NOBODY,
    };

    rh_transaction_record(t, task, &o, NULL);
}

/* "exec[x]": those of what it waits for that are not known; the text is the catalog's. */
static const char *
unknown_ones(const struct rh_transaction *t, const struct rh_resource *r, const struct rh_value *v)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (const struct rh_use *use = r->uses; use; use = use->next) {
        const struct rh_resource *other = rh_catalog_find(t->c, use->ref.type, use->ref.title);
        rh_autofree char *name = other ? rh_resource_text(other) : NULL;
        uint8_t status = other ? t->resource_status[other->index] : RH_UNCHANGED;

        if ((status != RH_WOULD_CHANGE && status != RH_WOULD_REFRESH && status != RH_STATUS_UNKNOWN)
            || !strstr(rh_value_deferred(v)->after, name) || (b.n && strstr(rh_buf_text(&b), name)))
            continue;
        rh_buf_addf(&b, "%s%s", b.n ? ", " : "", name);
    }
    return b.n ? rh_arena_strdup(t->c->arena, rh_buf_text(&b)) : rh_value_deferred(v)->after;
}

/* The first part of a value that is not known. */
static const struct rh_value *
first_unknown(const struct rh_value *v)
{
    const struct rh_value *found = rh_value_deferred(v) ? v : NULL;

    for (size_t i = 0; !found && i < rh_value_count(v); i++)
        found = first_unknown(rh_value_part(v, i));
    return found;
}

/* Whether a producer of it would be changed only: else it was applied, and nobody knows what it is. */
static bool
is_foreseen(const struct rh_transaction *t, const struct rh_resource *r)
{
    for (const struct rh_use *use = r->uses; use; use = use->next) {
        const struct rh_resource *other = rh_catalog_find(t->c, use->ref.type, use->ref.title);
        uint8_t status = other ? t->resource_status[other->index] : RH_UNCHANGED;

        if (status == RH_WOULD_CHANGE || status == RH_WOULD_REFRESH || status == RH_STATUS_UNKNOWN)
            return true;
    }
    return false;
}

/* It is not known: why. A producer that only would be changed is no failure, nor is one whose time it is not.
 */
static void
record_unknown(struct rh_transaction *t, const struct rh_task *task, const char *what,
               const struct rh_value *unknown)
{
    const char *after = unknown_ones(t, task->resource, unknown);
    rh_autofree char *why = t->left_out ? NULL : rh_printf("%s is known after %s", what, after);
    struct rh_outcome o = { .id = task->entry, .status = RH_STATUS_UNKNOWN, .blame = RH_NOBODY };

    if (t->left_out) {
        rh_autofree char *name = rh_resource_text(t->left_out);

        why = rh_printf("%s is known after %s, which was skipped", what, name);
        o.status = RH_EXCLUDED;
    } else if (!is_foreseen(t, task->resource)) {
        rh_autoerror struct rh_error err = { 0 };

        (void)rh_error_set(&err, RH_EPROVIDER,
                           "%s is not known: the result of %s could not be read, or is larger than 1 MiB",
                           what, after);
        fail(t, task, NULL, &err);
        return;
    }
    o.reason = why;
    rh_transaction_record(t, task, &o, NULL);
}

/* Whether one of the group has failed, or its failure was ignored. */
static bool
has_failed(const struct rh_transaction *t, const struct rh_watched *w)
{
    for (size_t i = 0; i < w->n; i++) {
        uint8_t status = t->resource_status[w->resources[i]->index];

        if (rh_is_failure(status) || status == RH_FORGIVEN)
            return true;
    }
    return false;
}

/* Whether it is wanted: 1, or 0 when that was told. */
static int
ask_condition(struct rh_transaction *t, const struct rh_task *task, struct rh_later_condition *c,
              const struct rh_results *results)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_outcome o = { .id = task->entry, .status = RH_EXCLUDED, .blame = RH_NOBODY };

    if (c->outer && !ask_condition(t, task, c->outer, results))
        return 0;
    if (c->watched && (c->watched->always || has_failed(t, c->watched)))
        return 1;
    if (c->watched) {
        o.reason = "no resource of the group has failed";
        rh_transaction_record(t, task, &o, NULL);
        return 0;
    }
    if (!c->known)
        c->known = rh_catalog_resolve(t->c, c->value, results, &err);
    if (!c->known) {
        (void)rh_error_prefix(&err, "when");
        fail(t, task, NULL, &err);
        return 0;
    }
    if (c->known->kind == RH_UNKNOWN) {
        const struct rh_value *unknown = c->known;

        c->known = NULL; /* it may be known later */
        record_unknown(t, task, "whether it is wanted", unknown);
        return 0;
    }
    if (c->known->kind != RH_BOOLEAN) {
        (void)rh_error_set(&err, RH_EINPUT, "'when' must be a boolean, not %s",
                           c->known->kind == RH_UNDEF ? "nil" : rh_kind_name(c->known->kind));
        fail(t, task, NULL, &err);
        return 0;
    }
    if (c->known->u.integer)
        return 1;
    o.reason = "excluded by 'when'";
    rh_transaction_record(t, task, &o, NULL);
    return 0;
}

/* What is known of `should` now, held against the type; NULL after it was told that it does not fit. Defaults
 * that were left out stay so. */
static const struct rh_value *
check(struct rh_transaction *t, const struct rh_task *task, struct rh_value *desired, const char *attribute)
{
    const struct rh_resource *r = task->resource;
    struct rh_complaints complaints = { .sources = t->c->sources };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_validated validated;
    struct rh_value *should;

    if (rh_validate(t->c->arena, r->type, r->title, r->place, desired, &validated, &complaints) < 0) {
        rh_complaints_take_first(&complaints, &err);
        rh_complaints_clear(&complaints);
        fail(t, task, attribute, &err);
        return NULL;
    }
    should = rh_value_hash(t->c->arena, rh_value_count(desired));
    for (size_t i = 0; i < rh_value_count(validated.should); i++) {
        const struct rh_entry *e = rh_value_entry(validated.should, i);

        if (rh_value_get(desired, e->key))
            rh_value_add_ref(should, e->key, e->value);
    }
    return should;
}

static void
note_unknown(struct rh_transaction *t, const struct rh_resource *r, const char *attribute,
             const struct rh_value *unknown)
{
    struct rh_arena *a = t->c->arena;
    struct rh_deferred *deferred = rh_arena_alloc(a, sizeof *deferred);
    struct rh_value *shown = rh_value_new(a, RH_UNKNOWN);

    deferred->after = unknown_ones(t, r, unknown);
    shown->u.deferred = deferred;
    t->unknown = rh_xgrow(t->unknown, &t->cap_unknown, t->n_unknown, sizeof *t->unknown);
    t->unknown[t->n_unknown++] = (struct rh_difference){ .attribute = attribute, .to = shown };
}

/* The attributes: 1, with those that are known; 0 when something was told. */
static int
resolve_attributes(struct rh_transaction *t, const struct rh_task *task, const struct rh_results *results)
{
    struct rh_resource *r = task->resource;
    struct rh_value *desired = rh_value_hash(t->c->arena, rh_value_count(r->should));
    const struct rh_value *should, *unknown = NULL;
    const char *attribute = NULL;
    size_t n = 0;

    for (size_t i = 0; i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_value *v = e->value, *part;

        if (rh_value_is_later(v)) {
            v = rh_catalog_resolve(t->c, v, results, &err);
            attribute = n++ ? NULL : e->key;
        }
        if (!v) {
            fail(t, task, e->key, &err);
            return 0;
        }
        part = first_unknown(v);
        if (part)
            note_unknown(t, r, e->key, unknown = part);
        else
            rh_value_add_ref(desired, e->key, v);
    }
    if (!n)
        return 1;
    if (unknown && (!t->options->noop || t->left_out)) {
        rh_autofree char *what = rh_printf("'%s'", t->unknown[0].attribute);

        t->n_unknown = 0;
        record_unknown(t, task, what, unknown);
        return 0;
    }
    should = check(t, task, desired, attribute);
    if (!should)
        return 0;
    rh_secrets_learn(&t->pool->secrets, should, false);
    if (unknown) /* what else differs can be seen */
        t->part_of = r, t->whole = r->should;
    r->should = should;
    return 1;
}

/* A guard as it is: an argument list, or a text. */
static const struct rh_value *
resolve_guard(struct rh_transaction *t, const struct rh_task *task, const char *word,
              const struct rh_value *guard, const struct rh_results *results)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v = rh_catalog_resolve(t->c, guard, results, &err), *unknown;
    bool fits;

    if (!v) {
        fail(t, task, word, &err);
        return NULL;
    }
    unknown = first_unknown(v);
    if (unknown) {
        rh_autofree char *what = rh_printf("'%s'", word);

        record_unknown(t, task, what, unknown);
        return NULL;
    }
    fits = rh_value_count(v) || (v->kind == RH_STRING && v->count && strlen(v->u.string) == v->count);
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_value *one = v->kind == RH_ARRAY ? rh_value_at(v, i) : NULL;

        fits &= rh_value_is(one, RH_STRING) && strlen(one->u.string) == one->count && (i || one->count);
    }
    if (fits)
        return v;
    (void)rh_error_set(&err, RH_EINPUT, "expected a command");
    fail(t, task, word, &err);
    return NULL;
}

static int
resolve_guards(struct rh_transaction *t, const struct rh_task *task, const struct rh_results *results)
{
    struct rh_resource *r = task->resource;
    struct rh_conduct *own;

    if (!r->conduct
        || !((r->conduct->only_if && rh_value_is_later(r->conduct->only_if))
             || (r->conduct->not_if && rh_value_is_later(r->conduct->not_if))))
        return 1;
    own = rh_arena_alloc(t->c->arena, sizeof *own);
    *own = *r->conduct;
    if (own->only_if && !(own->only_if = resolve_guard(t, task, "only_if", own->only_if, results)))
        return 0;
    if (own->not_if && !(own->not_if = resolve_guard(t, task, "not_if", own->not_if, results)))
        return 0;
    rh_secrets_learn(&t->pool->secrets, own->only_if, false);
    rh_secrets_learn(&t->pool->secrets, own->not_if, false);
    r->conduct = own;
    return 1;
}

int
rh_transaction_resolve(struct rh_transaction *t, const struct rh_task *task)
{
    const struct rh_results results = { .data = t, .find = rh_transaction_find_result };
    struct rh_resource *r = task->resource;

    t->left_out = NULL;
    if (!r->later)
        return 1;
    if (r->conditions && !ask_condition(t, task, r->conditions, &results))
        return 0;
    return resolve_guards(t, task, &results) && resolve_attributes(t, task, &results);
}
