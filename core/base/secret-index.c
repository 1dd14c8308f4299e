/* SPDX-License-Identifier: Apache-2.0 */
/* secret-index - many texts looked for in one pass over another.
 *
 * A short text is in a table as a whole. Of a long one there are pieces of twelve bytes, one at each
 * fourth byte, so that any part of fifteen has one in it, and from there on both are compared. At
 * each position of what is searched, a bitmap of first four bytes says mostly at once that there is
 * nothing; if not, the hashes of the next four to fourteen bytes are looked up. The work is linear,
 * whatever is in either. */
#include "config.h"

#include "base/secret-index.h"

#include "base/alloc.h"
#include "base/secret-forms.h"
#include "base/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHOLE = 14, /* up to here a text is found as a whole */
    PIECE = 12,
    STEP = 4,
    LARGE = 64 << 10, /* from here on the step is as long as a piece */
    REACH = 64,       /* how far from a piece both are compared: beyond that the next piece is found */
    CUT = 8,          /* what may be left of a long text that was cut off */
    BITS = 18,
};

/* Where in the searched text a piece means something. */
enum { ANYWHERE = 1, AT_START = 2, AT_END = 4 };

struct text {
    char *s;
    size_t n;
};

struct piece {
    uint32_t hash;
    uint32_t text; /* from 1; 0: nothing is here */
    uint32_t at;
    uint8_t len, where;
};

struct rh_secret_index {
    struct text *texts;
    size_t n, cap, bytes;
    struct piece *table;
    size_t size, used;
    uint32_t lengths; /* bit n: there are pieces of n bytes */
    uint64_t starts[(1U << BITS) / 64];
};

#define HASH_START UINT32_C(2166136261)

static uint32_t
hash_on(uint32_t h, char c)
{
    return (h ^ (unsigned char)c) * UINT32_C(16777619);
}

static uint32_t
hash_of(const char *s, size_t n)
{
    uint32_t h = HASH_START;

    for (size_t i = 0; i < n; i++)
        h = hash_on(h, s[i]);
    return h;
}

static uint32_t
start_of(const char *s)
{
    uint32_t four;

    memcpy(&four, s, sizeof four);
    return four * UINT32_C(2654435761) >> (32 - BITS);
}

static size_t
spread(uint32_t h)
{
    h = (h ^ h >> 15) * UINT32_C(0x2c1b3c6d);
    return h ^ h >> 13;
}

static struct piece *
find(const struct rh_secret_index *x, uint32_t hash, const char *s, size_t len)
{
    size_t at = spread(hash) & (x->size - 1);

    for (; x->table[at].text; at = (at + 1) & (x->size - 1)) {
        const struct piece *p = &x->table[at];

        if (p->hash == hash && p->len == len && memcmp(x->texts[p->text - 1].s + p->at, s, len) == 0)
            break;
    }
    return &x->table[at];
}

static void
make_room(struct rh_secret_index *x)
{
    struct piece *old = x->table;
    size_t n = x->size;

    if (x->used * 2 < x->size)
        return;
    x->size = x->size ? x->size * 2 : 64;
    x->table = rh_xalloc(rh_xmul(x->size, sizeof *x->table));
    for (size_t i = 0; i < n; i++)
        if (old[i].text)
            *find(x, old[i].hash, x->texts[old[i].text - 1].s + old[i].at, old[i].len) = old[i];
    free(old);
}

/* A piece of the last text. */
static void
add_piece(struct rh_secret_index *x, size_t at, size_t len, unsigned where)
{
    const char *s = x->texts[x->n - 1].s + at;
    uint32_t hash = hash_of(s, len), start = start_of(s);
    struct piece *p;

    make_room(x);
    p = find(x, hash, s, len);
    if (p->text) {
        p->where |= (uint8_t)where;
        return;
    }
    *p = (struct piece){ hash, (uint32_t)x->n, (uint32_t)at, (uint8_t)len, (uint8_t)where };
    x->used++;
    x->lengths |= 1U << len;
    x->starts[start / 64] |= UINT64_C(1) << start % 64;
}

struct rh_secret_index *
rh_secret_index_new(void)
{
    struct rh_secret_index *x = rh_xalloc(sizeof *x);

    return x;
}

void
rh_secret_index_free(struct rh_secret_index *x)
{
    if (!x)
        return;
    for (size_t i = 0; i < x->n; i++) {
        explicit_bzero(x->texts[i].s, x->texts[i].n);
        free(x->texts[i].s);
    }
    free(x->texts);
    free(x->table);
    free(x);
}

