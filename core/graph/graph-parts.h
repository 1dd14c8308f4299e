/* SPDX-License-Identifier: Apache-2.0 */
/* graph-parts - what the files of this room share. */
#ifndef RH_GRAPH_GRAPH_PARTS_H
#define RH_GRAPH_GRAPH_PARTS_H

#include "base/place.h"
#include "graph/graph.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;

#define RH_GRAPH_NONE UINT32_MAX

/* Where resources were declared: within one another. */
enum rh_cluster_kind { RH_CLUSTER_FILE, RH_CLUSTER_ROLE, RH_CLUSTER_DEFINITION };

struct rh_cluster {
    enum rh_cluster_kind kind;
    const char *name;   /* "site.yaml", "web", "vhost[www]" */
    uint32_t instance;  /* the node of a definition's instance, or RH_GRAPH_NONE */
    struct rh_place at; /* of the instance of a definition */
    uint32_t parent;    /* or RH_GRAPH_NONE */
};

struct rh_graph_node {
    const struct rh_resource *resource;
    uint32_t position; /* what comes before it has a lower one */
    uint32_t rank;     /* its first in the list, from 1; 0: none */
    uint32_t cluster;
    uint32_t box;   /* RH_GRAPH_NONE: an instance that nothing waits for; its cluster stands for it */
    double seconds; /* below 0: not known */
    bool critical;  /* on the path that takes longest */
};

/* One for each pair of resources; `edges` of the catalog say it. */
struct rh_graph_link {
    uint32_t from, to;
    const struct rh_edge *edge; /* the one that says most: stated before automatic */
    bool implied;               /* others lead there as well */
};

/* Resources of one type, in one cluster, with the same neighbours. */
struct rh_graph_box {
    uint32_t cluster;
    uint32_t *nodes;
    size_t n, cap;
};

/* Between boxes. */
struct rh_graph_line {
    uint32_t from, to;
    bool automatic, notifies, critical;
};

struct rh_graph {
    const struct rh_catalog *catalog;
    const struct rh_order *order;
    struct rh_arena *arena;
    struct rh_graph_node *nodes; /* by the resources' index */
    bool *shown;
    size_t n;
    struct rh_graph_link *links; /* sorted by `from`, then by the position of `to` */
    size_t n_links;
    uint32_t *start;               /* of each node's links, and one more */
    uint32_t *in_start, *in_links; /* the same of the links that end there, by their numbers */
    struct rh_cluster *clusters;
    size_t n_clusters, cap_clusters;
    struct rh_graph_box *boxes;
    size_t n_boxes, cap_boxes;
    struct rh_graph_line *lines;
    size_t n_lines, cap_lines;
    uint32_t *critical; /* nodes, in order */
    size_t n_critical;
    double critical_seconds;
};

/* Links that are shown: both ends are, and the rest of what is shown does not imply it. */
bool rh_graph_drawn(const struct rh_graph *g, const struct rh_graph_link *link);
size_t rh_graph_count_shown(const struct rh_graph *g);

/* reduce.c: marks the links that others imply, among what is shown. */
void rh_graph_reduce(struct rh_graph *g);

/* cluster.c: the clusters of what is shown. */
void rh_graph_make_clusters(struct rh_graph *g);
const char *rh_cluster_word(enum rh_cluster_kind kind);

/* box.c: boxes, and the lines between them. */
void rh_graph_make_boxes(struct rh_graph *g);

/* critical.c: the chain of resources that takes longest. */
void rh_graph_find_critical(struct rh_graph *g);

/* Generated from page.css and page.js. */
extern const char rh_graph_page_style[], rh_graph_page_script[];

/* The words for a relation: "require", "autorequire", "part of". */
const char *rh_graph_relation_word(const struct rh_graph *g, const struct rh_edge *e);

/* svg.c: what Graphviz has placed, in points; y grows downwards. */
struct rh_layout_point {
    double x, y;
};

struct rh_layout_area {
    double left, top, right, bottom;
};

struct rh_layout {
    double width, height;
    struct rh_layout_area *boxes, *clusters; /* by their numbers */
    struct rh_layout_point **lines; /* by their numbers: the start, then three of each Bezier curve */
    size_t *n_points;
};

/* Sizes that the texts need, in points. */
double rh_svg_box_width(const struct rh_graph *g, const struct rh_graph_box *box);
double rh_svg_box_height(const struct rh_graph_box *box);
enum { RH_SVG_CLUSTER_LETTER = 13 };

/* What a box and a cluster are called; the caller's. */
char *rh_svg_cluster_title(const struct rh_cluster *c);

void rh_svg_write(const struct rh_graph *g, const struct rh_layout *layout, struct rh_buf *b);

/* layout.c: asks Graphviz. All that is in `layout` is the arena's. */
RH_CHECKED int rh_layout_make(const struct rh_graph *g, struct rh_arena *a, struct rh_layout *layout,
                              struct rh_error *err);

#endif
