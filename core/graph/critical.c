/* SPDX-License-Identifier: Apache-2.0 */
/* critical - the chain of resources that takes longest, by what each took in the last runs. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"

#include <stdlib.h>

static double
seconds_of(const struct rh_graph *g, uint32_t node)
{
    return g->nodes[node].seconds > 0 ? g->nodes[node].seconds : 0;
}

static void
take_path(struct rh_graph *g, const uint32_t *before, uint32_t last)
{
    size_t n = 0;

    for (uint32_t i = last; i != RH_GRAPH_NONE; i = before[i])
        n++;
    g->critical = rh_xalloc(rh_xmul(n, sizeof *g->critical));
    g->n_critical = n;
    for (uint32_t i = last; i != RH_GRAPH_NONE; i = before[i]) {
        g->critical[--n] = i;
        g->nodes[i].critical = true;
    }
}

void
rh_graph_find_critical(struct rh_graph *g)
{
    rh_autofree uint32_t *in_order = rh_xalloc(rh_xmul(g->n, sizeof *in_order));
    rh_autofree uint32_t *before = rh_xalloc(rh_xmul(g->n, sizeof *before));
    rh_autofree double *until = rh_xalloc(rh_xmul(g->n, sizeof *until)); /* with the node itself */
    uint32_t last = RH_GRAPH_NONE;

    for (uint32_t i = 0; i < g->n; i++) {
        in_order[g->nodes[i].position] = i;
        before[i] = RH_GRAPH_NONE;
    }
    for (size_t i = 0; i < g->n; i++) {
        uint32_t node = in_order[i];

        if (!g->shown[node])
            continue;
        until[node] += seconds_of(g, node);
        if (until[node] > g->critical_seconds) {
            g->critical_seconds = until[node];
            last = node;
        }
        for (uint32_t k = g->start[node]; k < g->start[node + 1]; k++) {
            uint32_t to = g->links[k].to;

            if (until[node] > until[to] && !g->links[k].implied) {
                until[to] = until[node];
                before[to] = node;
            }
        }
    }
    if (last != RH_GRAPH_NONE)
        take_path(g, before, last);
}
