/* SPDX-License-Identifier: Apache-2.0 */
/* pool - the workers of a transaction. */
#include "config.h"

#include "run/pool.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"

#include <stdlib.h>
#include <string.h>

struct rh_pool_slot {
    const struct rh_type *type;
    struct rh_worker *worker;
};

void
rh_pool_init(struct rh_pool *p, const struct rh_worker_options *options)
{
    *p = (struct rh_pool){ .options = *options };
    p->options.secrets = &p->secrets;
}

struct rh_worker *
rh_pool_worker(struct rh_pool *p, const struct rh_type *type)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].type == type)
            return p->v[i].worker;
    p->v = rh_xgrow(p->v, &p->cap, p->n, sizeof *p->v);
    p->v[p->n] = (struct rh_pool_slot){
        .type = type,
        .worker = rh_worker_start(type, &p->options),
    };
    return p->v[p->n++].worker;
}

void
rh_pool_renew(struct rh_pool *p, const struct rh_type *type)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].type == type && rh_worker_is_gone(p->v[i].worker)) {
            rh_worker_stop(p->v[i].worker);
            p->v[i].worker = rh_worker_start(type, &p->options);
        }
}

void
rh_pool_forget(struct rh_pool *p, const struct rh_type *who)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].type != who)
            rh_worker_forget(p->v[i].worker);
}

void
rh_pool_dismiss(struct rh_pool *p)
{
    for (size_t i = 0; i < p->n; i++)
        rh_worker_dismiss(p->v[i].worker);
}

void
rh_pool_stop(struct rh_pool *p)
{
    rh_pool_dismiss(p);
    for (size_t i = 0; i < p->n; i++)
        rh_worker_stop(p->v[i].worker);
    for (size_t i = 0; i < p->n_leaving; i++)
        rh_worker_stop(p->leaving[i]);
    for (size_t i = 0; i < p->n_said; i++)
        free(p->said[i]);
    free(p->said);
    free(p->leaving);
    free(p->v);
    rh_secrets_clear(&p->secrets);
    *p = (struct rh_pool){ .options = p->options };
}

void
rh_pool_send_away(struct rh_pool *p, const struct rh_type *type)
{
    size_t i = 0;

    while (p->v[i].type != type)
        i++;
    p->leaving = rh_xgrow(p->leaving, &p->cap_leaving, p->n_leaving, sizeof(struct rh_worker *));
    p->leaving[p->n_leaving++] = p->v[i].worker;
    rh_worker_dismiss(p->v[i].worker);
    memmove(p->v + i, p->v + i + 1, (--p->n - i) * sizeof *p->v);
}

int
rh_pool_suits(struct rh_pool *p, const struct rh_type *type, struct rh_error *why)
{
    const struct rh_sink logs = { .log = rh_log_record_print };
    int how_well = rh_worker_suits(rh_pool_worker(p, type), &logs, why);

    /* Nobody else has use for one that does not suit, or that broke over the question. */
    if (!how_well)
        rh_pool_send_away(p, type);
    return how_well;
}

enum { MOST_SAID = 1000 };

/* Without the resource: while it is canonicalized it has no turn yet that it could be named by. */
static char *
text_of(const struct rh_log_record *r)
{
    return rh_printf("%s: %s", r->type ? r->type : "", r->message);
}

bool
rh_pool_has_said(const struct rh_pool *p, const struct rh_log_record *record)
{
    rh_autofree char *text = p->n_said ? text_of(record) : NULL;

    for (size_t i = 0; i < p->n_said; i++)
        if (strcmp(p->said[i], text) == 0)
            return true;
    return false;
}

/* What a provider says to the resources of its type, before any of them is applied. */
struct validation {
    struct rh_pool *pool;
    struct rh_catalog *catalog;
    struct rh_complaints *complaints;
    struct rh_resource **resources;
    size_t n;
    bool refused;
    bool not_yet; /* it can't say before something has run */
};

/* At the attribute where the provider names one that the manifest has. */
static void
refuse(struct validation *v, const struct rh_resource *r, const char *attribute, unsigned code,
       const char *why)
{
    const struct rh_value *at = attribute ? rh_value_get(r->should, attribute) : NULL;
    struct rh_place place = at ? rh_value_place(at) : r->place;
    rh_autofree char *text = rh_resource_text(r);

    rh_complain_code(v->complaints, place.line ? place : r->place, NULL, code, "%s: %s", text, why);
    v->refused = true;
}

