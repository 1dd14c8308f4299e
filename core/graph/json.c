/* SPDX-License-Identifier: Apache-2.0 */
/* json - a graph as JSON, for programs and for the page. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/json-writer.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "catalog/catalog.h"
#include "catalog/order.h"

#include <string.h>

static void
add_reference(struct rh_buf *b, const struct rh_resource *r)
{
    rh_autofree char *text = rh_printf("%s[%s]", r->type->type, r->title);

    rh_json_string(b, text, strlen(text));
}

static void
put_reference(struct rh_buf *b, const char *key, const struct rh_resource *r)
{
    rh_json_key(b, key);
    add_reference(b, r);
}

static void
put_location(struct rh_buf *b, const struct rh_graph *g, struct rh_place place)
{
    const char *file = rh_sources_name(g->catalog->sources, place.file);

    rh_json_key(b, "location");
    if (!file) {
        rh_buf_add(b, "null");
        return;
    }
    rh_buf_addc(b, '{');
    rh_json_text(b, "file", file);
    if (place.line)
        rh_json_number(b, "line", place.line);
    if (place.column)
        rh_json_number(b, "column", place.column);
    rh_buf_addc(b, '}');
}

static void
put_seconds(struct rh_buf *b, const char *key, double seconds)
{
    rh_json_key(b, key);
    rh_buf_addf(b, "%.6f", seconds);
}

/* A list, one element on a line. */
static void
open_list(struct rh_buf *b, const char *key)
{
    rh_buf_add(b, ",\n ");
    rh_buf_addf(b, "\"%s\": [", key);
}

static void
open_element(struct rh_buf *b)
{
    rh_json_element(b);
    rh_buf_add(b, "\n  {");
}

static void
add_clusters(const struct rh_graph *g, struct rh_buf *b)
{
    open_list(b, "clusters");
    for (size_t i = 0; i < g->n_clusters; i++) {
        const struct rh_cluster *c = &g->clusters[i];

        open_element(b);
        rh_json_text(b, "kind", rh_cluster_word(c->kind));
        rh_json_text(b, "name", c->name);
        put_location(b, g, c->at);
        if (c->parent != RH_GRAPH_NONE)
            rh_json_number(b, "parent", c->parent);
        rh_buf_addc(b, '}');
    }
    rh_buf_add(b, "]");
}

static void
add_boxes(const struct rh_graph *g, struct rh_buf *b)
{
    open_list(b, "boxes");
    for (size_t i = 0; i < g->n_boxes; i++) {
        open_element(b);
        rh_json_number(b, "cluster", g->boxes[i].cluster);
        rh_json_text(b, "type", g->nodes[g->boxes[i].nodes[0]].resource->type->type);
        rh_json_key(b, "resources");
        rh_buf_addc(b, '[');
        for (size_t k = 0; k < g->boxes[i].n; k++) {
            rh_json_element(b);
            add_reference(b, g->nodes[g->boxes[i].nodes[k]].resource);
        }
        rh_buf_add(b, "]}");
    }
    rh_buf_add(b, "]");
}

/* The numbers of the resource's entries in the order of execution. */
static void
add_ranks(const struct rh_graph *g, struct rh_buf *b, const uint32_t *ranks, const struct rh_resource *r)
{
    rh_json_key(b, "turns");
    rh_buf_addc(b, '[');
    for (uint32_t e = r->first_entry; e != RH_NO_ENTRY; e = g->catalog->list[e].next) {
        if (!ranks[e])
            continue;
        rh_json_element(b);
        rh_buf_addc(b, '{');
        rh_json_number(b, "turn", ranks[e]);
        rh_json_text(b, "action", g->catalog->list[e].action);
        rh_buf_addc(b, '}');
    }
    rh_buf_addc(b, ']');
}

static void
add_resources(const struct rh_graph *g, struct rh_buf *b)
{
    rh_autofree uint32_t *ranks = rh_xalloc(rh_xmul(g->catalog->n_list, sizeof *ranks));

    for (size_t i = 0; i < g->order->n; i++)
        ranks[g->order->entries[i]] = (uint32_t)i + 1;
    open_list(b, "resources");
    for (size_t i = 0; i < g->n; i++) {
        const struct rh_graph_node *n = &g->nodes[i];

        if (!g->shown[i])
            continue;
        open_element(b);
        rh_json_number(b, "id", (int64_t)i);
        put_reference(b, "resource", n->resource);
        rh_json_text(b, "type", n->resource->type->type);
        rh_json_text(b, "title", n->resource->title);
        rh_json_number(b, "cluster", n->cluster);
        if (n->box != RH_GRAPH_NONE)
            rh_json_number(b, "box", n->box);
        add_ranks(g, b, ranks, n->resource);
        put_location(b, g, n->resource->place);
        if (n->seconds >= 0)
            put_seconds(b, "seconds", n->seconds);
        if (n->critical)
            rh_json_boolean(b, "critical", true);
        rh_buf_addc(b, '}');
    }
    rh_buf_add(b, "]");
}

static void
add_edge(const struct rh_graph *g, struct rh_buf *b, const struct rh_edge *e)
{
    put_reference(b, "from", g->catalog->resources[e->from]);
    put_reference(b, "to", g->catalog->resources[e->to]);
    rh_json_text(b, "relation", rh_graph_relation_word(g, e));
    rh_json_boolean(b, "automatic", e->automatic);
    put_location(b, g, e->place);
}

static void
add_relations(const struct rh_graph *g, struct rh_buf *b)
{
    open_list(b, "relations");
    for (size_t i = 0; i < g->n_links; i++) {
        const struct rh_graph_link *l = &g->links[i];

        if (!g->shown[l->from] || !g->shown[l->to])
            continue;
        open_element(b);
        add_edge(g, b, l->edge);
        rh_json_boolean(b, "implied", l->implied);
        rh_buf_addc(b, '}');
    }
    rh_buf_add(b, "]");
}

static void
add_critical(const struct rh_graph *g, struct rh_buf *b)
{
    if (!g->n_critical)
        return;
    rh_buf_add(b, ",\n \"critical_path\": {");
    put_seconds(b, "seconds", g->critical_seconds);
    rh_json_key(b, "resources");
    rh_buf_addc(b, '[');
    for (size_t i = 0; i < g->n_critical; i++) {
        rh_json_element(b);
        add_reference(b, g->nodes[g->critical[i]].resource);
    }
    rh_buf_add(b, "]}");
}

void
rh_graph_to_json(const struct rh_graph *g, struct rh_buf *b)
{
    rh_buf_add(b, "{");
    rh_json_text(b, "rhost", PACKAGE_VERSION);
    add_clusters(g, b);
    add_boxes(g, b);
    add_resources(g, b);
    add_relations(g, b);
    add_critical(g, b);
    rh_buf_add(b, "\n}\n");
}

void
rh_graph_why_json(const struct rh_graph *g, const struct rh_resource *a, const struct rh_resource *b,
                  struct rh_buf *out)
{
    struct rh_graph_way way = rh_graph_find_way(g, a, b);

    rh_buf_addc(out, '{');
    put_reference(out, "first", way.turned ? b : a);
    put_reference(out, "then", way.turned ? a : b);
    rh_json_boolean(out, "related", way.n > 0);
    rh_json_key(out, "path");
    rh_buf_addc(out, '[');
    for (size_t i = 0; i < way.n; i++) {
        open_element(out);
        add_edge(g, out, way.edges[i]);
        rh_buf_addc(out, '}');
    }
    rh_buf_add(out, "]}\n");
    free((void *)way.edges);
}
