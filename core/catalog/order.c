/* SPDX-License-Identifier: Apache-2.0 */
/* order - the action list sorted: as written, unless relations say otherwise.
 *
 * Kahn's algorithm with the ready entries in a heap by their place in the list: what comes out is
 * the first order, as written, that the relations allow. Most manifests are written in an order
 * that fits already; that is found out first, and costs one look at each edge. */
#include "config.h"

#include "catalog/order.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "schema/type.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void
rh_order_clear(struct rh_order *order)
{
    free(order->entries);
    free(order->start);
    free(order->dependencies);
    *order = (struct rh_order){ 0 };
}

static void
collect_before(const struct rh_catalog *c, struct rh_order *order)
{
    size_t n = c->n_resources;
    rh_autofree uint32_t *at = rh_xalloc(rh_xmul(n + 1, sizeof *at));

    order->start = rh_xalloc(rh_xmul(n + 1, sizeof *order->start));
    order->dependencies = rh_xalloc(rh_xmul(c->n_edges, sizeof *order->dependencies));
    for (size_t i = 0; i < c->n_edges; i++)
        if (!c->edges[i].yielded)
            order->start[c->edges[i].to + 1]++;
    for (size_t i = 0; i < n; i++)
        order->start[i + 1] += order->start[i];
    memcpy(at, order->start, (n + 1) * sizeof *at);
    for (size_t i = 0; i < c->n_edges; i++)
        if (!c->edges[i].yielded)
            order->dependencies[at[c->edges[i].to]++] = c->edges[i].from;
}

static bool
fits_as_written(const struct rh_catalog *c)
{
    for (size_t i = 0; i < c->n_resources; i++)
        if (c->resources[i]->type->features & RH_GATHERS)
            return false;
    for (size_t i = 0; i < c->n_edges; i++) {
        uint32_t from = c->resources[c->edges[i].from]->first_entry;
        uint32_t to = c->resources[c->edges[i].to]->first_entry;

        /* Relations also pass through resources that have no turn: only sorting sees that. */
        if (from == RH_NO_ENTRY || to == RH_NO_ENTRY || from >= to)
            return false;
    }
    return true;
}

struct heap {
    uint32_t *v;
    size_t n;
};

static void
heap_push(struct heap *h, uint32_t x)
{
    size_t i = h->n++;

    while (i && h->v[(i - 1) / 2] > x) {
        h->v[i] = h->v[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h->v[i] = x;
}

static uint32_t
heap_pop(struct heap *h)
{
    uint32_t top = h->v[0], x = h->v[--h->n];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;

        if (child >= h->n)
            break;
        if (child + 1 < h->n && h->v[child + 1] < h->v[child])
            child++;
        if (x <= h->v[child])
            break;
        h->v[i] = h->v[child];
        i = child;
    }
    h->v[i] = x;
    return top;
}

/* What has its turn together, of a provider that wants it so: in the order of the list. */
struct gathering {
    const struct rh_type *type; /* or NULL */
    uint32_t *v;
    size_t n, at;
};

/* One of several entries of a resource is where it was put on purpose. */
static bool
is_gathered(const struct rh_catalog *c, uint32_t entry)
{
    const struct rh_resource *r = c->list[entry].resource;

    return r->type->features & RH_GATHERS && r->first_entry == entry && c->list[entry].next == RH_NO_ENTRY;
}

static int
by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Takes all that are ready out of the heap. */
static void
gather(const struct rh_catalog *c, struct heap *ready, struct gathering *g)
{
    size_t n = ready->n, kept = 0;

    g->n = g->at = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t e = ready->v[i];

        if (c->list[e].resource->type == g->type && is_gathered(c, e))
            g->v[g->n++] = e;
        else
            ready->v[kept++] = e;
    }
    if (!g->n) {
        g->type = NULL;
        return;
    }
    qsort(g->v, g->n, sizeof *g->v, by_number);
    ready->n = 0;
    for (size_t i = 0; i < kept; i++)
        heap_push(ready, ready->v[i]);
}

/* The next entry; `*any` is false when none is ready. */
static uint32_t
next_ready(const struct rh_catalog *c, struct heap *ready, struct gathering *g, bool *any)
{
    uint32_t e;

    *any = true;
    if (g->type && g->at == g->n)
        gather(c, ready, g); /* that what came last has let go */
    if (g->type)
        return g->v[g->at++];
    *any = ready->n > 0;
    if (!*any)
        return 0;
    e = heap_pop(ready);
    if (is_gathered(c, e)) {
        g->type = c->list[e].resource->type;
        g->n = g->at = 0;
    }
    return e;
}

/* Sorts with relations; false when a cycle left something over. `waits` counts, for each resource,
 * what it still waits for, and shows afterwards who is left. */
