/* SPDX-License-Identifier: Apache-2.0 */
/* reduce - transitive reduction: relations that others imply. A before B and B before C leave nothing for
 * "A before C" to say.
 *
 * From each resource, its links are followed in the order of positions. What was reached on the way is
 * implied; nothing beyond the last of its own ends is looked at. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"

#include <stdlib.h>

struct search {
    struct rh_graph *g;
    uint32_t *reached; /* by which search, plus 1 */
    uint32_t *stack;
};

/* Marks all that `from` leads to, up to a position. */
static void
reach(struct search *s, uint32_t from, uint32_t mark, uint32_t last)
{
    const struct rh_graph *g = s->g;
    size_t n = 0;

    s->stack[n++] = from;
    s->reached[from] = mark;
    while (n) {
        uint32_t node = s->stack[--n];

        for (uint32_t k = g->start[node]; k < g->start[node + 1]; k++) {
            uint32_t to = g->links[k].to;

            if (!g->shown[to] || s->reached[to] == mark || g->nodes[to].position > last)
                continue;
            s->reached[to] = mark;
            s->stack[n++] = to;
        }
    }
}

struct end {
    uint32_t position, link;
};

static int
by_position(const void *a, const void *b)
{
    const struct end *x = a, *y = b;

    return x->position < y->position ? -1 : x->position > y->position;
}

static void
reduce_links_of(struct search *s, uint32_t node, struct end *ends)
{
    struct rh_graph *g = s->g;
    size_t n = 0;

    for (uint32_t k = g->start[node]; k < g->start[node + 1]; k++)
        if (g->shown[g->links[k].to])
            ends[n++] = (struct end){ g->nodes[g->links[k].to].position, k };
    if (n < 2)
        return;
    qsort(ends, n, sizeof *ends, by_position);
    for (size_t i = 0; i < n; i++) {
        struct rh_graph_link *link = &g->links[ends[i].link];

        link->implied = s->reached[link->to] == node + 1;
        if (!link->implied)
            reach(s, link->to, node + 1, ends[n - 1].position);
    }
}

void
rh_graph_reduce(struct rh_graph *g)
{
    rh_autofree uint32_t *reached = rh_xalloc(rh_xmul(g->n, sizeof *reached));
    rh_autofree uint32_t *stack = rh_xalloc(rh_xmul(g->n, sizeof *stack));
    rh_autofree struct end *ends = rh_xalloc(rh_xmul(g->n, sizeof *ends));
    struct search s = { .g = g, .reached = reached, .stack = stack };

    for (uint32_t i = 0; i < g->n; i++)
        if (g->shown[i])
            reduce_links_of(&s, i, ends);
}
