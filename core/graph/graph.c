/* SPDX-License-Identifier: Apache-2.0 */
/* graph - resources and the relations between them, as nodes and links. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "catalog/catalog.h"
#include "catalog/order.h"

#include <stdlib.h>
#include <string.h>

/* Each node gets a position that is higher than those of all that come before it. */
static void
find_positions(struct rh_graph *g)
{
    const struct rh_catalog *c = g->catalog;
    rh_autofree uint32_t *waits = rh_xalloc(rh_xmul(g->n, sizeof *waits));
    rh_autofree uint32_t *ready = rh_xalloc(rh_xmul(g->n, sizeof *ready));
    size_t n = 0;

    for (size_t i = 0; i < g->n_links; i++)
        waits[g->links[i].to]++;
    for (uint32_t i = 0; i < c->n_resources; i++)
        if (!waits[i])
            ready[n++] = i;
    for (size_t i = 0; i < n; i++) {
        uint32_t node = ready[i];

        g->nodes[node].position = (uint32_t)i;
        for (uint32_t k = g->start[node]; k < g->start[node + 1]; k++)
            if (!--waits[g->links[k].to])
                ready[n++] = g->links[k].to;
    }
}

/* For qsort. */
static int
by_ends(const void *a, const void *b)
{
    const struct rh_graph_link *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->edge->automatic != y->edge->automatic ? (x->edge->automatic ? 1 : -1)
           : x->edge < y->edge                      ? -1
                                                    : x->edge > y->edge;
}

static void
make_links(struct rh_graph *g)
{
    const struct rh_catalog *c = g->catalog;
    size_t n = 0;

    g->links = rh_xalloc(rh_xmul(c->n_edges, sizeof *g->links));
    for (size_t i = 0; i < c->n_edges; i++)
        if (!c->edges[i].yielded && c->edges[i].from != c->edges[i].to)
            g->links[n++] = (struct rh_graph_link){
                .from = c->edges[i].from,
                .to = c->edges[i].to,
                .edge = &c->edges[i],
            };
    if (n)
        qsort(g->links, n, sizeof *g->links, by_ends);
    for (size_t i = 0; i < n; i++)
        if (!g->n_links || g->links[g->n_links - 1].from != g->links[i].from
            || g->links[g->n_links - 1].to != g->links[i].to)
            g->links[g->n_links++] = g->links[i];
    g->start = rh_xalloc(rh_xmul(g->n + 1, sizeof *g->start));
    for (size_t i = 0; i < g->n_links; i++)
        g->start[g->links[i].from + 1]++;
    for (size_t i = 0; i < g->n; i++)
        g->start[i + 1] += g->start[i];
}

/* Of each node the links that end there, as those that begin there are by `start`. */
static void
collect_incoming(struct rh_graph *g)
{
    g->in_start = rh_xalloc(rh_xmul(g->n + 2, sizeof *g->in_start));
    g->in_links = rh_xalloc(rh_xmul(g->n_links, sizeof *g->in_links));
    for (size_t i = 0; i < g->n_links; i++)
        g->in_start[g->links[i].to + 2]++;
    for (size_t i = 0; i < g->n; i++)
        g->in_start[i + 1] += g->in_start[i];
    for (uint32_t i = 0; i < g->n_links; i++)
        g->in_links[g->in_start[g->links[i].to + 1]++] = i;
}

struct rh_graph *
rh_graph_new(const struct rh_catalog *c, const struct rh_order *order)
{
    struct rh_graph *g = rh_xalloc(sizeof *g);

    g->catalog = c;
    g->order = order;
    g->arena = rh_arena_new(NULL);
    g->n = c->n_resources;
    g->nodes = rh_xalloc(rh_xmul(g->n, sizeof *g->nodes));
    g->shown = rh_xalloc(g->n);
    for (size_t i = 0; i < g->n; i++) {
        g->nodes[i] = (struct rh_graph_node){ .resource = c->resources[i], .seconds = -1 };
        g->shown[i] = c->resources[i]->first_entry == RH_NO_ENTRY;
    }
    for (size_t i = 0; i < order->n; i++) {
        uint32_t index = c->list[order->entries[i]].resource->index;

        g->shown[index] = true;
        if (!g->nodes[index].rank)
            g->nodes[index].rank = (uint32_t)i + 1;
    }
    make_links(g);
    collect_incoming(g);
    find_positions(g);
    return g;
}

void
rh_graph_free(struct rh_graph *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_boxes; i++)
        free(g->boxes[i].nodes);
    free(g->boxes);
    free(g->lines);
    free(g->clusters);
    free(g->critical);
    free(g->links);
    free(g->start);
    free(g->in_start);
    free(g->in_links);
    free(g->nodes);
    free(g->shown);
    rh_arena_free(g->arena);
    free(g);
}

const bool *
rh_graph_shown(const struct rh_graph *g)
{
    return g->shown;
}

void
rh_graph_arrange(struct rh_graph *g)
{
    rh_graph_reduce(g);
    rh_graph_make_clusters(g);
    rh_graph_find_critical(g);
    rh_graph_make_boxes(g);
}