static bool
sort(const struct rh_catalog *c, struct rh_order *order, uint32_t *waits)
{
    rh_autofree uint32_t *start = rh_xalloc(rh_xmul(c->n_resources + 1, sizeof *start));
    rh_autofree uint32_t *after = rh_xalloc(rh_xmul(c->n_edges, sizeof *after));
    rh_autofree uint32_t *at = rh_xalloc(rh_xmul(c->n_resources + 1, sizeof *at));
    struct heap ready = { .v = rh_xalloc(rh_xmul(c->n_list, sizeof *ready.v)) };
    rh_autofree uint32_t *together = rh_xalloc(rh_xmul(c->n_list, sizeof *together));
    struct gathering g = { .v = together };
    bool any;

    for (size_t i = 0; i < c->n_edges; i++) {
        if (c->edges[i].yielded)
            continue;
        start[c->edges[i].from + 1]++;
        waits[c->edges[i].to]++;
    }
    for (size_t i = 0; i < c->n_resources; i++)
        start[i + 1] += start[i];
    memcpy(at, start, c->n_resources * sizeof *at);
    for (size_t i = 0; i < c->n_edges; i++)
        if (!c->edges[i].yielded)
            after[at[c->edges[i].from]++] = c->edges[i].to;

    /* A resource that is only in the set has no turn of its own to wait for; but relations pass
     * through it, so it is let go like the others, by a turn that executes nothing. */
    rh_autofree uint32_t *free_now = rh_xalloc(rh_xmul(c->n_resources, sizeof *free_now));
    size_t n_free = 0;

    for (size_t i = 0; i < c->n_resources; i++)
        if (!waits[i])
            free_now[n_free++] = (uint32_t)i;
    order->n = 0;
    for (;;) {
        while (n_free) {
            const struct rh_resource *r = c->resources[free_now[--n_free]];

            for (uint32_t e = r->first_entry; e != RH_NO_ENTRY; e = c->list[e].next)
                heap_push(&ready, e);
            if (r->first_entry == RH_NO_ENTRY)
                for (uint32_t k = start[r->index]; k < start[r->index + 1]; k++)
                    if (--waits[after[k]] == 0)
                        free_now[n_free++] = after[k];
        }
        uint32_t e = next_ready(c, &ready, &g, &any);

        if (!any)
            break;
        const struct rh_resource *r = c->list[e].resource;

        order->entries[order->n++] = e;
        if (r->first_entry == e)
            for (uint32_t k = start[r->index]; k < start[r->index + 1]; k++)
                if (--waits[after[k]] == 0)
                    free_now[n_free++] = after[k];
    }
    free(ready.v);
    return order->n == c->n_list;
}

/* Of what a sort left over, what is in a ring or between two: without what only comes after them. */
static void
keep_rings(const struct rh_catalog *c, const struct rh_order *order, uint32_t *waits)
{
    rh_autofree uint32_t *needed = rh_xalloc(rh_xmul(c->n_resources, sizeof *needed));
    rh_autofree uint32_t *idle = rh_xalloc(rh_xmul(c->n_resources, sizeof *idle));
    size_t n = 0;

    for (size_t i = 0; i < c->n_resources; i++)
        for (uint32_t k = order->start[i]; waits[i] && k < order->start[i + 1]; k++)
            needed[order->dependencies[k]]++;
    for (size_t i = 0; i < c->n_resources; i++)
        if (waits[i] && !needed[i])
            idle[n++] = (uint32_t)i;
    while (n) {
        uint32_t at = idle[--n];

        waits[at] = 0;
        for (uint32_t k = order->start[at]; k < order->start[at + 1]; k++)
            if (waits[order->dependencies[k]] && --needed[order->dependencies[k]] == 0)
                idle[n++] = order->dependencies[k];
    }
}

static void
start_again(const struct rh_catalog *c, struct rh_order *order, uint32_t *waits)
{
    free(order->start);
    free(order->dependencies);
    collect_before(c, order);
    memset(waits, 0, c->n_resources * sizeof *waits);
}

/* Whether automatic relations alone make a circle: then the manifest does not say which of them yields. */
static bool
is_automatic_circle(struct rh_catalog *c, struct rh_order *order, uint32_t *waits)
{
    bool circle;

    for (size_t i = 0; i < c->n_edges; i++)
        c->edges[i].yielded = !c->edges[i].yields;
    start_again(c, order, waits);
    circle = !sort(c, order, waits);
    for (size_t i = 0; i < c->n_edges; i++)
        c->edges[i].yielded = false;
    start_again(c, order, waits);
    (void)sort(c, order, waits);
    return circle;
}

/* The automatic relations of a ring with the manifest's give way: true when there were some. */
static bool
yield(struct rh_catalog *c, struct rh_order *order, uint32_t *waits)
{
    bool any = false;

    if (is_automatic_circle(c, order, waits))
        return false;
    keep_rings(c, order, waits);
    for (size_t i = 0; i < c->n_edges; i++) {
        struct rh_edge *e = &c->edges[i];

        if (!e->yields || !waits[e->from] || !waits[e->to])
            continue;
        e->yielded = any = true;
        rh_debug("%s[%s]: leaving out the automatic relation with %s[%s], which contradicts the manifest",
                 c->resources[e->from]->type->type, c->resources[e->from]->title,
                 c->resources[e->to]->type->type, c->resources[e->to]->title);
    }
    if (any)
        start_again(c, order, waits);
    return any;
}

int
rh_order_make(struct rh_catalog *c, struct rh_order *order, struct rh_complaints *complaints)
{
    rh_autofree uint32_t *waits = rh_xalloc(rh_xmul(c->n_resources, sizeof *waits));

    *order = (struct rh_order){
        .entries = rh_xalloc(rh_xmul(c->n_list, sizeof *order->entries)),
        .n = c->n_list,
    };
    collect_before(c, order);
    if (fits_as_written(c)) {
        for (size_t i = 0; i < c->n_list; i++)
            order->entries[i] = (uint32_t)i;
        return 0;
    }
    if (sort(c, order, waits))
        return 0;
    if (yield(c, order, waits) && sort(c, order, waits))
        return 0;
    rh_cycle_complain(c, order, waits, complaints);
    return -1;
}
