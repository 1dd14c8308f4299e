/* SPDX-License-Identifier: Apache-2.0 */
/* same-events - the events of a text from libyaml and from a record of them, held against each other.
 */
#include "config.h"

#include "same-events.h"

#include "base/alloc.h"
#include "base/map.h"
#include "manifest/text/yaml-record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
same_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* Names of anchors are numbers in a record: the same one for the same name, and another for another. */
static struct rh_map names;
static char *copies[1000];
static size_t n_names;

static bool
same_anchor(const char *name, const char *number)
{
    const char *known = name ? rh_map_get(&names, name) : NULL;

    if (!name || !number || known)
        return (!name && !number) || (known && number && strcmp(known, number) == 0);
    if (n_names + 2 > sizeof copies / sizeof *copies || (size_t)atoi(number) != n_names / 2 + 1)
        return false;
    copies[n_names++] = rh_xstrdup(name);
    copies[n_names++] = rh_xstrdup(number);
    rh_map_put(&names, copies[n_names - 2], copies[n_names - 1]);
    return true;
}

static bool
equal(const struct rh_yaml_event *a, const struct rh_yaml_event *b)
{
    bool scalar = a->type == YAML_SCALAR_EVENT;

    if (a->type != b->type)
        return false;
    if (scalar
        && (a->n != b->n || memcmp(a->text, b->text, a->n) != 0 || a->plain != b->plain
            || a->end_line != b->end_line || a->end_column != b->end_column))
        return false;
    if (a->type == YAML_STREAM_START_EVENT || a->type == YAML_STREAM_END_EVENT
        || a->type == YAML_DOCUMENT_START_EVENT || a->type == YAML_DOCUMENT_END_EVENT
        || a->type == YAML_SEQUENCE_END_EVENT || a->type == YAML_MAPPING_END_EVENT)
        return true; /* nothing asks for their places */
    return a->line == b->line && a->column == b->column && a->flow == b->flow
           && same_anchor(a->anchor, b->anchor) && same_text(a->tag, b->tag);
}

static void
show(const char *who, const struct rh_yaml_event *e, bool ok)
{
    (void)fprintf(stderr, "%s: %s type %d at %u:%u to %u:%u%s%s '%.*s'\n", who, ok ? "" : "refuses", e->type,
                  e->line, e->column, e->end_line, e->end_column, e->plain ? " plain" : "",
                  e->flow ? " flow" : "", (int)e->n, e->text ? e->text : "");
}

/* The record of a text; false: it has none. */
static bool
record(const char *text, size_t n, struct rh_yaml_recorder *recorder)
{
    struct rh_yaml_event event = { 0 };
    yaml_parser_t parser;
    bool good;

    if (!rh_yaml_parser_open(&parser, text, n))
        abort();
    rh_yaml_recorder_open(recorder, text, n);
    do {
        yaml_event_t from;

        good = rh_yaml_parser_next(&parser, &from, &event);
        if (!good)
            break;
        rh_yaml_recorder_add(recorder, &event);
        yaml_event_delete(&from);
    } while (event.type != YAML_STREAM_END_EVENT);
    yaml_parser_delete(&parser);
    return good && !recorder->refused && rh_yaml_record_fits(recorder->bytes.s, recorder->bytes.n, n);
}

bool
same_events(const char *text, size_t n, bool *same)
{
    struct rh_yaml_recorder recorder;
    struct rh_yaml_replay replay;
    yaml_parser_t parser;
    bool known = record(text, n, &recorder), ended = !known;

    n_names = 0;

    if (known && !rh_yaml_parser_open(&parser, text, n))
        abort();
    if (known)
        rh_yaml_replay_open(&replay, recorder.bytes.s, recorder.bytes.n, text, n);
    while (!ended) {
        struct rh_yaml_event a = { 0 }, b = { 0 };
        yaml_event_t from;
        bool good = rh_yaml_parser_next(&parser, &from, &a), well = rh_yaml_replay_next(&replay, &b);

        if (!good || !well || !equal(&a, &b)) {
            show("libyaml", &a, good);
            show("record", &b, well);
            (void)fprintf(stderr, "in:\n%.*s\n", (int)n, text);
            *same = false;
            ended = true;
        }
        ended |= a.type == YAML_STREAM_END_EVENT;
        if (good)
            yaml_event_delete(&from);
    }
    if (known) {
        yaml_parser_delete(&parser);
        rh_yaml_replay_close(&replay);
    }
    rh_yaml_recorder_close(&recorder);
    rh_map_clear(&names);
    for (size_t i = 0; i < n_names; i++)
        free(copies[i]);
    return known;
}
