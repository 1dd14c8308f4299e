/* SPDX-License-Identifier: Apache-2.0 */
/* page - a graph as one page for browsers. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/text.h"
#include "run/html.h"

void
rh_graph_to_page(const struct rh_graph *g, const char *picture, struct rh_buf *b)
{
    const struct rh_html_kind kind = {
        .style = rh_graph_page_style,
        .script = rh_graph_page_script,
        .picture = picture,
    };
    rh_autobuf struct rh_buf json = { 0 };

    rh_graph_to_json(g, &json);
    rh_html_open(b, &kind);
    rh_html_add(b, json.s, json.n);
    rh_html_close(b, &kind);
}
