/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-record - writes down the events of a text. yaml-replay.c reads them.
 *
 * An event is a byte, kind and flags; its names where it has any; and where it has a place: how many lines it
 * is below the event before, and its column. A scalar also has its end, and the parts of the text that make
 * up its value, each by how many bytes it is behind the part before and its length; or one part that is
 * decoded again. All numbers have seven bits in a byte, the lowest first; the eighth says that more follow.
 */
#include "config.h"

#include "manifest/text/yaml-record.h"

#include "base/alloc.h"
#include "manifest/text/yaml-record-parts.h"

#include <stdlib.h>
#include <string.h>

static void
add_number(struct rh_buf *b, uint64_t v)
{
    for (; v > 0x7f; v >>= 7)
        rh_buf_addc(b, (char)(v | 0x80));
    rh_buf_addc(b, (char)v);
}

struct anchor {
    size_t number;
    char name[];
};

static void
add_anchor(struct rh_yaml_recorder *r, const char *name)
{
    struct anchor *anchor = name ? rh_map_get(&r->anchors, name) : NULL;

    if (name && !anchor) {
        anchor = rh_xalloc(sizeof *anchor + strlen(name) + 1);
        anchor->number = r->anchors.used + 1;
        memcpy(anchor->name, name, strlen(name) + 1);
        rh_map_put(&r->anchors, anchor->name, anchor);
    }
    add_number(&r->bytes, anchor ? anchor->number : 0);
}

static void
add_tag(struct rh_yaml_recorder *r, const char *tag)
{
    size_t n = tag ? strlen(tag) + 1 : 0; /* with the NUL, which the reader of the event needs */

    add_number(&r->bytes, n);
    rh_buf_addn(&r->bytes, tag, n);
}

/* libyaml ends a line at these as well, and counts places by them. */
static bool
has_other_line_ends(const char *text, size_t n)
{
    return memchr(text, '\r', n) || memmem(text, n, "\xc2\x85", 2) || memmem(text, n, "\xe2\x80\xa8", 3)
           || memmem(text, n, "\xe2\x80\xa9", 3);
}

void
rh_yaml_recorder_open(struct rh_yaml_recorder *r, const char *text, size_t n)
{
    *r = (struct rh_yaml_recorder){ .text = text, .n = n, .row = text };
    r->refused = has_other_line_ends(text, n);
}

void
rh_yaml_recorder_close(struct rh_yaml_recorder *r)
{
    for (size_t i = 0; i < rh_map_slots(&r->anchors); i++)
        free(rh_map_slot(&r->anchors, i));
    rh_map_clear(&r->anchors);
    rh_buf_clear(&r->bytes);
}

/* Where a place is, in bytes. Places come in order. */
static bool
offset_of(struct rh_yaml_recorder *r, uint32_t line, uint32_t column, size_t *offset)
{
    const char *end = r->text + r->n, *newline;

    for (; r->row_line < line; r->row_line++, r->row_column = 0) {
        newline = memchr(r->row, '\n', (size_t)(end - r->row));
        if (!newline)
            return false;
        r->row = newline + 1;
    }
    if (r->row_line > line || r->row_column > column)
        return false;
    for (; r->row_column < column && r->row < end; r->row_column++)
        do
            r->row++;
        while (r->row < end && (*r->row & 0xc0) == 0x80); /* the rest of a character */
    *offset = (size_t)(r->row - r->text);
    return r->row_column == column;
}

/* The parts of the text from `from` to `end` that make up the scalar: all of it, or line by line, as in a
 * block. They are written to `parts`; the last one ends `at` there. False: it is not made of such. */
static bool
find_parts(const struct rh_yaml_recorder *r, const struct rh_yaml_event *event, size_t from, size_t end,
           struct rh_buf *parts, size_t *count, size_t *at)
{
    const char *value = event->text, *stop = event->text + event->n;

    *at = r->at;

