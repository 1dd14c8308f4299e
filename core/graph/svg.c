/* SPDX-License-Identifier: Apache-2.0 */
/* svg - a picture of a graph: clusters with boxes in them, a row for each resource, and lines. Each text
 * goes through add_text. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/catalog.h"

#include <math.h>
#include <string.h>

enum { ROW = 16, HEAD = 19, FOOT = 5, SIDE = 9, MOST_LETTERS = 46, AROUND = 12, COLOURS = 8 };

static const double letter = 6.63; /* of a text in this size of a font with a fixed width */
static const double bold = 7.2;

/* Also for dark screens; the page for browsers has the same. */
static const char style[] =
    ".rhost-graph { font: 11px ui-monospace, 'DejaVu Sans Mono', monospace; --b: #fff; --t: #1a1d21; "
    "--l: #8a929c; --p: #f5f6f8; --o: #d5d9df; --c: #c22032; --n: #0b62c4; }\n"
    "@media (prefers-color-scheme: dark) { .rhost-graph { --b: #14171a; --t: #e5e8eb; --l: #7d8792; "
    "--p: #1e2328; --o: #3d454e; --c: #ff7b84; --n: #6cb2ff; } }\n"
    ".rhost-graph .back { fill: var(--b); } .rhost-graph text { fill: var(--t); }\n"
    ".rhost-graph .cluster rect { fill: var(--p); stroke: var(--o); }\n"
    ".rhost-graph .cluster text { font-size: 13px; font-weight: bold; }\n"
    ".rhost-graph .box > rect { fill: var(--b); stroke: var(--l); } .rhost-graph .head { font-weight: bold; "
    "}\n"
    ".rhost-graph .critical text { fill: var(--c); font-weight: bold; }\n"
    ".rhost-graph .unlisted { stroke-dasharray: 4 3; }\n"
    ".rhost-graph .line path { fill: none; stroke: var(--l); } .rhost-graph .line polygon { fill: var(--l); "
    "}\n"
    ".rhost-graph .automatic path { stroke-dasharray: 4 3; }\n"
    ".rhost-graph .notifies path { stroke: var(--n); } .rhost-graph .notifies polygon { fill: var(--n); }\n"
    ".rhost-graph .line.critical path { stroke: var(--c); stroke-width: 2.5; }\n"
    ".rhost-graph .line.critical polygon { fill: var(--c); }\n"
    ".rhost-graph .t0 { fill: #4c78a8; } .rhost-graph .t1 { fill: #b2642a; } .rhost-graph .t2 { fill: "
    "#3f8f46; }\n"
    ".rhost-graph .t3 { fill: #b83f52; } .rhost-graph .t4 { fill: #7d5aa6; } .rhost-graph .t5 { fill: "
    "#8a6b4f; }\n"
    ".rhost-graph .t6 { fill: #a64d8a; } .rhost-graph .t7 { fill: #2f8c8c; }\n"
    ".rhost-graph .head { fill: #fff; }\n";

static void
add_text(struct rh_buf *b, const char *text)
{
    rh_buf_add_markup(b, text, strlen(text), false);
}

/* How many bytes the first `n` characters have. */
static size_t
bytes_of(const char *s, size_t n)
{
    size_t at = 0, len = strlen(s);

    while (n-- && at < len) {
        size_t one = rh_utf8_length(s + at, len - at);

        at += one ? one : 1;
    }
    return at;
}

/* Fit to be shown, and not too long: of a path, the end says most. The caller's. */
static char *
shorten(const char *text)
{
    rh_autofree char *safe = rh_safe_text(text);
    size_t n = rh_utf8_count(safe, strlen(safe)), first = MOST_LETTERS / 3;

    if (n <= MOST_LETTERS)
        return rh_take(&safe);
    return rh_printf("%.*s…%s", (int)bytes_of(safe, first), safe,
                     safe + bytes_of(safe, n - (MOST_LETTERS - first - 1)));
}

