/* SPDX-License-Identifier: Apache-2.0 */
/* arena - memory that belongs to one operation and goes at once. */
#include "config.h"

#include "base/arena.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/guarded.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20, ALIGN = sizeof(void *) };

/* Of a chunk of this size or more, memory is had from the system in windows, each by one call instead of a
 * page fault for each page, which takes half as long again. */
enum { WINDOWED = 128 << 10, WINDOW = 64 << 10 };

/* Guarded: each allocation is a block of the heap of its own, and has the size that was asked for. What goes
 * beyond it is then seen by AddressSanitizer, or by the guards of tests/mutants/guard.c. */
enum { GUARDED = RH_GUARDED };

struct chunk {
    struct chunk *next;
    size_t size;
    char bytes[];
};

struct deferred {
    struct deferred *next;
    void (*fn)(void *);
    void *data;
};

struct rh_arena {
    const void *host;
    struct chunk *chunks; /* newest first; the last one is the first that was made */
    char *at, *end;       /* what is free in the window of the newest chunk */
    struct deferred *deferred;
    size_t total;
    const struct rh_arena_source *source; /* NULL: the heap */
    bool secret;
};

static bool
is_guarded(const struct rh_arena *arena)
{
    return GUARDED && !arena->source;
}

/* Guards are not counted: the limits of memory are those of a program without. */
static size_t
taken(const struct rh_arena *arena, const struct chunk *chunk)
{
    return (is_guarded(arena) ? 0 : sizeof *chunk) + chunk->size;
}

/* Makes the next window of the newest chunk, with room for `need` bytes; false when it has no such room. */
static bool
open_window(struct rh_arena *arena, size_t need)
{
    const struct chunk *chunk = arena->chunks;
    size_t left = chunk ? (size_t)(chunk->bytes + chunk->size - arena->at) : 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from, to;

    if (!chunk || left < need)
        return false;
    if (chunk->size < WINDOWED || left < WINDOW || need >= left - WINDOW)
        need = left;
    else if (need < WINDOW)
        need = WINDOW;
    from = ((uintptr_t)arena->end + page - 1) & ~(page - 1);
    arena->end = arena->at + need;
    to = (uintptr_t)arena->end & ~(page - 1);
    /* An older kernel refuses, and where memory is short it is had as it is used. */
    if (chunk->size >= WINDOWED && !arena->source && from < to)
        (void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
    return true;
}

static void
add_chunk(struct rh_arena *arena, size_t need)
{
    size_t size = is_guarded(arena) ? need : arena->chunks ? arena->chunks->size * 2 : FIRST_CHUNK;
    struct chunk *chunk;

    if (size > LARGEST_CHUNK)
        size = LARGEST_CHUNK;
    if (size < need)
        size = need;
    chunk =
        arena->source ? arena->source->get(sizeof *chunk + size) : rh_xrealloc(NULL, sizeof *chunk + size);
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->at = arena->end = chunk->bytes;
    (void)open_window(arena, need);
    arena->total += taken(arena, chunk);
}

struct rh_arena *
rh_arena_new(const void *host)
{
    struct rh_arena *arena = rh_xalloc(sizeof *arena);

    arena->host = host;
    return arena;
}

struct rh_arena *
rh_arena_new_from(const void *host, const struct rh_arena_source *source)
{
    struct rh_arena *arena = rh_arena_new(host);

    arena->source = source;
    return arena;
}

static void
release(struct rh_arena *arena, struct chunk *chunk)
{
    if (chunk && arena->source)
        arena->source->release(chunk, sizeof *chunk + chunk->size);
    else
        free(chunk);
}

static void
run_deferred(struct rh_arena *arena)
{
    struct deferred *d = arena->deferred;

    arena->deferred = NULL;
    for (; d; d = d->next)
        d->fn(d->data);
}

void
rh_arena_keep_secret(struct rh_arena *arena)
{
    arena->secret = true;
}

bool
rh_arena_keeps_secret(const struct rh_arena *arena)
{
    return arena->secret;
}

/* What is not zeroed yet behind arena->at was never used. */
static void
overwrite(struct rh_arena *arena)
{
    for (struct chunk *c = arena->chunks; c; c = c->next)
        explicit_bzero(c->bytes, c == arena->chunks ? (size_t)(arena->at - c->bytes) : c->size);
    arena->secret = false;
}

void
rh_arena_reset(struct rh_arena *arena)
{
    run_deferred(arena);
    if (arena->secret)
        overwrite(arena);
    while (arena->chunks && (arena->chunks->next || is_guarded(arena))) {
        struct chunk *next = arena->chunks->next;

        arena->total -= taken(arena, arena->chunks);
        release(arena, arena->chunks);
        arena->chunks = next;
    }
    arena->at = arena->chunks ? arena->chunks->bytes : NULL;
    arena->end = arena->chunks ? arena->chunks->bytes + arena->chunks->size : NULL;
}

void
rh_arena_free(struct rh_arena *arena)
{
    if (!arena)
        return;
    rh_arena_reset(arena);
    release(arena, arena->chunks);
    free(arena);
}

void *
rh_arena_room(struct rh_arena *arena, size_t n)
{
    void *p;

    if (n > SIZE_MAX / 2)
        n = SIZE_MAX / 2; /* will not be had, and says so */
    if (!is_guarded(arena))
        n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (is_guarded(arena) || ((size_t)(arena->end - arena->at) < n && !open_window(arena, n)) || !arena->at)
        add_chunk(arena, n);
    p = arena->at;
    arena->at += n;
    return p;
}

void *
rh_arena_alloc(struct rh_arena *arena, size_t n)
{
    return memset(rh_arena_room(arena, n), 0, n);
}

char *
rh_arena_strndup(struct rh_arena *arena, const char *s, size_t n)
{
    char *p = rh_arena_room(arena, n + 1);

    if (n)
        memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *
rh_arena_strdup(struct rh_arena *arena, const char *s)
{
    return rh_arena_strndup(arena, s, strlen(s));
}

char *
rh_arena_printf(struct rh_arena *arena, const char *fmt, ...)
{
    va_list ap, again;
    int n;
    char *p;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        n = 0;
    p = rh_arena_alloc(arena, (size_t)n + 1);
    (void)vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

void
rh_arena_defer(struct rh_arena *arena, void (*fn)(void *), void *data)
{
    struct deferred *d = rh_arena_alloc(arena, sizeof *d);

    d->fn = fn;
    d->data = data;
    d->next = arena->deferred;
    arena->deferred = d;
}

const void *
rh_arena_host(const struct rh_arena *arena)
{
    return arena->host;
}

size_t
rh_arena_size(const struct rh_arena *arena)
{
    return arena->total;
}
