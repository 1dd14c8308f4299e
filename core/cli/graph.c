/* SPDX-License-Identifier: Apache-2.0 */
/* graph - rhost graph FILE...: the action list and its relations, for programs and for people. */
#include "config.h"

#include "graph/graph.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/suggest.h"
#include "base/text.h"
#include "catalog/export.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"

#include <stdio.h>
#include <string.h>

enum { USUAL_DEPTH = 2 };

/* The resource of this reference, or NULL after a message. */
static const struct rh_resource *
find(struct rh_session *s, const char *text)
{
    struct rh_reference ref;
    const struct rh_resource *r;
    struct rh_suggest near;

    if (!rh_reference_parse(s->arena, text, &ref)) {
        rh_refuse_hint("write the type and the title, for example: 'file[/etc/motd]'",
                       "'%s' is not a resource reference", text);
        return NULL;
    }
    r = rh_catalog_find(&s->catalog, ref.type, ref.title);
    if (r)
        return r;
    rh_suggest_init(&near, text);
    for (size_t i = 0; i < s->catalog.n_resources; i++)
        rh_suggest_try(&near, rh_arena_printf(s->arena, "%s[%s]", s->catalog.resources[i]->type->type,
                                              s->catalog.resources[i]->title));
    rh_refuse_unknown(near.best, "'rhost graph --format=text FILE...' lists all resources",
                      "unknown resource '%s'", text);
    return NULL;
}

static int
why(struct rh_session *s, const struct rh_graph *g, const char *first, const char *second)
{
    const struct rh_resource *a = find(s, first), *b = find(s, second);
    rh_autobuf struct rh_buf out = { 0 };

    if (!a || !b)
        return RH_EXIT_REFUSED;
    if (s->settings->format == RH_FORMAT_JSON)
        rh_graph_why_json(g, a, b, &out);
    else
        rh_graph_why_text(g, a, b, &out);
    (void)fwrite(out.s, 1, out.n, stdout);
    return RH_EXIT_OK;
}

static const char other_formats[] = "install Graphviz for a picture; --format=html makes a page without one, "
                                    "--format=text and json need no Graphviz";

/* A page does without a picture. */
static int
draw(const struct rh_graph *g, enum rh_format format, struct rh_buf *out)
{
    rh_autobuf struct rh_buf picture = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    int drawn = rh_graph_to_svg(g, format == RH_FORMAT_SVG ? out : &picture, &err);

    if (drawn < 0 && err.kind == RH_EMISSING) {
        rh_error_clear(&err);
        rh_error_set(&err, RH_EMISSING, "the program 'dot' of Graphviz is not installed");
    }
    if (drawn < 0 && format == RH_FORMAT_SVG) {
        rh_refuse_error(other_formats, &err);
        return RH_EXIT_REFUSED;
    }
    if (drawn < 0)
        rh_log(RH_WARNING, "the page has no picture: %s", err.message);
    if (format == RH_FORMAT_HTML)
        rh_graph_to_page(g, picture.s, out);
    return RH_EXIT_OK;
}

static int
print(struct rh_session *s, struct rh_graph *g, enum rh_format format)
{
    rh_autobuf struct rh_buf out = { 0 };
    int status = RH_EXIT_OK;

    if (format != RH_FORMAT_DOT && s->state >= 0 && !s->unsafe)
        rh_graph_read_durations(g, s->state_dir);
    if (format != RH_FORMAT_DOT)
        rh_graph_arrange(g);
    if (format == RH_FORMAT_DOT)
        rh_catalog_to_dot(&s->catalog, &s->order, rh_graph_shown(g), &out);
    else if (format == RH_FORMAT_TEXT)
        rh_graph_to_text(g, &out);
    else if (format == RH_FORMAT_JSON)
        rh_graph_to_json(g, &out);
    else
        status = draw(g, format, &out);
    (void)fwrite(rh_buf_text(&out), 1, out.n, stdout);
    return status;
}

static int
show(struct rh_session *s, const struct rh_settings *o, const char *second)
{
    struct rh_graph *g = rh_graph_new(&s->catalog, &s->order);
    const struct rh_resource *around = o->around ? find(s, o->around) : NULL;
    int status = RH_EXIT_REFUSED;

    if (around)
        rh_graph_keep_around(g, around, o->depth ? o->depth : USUAL_DEPTH);
    if (o->why)
        status = why(s, g, o->why, second);
    else if (around || !o->around)
        status = print(s, g, o->graph_format ? o->format : RH_FORMAT_DOT);
    rh_graph_free(g);
    return status;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    const char *second = settings->why && argc > 0 ? argv[0] : NULL;
    struct rh_session s;
    int status = RH_EXIT_REFUSED;

    if (settings->why
        && (settings->around
            || (settings->graph_format && settings->format != RH_FORMAT_TEXT
                && settings->format != RH_FORMAT_JSON)))
        return rh_usage_error(&rh_command_graph, "--why prints text or JSON, of all resources");
    if (settings->depth && !settings->around)
        return rh_usage_error(&rh_command_graph, "--depth needs --around");
    if (second) {
        argc--;
        argv++;
    }
    if (argc < 1)
        return rh_usage_error(&rh_command_graph, settings->why ? "--why needs two resources and a manifest"
                                                               : "no manifest given: name at least one FILE");
    rh_session_open(&s, settings);
    if (rh_session_load(&s, (const char *const *)argv, (size_t)argc) == 0)
        status = show(&s, settings, second);
    rh_session_close(&s);
    return status;
}

const struct rh_command rh_command_graph = {
    .name = "graph",
    .arguments = "FILE...",
    .summary = "print the resources and their relations as a graph",
    .text = "--format=dot (default) has everything, for Graphviz and other programs. svg, html and text are\n"
            "for people: by role, file and definition, without relations that others imply, with the path\n"
            "that took longest in the last runs. svg and the picture in html need Graphviz.\n"
            "'rhost graph --why A B FILE...' says why A is applied before B.",
    .options = RH_OPT_COMMON | RH_OPT_MANIFEST | RH_OPT_PROVIDER | RH_OPT_LIST | RH_OPT_GRAPH,
    .run = run,
};
