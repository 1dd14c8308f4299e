/* SPDX-License-Identifier: Apache-2.0 */
/* yaml - text to a tree of values, each with its place. */
#include "config.h"

#include "manifest/text/yaml.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/map.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml-parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { FEW_KEYS = 12 }; /* so many are looked through for duplicates faster than hashed */

struct reader {
    yaml_parser_t parser;
    struct rh_arena *arena;
    struct rh_complaints *complaints;
    const char *text;
    size_t n;
    unsigned file;
    unsigned depth, height; /* how deep we are; how high what was read last is */
    struct rh_map words;    /* the keys of this file, each once */
    struct rh_yaml_anchors anchors;
    /* What is being collected, of all levels: a level starts where the one around it has got to. */
    struct rh_entry *entries;
    struct rh_place *places;
    size_t n_entries, cap_entries, cap_places;
    const struct rh_value **items;
    size_t n_items, cap_items;
};

static struct rh_value *read_node(struct reader *r, yaml_event_t *event);

static void
cleanup_event(yaml_event_t *event)
{
    yaml_event_delete(event);
}
#define AUTO_EVENT __attribute__((cleanup(cleanup_event))) yaml_event_t

static struct rh_place
place_of(const struct reader *r, const yaml_mark_t *mark)
{
    return (struct rh_place){
        .line = (uint32_t)mark->line + 1,
        .column = (uint16_t)(mark->column < UINT16_MAX ? mark->column + 1 : UINT16_MAX),
        .file = (uint16_t)r->file,
    };
}

static int
next_event(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return 0;
    rh_yaml_problem(&r->parser, r->text, r->n, r->file, r->complaints);
    return -1;
}

static const char *
intern(struct reader *r, const char *text, size_t n)
{
    const char *known = rh_map_get(&r->words, text);
    char *copy;

    if (known)
        return known;
    copy = rh_arena_strndup(r->arena, text, n);
    rh_map_put(&r->words, copy, copy);
    return copy;
}

static struct rh_yaml_anchor *
open_anchor(struct reader *r, const yaml_char_t *name, struct rh_place place)
{
    return name ? rh_yaml_anchor_open(&r->anchors, (const char *)name, place) : NULL;
}

static struct rh_value *
close_anchor(const struct reader *r, struct rh_yaml_anchor *anchor, struct rh_value *v)
{
    if (anchor && v)
        rh_yaml_anchor_close(&r->anchors, anchor, v, r->height);
    return v;
}

static struct rh_value *
read_scalar(struct reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    struct rh_place place = place_of(r, &event->start_mark);
    struct rh_value *v = rh_value_stringn(r->arena, text, event->data.scalar.length);
    struct rh_yaml_tag tag = rh_yaml_tag(event->data.scalar.tag, place, r->complaints);

    r->anchors.text += event->data.scalar.length;
    rh_value_set_place(v, place);
    v->marks = tag.marks;
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        v->marks |= RH_PLAIN;
    if (event->end_mark.line > event->start_mark.line)
        rh_sources_span(r->complaints->sources, place,
                        (unsigned)event->end_mark.line + (event->end_mark.column > 0));
    if (tag.core && rh_scalar_read_as(v, tag.core) < 0)
        rh_complain(r->complaints, place, "quote the text and remove the tag",
                    "the tag '!!%s' does not fit this text", tag.core);
    r->height = 0;
    return v;
}

/* A place for one more level, or the refusal. */
static int
go_deeper(struct reader *r, struct rh_place place)
{
    if (r->depth < RH_YAML_DEEPEST) {
        r->depth++;
        return 0;
    }
    rh_complain(r->complaints, place, NULL, "nested deeper than %u levels", RH_YAML_DEEPEST);
    return -1;
}

static struct rh_value *
read_sequence(struct reader *r, const yaml_event_t *start)
{
    struct rh_place place = place_of(r, &start->start_mark);
    struct rh_yaml_tag tag = rh_yaml_tag(start->data.sequence_start.tag, place, r->complaints);
    size_t base = r->n_items;
    unsigned height = 0;
    struct rh_value *v;

    rh_yaml_tag_fits(&tag, "seq", place, r->complaints);
    if (go_deeper(r, place) < 0)
        return NULL;
    for (;;) {
        AUTO_EVENT event = { 0 };

        if (next_event(r, &event) < 0)
            return NULL;
        if (event.type == YAML_SEQUENCE_END_EVENT)
            break;
        v = read_node(r, &event);
        if (!v)
            return NULL;
        if (r->height > height)
            height = r->height;
        r->items = rh_xgrow(r->items, &r->cap_items, r->n_items, sizeof *r->items);
        r->items[r->n_items++] = v;
    }
    v = rh_value_array_of(r->arena, r->items ? r->items + base : NULL, r->n_items - base);
    rh_value_set_place(v, place);
    v->marks = tag.marks;
    r->n_items = base;
    r->depth--;
    r->height = height + 1;
    return v;
}

