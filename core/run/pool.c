/* SPDX-License-Identifier: Apache-2.0 */
/* pool - the workers of a transaction. */
#include "config.h"

#include "run/pool.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "plugin/privileges.h"
#include "plugin/spawn.h"
#include "provider/log-record.h"
#include "schema/type.h"

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

static void
add_resources(const void *data, const struct rh_type *type, struct rh_privileges *p)
{
    const struct rh_catalog *c = data;

    for (size_t i = 0; i < c->n_resources && rh_privileges_are_limited(p); i++) {
        const struct rh_resource *r = c->resources[i];

        if (r->type == type
            || (type->one_worker && r->type->path && type->path && strcmp(r->type->path, type->path) == 0))
            rh_privileges_add_lasting(p, r->type, r->name, r->should);
    }
}

void
rh_pool_confine(struct rh_pool *p, const struct rh_catalog *c)
{
    p->options.privileges = add_resources;
    p->options.privileges_data = c;
}

/* One of the same plugin, which may go on in one process with this one. */
static const struct rh_worker *
beside(const struct rh_pool *p, const struct rh_type *type)
{
    for (size_t i = 0; type->one_worker && i < p->n; i++)
        if (p->v[i].type != type && p->v[i].type->path && type->path
            && strcmp(p->v[i].type->path, type->path) == 0 && !rh_worker_is_gone(p->v[i].worker))
            return p->v[i].worker;
    return NULL;
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
        .worker = rh_worker_start(type, &p->options, beside(p, type)),
    };
    return p->v[p->n++].worker;
}

/* Of the same plugin, which may go on in one process with it. */
static bool
is_beside(const struct rh_type *a, const struct rh_type *b)
{
    return a->one_worker && a->path && b->path && strcmp(a->path, b->path) == 0;
}

/* To what it is confined is known when the manifest was read: the process can wait for that. */
void
rh_pool_get_up(struct rh_pool *p, const struct rh_type *type)
{
    if (!p->options.confined || !type->declares_needs) {
        (void)rh_pool_worker(p, type);
        return;
    }
    for (size_t i = 0; i < p->n_expected; i++)
        if (p->expected[i] == type || is_beside(type, p->expected[i]))
            return;
    p->expected = rh_xgrow(p->expected, &p->cap_expected, p->n_expected, sizeof(const struct rh_type *));
    p->expected[p->n_expected++] = type;
    rh_process_prepare();
}

void
rh_pool_renew(struct rh_pool *p, const struct rh_type *type)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].type == type && rh_worker_is_gone(p->v[i].worker)) {
            rh_worker_stop(p->v[i].worker);
            p->v[i].worker = rh_worker_start(type, &p->options, beside(p, type));
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
    rh_process_discard();
    for (size_t i = 0; i < p->n; i++)
        rh_worker_stop(p->v[i].worker);
    for (size_t i = 0; i < p->n_leaving; i++)
        rh_worker_stop(p->leaving[i]);
    for (size_t i = 0; i < p->n_warnings; i++)
        free(p->warnings[i]);
    free(p->warnings);
    free(p->leaving);
    free(p->expected);
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

enum { MOST_WARNINGS = 1000 };

/* Without the resource: while it is canonicalized it has no turn yet that it could be named by. */
static char *
text_of(const struct rh_log_record *r)
{
    return rh_printf("%s: %s", r->type ? r->type : "", r->message);
}

bool
rh_pool_has_warned(const struct rh_pool *p, const struct rh_log_record *record)
{
    rh_autofree char *text = p->n_warnings ? text_of(record) : NULL;

    for (size_t i = 0; i < p->n_warnings; i++)
        if (strcmp(p->warnings[i], text) == 0)
            return true;
    return false;
}

void
rh_pool_warn(struct rh_pool *p, const struct rh_log_record *record)
{
    rh_log_record_print(NULL, record);
    if (record->level < RH_NOTICE || p->n_warnings == MOST_WARNINGS || rh_pool_has_warned(p, record))
        return;
    p->warnings = rh_xgrow(p->warnings, &p->cap_warnings, p->n_warnings, sizeof *p->warnings);
    p->warnings[p->n_warnings++] = text_of(record);
}
