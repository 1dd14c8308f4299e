/* SPDX-License-Identifier: Apache-2.0 */
/* notification - who is to be told when a resource changes: what was stated becomes a table. */
#include "config.h"

#include "catalog/notification.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const timings[] = { "delayed", "immediately", "before", "in order" };
static const char *const policies[] = { "run", "hold", "drop" };

const char *
rh_timing_name(enum rh_timing timing)
{
    return timings[timing];
}

bool
rh_timing_read(const char *word, enum rh_timing *timing)
{
    for (int i = RH_DELAYED; i <= RH_BEFOREHAND; i++)
        if (strcmp(word, timings[i]) == 0) {
            *timing = (enum rh_timing)i;
            return true;
        }
    if (strcmp(word, "immediate") != 0)
        return false;
    *timing = RH_IMMEDIATELY;
    return true;
}

const char *
rh_on_failure_name(enum rh_on_failure on_failure)
{
    return policies[on_failure];
}

bool
rh_on_failure_read(const char *word, enum rh_on_failure *on_failure)
{
    for (int i = RH_RUN_ANYWAY; i <= RH_DROP; i++)
        if (strcmp(word, policies[i]) == 0) {
            *on_failure = (enum rh_on_failure)i;
            return true;
        }
    return false;
}

void
rh_catalog_notify(struct rh_resource *r, struct rh_stated_notification *stated)
{
    stated->next = NULL;
    if (r->notifications)
        r->last_notification->next = stated;
    else
        r->notifications = stated;
    r->last_notification = stated;
}

/* While the table is made. */
struct making {
    const struct rh_catalog *c;
    struct rh_notifications *n;
    size_t cap, cap_slots;
    struct rh_map slots; /* "type[title] action" to its number plus one */
    struct rh_map seen;  /* "from slot timing": once */
    struct rh_complaints *complaints;
};

static uint32_t
slot_of(struct making *m, struct rh_resource *to, const char *action)
{
    struct rh_notifications *n = m->n;
    rh_autofree char *key = rh_printf("%u %s", to->index, action);
    uintptr_t slot = (uintptr_t)rh_map_get(&m->slots, key);

    if (slot)
        return (uint32_t)slot - 1;
    n->slots = rh_xgrow(n->slots, &m->cap_slots, n->n_slots, sizeof *n->slots);
    n->slots[n->n_slots++] = (struct rh_slot_of_target){ .to = to, .action = action };
    rh_map_put(&m->slots, rh_arena_strdup(m->c->arena, key), (void *)(uintptr_t)n->n_slots);
    return (uint32_t)n->n_slots - 1;
}

static void
add(struct making *m, const struct rh_resource *from, struct rh_resource *to, const char *action,
    enum rh_timing timing, enum rh_on_failure on_failure)
{
    struct rh_notifications *n = m->n;
    uint32_t slot = slot_of(m, to, action);

    n->v = rh_xgrow(n->v, &m->cap, n->n, sizeof *n->v);
    n->v[n->n++] = (struct rh_notification){
        .from = from->index,
        .slot = slot,
        .timing = (uint8_t)timing,
        .on_failure = (uint8_t)on_failure,
    };
}

static void
refuse_action(struct making *m, const struct rh_stated_notification *s, const struct rh_type *t)
{
    rh_autobuf struct rh_buf hint = { 0 };

    rh_buf_addf(&hint, "its actions are: converge");
    for (size_t i = 0; i < t->n_actions; i++)
        rh_buf_addf(&hint, ", %s", t->actions[i].name);
    rh_complain(m->complaints, s->place, rh_buf_text(&hint), "unknown action '%s' for type '%s'", s->action,
                t->type);
}

static void
resolve_one(struct making *m, struct rh_resource *r, const struct rh_stated_notification *s)
{
    struct rh_resource *other = rh_catalog_find(m->c, s->other->type, s->other->title), *to;
    const struct rh_action *action;

    if (!other && rh_catalog_is_refused(m->c, s->other))
        return;
    if (!other && rh_catalog_excluded(m->c, s->other).line)
        return; /* nothing will happen there */
    if (!other) {
        rh_relation_refuse_missing(m->c, r, s->subscribes ? "subscribes" : "notifies", s->other,
                                   m->complaints);
        return;
    }
    to = s->subscribes ? r : other;
    action = rh_type_action(to->type, s->action);
    if (!action && strcmp(s->action, "converge") != 0)
        refuse_action(m, s, to->type);
    else
        add(m, s->subscribes ? other : r, to, action ? action->name : "converge", s->timing, s->on_failure);
}

/* An edge of these kinds tells its target at its turn, if that can be refreshed at all. */
static void
add_edges(struct making *m)
{
    for (size_t i = 0; i < m->c->n_edges; i++) {
        const struct rh_edge *e = &m->c->edges[i];
        struct rh_resource *to = m->c->resources[e->to];

        if (e->kind != RH_NOTIFY && e->kind != RH_SUBSCRIBE)
            continue;
        if (to->type->refresh_action)
            add(m, m->c->resources[e->from], to, to->type->refresh_action, RH_IN_ORDER, RH_RUN_ANYWAY);
        else
            rh_debug("%s[%s]: a '%s' cannot be refreshed; being notified only orders it", to->type->type,
                     to->title, to->type->type);
    }
}

/* Sorts by notifier, keeping the order otherwise, and leaves out what is said twice. */
static void
sort(struct making *m)
{
    struct rh_notifications *n = m->n;
    size_t resources = m->c->n_resources, kept = 0;
    struct rh_notification *sorted = rh_xalloc(rh_xmul(n->n, sizeof *sorted));
    rh_autofree uint32_t *at = rh_xalloc(rh_xmul(resources + 1, sizeof *at));

    n->start = rh_xalloc(rh_xmul(resources + 1, sizeof *n->start));
    for (size_t i = 0; i < n->n; i++)
        at[n->v[i].from + 1]++;
    for (size_t i = 0; i < resources; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < n->n; i++)
        sorted[at[n->v[i].from]++] = n->v[i];
    for (size_t i = 0; i < n->n; i++) {
        char key[64];

        (void)snprintf(key, sizeof key, "%u %u %u", sorted[i].from, sorted[i].slot, sorted[i].timing);
        if (rh_map_get(&m->seen, key))
            continue;
        rh_map_put(&m->seen, rh_arena_strdup(m->c->arena, key), m);
        sorted[kept++] = sorted[i];
        n->start[sorted[i].from + 1]++;
    }
    for (size_t i = 0; i < resources; i++)
        n->start[i + 1] += n->start[i];
    free(n->v);
    n->v = sorted;
    n->n = kept;
}

void
rh_notifications_resolve(const struct rh_catalog *c, struct rh_notifications *n,
                         struct rh_complaints *complaints)
{
    struct making m = { .c = c, .n = n, .complaints = complaints };

    *n = (struct rh_notifications){ 0 };
    for (size_t i = 0; i < c->n_resources; i++)
        for (const struct rh_stated_notification *s = c->resources[i]->notifications; s; s = s->next)
            resolve_one(&m, c->resources[i], s);
    add_edges(&m);
    sort(&m);
    rh_map_clear(&m.slots);
    rh_map_clear(&m.seen);
}
