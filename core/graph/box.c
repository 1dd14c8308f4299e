/* SPDX-License-Identifier: Apache-2.0 */
/* box - resources of one type, declared at one place, that have the same neighbours share a box. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/notification.h"

#include <stdlib.h>

static void
add_key(struct rh_buf *key, const struct rh_graph *g, const struct rh_graph_link *link, uint32_t other)
{
    if (rh_graph_drawn(g, link))
        rh_buf_addf(key, "%u%s ", other, link->edge->automatic ? "a" : "");
}

static void
add_to_box(struct rh_graph *g, uint32_t box, uint32_t node)
{
    struct rh_graph_box *b = &g->boxes[box];

    b->nodes = rh_xgrow(b->nodes, &b->cap, b->n, sizeof *b->nodes);
    b->nodes[b->n++] = node;
    g->nodes[node].box = box;
}

/* Whether a box says more than the cluster does: something waits for the instance. */
static bool
needs_box(const struct rh_graph *g, const struct rh_resource *r)
{
    if (!r->members)
        return true;
    for (uint32_t k = g->start[r->index]; k < g->start[r->index + 1]; k++) {
        const struct rh_graph_link *l = &g->links[k];
        const struct rh_resource *to = g->nodes[l->to].resource;

        if (rh_graph_drawn(g, l) && (to != r->container || needs_box(g, to)))
            return true;
    }
    return false;
}

static void
put_into_box(struct rh_graph *g, struct rh_map *boxes, uint32_t node)
{
    const struct rh_graph_node *n = &g->nodes[node];
    rh_autobuf struct rh_buf key = { 0 };
    uint32_t *known;

    rh_buf_addf(&key, "%u %s <", n->cluster, n->resource->type->type);
    for (uint32_t k = g->in_start[node]; k < g->in_start[node + 1]; k++)
        add_key(&key, g, &g->links[g->in_links[k]], g->links[g->in_links[k]].from);
    rh_buf_addc(&key, '>');
    for (uint32_t k = g->start[node]; k < g->start[node + 1]; k++)
        add_key(&key, g, &g->links[k], g->links[k].to);
    known = rh_map_get(boxes, key.s);
    if (!known) {
        known = rh_arena_alloc(g->arena, sizeof *known);
        *known = (uint32_t)g->n_boxes;
        rh_map_put(boxes, rh_arena_strdup(g->arena, key.s), known);
        g->boxes = rh_xgrow(g->boxes, &g->cap_boxes, g->n_boxes, sizeof *g->boxes);
        g->boxes[g->n_boxes++] = (struct rh_graph_box){ .cluster = n->cluster };
    }
    add_to_box(g, *known, node);
}

static int
by_boxes(const void *a, const void *b)
{
    const struct rh_graph_line *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* One for each pair of boxes. */
static void
make_lines(struct rh_graph *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n_links; i++) {
        const struct rh_graph_link *l = &g->links[i];
        const struct rh_graph_node *from = &g->nodes[l->from], *to = &g->nodes[l->to];

        if (!rh_graph_drawn(g, l) || from->box == RH_GRAPH_NONE || to->box == RH_GRAPH_NONE)
            continue;
        g->lines = rh_xgrow(g->lines, &g->cap_lines, g->n_lines, sizeof *g->lines);
        g->lines[g->n_lines++] = (struct rh_graph_line){
            .from = from->box,
            .to = to->box,
            .automatic = l->edge->automatic,
            .notifies = l->edge->kind == RH_NOTIFY || l->edge->kind == RH_SUBSCRIBE,
            .critical = from->critical && to->critical,
        };
    }
    if (g->n_lines)
        qsort(g->lines, g->n_lines, sizeof *g->lines, by_boxes);
    for (size_t i = 0; i < g->n_lines; i++) {
        struct rh_graph_line *last = n ? &g->lines[n - 1] : NULL;

        if (!last || last->from != g->lines[i].from || last->to != g->lines[i].to) {
            g->lines[n++] = g->lines[i];
        } else {
            last->automatic = last->automatic && g->lines[i].automatic;
            last->notifies = last->notifies || g->lines[i].notifies;
            last->critical = last->critical || g->lines[i].critical;
        }
    }
    g->n_lines = n;
}

static void
count_box(const struct rh_graph *g, uint32_t *counts, uint32_t cluster)
{
    for (; cluster != RH_GRAPH_NONE; cluster = g->clusters[cluster].parent)
        counts[cluster]++;
}

/* An instance has a box as well where nothing else of it is shown. */
static void
fill_clusters(struct rh_graph *g, struct rh_map *boxes)
{
    rh_autofree uint32_t *counts = rh_xalloc(rh_xmul(g->n_clusters, sizeof *counts));

    for (size_t i = 0; i < g->n_boxes; i++)
        count_box(g, counts, g->boxes[i].cluster);
    for (uint32_t i = (uint32_t)g->n; i-- > 0;) {
        if (!g->shown[i] || g->nodes[i].box != RH_GRAPH_NONE || counts[g->nodes[i].cluster])
            continue;
        put_into_box(g, boxes, i);
        count_box(g, counts, g->nodes[i].cluster);
    }
}

/* In the order in which they are applied: what is only in the set comes last. */
static int
by_rank(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

void
rh_graph_make_boxes(struct rh_graph *g)
{
    rh_automap struct rh_map boxes = { 0 };
    rh_autofree uint64_t *ranks = rh_xalloc(rh_xmul(g->n, sizeof *ranks));
    size_t n = 0;

    for (uint32_t i = 0; i < g->n; i++)
        if (g->shown[i])
            ranks[n++] = (uint64_t)(g->nodes[i].rank - 1U) << 32 | i;
    if (n)
        qsort(ranks, n, sizeof *ranks, by_rank);
    for (size_t i = 0; i < n; i++)
        if (needs_box(g, g->nodes[(uint32_t)ranks[i]].resource))
            put_into_box(g, &boxes, (uint32_t)ranks[i]);
        else
            g->nodes[(uint32_t)ranks[i]].box = RH_GRAPH_NONE;
    fill_clusters(g, &boxes);
    make_lines(g);
}
