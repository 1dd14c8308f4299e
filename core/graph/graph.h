/* SPDX-License-Identifier: Apache-2.0 */
/* graph - the resources of a manifest and their relations, arranged for people: where each was declared,
 * which relations say nothing that others do not say, which resources look the same, and what takes longest.
 * It is printed as text, JSON, a picture, or a page with both. */
#ifndef RH_GRAPH_GRAPH_H
#define RH_GRAPH_GRAPH_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;
struct rh_catalog;
struct rh_edge;
struct rh_error;
struct rh_graph;
struct rh_order;
struct rh_resource;

/* Of a sorted catalog, which must outlive it. A resource whose entries are all excluded (--only, --tags) is
 * not shown. */
struct rh_graph *rh_graph_new(const struct rh_catalog *c, const struct rh_order *order);
void rh_graph_free(struct rh_graph *g);

/* around.c: shows only `r`, what comes before it and what comes after it, by at most so many relations. */
void rh_graph_keep_around(struct rh_graph *g, const struct rh_resource *r, unsigned depth);

/* For each resource of the catalog, whether it is shown. */
const bool *rh_graph_shown(const struct rh_graph *g);

/* duration.c: how long each resource took in the last run that did something with it. Journals that cannot
 * be read are left out. */
void rh_graph_read_durations(struct rh_graph *g, const char *state_dir);

/* Arranges what is shown; the functions below need it. */
void rh_graph_arrange(struct rh_graph *g);

void rh_graph_to_json(const struct rh_graph *g, struct rh_buf *b); /* json.c */
void rh_graph_to_text(const struct rh_graph *g, struct rh_buf *b); /* text.c */

/* picture.c: as SVG. Graphviz places what is in it (its program 'dot'); -1 where it can't: RH_EMISSING where
 * it is not installed. */
RH_CHECKED int rh_graph_to_svg(const struct rh_graph *g, struct rh_buf *b, struct rh_error *err);

/* page.c: one page for browsers, with this picture, or without (NULL). */
void rh_graph_to_page(const struct rh_graph *g, const char *picture, struct rh_buf *b);

/* why.c: the relations that lead from one resource to another, as few as possible. */

struct rh_graph_way {
    const struct rh_edge **edges;
    size_t n;    /* 0: none leads there */
    bool turned; /* they lead from `b` to `a` */
};

/* From `a` to `b`, or else the other way round. The caller frees `edges`. */
struct rh_graph_way rh_graph_find_way(const struct rh_graph *g, const struct rh_resource *a,
                                      const struct rh_resource *b);

/* Why `a` comes before `b`, or the other way round, or that no relation says so. */
void rh_graph_why_text(const struct rh_graph *g, const struct rh_resource *a, const struct rh_resource *b,
                       struct rh_buf *out);
void rh_graph_why_json(const struct rh_graph *g, const struct rh_resource *a, const struct rh_resource *b,
                       struct rh_buf *out);

#endif
