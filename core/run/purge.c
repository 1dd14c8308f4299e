/* SPDX-License-Identifier: Apache-2.0 */
/* purge - carrying out `purge: TYPE` at its turn: listing, choosing, removing. */
#include "config.h"

#include "run/backup.h"
#include "run/transaction-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/map.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "catalog/purge.h"
#include "run/plan.h"
#include "run/pool.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED = 20 /* of those that are too many, in the message */ };

/* One that is there, and is to go. */
struct goner {
    const char *title;
    struct rh_value *name;
};

struct purge {
    const struct rh_purging *p;
    const struct rh_purge *what;
    struct rh_arena *arena;
    struct rh_worker *worker;
    struct rh_map managed, kept; /* names in their canonical form */
    size_t *word_of;             /* for each name that 'keep' has: which word of it */
    struct goner *goners;
    size_t n_goners, cap_goners, at;
    uint32_t first_id;
    size_t there, removed, failed, left;
    struct rh_error err;
};

static int
by_title(const void *a, const void *b)
{
    return strcmp(((const struct goner *)a)->title, ((const struct goner *)b)->title);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    const struct purge *g = data;

    g->p->log(g->p->data, record);
}

/* What the manifest has, also where it wants it absent or does nothing to it. */
static void
note_managed(struct purge *g)
{
    const struct rh_catalog *c = g->p->catalog;

    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_resource *r = c->resources[i];

        if (strcmp(r->type->type, g->what->type->type) == 0)
            rh_map_put(&g->managed, rh_resource_title(g->arena, r->type, r->name), c->resources[i]);
    }
}

static void
take_keep(void *data, const struct rh_value *item)
{
    struct purge *g = data;
    const struct rh_value *index = rh_value_at(item, 0), *name = rh_value_at(item, 1);

    if (rh_value_is(name, RH_HASH))
        rh_map_put(&g->kept, rh_resource_title(g->arena, g->what->type, rh_value_copy(g->arena, name)), g);
    /* What was meant as a pattern may be no name; what is none must be understood. */
    else if (rh_value_is(index, RH_INTEGER) && (uint64_t)index->u.integer < g->what->n_keep
             && rh_purge_is_title(g->what, g->word_of[index->u.integer]))
        rh_error_set(&g->err, RH_EINPUT, "%s",
                     rh_value_str(rh_value_at(item, 2), "the provider refuses a title"));
}

/* Titles to keep may be written in another way than the provider lists them. */
static int
note_kept(struct purge *g)
{
    const struct rh_type *t = g->what->type;
    const struct rh_sink sink = { .data = g, .item = take_keep, .log = on_log };
    struct rh_value *names = rh_value_new(g->arena, RH_ARRAY);

    if (!(t->slots & RH_HAS_CANONICALIZE) && t->n_namevars == 1)
        return 0;
    g->word_of = rh_arena_alloc(g->arena, g->what->n_keep * sizeof *g->word_of);
    for (size_t i = 0; i < g->what->n_keep; i++) {
        struct rh_value *name = rh_value_hash(g->arena, t->n_namevars);
        int matched = 0;

        if (!g->what->keep[i].regex)
            matched = rh_title_name(t, g->what->keep[i].text, name, &g->err);
        if (matched < 0)
            return rh_error_prefix(&g->err, "cannot evaluate 'keep'");
        if (!matched)
            continue;
        rh_map_put(&g->kept, rh_resource_title(g->arena, t, name), g);
        g->word_of[names->count] = i;
        rh_value_append(names, name);
    }
    if (!names->count || !(t->slots & RH_HAS_CANONICALIZE))
        return 0;
    if (rh_worker_validate(g->worker, names, NULL, &sink, &g->err) < 0 || g->err.message)
        return rh_error_prefix(&g->err, "cannot evaluate 'keep'");
    return 0;
}

/* What the system needs for itself, as the provider says. */
static bool
is_spared(const struct purge *g, const struct rh_value *item)
{
    const struct rh_value *system = rh_value_get(item, "system");

    return !g->what->system && rh_value_is(system, RH_BOOLEAN) && system->u.integer;
}

