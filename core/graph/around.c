/* SPDX-License-Identifier: Apache-2.0 */
/* around - a resource with what it needs and what needs it. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

/* Marks what is at most `depth` relations away, against their direction where `back`. */
static void
mark(const struct rh_graph *g, uint32_t from, unsigned depth, bool back, bool *kept)
{
    rh_autofree bool *reached = rh_xalloc(g->n);
    rh_autofree bool *next = rh_xalloc(g->n);
    bool more = true;

    reached[from] = true;
    for (unsigned i = 0; i < depth && more; i++) {
        memcpy(next, reached, g->n);
        more = false;
        for (size_t k = 0; k < g->n_links; k++) {
            const struct rh_graph_link *l = &g->links[k];
            uint32_t here = back ? l->to : l->from, there = back ? l->from : l->to;

            if (!rh_graph_drawn(g, l) || !reached[here] || next[there])
                continue;
            next[there] = true;
            more = true;
        }
        memcpy(reached, next, g->n);
    }
    for (size_t i = 0; i < g->n; i++)
        kept[i] = kept[i] || reached[i];
}

void
rh_graph_keep_around(struct rh_graph *g, const struct rh_resource *r, unsigned depth)
{
    rh_autofree bool *kept = rh_xalloc(g->n);

    rh_graph_reduce(g);
    mark(g, r->index, depth, false, kept);
    mark(g, r->index, depth, true, kept);
    for (size_t i = 0; i < g->n; i++)
        g->shown[i] = g->shown[i] && kept[i];
    for (size_t i = 0; i < g->n_links; i++)
        g->links[i].implied = false;
}
