/* SPDX-License-Identifier: Apache-2.0 */
/* results - what others use of a resource after its turn, and what of a resource is not known for that. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/secrets.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "run/pool.h"
#include "schema/type.h"

#include <string.h>
#include <time.h>

void
rh_transaction_note_result(struct rh_transaction *t, const struct rh_resource *r,
                           const struct rh_outcome *outcome)
{
    struct rh_result *result = &t->results[r->index];

    if (!r->result_used || outcome->status == RH_EXCLUDED || outcome->status == RH_SKIPPED)
        return;
    result->status = (uint8_t)outcome->status;
    result->attributes = outcome->result ? rh_value_copy(t->c->arena, outcome->result) : NULL;
    if (!rh_value_sensitive(result->attributes))
        return;
    rh_secrets_shield();
    rh_arena_keep_secret(t->c->arena);
    rh_secrets_learn(&t->pool->secrets, result->attributes, false);
}

/* Whether `sensitive` names it, also where its value is not the manifest's. */
static bool
is_secret(const struct rh_resource *r, const char *name)
{
    for (size_t i = 0; r->meta && i < r->meta->secrets.n; i++)
        if (strcmp(r->meta->secrets.v[i], name) == 0)
            return true;
    return false;
}

/* A text that only a command which is captured has. */
static bool
is_missing(const struct rh_resource *r, const char *name)
{
    return strcmp(rh_value_get_str(r->should, "capture", ""), "no") == 0
           && (strcmp(name, "stdout") == 0 || strcmp(name, "stderr") == 0);
}

/* All attributes of the type that can be known, with `changed` and `status`. What `from` has not is nil, or
 * unknown where `known` is false. */
const struct rh_value *
rh_transaction_describe_result(const struct rh_transaction *t, const struct rh_resource *r,
                               const struct rh_value *from, bool known, bool changed, enum rh_status status)
{
    struct rh_arena *a = t->c->arena;
    struct rh_value *all = rh_value_hash(a, r->type->n_attrs + 2);

    for (size_t i = 0; i < r->type->n_attrs; i++) {
        const struct rh_attr *attr = &r->type->attrs[i];
        const struct rh_value *v = rh_value_get(attr->behaviour & RH_NAMEVAR ? r->name : from, attr->name);

        if ((attr->behaviour & RH_PARAMETER && !r->type->defined) || is_missing(r, attr->name))
            continue;
        if (v && is_secret(r, attr->name))
            v = rh_value_marked(a, v, RH_SENSITIVE);
        rh_value_put_ref(all, attr->name, v ? v : rh_value_new(a, known ? RH_UNDEF : RH_UNKNOWN));
    }
    rh_value_put(all, "changed", rh_value_boolean(a, changed));
    rh_value_put(all, "status", rh_value_string(a, rh_status_name(status)));
    return all;
}

const struct rh_value *
rh_transaction_find_result(void *data, const char *type, const char *title, bool *unread,
                           struct rh_error *err)
{
    struct rh_transaction *t = data;
    const struct rh_resource *r = rh_catalog_find(t->c, type, title);
    const struct rh_value *attributes;
    uint8_t status;

    if (!r) {
        (void)rh_error_set(err, RH_EINPUT, "%s[%s] is not declared, so it has no result", type, title);
        return NULL;
    }
    status = t->resource_status[r->index];
    attributes = r->type->defined ? r->should : t->results[r->index].attributes;
    switch (status) {
    case RH_NOT_YET:
    case RH_SENT:
        (void)rh_error_set(err, RH_EINPUT,
                           "the result of %s[%s] is used before it was applied: add 'require: %s[%s]'", type,
                           title, type, title);
        return NULL;
    case RH_EXCLUDED:
        t->left_out = r;
        return rh_value_new(t->c->arena, RH_UNKNOWN);
    case RH_STATUS_UNKNOWN:
        return rh_value_new(t->c->arena, RH_UNKNOWN);
    case RH_WOULD_CHANGE:
    case RH_WOULD_REFRESH:
        return rh_transaction_describe_result(t, r, r->type->defined ? r->should : NULL, r->type->defined,
                                              true, status == RH_WOULD_CHANGE ? RH_CHANGED : RH_REFRESHED);
    case RH_FORGIVEN:
    case RH_FAILED:
    case RH_SKIPPED:
        return rh_transaction_describe_result(t, r, attributes, true, false,
                                              status == RH_SKIPPED ? RH_SKIPPED : RH_FAILED);
    default:
        *unread = !attributes && status == RH_UNCHANGED && r->type->slots & (RH_HAS_GET | RH_HAS_LOAD)
                  && !(r->type->features & RH_FORGETS_WORLD);
        return rh_transaction_describe_result(t, r, attributes, attributes || status == RH_UNCHANGED,
                                              status != RH_UNCHANGED, (enum rh_status)status);
    }
}

bool
rh_transaction_add_unknown(struct rh_transaction *t, const struct rh_task *task, struct rh_outcome *o)
{
    struct rh_difference *all;

    if (!t->n_unknown || task->resource != t->part_of)
        return false;
    all = rh_arena_alloc(t->c->arena, (o->n_differences + t->n_unknown) * sizeof *all);
    if (o->status != RH_WOULD_CHANGE && o->status != RH_WOULD_REFRESH) {
        o->status = RH_STATUS_UNKNOWN; /* a failure may be due to what is missing */
        o->n_differences = 0;
        o->reason = o->attribute = NULL;
        o->code = 0;
    }
    if (o->n_differences)
        memcpy(all, o->differences, o->n_differences * sizeof *all);
    memcpy(all + o->n_differences, t->unknown, t->n_unknown * sizeof *all);
    o->differences = all;
    o->n_differences += t->n_unknown;
    return true;
}

void
rh_transaction_end_unknown(struct rh_transaction *t)
{
    if (t->part_of)
        t->part_of->should = t->whole;
    t->part_of = NULL;
    t->whole = NULL;
    t->n_unknown = 0;
}