    for (*count = 0; value < stop; ++*count) {
        const char *whole = *count ? NULL : memmem(r->text + from, end - from, value, event->n);
        const char *newline = memchr(value, '\n', (size_t)(stop - value));
        size_t n = whole ? event->n : newline ? (size_t)(newline + 1 - value) : (size_t)(stop - value);
        const char *found = whole ? whole : memmem(r->text + from, end - from, value, n);

        if (!found)
            return false;
        from = (size_t)(found - r->text);
        add_number(parts, from - *at);
        add_number(parts, n);
        *at = from += n;
        value += n;
    }
    return true;
}

/* Whether libyaml makes the same of the scalar's own bytes. */
static bool
decodes(const struct rh_yaml_recorder *r, const struct rh_yaml_event *event, size_t from, size_t end)
{
    yaml_parser_t parser;
    yaml_event_t again;
    bool same;

    if (!rh_yaml_decode(&parser, &again, r->text + from, end - from))
        return false;
    same =
        again.data.scalar.length == event->n && memcmp(again.data.scalar.value, event->text, event->n) == 0;
    yaml_event_delete(&again);
    yaml_parser_delete(&parser);
    return same;
}

/* Whether it stands between double quotes on a line, and rh_yaml_unescape() makes the same of it as libyaml.
 */
static bool
is_unescaped(const struct rh_yaml_recorder *r, const struct rh_yaml_event *event, size_t from, size_t end)
{
    rh_autobuf struct rh_buf value = { 0 };
    const char *text = r->text;

    return end - from > 2 && text[from] == '"' && text[end - 1] == '"'
           && !memchr(text + from, '\n', end - from)
           && rh_yaml_unescape(text + from + 1, end - from - 2, &value) && value.n == event->n
           && memcmp(value.s, event->text, value.n) == 0;
}

static void
add_part(struct rh_yaml_recorder *r, unsigned how, size_t from, size_t end)
{
    add_number(&r->bytes, how);
    add_number(&r->bytes, from - r->at);
    add_number(&r->bytes, end - from);
    r->at = end;
}

static void
add_scalar(struct rh_yaml_recorder *r, const struct rh_yaml_event *event)
{
    rh_autobuf struct rh_buf parts = { 0 };
    size_t from, end, count, at;

    if (event->end_line < event->line || !offset_of(r, event->line, event->column, &from)
        || !offset_of(r, event->end_line, event->end_column, &end) || from < r->at || end < from) {
        r->refused = true;
        return;
    }
    add_number(&r->bytes, event->end_line - event->line);
    add_number(&r->bytes, event->end_column);
    if (find_parts(r, event, from, end, &parts, &count, &at)) {
        add_number(&r->bytes, RH_YAML_PARTS + count);
        rh_buf_addn(&r->bytes, parts.s, parts.n);
        r->at = at;
    } else if (is_unescaped(r, event, from, end)) {
        add_part(r, RH_YAML_UNESCAPED, from + 1, end - 1);
    } else if (decodes(r, event, from, end)) {
        add_part(r, RH_YAML_DECODED, from, end);
    } else {
        r->refused = true;
    }
}

void
rh_yaml_recorder_add(struct rh_yaml_recorder *r, const struct rh_yaml_event *event)
{
    bool named = event->anchor || event->tag;

    if (r->refused)
        return;
    rh_buf_addc(&r->bytes, (char)((unsigned)event->type | (event->plain ? RH_YAML_IS_PLAIN : 0)
                                  | (event->flow ? RH_YAML_IS_FLOW : 0) | (named ? RH_YAML_IS_NAMED : 0)));
    if (named) {
        add_anchor(r, event->anchor);
        add_tag(r, event->tag);
    }
    if (!rh_yaml_has_place(event->type))
        return;
    if (event->line < r->line) {
        r->refused = true;
        return;
    }
    add_number(&r->bytes, event->line - r->line);
    add_number(&r->bytes, event->column);
    r->line = event->line;
    if (event->type == YAML_SCALAR_EVENT)
        add_scalar(r, event);
}
