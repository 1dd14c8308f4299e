/* SPDX-License-Identifier: Apache-2.0 */
/* layout - where everything is in the picture: Graphviz decides.
 *
 * Its program gets numbers and sizes only, no text of a manifest, and only numbers are taken from its answer:
 * svg.c writes the picture. */
#include "config.h"

#include "graph/graph-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/command.h"

#include <rhost/exec.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SECONDS = 60,
    MOST_OUTPUT = 64 << 20,
    MOST_POINTS = 10000, /* of one line */
    IN_A_ROW = 4,        /* boxes without relations */
    FARTHEST = 10000000, /* points */
};

/* What is asked. */

static void
add_box(struct rh_buf *b, const struct rh_graph *g, size_t i)
{
    rh_buf_addf(b, "n%zu [width=%.3f, height=%.3f];\n", i, rh_svg_box_width(g, &g->boxes[i]) / 72,
                rh_svg_box_height(&g->boxes[i]) / 72);
}

/* The label only takes the room of the title. */
static void
add_cluster(struct rh_buf *b, const struct rh_graph *g, uint32_t cluster)
{
    rh_autofree char *title = rh_svg_cluster_title(&g->clusters[cluster]);

    rh_buf_addf(b, "subgraph cluster_%u {\nlabel=\"", cluster);
    for (size_t i = rh_utf8_count(title, strlen(title)); i; i--)
        rh_buf_addc(b, 'x');
    rh_buf_add(b, "\";\n");
    for (size_t i = 0; i < g->n_boxes; i++)
        if (g->boxes[i].cluster == cluster)
            add_box(b, g, i);
    for (uint32_t i = cluster + 1; i < g->n_clusters; i++)
        if (g->clusters[i].parent == cluster)
            add_cluster(b, g, i);
    rh_buf_add(b, "}\n");
}

/* Boxes without lines would form one long column. */
static void
add_rows(struct rh_buf *b, const struct rh_graph *g)
{
    rh_autofree bool *joined = rh_xalloc(g->n_boxes);
    rh_autofree uint32_t *last = rh_xalloc(rh_xmul(g->n_clusters, sizeof *last));
    rh_autofree uint32_t *length = rh_xalloc(rh_xmul(g->n_clusters, sizeof *length));

    for (size_t i = 0; i < g->n_lines; i++)
        joined[g->lines[i].from] = joined[g->lines[i].to] = true;
    for (uint32_t i = 0; i < g->n_boxes; i++) {
        uint32_t c = g->boxes[i].cluster;

        if (joined[i])
            continue;
        if (length[c] % IN_A_ROW)
            rh_buf_addf(b, "n%u -> n%u [style=invis];\n", last[c], i);
        length[c]++;
        last[c] = i;
    }
}

static void
add_question(struct rh_buf *b, const struct rh_graph *g)
{
    rh_buf_addf(b,
                "digraph g {\nrankdir=LR; nodesep=0.18; ranksep=0.55; newrank=false;\n"
                "node [shape=box, fixedsize=true, label=\"\"];\nedge [arrowsize=0.7];\n"
                "graph [fontname=\"Courier\", fontsize=%d, labeljust=l, margin=10];\n",
                RH_SVG_CLUSTER_LETTER);
    for (uint32_t i = 0; i < g->n_clusters; i++)
        if (g->clusters[i].parent == RH_GRAPH_NONE)
            add_cluster(b, g, i);
    for (size_t i = 0; i < g->n_lines; i++)
        rh_buf_addf(b, "n%u -> n%u [id=\"e%zu\"%s];\n", g->lines[i].from, g->lines[i].to, i,
                    g->lines[i].critical ? ", weight=4" : "");
    add_rows(b, g);
    rh_buf_add(b, "}\n");
}

/* What is answered. */

static bool
read_number(const char **p, double *to)
{
    char *end;

    *p += strspn(*p, " ,");
    *to = strtod(*p, &end);
    if (end == *p || !isfinite(*to) || fabs(*to) > FARTHEST)
        return false;
    *p = end;
    return true;
}

/* "x,y,x,y", lower left corner and upper right. */
static bool
read_area(const char *text, double height, struct rh_layout_area *to)
{
    double left, bottom, right, top;

    if (!text || !read_number(&text, &left) || !read_number(&text, &bottom) || !read_number(&text, &right)
        || !read_number(&text, &top))
        return false;
    *to = (struct rh_layout_area){ left, height - top, right, height - bottom };
    return true;
}

/* The number behind a prefix, below `n`. */
static bool
read_index(const char *name, const char *prefix, size_t n, size_t *to)
{
    size_t skip = strlen(prefix);
    unsigned long number;
    char *end;

    if (!name || strncmp(name, prefix, skip) != 0 || name[skip] < '0' || name[skip] > '9')
        return false;
    number = strtoul(name + skip, &end, 10);
    *to = number;
    return !*end && number < n;
}

/* "e,x,y x,y x,y x,y x,y": where the arrow ends, then the curve; which is kept with that end as its last
 * point, three times, so that there are whole curves. */
static bool
read_line(const char *text, double height, struct rh_arena *a, struct rh_layout_point **to, size_t *n)
{
    struct rh_layout_point tip, *points;
    size_t most = 1;

    if (!text || strncmp(text, "e,", 2) != 0)
        return false;
    text += 2;
    for (const char *p = text; *p; p++)
        most += *p == ' ';
    if (most > MOST_POINTS || !read_number(&text, &tip.x) || !read_number(&text, &tip.y))
        return false;
    points = rh_arena_alloc(a, most * sizeof *points);
    *n = 0;
    while (*text && *n + 1 < most) {
        struct rh_layout_point *p = &points[*n];

        if (!read_number(&text, &p->x) || !read_number(&text, &p->y))
            return false;
        p->y = height - p->y;
        ++*n;
    }
    if (*n < 4 || *n % 3 != 1)
        return false;
    points[(*n)++] = (struct rh_layout_point){ tip.x, height - tip.y };
    *to = points;
    return true;
}

