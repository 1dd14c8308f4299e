/* SPDX-License-Identifier: Apache-2.0 */
/* text - a graph as lines: each box below the place where it was declared, with what it comes after. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/catalog.h"

#include <string.h>

static void
add_safe(struct rh_buf *b, const char *text)
{
    rh_buf_add_safe(b, text, strlen(text), false);
}

static void
add_place(struct rh_buf *b, const struct rh_graph *g, struct rh_place place)
{
    rh_autofree char *text = rh_place_text(g->catalog->sources, place, false);

    if (!place.line || !*text)
        return;
    rh_buf_add(b, "  ");
    add_safe(b, text);
}

static void
add_node(struct rh_buf *b, const struct rh_graph *g, uint32_t node)
{
    const struct rh_graph_node *n = &g->nodes[node];
    rh_autofree char *name = rh_resource_text(n->resource);

    if (n->rank)
        rh_buf_addf(b, "%5u  %s", n->rank, name);
    else
        rh_buf_addf(b, "    -  %s", name);
    add_place(b, g, n->resource->place);
    if (n->seconds >= 0)
        rh_buf_addf(b, "  %.3f s", n->seconds);
    if (n->critical)
        rh_buf_add(b, "  critical");
    rh_buf_addc(b, '\n');
}

/* The members of a box have these in common. */
static void
add_before(struct rh_buf *b, const struct rh_graph *g, uint32_t node)
{
    for (uint32_t i = g->in_start[node]; i < g->in_start[node + 1]; i++) {
        const struct rh_graph_link *l = &g->links[g->in_links[i]];
        rh_autofree char *name = NULL;

        if (!rh_graph_drawn(g, l))
            continue;
        name = rh_resource_text(g->nodes[l->from].resource);
        rh_buf_addf(b, "         after %s (%s)\n", name, rh_graph_relation_word(g, l->edge));
    }
}

static bool
has_boxes(const struct rh_graph *g, uint32_t cluster)
{
    for (size_t i = 0; i < g->n_boxes; i++)
        if (g->boxes[i].cluster == cluster)
            return true;
    return false;
}

static void
add_cluster(struct rh_buf *b, const struct rh_graph *g, uint32_t cluster)
{
    const struct rh_cluster *c = &g->clusters[cluster];

    if (!has_boxes(g, cluster) && c->instance == RH_GRAPH_NONE)
        return;
    rh_buf_addf(b, "\n%s ", rh_cluster_word(c->kind));
    add_safe(b, c->name);
    rh_buf_addc(b, '\n');
    if (c->instance != RH_GRAPH_NONE && g->shown[c->instance] && g->nodes[c->instance].box == RH_GRAPH_NONE)
        add_node(b, g, c->instance);
    for (size_t i = 0; i < g->n_boxes; i++) {
        if (g->boxes[i].cluster != cluster)
            continue;
        for (size_t k = 0; k < g->boxes[i].n; k++)
            add_node(b, g, g->boxes[i].nodes[k]);
        add_before(b, g, g->boxes[i].nodes[0]);
    }
}

static void
add_critical(struct rh_buf *b, const struct rh_graph *g)
{
    if (!g->n_critical)
        return;
    rh_buf_addf(b, "critical path: %.3f s\n", g->critical_seconds);
    for (size_t i = 0; i < g->n_critical; i++)
        add_node(b, g, g->critical[i]);
}

void
rh_graph_to_text(const struct rh_graph *g, struct rh_buf *b)
{
    size_t resources = rh_graph_count_shown(g), relations = 0, implied = 0;

    for (size_t i = 0; i < g->n_links; i++)
        if (g->shown[g->links[i].from] && g->shown[g->links[i].to]) {
            relations++;
            implied += g->links[i].implied;
        }
    rh_buf_addf(b, "%zu resource%s in %zu box%s, %zu relation%s of which %zu %s implied by others\n",
                resources, resources == 1 ? "" : "s", g->n_boxes, g->n_boxes == 1 ? "" : "es", relations,
                relations == 1 ? "" : "s", implied, implied == 1 ? "is" : "are");
    add_critical(b, g);
    for (uint32_t i = 0; i < g->n_clusters; i++)
        add_cluster(b, g, i);
}
