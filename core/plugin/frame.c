/* SPDX-License-Identifier: Apache-2.0 */
/* frame - what travels between the host and a worker, byte by byte. */
#include "config.h"

#include "plugin/frame.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/shared-text.h"
#include "base/value.h"
#include "plugin/large-text.h"

#include <string.h>

size_t
rh_frame_begin(struct rh_buf *b, uint32_t type)
{
    size_t start = b->n;

    rh_put_u32(b, 0);
    rh_put_u32(b, type);
    return start;
}

void
rh_frame_end(struct rh_buf *b, size_t start)
{
    uint32_t length = (uint32_t)(b->n - start - RH_FRAME_HEADER);

    memcpy(b->s + start, &length, sizeof length);
}

/* What belongs together is put at once: room for so many bytes, and that they were written. */
static char *
open_room(struct rh_buf *b, size_t n)
{
    if (b->cap - b->n <= n)
        rh_buf_make_room(b, n);
    return b->s + b->n;
}

static void
close_room(struct rh_buf *b, size_t n)
{
    b->n += n;
    b->s[b->n] = '\0';
}

void
rh_put_u8(struct rh_buf *b, unsigned v)
{
    rh_buf_addc(b, (char)v);
}

void
rh_put_u32(struct rh_buf *b, uint32_t v)
{
    memcpy(open_room(b, sizeof v), &v, sizeof v);
    close_room(b, sizeof v);
}

void
rh_put_real(struct rh_buf *b, double v)
{
    rh_buf_addn(b, &v, sizeof v);
}

enum { TEXT_AROUND = sizeof(uint32_t) + 1 };

static void
write_text(char *to, const char *s, size_t n)
{
    uint32_t length = (uint32_t)n;

    memcpy(to, &length, sizeof length);
    if (n)
        memcpy(to + sizeof length, s, n);
    to[sizeof length + n] = '\0';
}

static void
put_bytes(struct rh_buf *b, const char *s, size_t n)
{
    write_text(open_room(b, n + TEXT_AROUND), s, n);
    close_room(b, n + TEXT_AROUND);
}

static void
put_head(struct rh_buf *b, unsigned kind, unsigned marks)
{
    char *to = open_room(b, 2);

    to[0] = (char)kind;
    to[1] = (char)marks;
    close_room(b, 2);
}

void
rh_put_text(struct rh_buf *b, const char *s)
{
    put_bytes(b, s ? s : "", s ? strlen(s) : 0);
}

/* A text that is beside the frame, whose number stands here; beside the kind. */
enum { BESIDE = 0x80 };

static uint32_t
send_beside(const struct rh_value *v, const struct rh_text_way *way, bool secret)
{
    if (!way || secret || v->count < RH_SHARED_TEXT_LEAST || !rh_kind_has_text(v->kind))
        return 0;
    return way->send(way->data, v->u.string, v->count);
}

static void
put_any(struct rh_buf *b, const struct rh_value *v, const struct rh_text_way *way, bool secret)
{
    uint32_t number;

    if (!v) {
        put_head(b, RH_UNDEF, 0);
        return;
    }
    secret |= v->marks & RH_SENSITIVE;
    number = send_beside(v, way, secret);
    put_head(b, v->kind | (number ? BESIDE : 0U), v->marks);
    if (number) {
        rh_put_u32(b, number);
    } else if (v->kind == RH_BOOLEAN || v->kind == RH_INTEGER) {
        rh_buf_addn(b, &v->u.integer, sizeof v->u.integer);
    } else if (v->kind == RH_FLOAT) {
        rh_put_real(b, v->u.real);
    } else if (rh_kind_has_text(v->kind)) {
        put_bytes(b, v->u.string, v->count);
    } else if (v->kind == RH_HASH) {
        rh_put_u32(b, v->count);
        for (uint32_t i = 0; i < v->count; i++) {
            rh_put_text(b, v->u.entries[i].key);
            put_any(b, v->u.entries[i].value, way, secret);
        }
    } else if (rh_kind_has_items(v->kind)) {
        rh_put_u32(b, v->count);
        for (uint32_t i = 0; i < v->count; i++)
            put_any(b, v->u.items[i], way, secret);
    }
}

void
rh_put_value(struct rh_buf *b, const struct rh_value *v)
{
    put_any(b, v, NULL, false);
}

void
rh_put_value_by(struct rh_buf *b, const struct rh_value *v, const struct rh_text_way *way)
{
    put_any(b, v, way, false);
}

static bool
is_deep(const struct rh_value *v, int depth)
{
    if (depth >= RH_FRAME_DEPTH)
        return true;
    for (uint32_t i = 0; v->kind == RH_HASH && i < v->count; i++)
        if (is_deep(v->u.entries[i].value, depth + 1))
            return true;
    for (uint32_t i = 0; rh_kind_has_items(v->kind) && i < v->count; i++)
        if (is_deep(v->u.items[i], depth + 1))
            return true;
    return false;
}

bool
rh_frame_is_deep(const struct rh_value *v)
{
    return is_deep(v, 0);
}

static inline const char *
take(struct rh_in *in, size_t n)
{
    const char *at = in->at;

    if (in->bad || (size_t)(in->end - in->at) < n) {
        in->bad = true;
        return NULL;
    }
    in->at += n;
    return at;
}

unsigned
rh_take_u8(struct rh_in *in)
{
    const char *at = take(in, 1);

    return at ? (unsigned char)*at : 0;
}

uint32_t
rh_take_u32(struct rh_in *in)
{
    const char *at = take(in, sizeof(uint32_t));
    uint32_t v = 0;

    if (at)
        memcpy(&v, at, sizeof v);
    return v;
}