static bool
read_object(const struct rh_graph *g, const struct rh_value *v, struct rh_layout *l)
{
    const char *name = rh_value_get_str(v, "name", NULL), *at = rh_value_get_str(v, "pos", NULL);
    double x, y;
    size_t i;

    if (read_index(name, "cluster_", g->n_clusters, &i))
        return read_area(rh_value_get_str(v, "bb", NULL), l->height, &l->clusters[i]);
    if (!read_index(name, "n", g->n_boxes, &i) || !at || !read_number(&at, &x) || !read_number(&at, &y))
        return false;
    y = l->height - y;
    l->boxes[i] = (struct rh_layout_area){
        .left = x - rh_svg_box_width(g, &g->boxes[i]) / 2,
        .top = y - rh_svg_box_height(&g->boxes[i]) / 2,
        .right = x + rh_svg_box_width(g, &g->boxes[i]) / 2,
        .bottom = y + rh_svg_box_height(&g->boxes[i]) / 2,
    };
    return true;
}

static bool
read_answer(const struct rh_graph *g, const struct rh_value *v, struct rh_arena *a, struct rh_layout *l)
{
    const struct rh_value *objects = rh_value_get(v, "objects"), *edges = rh_value_get(v, "edges");
    struct rh_layout_area all;
    size_t lines = 0;

    if (!read_area(rh_value_get_str(v, "bb", NULL), 0, &all) || all.left != 0 || all.bottom != 0)
        return false;
    l->width = all.right;
    l->height = -all.top;
    for (size_t i = 0; i < rh_value_count(objects); i++)
        if (!read_object(g, rh_value_at(objects, i), l))
            return false;
    for (size_t i = 0; i < rh_value_count(edges); i++) {
        const struct rh_value *e = rh_value_at(edges, i);
        size_t line;

        if (!read_index(rh_value_get_str(e, "id", NULL), "e", g->n_lines, &line))
            continue; /* it only keeps a row together */
        if (l->lines[line]
            || !read_line(rh_value_get_str(e, "pos", NULL), l->height, a, &l->lines[line],
                          &l->n_points[line]))
            return false;
        lines++;
    }
    for (size_t i = 0; i < g->n_boxes; i++)
        if (!(l->boxes[i].right > l->boxes[i].left))
            return false;
    for (size_t i = 0; i < g->n_clusters; i++)
        if (!(l->clusters[i].right > l->clusters[i].left))
            return false;
    return lines == g->n_lines;
}

/* The first line of what it said. */
static void
add_output(struct rh_buf *b, const struct rhost_output *o)
{
    const char *text = o->err + strspn(o->err, " \t\r\n");
    size_t n = strcspn(text, "\r\n");

    rh_buf_add(b, n ? ": " : "");
    rh_buf_add_safe(b, text, n < 200 ? n : 200, false);
}

static int
refuse_output(const struct rhost_output *o, struct rh_error *err)
{
    rh_autobuf struct rh_buf detail = { 0 };

    add_output(&detail, o);
    if (o->signal)
        return rh_error_set(err, RH_ESYSTEM, "the program 'dot' of Graphviz was killed by a signal: %s%s",
                            strsignal(o->signal), rh_buf_text(&detail));
    return rh_error_set(err, RH_ESYSTEM, "the program 'dot' of Graphviz exited with status %d%s", o->status,
                        rh_buf_text(&detail));
}

/* Where the user's shell would find it. */
static int
ask(const struct rh_graph *g, struct rh_arena *a, struct rhost_output *output, struct rh_error *err)
{
    rh_autobuf struct rh_buf question = { 0 };
    const char *path = getuid() == geteuid() ? getenv("PATH") : NULL;
    rh_autofree char *variable = path && *path ? rh_printf("PATH=%s", path) : NULL;
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = (const char *const[]){ "dot", "-Tjson0", NULL },
        .env = (const char *const[]){ variable, NULL },
        .umask = -1,
        .flags = RHOST_EXEC_READS,
        .timeout = SECONDS * 1000,
        .output_limit = MOST_OUTPUT,
        .input = NULL,
    };
    struct rhost_command with_input = command;

    add_question(&question, g);
    with_input.input = question.s;
    with_input.input_len = question.n;
    return rh_command_run(a, &with_input, output, err);
}

int
rh_layout_make(const struct rh_graph *g, struct rh_arena *a, struct rh_layout *layout, struct rh_error *err)
{
    struct rhost_output output = { 0 };
    rh_autoerror struct rh_error unread = { 0 };
    const struct rh_value *answer;

    *layout = (struct rh_layout){
        .boxes = rh_arena_alloc(a, rh_xmul(g->n_boxes, sizeof *layout->boxes)),
        .clusters = rh_arena_alloc(a, rh_xmul(g->n_clusters, sizeof *layout->clusters)),
        .lines = rh_arena_alloc(a, rh_xmul(g->n_lines, sizeof *layout->lines)),
        .n_points = rh_arena_alloc(a, rh_xmul(g->n_lines, sizeof *layout->n_points)),
    };
    if (ask(g, a, &output, err) < 0)
        return -1;
    if (output.status)
        return refuse_output(&output, err);
    answer = output.truncated ? NULL : rh_value_from_json(a, output.out, output.out_len, &unread);
    if (!answer || !read_answer(g, answer, a, layout))
        return rh_error_set(err, RH_ESYSTEM, "the answer of the program 'dot' of Graphviz cannot be used");
    return 0;
}