static void
refuse_key(const struct reader *r, const yaml_event_t *event)
{
    struct rh_place place = place_of(r, &event->start_mark);
    const char *what = event->type == YAML_SEQUENCE_START_EVENT ? "a list"
                       : event->type == YAML_ALIAS_EVENT        ? "an alias"
                                                                : "a hash";
    const char *hint = NULL;

    if (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
        hint = "'{' starts a hash in YAML: quote text that starts with '{'; an expression is written ${...}, "
               "not {{...}}";
    else if (event->type == YAML_SEQUENCE_START_EVENT
             && event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE)
        hint = "'[' starts a list in YAML: quote text that starts with '['";
    rh_complain(r->complaints, place, hint, "a key must be text, not %s", what);
}

/* The key's text, shared; NULL when it is refused: *bad when the hash means nothing without it,
 * *fatal when nothing after it makes sense. */
static const char *
read_key(struct reader *r, yaml_event_t *event, bool *fatal, bool *bad)
{
    struct rh_place place = place_of(r, &event->start_mark);
    const char *text;
    size_t n;

    if (event->type != YAML_SCALAR_EVENT) {
        refuse_key(r, event);
        *fatal = event->type != YAML_ALIAS_EVENT && !read_node(r, event);
        *bad = true;
        return NULL;
    }
    text = (const char *)event->data.scalar.value;
    n = event->data.scalar.length;
    (void)rh_yaml_tag(event->data.scalar.tag, place, r->complaints);
    if (event->data.scalar.anchor) {
        struct rh_yaml_anchor *anchor = open_anchor(r, event->data.scalar.anchor, place);

        (void)close_anchor(r, anchor, read_scalar(r, event));
    }
    if (memchr(text, '\0', n)) {
        rh_complain(r->complaints, place, NULL, "a key must not contain a NUL character");
        return NULL;
    }
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && n == 0) {
        rh_complain(r->complaints, place, "write the key before the ':'", "missing key");
        return NULL;
    }
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && strcmp(text, "<<") == 0) {
        rh_complain(r->complaints, place,
                    "write what entries of a type share under 'defaults:', or give one entry several titles: "
                    "'- file: [/a, /b]'",
                    "merge keys ('<<') are not supported");
        return NULL;
    }
    return intern(r, text, n);
}

/* The entry of this mapping that has the key already, by its number from 1; 0 when it is new. */
static size_t
known_key(const struct reader *r, size_t base, struct rh_map *seen, const char *key)
{
    size_t n = r->n_entries - base;

    if (n < FEW_KEYS) {
        for (size_t i = 0; i < n; i++)
            if (r->entries[base + i].key == key)
                return i + 1;
        return 0;
    }
    if (n == FEW_KEYS)
        for (size_t i = 0; i < n; i++)
            rh_map_put(seen, r->entries[base + i].key, (void *)(i + 1));
    return (size_t)rh_map_put(seen, key, (void *)(n + 1));
}

static void
add_entry(struct reader *r, const char *key, struct rh_place place, struct rh_value *v)
{
    r->entries = rh_xgrow(r->entries, &r->cap_entries, r->n_entries, sizeof *r->entries);
    r->places = rh_xgrow(r->places, &r->cap_places, r->n_entries, sizeof *r->places);
    r->entries[r->n_entries] = (struct rh_entry){ key, v };
    r->places[r->n_entries++] = place;
}