static void
take_item(void *data, const struct rh_value *item)
{
    struct purge *g = data;
    const struct rh_type *t = g->what->type;
    const char *name = rh_resource_title(g->arena, t, item),
               *title = rh_resource_shown_title(g->arena, t, item);
    enum rh_kept kept;

    if (t->ensure && strcmp(rh_value_get_str(item, "ensure", "present"), "absent") == 0)
        return;
    if (rh_map_get(&g->managed, name)) {
        g->there++;
        return;
    }
    if (is_spared(g, item))
        return;
    g->there++;
    if (rh_map_get(&g->kept, name))
        return;
    kept = rh_purge_keeps(g->what, title, name);
    if (kept == RH_KEPT_UNDECIDED)
        rh_error_set(&g->err, RH_EINPUT, "a regular expression in 'keep' takes too long to match '%s'",
                     title);
    if (kept != RH_KEPT_NOT)
        return;
    g->goners = rh_xgrow(g->goners, &g->cap_goners, g->n_goners, sizeof *g->goners);
    g->goners[g->n_goners] = (struct goner){
        .title = rh_arena_strdup(g->arena, title),
        .name = rh_value_copy(g->arena, rh_resource_name(t, g->arena, item)),
    };
    g->n_goners++;
}

static int
list(struct purge *g)
{
    const struct rh_sink sink = { .data = g, .item = take_item, .log = on_log };

    if (rh_worker_list(g->worker, &sink, &g->err) < 0 || g->err.message)
        return rh_error_prefix(&g->err, "cannot list the existing resources");
    if (g->n_goners)
        qsort(g->goners, g->n_goners, sizeof *g->goners, by_title);
    return 0;
}

/* A plan that is applied names all that may go. */
static int
check_planned(struct purge *g)
{
    for (size_t i = 0; i < g->n_goners; i++)
        if (!rh_planning_purges(g->p->planning, g->what->type->type, g->goners[i].title))
            return rh_error_set(&g->err, RH_EINPUT,
                                "would remove '%s', which the plan does not: nothing was removed",
                                g->goners[i].title);
    return 0;
}

/* Nothing goes when more would go than anybody had in mind. */
static int
check_limit(struct purge *g)
{
    size_t most = rh_purge_most(g->what, g->there);
    rh_autobuf struct rh_buf names = { 0 };

    if (g->n_goners <= most)
        return 0;
    for (size_t i = 0; i < g->n_goners && i < NAMED; i++) {
        rh_buf_add(&names, i ? ", " : "");
        rh_buf_add_safe(&names, g->goners[i].title, strlen(g->goners[i].title), false);
    }
    if (g->n_goners > NAMED)
        rh_buf_addf(&names, " and %zu more", g->n_goners - NAMED);
    return rh_error_set(
        &g->err, RH_EINPUT,
        "would remove %zu of %zu, more than its limit of %ld%s: nothing was removed; add what "
        "must stay to 'keep', and raise 'limit' only if all of these should go\n%s",
        g->n_goners, g->there, g->what->limit, g->what->percent ? "%" : "", rh_buf_text(&names));
}

/* What is wanted of one that goes: that it is absent, and what the type says where nobody else does. */
static struct rh_value *
wanted(struct purge *g, const struct goner *goner)
{
    const struct rh_type *t = g->what->type;
    struct rh_sources none = { 0 };
    struct rh_complaints complaints = { .sources = &none };
    struct rh_value *attributes = rh_value_copy_top(g->arena, goner->name);
    struct rh_validated validated = { 0 };
    int rc;

    if (!t->ensure)
        return NULL;
    rh_value_put(attributes, "ensure", rh_value_string(g->arena, "absent"));
    rc = rh_validate(g->arena, t, goner->title, (struct rh_place){ 0 }, attributes, &validated, &complaints);
    rh_complaints_clear(&complaints);
    return rc < 0 ? attributes : validated.should;
}

static bool
next_want(void *data, struct rh_want *want)
{
    struct purge *g = data;
    const struct goner *goner;

    if (g->at == g->n_goners || rh_interrupted())
        return false;
    goner = &g->goners[g->at];
    *want = (struct rh_want){
        .id = g->first_id + (uint32_t)g->at,
        .noop = g->p->noop,
        .verify = g->p->verify,
        .title = goner->title,
        .action = "converge",
        .name = goner->name,
        .should = wanted(g, goner),
        .backup = g->p->noop ? NULL : rh_backups_want(g->p->backups, g->p->resource),
    };
    g->at++;
    return true;
}