static size_t
letters_of(const char *text)
{
    rh_autofree char *shown = shorten(text);

    return rh_utf8_count(shown, strlen(shown));
}

/* "file", "directory · 5" */
static char *
head_of(const struct rh_graph *g, const struct rh_graph_box *box)
{
    const struct rh_resource *r = g->nodes[box->nodes[0]].resource;

    if (r->members)
        return rh_printf("end of %s", r->type->type);
    return box->n > 1 ? rh_printf("%s · %zu", r->type->type, box->n) : rh_xstrdup(r->type->type);
}

double
rh_svg_box_width(const struct rh_graph *g, const struct rh_graph_box *box)
{
    rh_autofree char *head = head_of(g, box);
    double widest = bold * (double)rh_utf8_count(head, strlen(head));

    for (size_t i = 0; i < box->n; i++)
        widest = fmax(widest, letter * (double)letters_of(g->nodes[box->nodes[i]].resource->title));
    return ceil(widest) + 2.0 * SIDE;
}

double
rh_svg_box_height(const struct rh_graph_box *box)
{
    return HEAD + ROW * (double)box->n + FOOT;
}

char *
rh_svg_cluster_title(const struct rh_cluster *c)
{
    rh_autofree char *name = shorten(c->name);

    return c->kind == RH_CLUSTER_ROLE ? rh_printf("role %s", name) : rh_take(&name);
}

static unsigned
colour_of(const char *type)
{
    uint32_t hash = 2166136261U;

    for (; *type; type++)
        hash = (hash ^ (unsigned char)*type) * 16777619U;
    return (hash >> 8) % COLOURS;
}

/* The whole name, where it is declared, and what is known of it: shown under the pointer. */
static void
add_tip(const struct rh_graph *g, const struct rh_graph_node *n, struct rh_buf *b)
{
    rh_autofree char *name = rh_resource_text(n->resource);
    rh_autofree char *place = rh_place_text(g->catalog->sources, n->resource->place, false);

    rh_buf_add(b, "<title>");
    add_text(b, name);
    if (*place) {
        rh_buf_add(b, "\n");
        add_text(b, place);
    }
    if (n->seconds >= 0)
        rh_buf_addf(b, "\n%.3f s", n->seconds);
    rh_buf_add(b, "</title>");
}

static void
open_row(const struct rh_graph *g, uint32_t node, struct rh_buf *b)
{
    const struct rh_graph_node *n = &g->nodes[node];

    rh_buf_addf(b, "<a class=\"row%s\" id=\"n%u\" href=\"#r%u\">", n->critical ? " critical" : "", node,
                node);
    add_tip(g, n, b);
}

static void
add_row(const struct rh_graph *g, uint32_t node, double x, double y, struct rh_buf *b)
{
    const struct rh_graph_node *n = &g->nodes[node];
    rh_autofree char *title = shorten(n->resource->title);

    open_row(g, node, b);
    rh_buf_addf(b, "<text x=\"%.1f\" y=\"%.1f\">", x, y);
    add_text(b, title);
    rh_buf_add(b, "</text></a>\n");
}

/* The instance of a definition is where its cluster is called so, unless it has a box. */
static void
add_cluster(const struct rh_graph *g, const struct rh_layout *l, size_t i, struct rh_buf *b)
{
    const struct rh_cluster *c = &g->clusters[i];
    const struct rh_layout_area *a = &l->clusters[i];
    rh_autofree char *title = rh_svg_cluster_title(c);
    bool links =
        c->instance != RH_GRAPH_NONE && g->shown[c->instance] && g->nodes[c->instance].box == RH_GRAPH_NONE;

    rh_buf_addf(b,
                "<g class=\"cluster %s\" id=\"c%zu\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\" rx=\"6\"/>",
                rh_cluster_word(c->kind), i, a->left, a->top, a->right - a->left, a->bottom - a->top);
    if (links)
        open_row(g, c->instance, b);
    rh_buf_addf(b, "<text x=\"%.1f\" y=\"%.1f\">", a->left + SIDE, a->top + 17);
    add_text(b, title);
    rh_buf_add(b, links ? "</text></a></g>\n" : "</text></g>\n");
}