static struct rh_value *
read_mapping(struct reader *r, const yaml_event_t *start)
{
    struct rh_place place = place_of(r, &start->start_mark);
    struct rh_yaml_tag tag = rh_yaml_tag(start->data.mapping_start.tag, place, r->complaints);
    rh_automap struct rh_map seen = { 0 };
    size_t base = r->n_entries;
    unsigned height = 0;
    bool bad = false;
    struct rh_value *v;

    rh_yaml_tag_fits(&tag, "map", place, r->complaints);
    if (go_deeper(r, place) < 0)
        return NULL;
    for (;;) {
        AUTO_EVENT key_event = { 0 };
        AUTO_EVENT event = { 0 };
        struct rh_place at;
        const char *key;
        size_t first;
        bool fatal = false;

        if (next_event(r, &key_event) < 0)
            return NULL;
        if (key_event.type == YAML_MAPPING_END_EVENT)
            break;
        at = place_of(r, &key_event.start_mark);
        key = read_key(r, &key_event, &fatal, &bad);
        if (fatal || next_event(r, &event) < 0)
            return NULL;
        v = read_node(r, &event);
        if (!v)
            return NULL;
        if (r->height > height)
            height = r->height;
        if (!key)
            continue;
        first = known_key(r, base, &seen, key);
        if (first) {
            rh_complain(r->complaints, at, "remove one of them", "duplicate key '%s'", key);
            rh_complain_also(r->complaints, r->places[base + first - 1], "first defined here");
            continue;
        }
        add_entry(r, key, at, v);
    }
    v = bad          ? rh_yaml_refused(r->arena, place)
        : r->entries ? rh_value_hash_of(r->arena, r->entries + base, r->places + base, r->n_entries - base)
                     : rh_value_hash(r->arena, 0);
    rh_value_set_place(v, place);
    v->marks |= tag.marks;
    r->n_entries = base;
    r->depth--;
    r->height = height + 1;
    return v;
}

static struct rh_value *
read_node(struct reader *r, yaml_event_t *event)
{
    struct rh_place place = place_of(r, &event->start_mark);

    switch (event->type) {
    case YAML_SCALAR_EVENT: {
        struct rh_yaml_anchor *anchor = open_anchor(r, event->data.scalar.anchor, place);

        r->anchors.nodes++;
        return close_anchor(r, anchor, read_scalar(r, event));
    }
    case YAML_SEQUENCE_START_EVENT: {
        struct rh_yaml_anchor *anchor = open_anchor(r, event->data.sequence_start.anchor, place);

        r->anchors.nodes++;
        return close_anchor(r, anchor, read_sequence(r, event));
    }
    case YAML_MAPPING_START_EVENT: {
        struct rh_yaml_anchor *anchor = open_anchor(r, event->data.mapping_start.anchor, place);

        r->anchors.nodes++;
        return close_anchor(r, anchor, read_mapping(r, event));
    }
    default:
        return rh_yaml_alias(&r->anchors, (const char *)event->data.alias.anchor, place, r->depth,
                             &r->height);
    }
}

/* Documents. */

static struct rh_value *
read_stream(struct reader *r)
{
    AUTO_EVENT stream = { 0 };
    AUTO_EVENT document = { 0 };
    AUTO_EVENT root = { 0 };
    AUTO_EVENT end = { 0 };
    AUTO_EVENT after = { 0 };
    struct rh_value *v;

    if (next_event(r, &stream) < 0 || next_event(r, &document) < 0)
        return NULL;
    if (document.type == YAML_STREAM_END_EVENT) {
        v = rh_value_new(r->arena, RH_UNDEF);
        rh_value_set_place(v, (struct rh_place){ .line = 1, .column = 1, .file = (uint16_t)r->file });
        return v;
    }
    if (next_event(r, &root) < 0)
        return NULL;
    v = read_node(r, &root);
    if (!v || next_event(r, &end) < 0 || next_event(r, &after) < 0)
        return NULL;
    if (after.type != YAML_STREAM_END_EVENT) {
        rh_complain(r->complaints, place_of(r, &after.start_mark),
                    "write each document to its own file; rhost can apply several files at once",
                    "a file must not contain more than one YAML document");
        return NULL;
    }
    return v;
}

static void
clear(struct reader *r)
{
    yaml_parser_delete(&r->parser);
    rh_map_clear(&r->words);
    rh_map_clear(&r->anchors.known);
    free(r->entries);
    free(r->places);
    free(r->items);
}

struct rh_value *
rh_yaml_read(struct rh_arena *a, const char *text, size_t n, unsigned file, struct rh_complaints *complaints)
{
    struct reader r = {
        .arena = a,
        .complaints = complaints,
        .file = file,
        .anchors = { .arena = a, .complaints = complaints },
    };
    rh_autofree char *mended = NULL;
    struct rh_value *v;

    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a mark that says what we know */
        text += 3;
        n -= 3;
    }
    mended = rh_yaml_from_json(text, n, &n);
    if (mended)
        text = mended;
    r.text = text;
    r.n = n;
    if (rh_yaml_check_text(text, n, file, complaints) < 0)
        return NULL;
    if (!yaml_parser_initialize(&r.parser)) {
        rh_complain(complaints, (struct rh_place){ .file = (uint16_t)file }, NULL, "out of memory");
        return NULL;
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
    v = read_stream(&r);
    clear(&r);
    return v;
}