static const char *
title_of(void *data, uint32_t id)
{
    const struct purge *g = data;

    return id - g->first_id < g->n_goners ? g->goners[id - g->first_id].title : NULL;
}

static struct rh_resource
resource_of(const struct purge *g, const struct goner *goner)
{
    return (struct rh_resource){
        .type = g->what->type,
        .title = goner->title,
        .name = goner->name,
        .place = g->p->resource->place,
        .meta = g->p->resource->meta,
        .first_entry = RH_NO_ENTRY,
    };
}

static bool
on_backup(void *data, struct rh_arena *a, const struct rh_backup_state *states, size_t n, bool wait,
          const char **why)
{
    const struct purge *g = data;

    for (size_t i = 0; i < n; i++)
        if (states[i].id - g->first_id < g->n_goners) {
            const struct rh_resource r = resource_of(g, &g->goners[states[i].id - g->first_id]);

            if (!rh_backups_take(g->p->backups, &r, &states[i], wait && i + 1 == n, a, why))
                return false;
        }
    return true;
}

static void
on_outcome(void *data, const struct rh_outcome *outcome)
{
    struct purge *g = data;
    const struct goner *goner;

    if (outcome->id - g->first_id >= g->n_goners)
        return;
    if (outcome->status == RH_EXCLUDED) {
        g->left++;
        return;
    }
    goner = &g->goners[outcome->id - g->first_id];
    const struct rh_resource resource = resource_of(g, goner);
    const struct rh_event event = {
        .resource = &resource,
        .action = "purge",
        .outcome = outcome,
        .purged_by = g->p->resource,
    };

    g->removed += outcome->status == RH_CHANGED || outcome->status == RH_WOULD_CHANGE;
    g->failed += outcome->status == RH_FAILED || outcome->status == RH_SKIPPED;
    g->p->event(g->p->data, &event);
}

static void
remove_all(struct purge *g)
{
    const struct rh_wants wants = { .data = g, .next = next_want, .title_of = title_of };
    const struct rh_sink sink = {
        .data = g, .outcome = on_outcome, .log = on_log, .backup = g->p->backups ? on_backup : NULL
    };

    if (!g->n_goners)
        return;
    g->first_id = *g->p->next_id;
    *g->p->next_id += (uint32_t)g->n_goners;
    rh_discard(rh_worker_converge(g->worker, &wants, &sink, &g->err));
    if (g->failed)
        rh_error_set(&g->err, RH_EPROVIDER, "%zu of %zu could not be removed", g->failed, g->n_goners);
}

static void
report(const struct purge *g, struct rh_arena *a, struct rh_outcome *done)
{
    struct rh_difference *d;

    if (g->err.message) {
        done->status = RH_FAILED;
        done->reason = rh_arena_strdup(a, g->err.message);
        done->code = rh_error_code(&g->err);
    } else if (g->removed) {
        d = rh_arena_alloc(a, sizeof *d);
        *d = (struct rh_difference){
            .attribute = "purge",
            .to = rh_value_integer(a, (int64_t)g->removed),
            .message = rh_arena_printf(a, "%s %zu of %zu", g->p->noop ? "would remove" : "removed",
                                       g->removed, g->there),
        };
        done->status = g->p->noop ? RH_WOULD_CHANGE : RH_CHANGED;
        done->differences = d;
        done->n_differences = 1;
    } else if (g->left || g->at < g->n_goners) {
        done->status = RH_EXCLUDED; /* the run is to end */
    }
}

void
rh_purge_run(const struct rh_purging *p, struct rh_arena *a, struct rh_outcome *done)
{
    struct purge g = {
        .p = p,
        .what = p->resource->meta->purge,
        .arena = rh_arena_new(NULL),
        .worker = rh_pool_worker(p->pool, p->resource->meta->purge->type),
    };
    double start = rh_now();

    *done = (struct rh_outcome){ .status = RH_UNCHANGED, .blame = RH_NOBODY };
    note_managed(&g);
    if (note_kept(&g) == 0 && list(&g) == 0 && check_limit(&g) == 0 && check_planned(&g) == 0)
        remove_all(&g);
    report(&g, a, done);
    done->seconds = rh_now() - start;
    free(g.goners);
    rh_map_clear(&g.managed);
    rh_map_clear(&g.kept);
    rh_error_clear(&g.err);
    rh_arena_free(g.arena);
}
