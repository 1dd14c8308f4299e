/* SPDX-License-Identifier: Apache-2.0 */
/* why - the relations that put one resource before another. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/catalog.h"

#include <stdlib.h>

/* Breadth first, over all links, also implied ones: the shortest way is the clearest. */
static struct rh_graph_way
find_way(const struct rh_graph *g, const struct rh_resource *from, const struct rh_resource *to)
{
    rh_autofree uint32_t *queue = rh_xalloc(rh_xmul(g->n + 1, sizeof *queue));
    rh_autofree const struct rh_graph_link **by = rh_xalloc(rh_xmul(g->n + 1, sizeof *by));
    struct rh_graph_way way = { 0 };
    size_t n = 0;

    queue[n++] = from->index;
    for (size_t i = 0; i < n && !by[to->index]; i++)
        for (uint32_t k = g->start[queue[i]]; k < g->start[queue[i] + 1]; k++) {
            const struct rh_graph_link *l = &g->links[k];

            if (by[l->to])
                continue;
            by[l->to] = l;
            queue[n++] = l->to;
        }
    if (from == to || !by[to->index])
        return way;
    for (uint32_t at = to->index; at != from->index; at = by[at]->from)
        way.n++;
    way.edges = rh_xalloc(rh_xmul(way.n, sizeof(struct rh_edge *)));
    n = way.n;
    for (uint32_t at = to->index; at != from->index; at = by[at]->from)
        way.edges[--n] = by[at]->edge;
    return way;
}

struct rh_graph_way
rh_graph_find_way(const struct rh_graph *g, const struct rh_resource *a, const struct rh_resource *b)
{
    struct rh_graph_way way = find_way(g, a, b);

    if (way.n)
        return way;
    free((void *)way.edges);
    way = find_way(g, b, a);
    way.turned = way.n > 0;
    return way;
}

static void
add_name(struct rh_buf *b, const struct rh_resource *r)
{
    rh_autofree char *text = rh_resource_text(r);

    rh_buf_add(b, text);
}

/* "require of file[/b]": whose declaration says so. */
static void
add_reason(struct rh_buf *b, const struct rh_graph *g, const struct rh_edge *e)
{
    const struct rh_resource *from = g->catalog->resources[e->from], *to = g->catalog->resources[e->to];
    rh_autofree char *place = rh_place_text(g->catalog->sources, e->place, true);
    const char *word = rh_graph_relation_word(g, e);
    bool part = e->automatic && from->container == to;
    bool passed_on = e->automatic && !e->yields && !part;
    bool first_says = e->kind == RH_BEFORE || e->kind == RH_NOTIFY;

    rh_buf_add(b, word);
    if (part) {
        rh_buf_addc(b, ' ');
        add_name(b, to);
    } else if (!passed_on) {
        rh_buf_add(b, " of ");
        add_name(b, first_says ? from : to);
    }
    if (*place) {
        rh_buf_add(b, ", ");
        rh_buf_add_safe(b, place, strlen(place), false);
    }
}

static void
add_unrelated(struct rh_buf *out, const struct rh_graph *g, const struct rh_resource *a,
              const struct rh_resource *b)
{
    uint32_t x = g->nodes[a->index].rank, y = g->nodes[b->index].rank;
    const struct rh_resource *first = x < y ? a : b;

    rh_buf_add(out, "no relation orders ");
    add_name(out, a);
    rh_buf_add(out, " and ");
    add_name(out, b);
    if (x && y && x != y) {
        rh_buf_add(out, ": ");
        add_name(out, first);
        rh_buf_add(out, " comes first because it is earlier in the list of actions");
    }
    rh_buf_addc(out, '\n');
}

void
rh_graph_why_text(const struct rh_graph *g, const struct rh_resource *a, const struct rh_resource *b,
                  struct rh_buf *out)
{
    struct rh_graph_way way = rh_graph_find_way(g, a, b);

    if (!way.n) {
        add_unrelated(out, g, a, b);
        return;
    }
    add_name(out, way.turned ? b : a);
    rh_buf_add(out, " comes before ");
    add_name(out, way.turned ? a : b);
    rh_buf_add(out, way.turned ? ", not after it:\n" : ":\n");
    for (size_t i = 0; i < way.n; i++) {
        rh_buf_add(out, "  ");
        add_name(out, g->catalog->resources[way.edges[i]->from]);
        rh_buf_addf(out, " %s ", rh_sign_arrow());
        add_name(out, g->catalog->resources[way.edges[i]->to]);
        rh_buf_add(out, "  (");
        add_reason(out, g, way.edges[i]);
        rh_buf_add(out, ")\n");
    }
    free((void *)way.edges);
}
