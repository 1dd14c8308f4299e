/* SPDX-License-Identifier: Apache-2.0 */
/* exec-wire - requests of a worker to its broker, byte by byte. */
#include "config.h"

#include "provider/exec-wire.h"

#include "base/arena.h"

#include <rhost/exec.h>

#include <string.h>

static void
put_u32(struct rh_buf *b, uint32_t v)
{
    rh_buf_addn(b, &v, sizeof v);
}

static void
put_text(struct rh_buf *b, const char *s)
{
    size_t n = strlen(s);

    put_u32(b, (uint32_t)n);
    rh_buf_addn(b, s, n + 1);
}

static void
put_optional(struct rh_buf *b, const char *s)
{
    rh_buf_addc(b, s != NULL);
    if (s)
        put_text(b, s);
}

static size_t
put_texts(struct rh_buf *b, const char *const *texts)
{
    size_t n = 0;

    while (texts && texts[n])
        n++;
    put_u32(b, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        put_text(b, texts[i]);
    return n;
}

void
rh_ask_put_command(struct rh_buf *b, const struct rhost_command *c)
{
    size_t n;

    rh_buf_addn(b, &c->flags, sizeof c->flags);
    rh_buf_addn(b, &c->umask, sizeof c->umask);
    n = put_texts(b, c->argv);
    for (size_t i = 0; i < n; i++)
        rh_buf_addc(b, c->secret_args && c->secret_args[i]);
    (void)put_texts(b, c->env);
    put_optional(b, c->cwd);
    put_optional(b, c->user);
    put_optional(b, c->group);
    (void)put_texts(b, c->read_only);
    (void)put_texts(b, c->read_write);
}

/* What is still to be read; `bad` once something did not fit, and all that is read after that is empty. */
struct reader {
    const char *at, *end;
    bool bad;
};

static void
take(struct reader *r, void *to, size_t n)
{
    r->bad |= n > (size_t)(r->end - r->at);
    if (r->bad) {
        memset(to, 0, n);
        return;
    }
    memcpy(to, r->at, n);
    r->at += n;
}

static uint32_t
take_u32(struct reader *r)
{
    uint32_t v;

    take(r, &v, sizeof v);
    return v;
}

static bool
take_bool(struct reader *r)
{
    unsigned char v;

    take(r, &v, sizeof v);
    r->bad |= v > 1;
    return v == 1;
}

static const char *
take_text(struct reader *r)
{
    size_t n = take_u32(r);
    const char *s = r->at;

    r->bad |= n >= (size_t)(r->end - r->at);
    if (r->bad || s[n] || memchr(s, '\0', n)) {
        r->bad = true;
        return "";
    }
    r->at += n + 1;
    return s;
}

static const char *
take_optional(struct reader *r)
{
    return take_bool(r) && !r->bad ? take_text(r) : NULL;
}

static const char *const *
take_texts(struct reader *r, struct rh_arena *arena, size_t *count)
{
    size_t n = take_u32(r);
    const char **texts;

    /* Each takes five bytes at least: no room is made for what cannot be there. */
    if (r->bad || n > (size_t)(r->end - r->at) / 5) {
        r->bad = true;
        n = 0;
    }
    texts = rh_arena_alloc(arena, (n + 1) * sizeof *texts);
    for (size_t i = 0; i < n; i++)
        texts[i] = take_text(r);
    *count = n;
    return texts;
}

bool
rh_ask_take_command(const char *bytes, size_t n, struct rh_arena *arena, struct rhost_command *command)
{
    struct reader r = { .at = bytes, .end = bytes + n };
    struct rhost_command c = { .struct_size = sizeof c };
    uint8_t *secret;
    size_t count, others;

    take(&r, &c.flags, sizeof c.flags);
    take(&r, &c.umask, sizeof c.umask);
    c.argv = take_texts(&r, arena, &count);
    secret = rh_arena_alloc(arena, count + 1);
    for (size_t i = 0; i < count; i++)
        secret[i] = take_bool(&r);
    c.secret_args = secret;
    c.env = take_texts(&r, arena, &others);
    c.cwd = take_optional(&r);
    c.user = take_optional(&r);
    c.group = take_optional(&r);
    c.read_only = take_texts(&r, arena, &others);
    c.read_write = take_texts(&r, arena, &others);
    if (r.bad || r.at != r.end)
        return false;
    *command = c;
    return true;
}