unsigned
rh_take_code(struct rh_in *in)
{
    uint32_t code = rh_take_u32(in);

    in->bad |= code > 9999;
    return in->bad ? 0 : code;
}

double
rh_take_real(struct rh_in *in)
{
    const char *at = take(in, sizeof(double));
    double v = 0;

    if (at)
        memcpy(&v, at, sizeof v);
    return v;
}

static const char *
take_bytes(struct rh_in *in, size_t *n)
{
    const char *at;

    *n = rh_take_u32(in);
    at = take(in, *n + 1);
    if (at && at[*n] != '\0')
        in->bad = true;
    return in->bad ? NULL : at;
}

const char *
rh_take_text(struct rh_in *in)
{
    size_t n;
    const char *at = take_bytes(in, &n);

    if (at && memchr(at, '\0', n)) {
        in->bad = true;
        return "";
    }
    return at ? at : "";
}

static struct rh_value *take_any(struct rh_in *in, struct rh_arena *a, int depth);

enum {
    MANY = 32,       /* entries, from which on a key is looked for in a map */
    LEAST_ENTRY = 7, /* bytes: the key's length and NUL, kind and marks */
};

/* Whoever writes frames writes each key once; what does not is nonsense. Looking at all keys before
 * for each would let a worker keep the host busy for hours with one large hash. */
static struct rh_value *
take_hash(struct rh_in *in, struct rh_arena *a, int depth)
{
    uint32_t n = rh_take_u32(in);
    size_t most = (size_t)(in->end - in->at) / LEAST_ENTRY; /* whatever it says */
    struct rh_value *v = rh_value_hash(a, n < most ? n : most);
    struct rh_map seen = { 0 };

    for (uint32_t i = 0; i < n && !in->bad; i++) {
        const char *key = rh_take_text(in);
        struct rh_value *item = take_any(in, a, depth);

        if (!item)
            break;
        in->bad |= n > MANY ? rh_map_put(&seen, key, item) != NULL : rh_value_get(v, key) != NULL;
        rh_value_add_ref(v, key, item);
    }
    rh_map_clear(&seen);
    return v;
}

static struct rh_value *
take_items(struct rh_in *in, struct rh_arena *a, enum rh_kind kind, int depth)
{
    struct rh_value *v = rh_value_new(a, kind);
    uint32_t n = rh_take_u32(in);

    for (uint32_t i = 0; i < n && !in->bad; i++) {
        struct rh_value *item = take_any(in, a, depth);

        if (item)
            rh_value_append(v, item);
    }
    return v;
}

static struct rh_value *
take_scalar(struct rh_in *in, struct rh_arena *a, enum rh_kind kind)
{
    struct rh_value *v;
    const char *at;
    size_t n;

    if (kind == RH_BOOLEAN || kind == RH_INTEGER || kind == RH_FLOAT) {
        at = take(in, 8);
        if (!at)
            return NULL;
        v = rh_arena_room(a, sizeof *v);
        *v = (struct rh_value){ .host = rh_arena_host(a), .kind = (uint8_t)kind };
        memcpy(&v->u, at, 8);
        if (kind == RH_BOOLEAN)
            v->u.integer = v->u.integer != 0;
        return v;
    }
    if (rh_kind_has_text(kind)) {
        at = take_bytes(in, &n);
        if (!at || (kind != RH_BINARY && !rh_utf8_valid(at, n))) {
            in->bad = true;
            return NULL;
        }
        v = rh_arena_room(a, sizeof *v);
        *v = (struct rh_value){
            .host = rh_arena_host(a), .kind = (uint8_t)kind, .count = (uint32_t)n, .u.string = at
        };
        return v;
    }
    return rh_value_new(a, kind);
}

/* Only a host sends these, which has looked at its texts when it read them. */
static struct rh_value *
take_beside(struct rh_in *in, struct rh_arena *a, unsigned kind)
{
    uint32_t number = rh_take_u32(in);
    struct rh_shared_text *text = in->texts && !in->bad ? rh_large_text_get(in->texts, number) : NULL;
    struct rh_value *v;
    size_t n;

    if (!text || !rh_kind_has_text(kind)) {
        in->bad = true;
        return NULL;
    }
    v = rh_arena_room(a, sizeof *v);
    *v = (struct rh_value){ .host = rh_arena_host(a), .kind = (uint8_t)kind };
    v->u.string = rh_shared_text_bytes(text, &n);
    v->count = (uint32_t)n;
    in->beside += n;
    rh_shared_text_keep(text, a);
    return v;
}

static struct rh_value *
take_any(struct rh_in *in, struct rh_arena *a, int depth)
{
    const char *head = take(in, 2);
    unsigned first = head ? (unsigned char)head[0] : 0, kind = first & ~(unsigned)BESIDE;
    struct rh_value *v;

    if (in->bad || depth >= RH_FRAME_DEPTH || kind > RH_MAP) {
        in->bad = true;
        return NULL;
    }
    if (first & BESIDE)
        v = take_beside(in, a, kind);
    else if (kind == RH_HASH)
        v = take_hash(in, a, depth + 1);
    else if (rh_kind_has_items(kind))
        v = take_items(in, a, (enum rh_kind)kind, depth + 1);
    else
        v = take_scalar(in, a, (enum rh_kind)kind);
    if (in->bad)
        return NULL;
    v->marks = (uint8_t)head[1];
    return v;
}

struct rh_value *
rh_take_value(struct rh_in *in, struct rh_arena *a)
{
    return take_any(in, a, 0);
}
