/* SPDX-License-Identifier: Apache-2.0 */
/* cycle - the shortest way by which resources wait for each other in a ring. */
#include "config.h"

#include "catalog/cycle.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/order.h"

#include <string.h>

enum { MOST_STEPS = 20000000 }; /* of searching, before the shortest so far is good enough */

static const uint32_t UNSEEN = UINT32_MAX;

struct search {
    const struct rh_order *order;
    const uint32_t *waits;
    uint32_t *towards; /* the next resource on the way to the start */
    uint32_t *queue;
    size_t n;
    size_t steps;
};

/* Breadth first, from `start` against the edges, until `start` is met again. Returns the length of
 * the ring, 0 when there is none; s->towards then leads along it. */
static size_t
ring_through(struct search *s, uint32_t start)
{
    size_t head = 0, tail = 0;

    memset(s->towards, 0xff, s->n * sizeof *s->towards);
    s->queue[tail++] = start;
    while (head < tail) {
        uint32_t at = s->queue[head++];

        for (uint32_t k = s->order->start[at]; k < s->order->start[at + 1]; k++) {
            uint32_t before = s->order->of[k];

            s->steps++;
            if (!s->waits[before] || s->towards[before] != UNSEEN)
                continue;
            s->towards[before] = at;
            if (before == start) {
                size_t length = 1;

                for (uint32_t r = s->towards[start]; r != start; r = s->towards[r])
                    length++;
                return length;
            }
            s->queue[tail++] = before;
        }
    }
    return 0;
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

    do {
        uint32_t next = towards[at];
        rh_autofree char *one = rh_resource_text(c->resources[at]);
        rh_autofree char *other = rh_resource_text(c->resources[next]);
        const struct rh_edge *e = edge_between(c, at, next);
        rh_autofree char *where = rh_place_text(c->sources, e ? e->place : c->resources[at]->place,
                                                false);

        rh_buf_addf(b, "\n  %s must come before %s (%s%s%s%s)", one, other,
                    e && e->automatic ? "automatic " : "", e ? words[e->kind] : "order",
                    *where ? ", " : "", where);
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
    struct search s = { .order = order, .waits = waits, .towards = towards, .queue = queue, .n = n };
    uint32_t best = 0;

    for (size_t i = 0; i < n && (s.steps < MOST_STEPS || !shortest); i++) {
        size_t length = waits[i] ? ring_through(&s, (uint32_t)i) : 0;

        if (length && (!shortest || length < shortest)) {
            shortest = length;
            best = (uint32_t)i;
        }
    }
    if (shortest && ring_through(&s, best))
        describe(c, towards, best, &path);
    rh_complain(complaints, c->resources[best]->place, "take out one of these relations",
                "resources wait for each other in a circle:%s", rh_buf_text(&path));
}