static void
take_line(void *data, const struct rh_log_record *record)
{
    struct rh_pool *p = ((struct validation *)data)->pool;

    rh_log_record_print(NULL, record);
    if (record->level < RH_NOTICE || p->n_said == MOST_SAID || rh_pool_has_said(p, record))
        return;
    p->said = rh_xgrow(p->said, &p->cap_said, p->n_said, sizeof *p->said);
    p->said[p->n_said++] = text_of(record);
}

static void
take_answer(void *data, const struct rh_value *item)
{
    struct validation *v = data;
    const struct rh_value *index = rh_value_at(item, 0), *name = rh_value_at(item, 1);
    const struct rh_value *passing = rh_value_at(item, 4);
    struct rh_resource *r;

    if (!rh_value_is(index, RH_INTEGER) || index->u.integer < 0 || (uint64_t)index->u.integer >= v->n)
        return;
    r = v->resources[index->u.integer];
    if (rh_value_is(name, RH_HASH)) {
        if (rh_catalog_rename(v->catalog, r, rh_value_copy(v->catalog->arena, name), v->complaints) < 0)
            v->refused = true;
    } else if (rh_value_is(passing, RH_BOOLEAN) && passing->u.integer) {
        rh_log(RH_INFO, "'%s' is validated when it is applied: %s", r->type->type,
               rh_value_str(rh_value_at(item, 2), ""));
        v->not_yet = true;
    } else {
        refuse(v, r, rh_value_str(rh_value_at(item, 3), NULL), rh_worker_refusal_code(item),
               rh_value_str(rh_value_at(item, 2), "it was refused without a reason"));
    }
}

/* As it is wanted when it is applied first; while something of it is not known, its name alone. */
static const struct rh_value *
wanted(const struct rh_catalog *c, const struct rh_resource *r, struct rh_arena *a)
{
    const struct rh_action *action;
    struct rh_value *should;
    uint32_t first = r->first_entry;

    if (r->undecided || !r->should)
        return r->name;
    while (first != RH_NO_ENTRY && !c->list[first].action) /* an edit took it out of the list */
        first = c->list[first].next;
    if (first == RH_NO_ENTRY || strcmp(c->list[first].action, "converge") == 0)
        return r->should;
    action = rh_type_action(r->type, c->list[first].action);
    if (!action || !action->overlay)
        return r->should;
    should = rh_value_copy_top(a, r->should);
    for (size_t i = 0; i < rh_value_count(action->overlay); i++) {
        const struct rh_entry *e = rh_value_entry(action->overlay, i);

        rh_value_put_ref(should, e->key, e->value);
    }
    return should;
}

static int
validate_type(struct rh_pool *p, const struct rh_type *type, struct validation *v)
{
    const struct rh_sink sink = { .data = v, .item = take_answer, .log = take_line };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *resources = rh_value_new(a, RH_ARRAY);
    struct rh_worker *worker = rh_pool_worker(p, type);

    for (size_t i = 0; i < v->n; i++)
        rh_value_append(resources, wanted(v->catalog, v->resources[i], a));
    if (rh_worker_validate(worker, resources, &sink, &err) < 0) {
        size_t i = rh_worker_was_at(worker, v->n == 1 ? 0 : v->n);

        if (i < v->n)
            refuse(v, v->resources[i], NULL, rh_error_code(&err), err.message);
        else
            rh_complain_code(v->complaints, (struct rh_place){ 0 }, NULL, rh_error_code(&err), "%s: %s",
                             type->type, err.message);
        return -1;
    }
    if (v->not_yet) /* another one starts at its turn, and finds what is there then */
        rh_pool_send_away(p, type);
    return v->refused ? -1 : 0;
}

int
rh_pool_validate(struct rh_pool *p, struct rh_catalog *c, struct rh_complaints *complaints)
{
    rh_autofree struct rh_resource **some = rh_xalloc(rh_xmul(c->n_resources, sizeof(struct rh_resource *)));
    rh_autofree bool *done = rh_xalloc(c->n_resources);
    int rc = 0;

    for (size_t i = 0; i < c->n_resources; i++)
        rh_secrets_learn(&p->secrets, c->resources[i]->should, false);
    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_type *type = c->resources[i]->type;
        struct validation v = { .pool = p, .catalog = c, .complaints = complaints, .resources = some };

        if (done[i] || !(type->slots & RH_HAS_CANONICALIZE))
            continue;
        for (size_t k = i; k < c->n_resources; k++)
            if (c->resources[k]->type == type) {
                done[k] = true;
                some[v.n++] = c->resources[k];
            }
        if (validate_type(p, type, &v) < 0)
            rc = -1;
    }
    return rc;
}