static void
add_box(const struct rh_graph *g, const struct rh_layout *l, size_t i, struct rh_buf *b)
{
    const struct rh_graph_box *box = &g->boxes[i];
    const struct rh_layout_area *a = &l->boxes[i];
    const struct rh_resource *r = g->nodes[box->nodes[0]].resource;
    rh_autofree char *head = head_of(g, box);
    double width = a->right - a->left;

    rh_buf_addf(b,
                "<g class=\"box\" id=\"b%zu\"><rect%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "rx=\"4\"/><path class=\"t%u\" d=\"M%.1f,%.1f v-%d q0,-4 4,-4 h%.1f q4,0 4,4 v%d z\"/>"
                "<text class=\"head\" x=\"%.1f\" y=\"%.1f\">",
                i, r->first_entry == RH_NO_ENTRY ? " class=\"unlisted\"" : "", a->left, a->top, width,
                a->bottom - a->top, colour_of(r->type->type), a->left, a->top + HEAD - 2, HEAD - 6, width - 8,
                HEAD - 6, a->left + SIDE, a->top + 13);
    add_text(b, head);
    rh_buf_add(b, "</text>\n");
    for (size_t k = 0; k < box->n; k++)
        add_row(g, box->nodes[k], a->left + SIDE, a->top + HEAD + ROW * (double)(k + 1) - 4, b);
    rh_buf_add(b, "</g>\n");
}

/* The last point is the tip of the arrow. */
static void
add_arrow(struct rh_layout_point from, struct rh_layout_point tip, struct rh_buf *b)
{
    double length = hypot(tip.x - from.x, tip.y - from.y);
    double x = length > 0 ? (tip.x - from.x) / length * 3.2 : 3.2,
           y = length > 0 ? (tip.y - from.y) / length * 3.2 : 0;

    rh_buf_addf(b, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>", tip.x, tip.y, from.x - y,
                from.y + x, from.x + y, from.y - x);
}

static void
add_line(const struct rh_graph *g, const struct rh_layout *l, size_t i, struct rh_buf *b)
{
    const struct rh_graph_line *line = &g->lines[i];
    const struct rh_layout_point *p = l->lines[i];
    size_t n = l->n_points[i];

    rh_buf_addf(b, "<g class=\"line%s%s%s\" data-from=\"%u\" data-to=\"%u\"><path d=\"M%.1f,%.1f C",
                line->automatic ? " automatic" : "", line->notifies ? " notifies" : "",
                line->critical ? " critical" : "", line->from, line->to, p[0].x, p[0].y);
    for (size_t k = 1; k + 1 < n; k++)
        rh_buf_addf(b, "%s%.1f,%.1f", k > 1 ? " " : "", p[k].x, p[k].y);
    rh_buf_add(b, "\"/>");
    add_arrow(p[n - 2], p[n - 1], b);
    rh_buf_add(b, "</g>\n");
}

void
rh_svg_write(const struct rh_graph *g, const struct rh_layout *l, struct rh_buf *b)
{
    double width = ceil(l->width) + 2.0 * AROUND, height = ceil(l->height) + 2.0 * AROUND;

    rh_buf_addf(b,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rhost-graph\" id=\"picture\" "
                "width=\"%.0f\" height=\"%.0f\" viewBox=\"%d %d %.0f %.0f\">\n<style>\n%s</style>\n"
                "<rect class=\"back\" x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%.0f\"/>\n",
                width, height, -AROUND, -AROUND, width, height, style, -AROUND, -AROUND, width, height);
    for (size_t i = 0; i < g->n_clusters; i++)
        add_cluster(g, l, i, b);
    for (size_t i = 0; i < g->n_lines; i++)
        add_line(g, l, i, b);
    for (size_t i = 0; i < g->n_boxes; i++)
        add_box(g, l, i, b);
    rh_buf_add(b, "</svg>\n");
}