size_t
rh_secret_index_bytes(const struct rh_secret_index *x)
{
    return x->bytes;
}

void
rh_secret_index_add(struct rh_secret_index *x, const char *s, size_t n, bool cut)
{
    size_t least = n < 2 * CUT ? (n + 1) / 2 : CUT;
    size_t step = n > LARGE ? PIECE : STEP;
    struct text *text;

    if (n < RH_SECRET_LEAST || n > UINT32_MAX)
        return;
    x->texts = rh_xgrow(x->texts, &x->cap, x->n, sizeof *x->texts);
    text = &x->texts[x->n++];
    text->s = rh_xalloc(n + 1);
    memcpy(text->s, s, n);
    text->n = n;
    x->bytes += n;
    if (n <= WHOLE) {
        add_piece(x, 0, n, ANYWHERE);
    } else {
        for (size_t at = 0; at + PIECE <= n; at += step)
            add_piece(x, at, PIECE, ANYWHERE);
        add_piece(x, n - PIECE, PIECE, ANYWHERE);
    }
    if (least < RH_SECRET_LEAST)
        least = RH_SECRET_LEAST;
    for (size_t len = least; cut && len < n && len <= WHOLE; len++) {
        add_piece(x, 0, len, AT_END);
        add_piece(x, n - len, len, AT_START);
    }
}

struct stretch {
    size_t from, to;
};

/* What both have in common around a piece that was found. */
static struct stretch
reach_out(const struct rh_secret_index *x, const struct piece *p, const char *text, size_t n, size_t at)
{
    const struct text *t = &x->texts[p->text - 1];
    struct stretch found = { at, at + p->len };
    size_t back = p->at, on = p->at + p->len;

    if (!(p->where & ANYWHERE) || t->n <= WHOLE)
        return found;
    while (found.from && back && at - found.from < REACH && text[found.from - 1] == t->s[back - 1]) {
        found.from--;
        back--;
    }
    while (found.to < n && on < t->n && found.to - at < REACH && text[found.to] == t->s[on]) {
        found.to++;
        on++;
    }
    return found;
}

/* All that is found at this position; an empty stretch when there is nothing. */
static struct stretch
match_at(const struct rh_secret_index *x, const char *text, size_t n, size_t at)
{
    struct stretch found = { at, at };
    uint32_t hash = HASH_START;

    for (size_t len = 1; len <= WHOLE && at + len <= n; len++) {
        const struct piece *p;

        hash = hash_on(hash, text[at + len - 1]);
        if (!(x->lengths >> len & 1))
            continue;
        p = find(x, hash, text + at, len);
        if (p->text
            && (p->where & ANYWHERE || (p->where & AT_START && !at)
                || (p->where & AT_END && at + len == n))) {
            struct stretch one = reach_out(x, p, text, n, at);

            found.from = one.from < found.from ? one.from : found.from;
            found.to = one.to > found.to ? one.to : found.to;
        }
    }
    return found;
}

static bool
is_inside_character(const char *text, size_t n, size_t at)
{
    return at < n && ((unsigned char)text[at] & 0xc0) == 0x80;
}

/* What stands before the stretch, and the mark in its place. */
static size_t
redact(struct rh_buf *out, const char *text, size_t n, size_t done, struct stretch s)
{
    while (s.from > done && is_inside_character(text, n, s.from))
        s.from--;
    while (is_inside_character(text, n, s.to))
        s.to++;
    rh_buf_addn(out, text + done, s.from - done);
    rh_buf_add(out, "[redacted]");
    return s.to;
}

bool
rh_secret_index_scrub(const struct rh_secret_index *x, const char *text, size_t n, struct rh_buf *out)
{
    struct stretch now = { 0, 0 };
    size_t done = 0;
    bool any = false;

    for (size_t at = 0; x->used && at + RH_SECRET_LEAST <= n; at++) {
        uint32_t start = start_of(text + at);
        struct stretch found;

        if (!(x->starts[start / 64] >> start % 64 & 1))
            continue;
        found = match_at(x, text, n, at);
        if (found.to == found.from)
            continue;
        if (!any) {
            now = found;
        } else if (found.from <= now.to) {
            now.from = found.from < now.from ? found.from : now.from;
            now.to = found.to > now.to ? found.to : now.to;
        } else {
            done = redact(out, text, n, done, now);
            now = found;
        }
        if (now.from < done)
            now.from = done;
        any = true;
    }
    if (any) {
        done = redact(out, text, n, done, now);
        rh_buf_addn(out, text + done, n - done);
    }
    return any;
}
