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
#include "manifest/text/yaml-events.h"
#include "manifest/text/yaml-parts.h"
#include "manifest/text/yaml-record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { FEW_KEYS = 12 }; /* so many are looked through for duplicates faster than hashed */

struct reader {
    struct rh_yaml_event event; /* the last one */
    bool replaying;             /* the events come from a record, and from libyaml otherwise */
    struct rh_yaml_replay replay;
    yaml_parser_t parser;
    yaml_event_t parsed;
    struct rh_yaml_recorder *recorder; /* NULL: nothing is written down */
    struct rh_buf key;                 /* its text, while it is looked up */
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

static struct rh_value *read_node(struct reader *r);

/* Where the last event starts. */
static struct rh_place
place_of(const struct reader *r)
{
    return (struct rh_place){
        .line = r->event.line + 1,
        .column = (uint16_t)(r->event.column < UINT16_MAX ? r->event.column + 1 : UINT16_MAX),
        .file = (uint16_t)r->file,
    };
}

static int
complain_memory(const struct reader *r)
{
    rh_complain(r->complaints, (struct rh_place){ .file = (uint16_t)r->file }, NULL, "out of memory");
    return -1;
}

static int
next_event(struct reader *r)
{
    if (r->replaying) {
        if (rh_yaml_replay_next(&r->replay, &r->event))
            return 0;
        return complain_memory(r);
    }
    yaml_event_delete(&r->parsed);
    if (!rh_yaml_parser_next(&r->parser, &r->parsed, &r->event)) {
        rh_yaml_problem(&r->parser, r->text, r->n, r->file, r->complaints);
        return -1;
    }
    if (r->recorder)
        rh_yaml_recorder_add(r->recorder, &r->event);
    return 0;
}

static const char *
intern(struct reader *r, const char *text, size_t n)
{
    const char *known;
    char *copy;

    r->key.n = 0;
    rh_buf_addn(&r->key, text, n);
    known = rh_map_get(&r->words, r->key.s);
    if (known)
        return known;
    copy = rh_arena_strndup(r->arena, text, n);
    rh_map_put(&r->words, copy, copy);
    return copy;
}

static struct rh_yaml_anchor *
open_anchor(struct reader *r, struct rh_place place)
{
    return r->event.anchor ? rh_yaml_anchor_open(&r->anchors, r->event.anchor, place) : NULL;
}

static struct rh_value *
close_anchor(const struct reader *r, struct rh_yaml_anchor *anchor, struct rh_value *v)
{
    if (anchor && v)
        rh_yaml_anchor_close(&r->anchors, anchor, v, r->height);
    return v;
}

static struct rh_value *
read_scalar(struct reader *r)
{
    const struct rh_yaml_event *event = &r->event;
    struct rh_place place = place_of(r);
    struct rh_value *v = rh_value_stringn(r->arena, event->text, event->n);
    struct rh_yaml_tag tag = rh_yaml_tag(event->tag, place, r->complaints);

    r->anchors.text += event->n;
    rh_value_set_place(v, place);
    v->marks = tag.marks;
    if (event->plain)
        v->marks |= RH_PLAIN;
    if (event->end_line > event->line)
        rh_sources_span(r->complaints->sources, place, event->end_line + (event->end_column > 0));
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
read_sequence(struct reader *r)
{
    struct rh_place place = place_of(r);
    struct rh_yaml_tag tag = rh_yaml_tag(r->event.tag, place, r->complaints);
    size_t base = r->n_items;
    unsigned height = 0;
    struct rh_value *v;

    rh_yaml_tag_fits(&tag, "seq", place, r->complaints);
    if (go_deeper(r, place) < 0)
        return NULL;
    for (;;) {
        if (next_event(r) < 0)
            return NULL;
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        v = read_node(r);
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
refuse_key(const struct reader *r)
{
    const struct rh_yaml_event *event = &r->event;
    struct rh_place place = place_of(r);
    const char *what = event->type == YAML_SEQUENCE_START_EVENT ? "a list"
                       : event->type == YAML_ALIAS_EVENT        ? "an alias"
                                                                : "a hash";
    const char *hint = NULL;

    if (event->type == YAML_MAPPING_START_EVENT && event->flow)
        hint = "'{' starts a hash in YAML: quote text that starts with '{'; an expression is written ${...}, "
               "not {{...}}";
    else if (event->type == YAML_SEQUENCE_START_EVENT && event->flow)
        hint = "'[' starts a list in YAML: quote text that starts with '['";
    rh_complain(r->complaints, place, hint, "a key must be text, not %s", what);
}

/* The key's text, shared; NULL when it is refused: *bad when the hash means nothing without it,
 * *fatal when nothing after it makes sense. */
static const char *
read_key(struct reader *r, bool *fatal, bool *bad)
{
    const struct rh_yaml_event *event = &r->event;
    struct rh_place place = place_of(r);

    if (event->type != YAML_SCALAR_EVENT) {
        refuse_key(r);
        *fatal = event->type != YAML_ALIAS_EVENT && !read_node(r);
        *bad = true;
        return NULL;
    }
    (void)rh_yaml_tag(event->tag, place, r->complaints);
    if (event->anchor) {
        struct rh_yaml_anchor *anchor = open_anchor(r, place);

        (void)close_anchor(r, anchor, read_scalar(r));
    }
    if (memchr(event->text, '\0', event->n)) {
        rh_complain(r->complaints, place, NULL, "a key must not contain a NUL character");
        return NULL;
    }
    if (event->plain && event->n == 0) {
        rh_complain(r->complaints, place, "write the key before the ':'", "missing key");
        return NULL;
    }
    if (event->plain && event->n == 2 && memcmp(event->text, "<<", 2) == 0) {
        rh_complain(r->complaints, place,
                    "write what entries of a type share under 'defaults:', or give one entry several titles: "
                    "'- file: [/a, /b]'",
                    "merge keys ('<<') are not supported");
        return NULL;
    }
    return intern(r, event->text, event->n);
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
read_mapping(struct reader *r)
{
    struct rh_place place = place_of(r);
    struct rh_yaml_tag tag = rh_yaml_tag(r->event.tag, place, r->complaints);
    rh_automap struct rh_map seen = { 0 };
    size_t base = r->n_entries;
    unsigned height = 0;
    bool bad = false;
    struct rh_value *v;

    rh_yaml_tag_fits(&tag, "map", place, r->complaints);
    if (go_deeper(r, place) < 0)
        return NULL;
    for (;;) {
        struct rh_place at;
        const char *key;
        size_t first;
        bool fatal = false;

        if (next_event(r) < 0)
            return NULL;
        if (r->event.type == YAML_MAPPING_END_EVENT)
            break;
        at = place_of(r);
        key = read_key(r, &fatal, &bad);
        if (fatal || next_event(r) < 0)
            return NULL;
        v = read_node(r);
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
read_node(struct reader *r)
{
    struct rh_place place = place_of(r);
    struct rh_yaml_anchor *anchor;

    if (r->event.type == YAML_ALIAS_EVENT)
        return rh_yaml_alias(&r->anchors, r->event.anchor, place, r->depth, &r->height);
    anchor = open_anchor(r, place);
    r->anchors.nodes++;
    return close_anchor(r, anchor,
                        r->event.type == YAML_SCALAR_EVENT           ? read_scalar(r)
                        : r->event.type == YAML_SEQUENCE_START_EVENT ? read_sequence(r)
                                                                     : read_mapping(r));
}

/* Documents. */

static struct rh_value *
read_stream(struct reader *r)
{
    struct rh_value *v;

    if (next_event(r) < 0 || next_event(r) < 0) /* the stream's start; the document's */
        return NULL;
    if (r->event.type == YAML_STREAM_END_EVENT) {
        v = rh_value_new(r->arena, RH_UNDEF);
        rh_value_set_place(v, (struct rh_place){ .line = 1, .column = 1, .file = (uint16_t)r->file });
        return v;
    }
    if (next_event(r) < 0)
        return NULL;
    v = read_node(r);
    if (!v || next_event(r) < 0 || next_event(r) < 0) /* the document's end, and what follows */
        return NULL;
    if (r->event.type != YAML_STREAM_END_EVENT) {
        rh_complain(r->complaints, place_of(r),
                    "write each document to its own file; rhost can apply several files at once",
                    "a file must not contain more than one YAML document");
        return NULL;
    }
    return v;
}

static void
clear(struct reader *r)
{
    if (r->replaying) {
        rh_yaml_replay_close(&r->replay);
    } else {
        yaml_event_delete(&r->parsed);
        yaml_parser_delete(&r->parser);
    }
    rh_buf_clear(&r->key);
    rh_map_clear(&r->words);
    rh_map_clear(&r->anchors.known);
    free(r->entries);
    free(r->places);
    free(r->items);
}

/* From the record, where there is one of this text; otherwise one is made, where it is asked for. */
static struct rh_value *
read_text(struct reader *r, struct rh_yaml_record *record)
{
    struct rh_yaml_recorder recorder = { 0 };
    size_t before = rh_complaints_count(r->complaints);
    struct rh_value *v;

    r->replaying = record && record->known && rh_yaml_record_fits(record->known, record->n_known, r->n);
    if (r->replaying) {
        rh_yaml_replay_open(&r->replay, record->known, record->n_known, r->text, r->n);
    } else if (!rh_yaml_parser_open(&r->parser, r->text, r->n)) {
        (void)complain_memory(r);
        return NULL;
    }
    if (record && !r->replaying) {
        rh_yaml_recorder_open(&recorder, r->text, r->n);
        r->recorder = &recorder;
    }
    v = read_stream(r);
    clear(r);
    if (v && r->recorder && !recorder.refused && rh_complaints_count(r->complaints) == before)
        rh_buf_addn(&record->made, recorder.bytes.s, recorder.bytes.n);
    rh_yaml_recorder_close(&recorder);
    return v;
}

struct rh_value *
rh_yaml_read_again(struct rh_arena *a, const char *text, size_t n, unsigned file,
                   struct rh_complaints *complaints, struct rh_yaml_record *record)
{
    struct reader r = {
        .arena = a,
        .complaints = complaints,
        .file = file,
        .anchors = { .arena = a, .complaints = complaints },
    };
    rh_autofree char *mended = NULL;

    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* a mark that says what we know */
        text += 3;
        n -= 3;
    }
    mended = rh_yaml_from_json(text, n, &n);
    if (mended) {
        text = mended;
        record = NULL; /* it would be one of another text */
    }
    r.text = text;
    r.n = n;
    if (rh_yaml_check_text(text, n, file, complaints) < 0)
        return NULL;
    return read_text(&r, record);
}

struct rh_value *
rh_yaml_read(struct rh_arena *a, const char *text, size_t n, unsigned file, struct rh_complaints *complaints)
{
    return rh_yaml_read_again(a, text, n, file, complaints, NULL);
}
