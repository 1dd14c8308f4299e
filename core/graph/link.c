/* SPDX-License-Identifier: Apache-2.0 */
/* link - what is shown of a graph, and how relations are called. */
#include "config.h"

#include "graph/graph-parts.h"

#include "catalog/catalog.h"

size_t
rh_graph_count_shown(const struct rh_graph *g)
{
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++)
        n += g->shown[i];
    return n;
}

bool
rh_graph_drawn(const struct rh_graph *g, const struct rh_graph_link *link)
{
    return g->shown[link->from] && g->shown[link->to] && !link->implied;
}

const char *
rh_graph_relation_word(const struct rh_graph *g, const struct rh_edge *e)
{
    static const char *const stated[] = { "require", "before", "subscribe", "notify" };
    static const char *const automatic[] = { "autorequire", "autobefore", "autosubscribe", "autonotify" };
    const struct rh_resource *from = g->catalog->resources[e->from], *to = g->catalog->resources[e->to];

    if (e->automatic && from->container == to)
        return "part of";
    if (e->automatic && !e->yields) /* from what the instance requires to what is part of it */
        return "required by its instance";
    return e->automatic ? automatic[e->kind] : stated[e->kind];
}
