/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-replay - reads the events that yaml-record.c has written down. */
#include "config.h"

#include "manifest/text/yaml-record-parts.h"
#include "manifest/text/yaml-record.h"
#include "manifest/text/yaml.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
take_long(struct rh_yaml_replay *r, uint64_t *v)
{
    unsigned shift = 0;

    for (*v = 0; r->next < r->end && shift < 63; shift += 7) {
        unsigned char c = *r->next++;

        *v |= (uint64_t)(c & 0x7f) << shift;
        if (!(c & 0x80))
            return true;
    }
    return false;
}

/* Most are a single byte. */
static inline bool
take_number(struct rh_yaml_replay *r, uint64_t *v)
{
    if (r->next == r->end || *r->next & 0x80)
        return take_long(r, v);
    *v = *r->next++;
    return true;
}

static inline bool
take_number32(struct rh_yaml_replay *r, uint32_t *v)
{
    uint64_t wide;

    if (!take_number(r, &wide) || wide > UINT32_MAX)
        return false;
    *v = (uint32_t)wide;
    return true;
}

static bool
take_anchor(struct rh_yaml_replay *r, const char **name)
{
    uint64_t number;

    if (!take_number(r, &number))
        return false;
    (void)snprintf(r->anchor, sizeof r->anchor, "%" PRIu64, number);
    *name = number ? r->anchor : NULL;
    return true;
}

static bool
take_tag(struct rh_yaml_replay *r, const char **tag)
{
    uint64_t n;

    if (!take_number(r, &n) || n > (size_t)(r->end - r->next))
        return false;
    *tag = n ? (const char *)r->next : NULL;
    if (n && memchr(r->next, '\0', n) != r->next + n - 1)
        return false;
    r->next += n;
    return true;
}

/* A part of the text: how far behind the last one it is, and its length. */
static bool
take_part(struct rh_yaml_replay *r, size_t *from, size_t *n)
{
    uint64_t gap, length;

    if (!take_number(r, &gap) || !take_number(r, &length) || gap > r->n - r->at
        || length > r->n - r->at - gap)
        return false;
    *from = r->at + gap;
    *n = length;
    r->at = *from + length;
    return true;
}

static bool
decode(struct rh_yaml_replay *r, struct rh_yaml_event *event, const char *text, size_t n)
{
    if (!rh_yaml_decode(&r->parser, &r->event, text, n))
        return false;
    r->decoding = true;
    event->text = (const char *)r->event.data.scalar.value;
    event->n = r->event.data.scalar.length;
    return true;
}

static bool
take_parts(struct rh_yaml_replay *r, uint64_t count, bool check)
{
    size_t from, n;

    r->scalar.n = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (!take_part(r, &from, &n))
            return false;
        if (!check)
            rh_buf_addn(&r->scalar, r->text + from, n);
    }
    return true;
}

/* `check`: only whether it fits, and nothing is put together or decoded. */
static bool
take_text(struct rh_yaml_replay *r, struct rh_yaml_event *event, bool check)
{
    uint64_t how;
    size_t from, n;

    if (!take_number(r, &how))
        return false;
    event->text = "";
    if (how == RH_YAML_PARTS)
        return true;
    if (how > RH_YAML_PARTS + 1) {
        if (!take_parts(r, how - RH_YAML_PARTS, check))
            return false;
    } else {
        if (!take_part(r, &from, &n))
            return false;
        if (check)
            return true;
        if (how == RH_YAML_DECODED)
            return decode(r, event, r->text + from, n);
        if (how > RH_YAML_PARTS) {
            event->text = r->text + from;
            event->n = n;
            return true;
        }
        if (!rh_yaml_unescape(r->text + from, n, &r->scalar))
            return false;
    }
    if (!check && r->scalar.n) {
        event->text = r->scalar.s;
        event->n = r->scalar.n;
    }
    return true;
}

static bool
take_event(struct rh_yaml_replay *r, struct rh_yaml_event *event, bool check)
{
    uint32_t below, lines = 0;
    unsigned first;

    if (r->next == r->end)
        return false;
    first = *r->next++;
    *event = (struct rh_yaml_event){
        .type = (yaml_event_type_t)(first & RH_YAML_KIND),
        .plain = first & RH_YAML_IS_PLAIN,
        .flow = first & RH_YAML_IS_FLOW,
    };
    if (first & RH_YAML_IS_NAMED && (!take_anchor(r, &event->anchor) || !take_tag(r, &event->tag)))
        return false;
    if (!rh_yaml_has_place(event->type))
        return true;
    if (!take_number32(r, &below) || !take_number32(r, &event->column) || below > UINT32_MAX - r->line)
        return false;
    event->line = r->line += below;
    if (event->type != YAML_SCALAR_EVENT)
        return true;
    if (!take_number32(r, &lines) || !take_number32(r, &event->end_column) || lines > UINT32_MAX - r->line)
        return false;
    event->end_line = event->line + lines;
    return take_text(r, event, check);
}

void
rh_yaml_replay_open(struct rh_yaml_replay *r, const void *bytes, size_t size, const char *text, size_t n)
{
    *r = (struct rh_yaml_replay){ .next = bytes, .text = text, .n = n };
    r->end = r->next + size;
}

static void
forget_decoded(struct rh_yaml_replay *r)
{
    if (!r->decoding)
        return;
    yaml_event_delete(&r->event);
    yaml_parser_delete(&r->parser);
    r->decoding = false;
}

void
rh_yaml_replay_close(struct rh_yaml_replay *r)
{
    forget_decoded(r);
    rh_buf_clear(&r->scalar);
}

bool
rh_yaml_replay_next(struct rh_yaml_replay *r, struct rh_yaml_event *event)
{
    forget_decoded(r);
    return take_event(r, event, false);
}

/* One node, with all that is in it. Its depth is that of values that yaml.c would read. */
static bool
node_fits(struct rh_yaml_replay *r, struct rh_yaml_event *event, unsigned depth)
{
    bool hash = event->type == YAML_MAPPING_START_EVENT;
    yaml_event_type_t end = hash ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;

    if (event->type == YAML_ALIAS_EVENT)
        return event->anchor != NULL;
    if (event->type == YAML_SCALAR_EVENT)
        return true;
    if ((!hash && event->type != YAML_SEQUENCE_START_EVENT) || depth == RH_YAML_DEEPEST)
        return false;
    for (;;) {
        if (!take_event(r, event, true))
            return false;
        if (event->type == end)
            return true;
        if (!node_fits(r, event, depth + 1)
            || (hash && (!take_event(r, event, true) || !node_fits(r, event, depth + 1))))
            return false;
    }
}

static bool
is_next(struct rh_yaml_replay *r, yaml_event_type_t type)
{
    struct rh_yaml_event event;

    return take_event(r, &event, true) && event.type == type;
}

bool
rh_yaml_record_fits(const void *bytes, size_t size, size_t n)
{
    struct rh_yaml_replay r;
    struct rh_yaml_event event;

    rh_yaml_replay_open(&r, bytes, size, NULL, n);
    return is_next(&r, YAML_STREAM_START_EVENT) && is_next(&r, YAML_DOCUMENT_START_EVENT)
           && take_event(&r, &event, true) && node_fits(&r, &event, 0) && is_next(&r, YAML_DOCUMENT_END_EVENT)
           && is_next(&r, YAML_STREAM_END_EVENT) && r.next == r.end;
}
