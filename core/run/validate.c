/* SPDX-License-Identifier: Apache-2.0 */
/* validate - what the providers say to the resources of a manifest before the first one is applied. */
#include "config.h"

#include "run/pool.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "provider/log-record.h"
#include "run/locate.h"

#include <stdlib.h>
#include <string.h>

/* What a provider says to the resources of its type, before any of them is applied. */
struct validation {
    struct rh_pool *pool;
    struct rh_catalog *catalog;
    struct rh_complaints *complaints;
    struct rh_resource **resources;
    size_t n;
    bool not_yet; /* it can't say before something has run */
};

/* At the attribute where the provider names one that the manifest has. */
static void
refuse(struct validation *v, const struct rh_resource *r, const char *path, unsigned code, const char *why)
{
    struct rh_place place = rh_locate(r, path);
    rh_autofree char *text = rh_resource_text(r);

    rh_complain_code(v->complaints, place.line ? place : r->place, NULL, code, "%s: %s", text, why);
}

static void
take_line(void *data, const struct rh_log_record *record)
{
    rh_pool_warn(((struct validation *)data)->pool, record);
}

static void
refuse_more(struct validation *v, const struct rh_resource *r, const struct rh_value *more, unsigned code)
{
    for (size_t i = 0; i + 1 < rh_value_count(more); i += 2)
        refuse(v, r, rh_value_str(rh_value_at(more, i + 1), NULL), code,
               rh_value_str(rh_value_at(more, i), ""));
}

static void
note_forms(struct validation *v, const struct rh_value *list, bool canonical)
{
    for (size_t i = 0; i < rh_value_count(list); i++) {
        const struct rh_value *index = rh_value_at(list, i);
        struct rh_resource *r;

        if (!rh_value_is(index, RH_INTEGER) || index->u.integer < 0 || (uint64_t)index->u.integer >= v->n)
            continue;
        r = v->resources[index->u.integer];
        r->canonical &= canonical;
        r->fixed = false;
    }
}

static void
take_answer(void *data, const struct rh_value *item)
{
    struct validation *v = data;
    const struct rh_value *index = rh_value_at(item, 0), *name = rh_value_at(item, 1);
    const struct rh_value *passing = rh_value_at(item, 4);
    struct rh_resource *r;

    if (rh_value_is(index, RH_INTEGER) && index->u.integer == -1) {
        note_forms(v, name, false);
        note_forms(v, rh_value_at(item, 2), true);
        return;
    }
    if (!rh_value_is(index, RH_INTEGER) || index->u.integer < 0 || (uint64_t)index->u.integer >= v->n)
        return;
    r = v->resources[index->u.integer];
    if (rh_value_is(name, RH_HASH)) {
        rh_catalog_rename(v->catalog, r, rh_value_copy(v->catalog->arena, name), v->complaints);
    } else if (rh_value_is(passing, RH_BOOLEAN) && passing->u.integer) {
        rh_log(RH_INFO, "'%s' is validated when it is applied: %s", r->type->type,
               rh_value_str(rh_value_at(item, 2), ""));
        v->not_yet = true;
    } else {
        refuse(v, r, rh_value_str(rh_value_at(item, 3), NULL), rh_worker_refusal_code(item),
               rh_value_str(rh_value_at(item, 2), "it was refused without a reason"));
        refuse_more(v, r, rh_value_at(item, 6), rh_worker_refusal_code(item));
    }
}

/* Something of it is not known yet, or is wrong, or it is only to be absent: its name alone is validated. */
static bool
is_name(const struct rh_resource *r)
{
    return r->refused || r->undecided || !r->should
           || (r->later && (r->uses || rh_value_is_later(r->should)));
}

/* As it is wanted when it is applied first. */
static const struct rh_value *
wanted(const struct rh_catalog *c, const struct rh_resource *r, struct rh_arena *a)
{
    const struct rh_action *action;
    struct rh_value *should;
    uint32_t first = r->first_entry;

    if (is_name(r))
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

static void
validate_type(struct rh_pool *p, const struct rh_type *type, struct validation *v)
{
    const struct rh_sink sink = { .data = v, .item = take_answer, .log = take_line };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *resources = rh_value_new(a, RH_ARRAY);
    struct rh_worker *worker = rh_pool_worker(p, type);
    bool *names = rh_arena_alloc(a, v->n * sizeof *names);

    for (size_t i = 0; i < v->n; i++) {
        const struct rh_value *should = wanted(v->catalog, v->resources[i], a);

        rh_value_append(resources, should);
        names[i] = is_name(v->resources[i]);
        v->resources[i]->canonical = !names[i] && should == v->resources[i]->should;
        v->resources[i]->fixed = v->resources[i]->canonical;
    }
    if (rh_worker_validate(worker, resources, names, &sink, &err) < 0) {
        size_t i = rh_worker_was_at(worker, v->n == 1 ? 0 : v->n);

        if (i < v->n)
            refuse(v, v->resources[i], NULL, rh_error_code(&err), err.message);
        else
            rh_complain_code(v->complaints, (struct rh_place){ 0 }, NULL, rh_error_code(&err), "%s: %s",
                             type->type, err.message);
        return;
    }
    for (size_t i = 0; v->not_yet && i < v->n; i++)
        v->resources[i]->canonical = v->resources[i]->fixed = false;
    if (v->not_yet) /* another one starts at its turn, and finds what is there then */
        rh_pool_send_away(p, type);
}

void
rh_pool_validate(struct rh_pool *p, struct rh_catalog *c, struct rh_complaints *complaints)
{
    rh_autofree struct rh_resource **some = rh_xalloc(rh_xmul(c->n_resources, sizeof(struct rh_resource *)));
    rh_autofree bool *done = rh_xalloc(c->n_resources);

    for (size_t i = 0; i < c->n_resources; i++)
        rh_secrets_learn(&p->secrets, c->resources[i]->should, false);
    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_type *type = c->resources[i]->type;
        struct validation v = { .pool = p, .catalog = c, .complaints = complaints, .resources = some };

        if (done[i] || !(type->slots & (RH_HAS_CANONICALIZE | RH_HAS_VALIDATE)))
            continue;
        for (size_t k = i; k < c->n_resources; k++)
            if (c->resources[k]->type == type) {
                done[k] = true;
                some[v.n++] = c->resources[k];
            }
        validate_type(p, type, &v);
    }
}
