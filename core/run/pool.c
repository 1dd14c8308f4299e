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
    free(p->leaving);
    free(p->v);
    rh_secrets_clear(&p->secrets);
    *p = (struct rh_pool){ .options = p->options };
}

static void
say(void *data, enum rh_level level, bool generated, const char *text)
{
    (void)data;
    (void)generated;
    rh_log(level, "%s", text);
}

/* Nobody waits for it. */
static void
send_away(struct rh_pool *p, const struct rh_type *type)
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
    const struct rh_sink logs = { .log = say };
    int how_well = rh_worker_suits(rh_pool_worker(p, type), &logs, why);

    /* Nobody else has use for one that does not suit, or that broke over the question. */
    if (!how_well)
        send_away(p, type);
    return how_well;
}

struct renaming {
    struct rh_catalog *catalog;
    struct rh_complaints *complaints;
    struct rh_resource **resources;
    size_t n;
    const struct rh_resource *stopped_at; /* it could not be canonicalized */
    bool refused;
};

static void
take_name(void *data, const struct rh_value *item)
{
    struct renaming *r = data;
    const struct rh_value *index = rh_value_at(item, 0), *name = rh_value_at(item, 1);
    struct rh_resource *resource;

    if (!rh_value_is(index, RH_INTEGER) || index->u.integer < 0
        || (uint64_t)index->u.integer >= r->n)
        return;
    resource = r->resources[index->u.integer];
    if (!name)
        r->stopped_at = resource;
    else if (rh_catalog_rename(r->catalog, resource, rh_value_copy(r->catalog->arena, name),
                               r->complaints)
             < 0)
        r->refused = true;
}

static int
canonical_names_of(struct rh_pool *p, const struct rh_type *type, struct renaming *r)
{
    const struct rh_sink sink = { .data = r, .item = take_name, .log = say };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *names = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < r->n; i++)
        rh_value_append(names, r->resources[i]->name);
    if (rh_worker_canonicalize(rh_pool_worker(p, type), names, &sink, &err) < 0) {
        size_t i = rh_worker_was_at(rh_pool_worker(p, type), r->n == 1 ? 0 : r->n);
        const struct rh_resource *at = i < r->n ? r->resources[i] : r->stopped_at;
        rh_autofree char *text = at ? rh_resource_text(at) : rh_xstrdup(type->type);

        rh_complain(r->complaints, at ? at->place : (struct rh_place){ 0 }, NULL, "%s: %s", text,
                    err.message);
        return -1;
    }
    return r->refused ? -1 : 0;
}

int
rh_pool_canonical_names(struct rh_pool *p, struct rh_catalog *c, struct rh_complaints *complaints)
{
    rh_autofree struct rh_resource **some =
        rh_xalloc(rh_xmul(c->n_resources, sizeof(struct rh_resource *)));
    rh_autofree bool *done = rh_xalloc(c->n_resources);
    int rc = 0;

    for (size_t i = 0; i < c->n_resources; i++)
        rh_secrets_learn(&p->secrets, c->resources[i]->should, false);
    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_type *type = c->resources[i]->type;
        struct renaming r = { .catalog = c, .complaints = complaints, .resources = some };

        if (done[i] || !(type->slots & RH_HAS_CANONICALIZE))
            continue;
        for (size_t k = i; k < c->n_resources; k++)
            if (c->resources[k]->type == type) {
                done[k] = true;
                some[r.n++] = c->resources[k];
            }
        if (canonical_names_of(p, type, &r) < 0)
            rc = -1;
    }
    return rc;
}
