/* SPDX-License-Identifier: Apache-2.0 */
/* planning - what a dry run would do, and what a run that applies it may do. */
#include "config.h"

#include "run/plan.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "provider/observed.h"
#include "provider/outcome.h"
#include "run/event-json.h"
#include "run/report.h"
#include "schema/loss.h"

#include <stdlib.h>
#include <string.h>

/* One entry of the list, as the dry run found it. */
struct entry {
    struct rh_expected planned, disturbed;
    const char *resource; /* "type[title]" */
    char desired[RH_PLAN_DIGEST];
};

struct rh_planning {
    struct rh_arena *arena;
    const struct rh_plan_key *key;
    const struct rh_catalog *catalog;
    const struct rh_sources *sources;
    struct entry *entries;
    size_t n;
    bool applied;
    struct rh_expected ask; /* what is wanted of a dry run */
    struct rh_map purged;   /* "type[title]" */
    struct rh_buf resources;
    struct rh_counts counts;
};

struct rh_planning *
rh_planning_new(const struct rh_plan_key *key, const struct rh_catalog *c, const struct rh_sources *sources)
{
    struct rh_planning *p = rh_xalloc(sizeof *p);

    p->arena = rh_arena_new(NULL);
    p->key = key;
    p->catalog = c;
    p->sources = sources;
    p->n = c->n_list;
    p->entries = rh_arena_alloc(p->arena, rh_xmul(c->n_list, sizeof *p->entries));
    p->ask.key = key->hex;
    for (size_t i = 0; i < c->n_list; i++) {
        const struct rh_resource *r = c->list[i].resource;

        p->entries[i].resource = rh_arena_printf(p->arena, "%s[%s]", r->type->type, r->title);
        rh_plan_digest_value(key, r->should, p->entries[i].desired);
    }
    return p;
}

void
rh_planning_free(struct rh_planning *p)
{
    if (!p)
        return;
    rh_map_clear(&p->purged);
    rh_buf_clear(&p->resources);
    rh_arena_free(p->arena);
    free(p);
}

/* Recording. */

static void
on_begin(void *data, const struct rh_run_begin *begin)
{
    (void)data;
    (void)begin;
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    ((struct rh_planning *)data)->counts = end->counts;
}

/* What is hashed is hashed with the key, which stays where it is. */
static void
add_current(struct rh_buf *b, struct rh_arena *a, const struct rh_value *current)
{
    struct rh_value *shown = rh_value_hash(a, rh_value_count(current));

    for (size_t i = 0; i < rh_value_count(current); i++) {
        const struct rh_entry *e = rh_value_entry(current, i);
        struct rh_value *observed = rh_value_copy_top(a, e->value);

        if (rh_observed_salt(observed))
            rh_value_drop(observed, "salt");
        rh_value_put(shown, e->key, observed);
    }
    rh_json_value(b, "current", shown);
}

/* Of each desired attribute a digest, cut to what fits on a line. */
static void
add_desired(struct rh_buf *b, const struct rh_plan_key *key, const struct rh_value *should)
{
    rh_json_key(b, "desired");
    rh_buf_addc(b, '{');
    for (size_t i = 0; i < rh_value_count(should); i++) {
        const struct rh_entry *e = rh_value_entry(should, i);
        char digest[RH_PLAN_DIGEST];

        rh_plan_digest_value(key, e->value, digest);
        digest[16] = '\0';
        rh_json_text(b, e->key, digest);
    }
    rh_buf_addc(b, '}');
}

static void
add_created(struct rh_buf *b, struct rh_arena *a, const struct rh_event *event,
            const struct rh_sources *sources)
{
    struct rh_entry e;

    rh_json_key(b, "created");
    rh_buf_addc(b, '{');
    for (size_t at = 0; rh_event_next_created(event, sources, a, &at, &e);)
        rh_json_value(b, e.key, e.value);
    rh_buf_addc(b, '}');
}

static void
note_state(struct rh_planning *p, struct entry *e, const struct rh_outcome *o)
{
    e->planned.key = e->disturbed.key = p->key->hex;
    e->planned.state = o->current ? rh_value_copy(p->arena, o->current) : NULL;
    e->planned.unchanged = e->disturbed.unchanged = o->status == RH_UNCHANGED;
}

static bool
is_changed(void *data, const char *attribute)
{
    const struct rh_outcome *o = data;

    for (size_t i = 0; i < o->n_differences; i++)
        if (strcmp(o->differences[i].attribute, attribute) == 0)
            return true;
    return false;
}

