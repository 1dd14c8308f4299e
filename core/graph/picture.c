/* SPDX-License-Identifier: Apache-2.0 */
/* picture - a graph as SVG: Graphviz places, and the host draws. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/arena.h"

int
rh_graph_to_svg(const struct rh_graph *g, struct rh_buf *b, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_layout layout;

    if (rh_layout_make(g, a, &layout, err) < 0)
        return -1;
    rh_svg_write(g, &layout, b);
    return 0;
}
