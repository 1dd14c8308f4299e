/* SPDX-License-Identifier: Apache-2.0 */
/* cycle - the shortest way by which resources wait for each other in a ring. */
#include "config.h"

#include "catalog/order.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/catalog.h"

#include <stdbool.h>
#include <string.h>

enum {
    MOST_STEPS = 20000000, /* of searching, before the shortest so far is good enough */
    MOST_SHOWN = 20,
};

static const uint32_t UNSEEN = UINT32_MAX;

struct search {
    const struct rh_order *order;
    const uint32_t *waits;
    uint32_t *towards; /* the next resource on the way to the start */
    uint32_t *queue;
    size_t steps;
};

/* Takes back what the last search left in `towards`. */
static void
forget(struct search *s, size_t seen, uint32_t start)
{
    for (size_t i = 0; i < seen; i++)
        s->towards[s->queue[i]] = UNSEEN;
    s->towards[start] = UNSEEN;
}

/* Breadth first, from `start` against the edges, until `start` is met again. Returns the length of
 * the ring, 0 when there is none. With `keep`, s->towards then leads along it. */
static size_t
ring_through(struct search *s, uint32_t start, bool keep)
{
    size_t head = 0, tail = 0, length = 0;

    s->queue[tail++] = start;
    while (head < tail && !length) {
        uint32_t at = s->queue[head++];

        for (uint32_t k = s->order->start[at]; k < s->order->start[at + 1] && !length; k++) {
            uint32_t before = s->order->dependencies[k];

            s->steps++;
            if (!s->waits[before] || s->towards[before] != UNSEEN)
                continue;
            s->towards[before] = at;
            if (before == start)
                for (uint32_t r = at; ++length, r != start;)
                    r = s->towards[r];
            else
                s->queue[tail++] = before;
        }
    }
    s->steps += tail;
    if (!keep)
        forget(s, tail, start);
    return length;
}

/* A resource that is in a ring: going back along what is waited for must come around. */
static uint32_t
find_start(struct search *s)
{
    size_t n = 0;
    uint32_t at = 0;

    while (!s->waits[at])
        at++;
    while (s->towards[at] == UNSEEN) {
        uint32_t k = s->order->start[at];

        s->queue[n++] = at;
        s->towards[at] = at;
        while (!s->waits[s->order->dependencies[k]])
            k++;
        at = s->order->dependencies[k];
    }
    forget(s, n, at);
    return at;
}

static const struct rh_edge *
edge_between(const struct rh_catalog *c, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < c->n_edges; i++)
        if (c->edges[i].from == from && c->edges[i].to == to)
            return &c->edges[i];
    return NULL;
}

/* "a[x] before b[y] (require, site.yaml:3)", a line for each step. */
static void
describe(const struct rh_catalog *c, const uint32_t *towards, uint32_t start, struct rh_buf *b)
{
    static const char *const words[] = { "require", "before", "subscribe", "notify" };
    uint32_t at = start;
    size_t shown = 0;

    do {
        if (shown++ == MOST_SHOWN) {
            rh_buf_add(b, "\n  ... and so on, until it comes back to the first");
            return;
        }
        uint32_t next = towards[at];
        rh_autofree char *one = rh_resource_text(c->resources[at]);
        rh_autofree char *other = rh_resource_text(c->resources[next]);
        const struct rh_edge *e = edge_between(c, at, next);
        rh_autofree char *where = rh_place_text(c->sources, e ? e->place : c->resources[at]->place, false);

        rh_buf_addf(b, "\n  %s must come before %s (%s%s%s%s)", one, other,
                    e && e->automatic ? "automatic " : "", e ? words[e->kind] : "order", *where ? ", " : "",
                    where);
        at = next;
    } while (at != start);
}

void
rh_cycle_complain(const struct rh_catalog *c, const struct rh_order *order, const uint32_t *waits,
                  struct rh_complaints *complaints)
{
    size_t n = c->n_resources, shortest = 0;
    rh_autofree uint32_t *towards = rh_xalloc(rh_xmul(n, sizeof *towards));
    rh_autofree uint32_t *queue = rh_xalloc(rh_xmul(n + 1, sizeof *queue));
    rh_autobuf struct rh_buf path = { 0 };
    struct search s = { .order = order, .waits = waits, .towards = towards, .queue = queue };
    uint32_t best;

    memset(towards, 0xff, n * sizeof *towards);
    best = find_start(&s);
    shortest = ring_through(&s, best, false);
    for (size_t i = 0; i < n && s.steps < MOST_STEPS; i++) {
        size_t length = waits[i] ? ring_through(&s, (uint32_t)i, false) : 0;

        if (length && length < shortest) {
            shortest = length;
            best = (uint32_t)i;
        }
    }
    (void)ring_through(&s, best, true);
    describe(c, towards, best, &path);
    rh_complain(complaints, c->resources[best]->place, "remove one of these relations",
                "resources depend on each other in a cycle:%s", rh_buf_text(&path));
}