/* Why the change cannot be undone, in `a`; NULL: it can be. */
static const char *
irreversible(struct rh_arena *a, const struct rh_event *event)
{
    const struct rh_resource *r = event->resource;
    struct rh_outcome o = *event->outcome;
    const struct rh_loss_change change = { .name = r->name,
                                           .should = r->should,
                                           .removed = rh_type_wants_gone(r->type, r->should),
                                           .data = &o,
                                           .changes = is_changed };
    const char *why = NULL;

    if (o.status != RH_WOULD_CHANGE)
        return NULL;
    if (r->type->irreversible)
        return r->type->irreversible;
    if (r->meta && r->meta->backup == RH_BACKUP_NOT)
        return "backup: false";
    for (size_t i = 0; i < r->type->n_losses && !event->notified; i++)
        if (rh_loss_happens(&r->type->losses[i], &change))
            why = rh_arena_printf(a, "%s%s%s", why ? why : "it loses ", why ? ", and " : "",
                                  r->type->losses[i].what);
    return why;
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_planning *p = data;
    const struct rh_outcome *o = event->outcome;
    const struct rh_resource *r = event->resource;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_buf *b = &p->resources;
    const char *why;

    if (p->applied)
        return;
    rh_buf_add(b, p->resources.n ? ",\n  {" : "\n  {");
    rh_event_to_json(b, event, p->sources, NULL);
    if (event->purged_by) {
        const char *name = rh_arena_printf(p->arena, "%s[%s]", r->type->type, r->title);

        rh_json_boolean(b, "purged", true);
        rh_map_put(&p->purged, name, p);
    } else if (!event->notified) {
        if (o->current)
            add_current(b, a, o->current);
        if (o->id < p->n)
            note_state(p, &p->entries[o->id], o);
    }
    why = irreversible(a, event);
    if (why)
        rh_json_text(b, "irreversible", why);
    if (!event->purged_by)
        add_desired(b, p->key, r->should);
    if (rh_event_creates(event))
        add_created(b, a, event, p->sources);
    rh_buf_addc(b, '}');
}

struct rh_reporter
rh_planning_reporter(struct rh_planning *p)
{
    return (struct rh_reporter){
        .data = p,
        .begin = on_begin,
        .event = on_event,
        .log = on_log,
        .end = on_end,
    };
}

size_t
rh_planning_changes(const struct rh_planning *p)
{
    return p->counts.by_status[RH_WOULD_CHANGE] + p->counts.by_status[RH_WOULD_REFRESH];
}

void
rh_planning_write(const struct rh_planning *p, const struct rh_value *head, struct rh_buf *json)
{
    char digest[RH_PLAN_DIGEST];

    rh_buf_addc(json, '{');
    rh_json_number(json, "rhost_plan", RH_PLAN_FORMAT);
    for (size_t i = 0; i < rh_value_count(head); i++) {
        rh_buf_add(json, ",\n ");
        rh_json_string(json, rh_value_entry(head, i)->key, strlen(rh_value_entry(head, i)->key));
        rh_buf_add(json, ": ");
        rh_value_to_json(json, rh_value_entry(head, i)->value, false);
    }
    rh_buf_add(json, ",\n \"resources\": [");
    rh_buf_addn(json, p->resources.s, p->resources.n);
    rh_buf_add(json, p->resources.n ? "\n ],\n " : "],\n ");
    {
        rh_autobuf struct rh_buf counts = { 0 };

        rh_buf_addc(&counts, '{');
        rh_counts_to_json(&counts, &p->counts);
        rh_buf_add(json, rh_buf_text(&counts) + 1);
    }
    rh_plan_digest(p->key, json->s, json->n, digest);
    rh_buf_addf(json, ",\n \"digest\": \"%s\"}\n", digest);
}

/* Applying. */

int
rh_planning_apply_to(struct rh_planning *p, const struct rh_catalog *c, struct rh_error *err)
{
    if (c->n_list != p->n)
        return rh_error_set(err, RH_EINPUT, "the manifests changed while the plan was compared with them");
    for (size_t i = 0; i < p->n; i++) {
        const struct rh_resource *r = c->list[i].resource;
        rh_autofree char *name = rh_resource_text(r);
        char desired[RH_PLAN_DIGEST];

        rh_plan_digest_value(p->key, r->should, desired);
        if (strcmp(desired, p->entries[i].desired) != 0
            || strncmp(p->entries[i].resource, r->type->type, strlen(r->type->type)) != 0)
            return rh_error_set(err, RH_EINPUT, "%s changed while the plan was compared with it", name);
    }
    p->catalog = c;
    p->applied = true;
    return 0;
}

const struct rh_expected *
rh_planning_want(const struct rh_planning *p, uint32_t entry, bool disturbed)
{
    if (!p || entry >= p->n)
        return NULL;
    if (!p->applied)
        return &p->ask;
    if (!p->entries[entry].planned.key) /* it was not looked at */
        return NULL;
    return disturbed ? &p->entries[entry].disturbed : &p->entries[entry].planned;
}

bool
rh_planning_purges(const struct rh_planning *p, const char *type, const char *title)
{
    rh_autofree char *name = rh_printf("%s[%s]", type, title);

    return !p || !p->applied || rh_map_get(&p->purged, name);
}
