/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/lines-read.h - a file or a text, read as lines. Part of <rhost/lines.h>. */
#ifndef RHOST_LINES_READ_H
#define RHOST_LINES_READ_H

/* With -std=c11 the C library hides what POSIX has, unless this stands before its first header. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <rhost/file.h>
#include <rhost/keep.h>
#include <rhost/path.h>
#include <rhost/provider.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

/* Larger files are refused: whoever owns one must not use up our memory, `truncate -s 20G` is quickly done. */
#ifndef RHOST_LINES_LARGEST
#define RHOST_LINES_LARGEST ((size_t)64 << 20)
#endif

/* So often a file is read and edited again because somebody else changed it in between. */
#define RHOST_LINES_TRIES 5

#ifdef __cplusplus
extern "C" {
#endif

struct rhost_line {
    const char *text; /* not terminated; may hold any byte but a newline */
    size_t len;       /* without what ends it */
    unsigned end;     /* bytes that end it: 1 "\n", 2 "\r\n", 0 for the last of a file without newline */
    char *own;        /* the text, when it was put there */
};

struct rhost_lines {
    char *path;
    int exists; /* 0: there is no such file, which is an empty one */
    int failed; /* memory ran out while editing: it can't be written any more */
    int edited; /* or it should have been: saving it then says why not */
    struct stat stat;
    struct timespec read_at;
    char *text; /* of the file, whole */
    size_t text_len;
    struct rhost_line *at;
    size_t n, room;
};

static inline void
rhost_lines_free(struct rhost_lines *l)
{
    int why = errno;

    for (size_t i = 0; l && i < l->n; i++)
        free(l->at[i].own);
    if (l) {
        free(l->path);
        free(l->text);
        free(l->at);
    }
    free(l);
    errno = why;
}

static inline int
rhost_lines_grow(struct rhost_lines *l, size_t n)
{
    size_t room = l->room ? l->room * 2 : 64;
    struct rhost_line *at;

    if (n <= l->room)
        return 0;
    if (room < n)
        room = n;
    at = (struct rhost_line *)realloc(l->at, room * sizeof *at);
    if (!at) {
        l->failed = l->edited = 1;
        return -1;
    }
    l->at = at;
    l->room = room;
    return 0;
}

/* Splits l->text, which is complete. */
static inline int
rhost_lines_split(struct rhost_lines *l)
{
    const char *p = l->text, *end = l->text + l->text_len;
    size_t n = 0;

    for (const char *q = p; q < end; n++) {
        const char *newline = (const char *)memchr(q, '\n', (size_t)(end - q));

        q = newline ? newline + 1 : end;
    }
    if (rhost_lines_grow(l, n + 8) < 0)
        return -1;
    while (p < end) {
        const char *newline = (const char *)memchr(p, '\n', (size_t)(end - p));
        struct rhost_line *line = &l->at[l->n++];

        memset(line, 0, sizeof *line);
        line->text = p;
        line->len = (size_t)((newline ? newline : end) - p);
        if (newline)
            line->end = line->len && newline[-1] == '\r' ? 2 : 1;
        if (line->end == 2)
            line->len--;
        p = newline ? newline + 1 : end;
    }
    return 0;
}

/* What is in memory already, as what a command printed. NULL when memory is out. */
RHOST_UNUSED static inline struct rhost_lines *
rhost_lines_from(const char *text, size_t len)
{
    struct rhost_lines *l = (struct rhost_lines *)calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->exists = 1;
    l->text = (char *)malloc(len ? len : 1);
    if (l->text) {
        if (len)
            memcpy(l->text, text, len);
        l->text_len = len;
        if (rhost_lines_split(l) == 0)
            return l;
    }
    rhost_lines_free(l);
    return NULL;
}

/* Reads all that `fd` has, which stays open. -1 with errno; EFBIG: it has more than `largest` bytes. */
static inline int
rhost_lines_fill(struct rhost_lines *l, int fd, size_t largest)
{
    size_t room;
    ssize_t got = 0;

    if (fstat(fd, &l->stat) < 0)
        return -1;
    if (S_ISDIR(l->stat.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (!S_ISREG(l->stat.st_mode)) {
        errno = EINVAL; /* a device or a pipe has no lines that could be kept */
        return -1;
    }
    errno = EFBIG;
    if ((uint64_t)l->stat.st_size > largest)
        return -1;
    (void)clock_gettime(CLOCK_REALTIME, &l->read_at);
    room = (size_t)l->stat.st_size + 1;
    l->text = (char *)malloc(room);
    while (l->text && (got = read(fd, l->text + l->text_len, room - l->text_len)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        l->text_len += (size_t)got;
        errno = EFBIG;
        if (l->text_len > largest)
            return -1;
        if (l->text_len == room) { /* it grew meanwhile, or has no size, as in /proc */
            char *more = (char *)realloc(l->text, room * 2);

            if (!more)
                return -1;
            l->text = more;
            room *= 2;
        }
    }
    if (!l->text)
        return -1;
    l->exists = 1;
    return rhost_lines_split(l);
}

/* The file that is open as `fd` (-1: there is none), if it has no more than `largest` bytes; `path` is what it is
 * called in messages. NULL with errno. */
RHOST_UNUSED static inline struct rhost_lines *
rhost_lines_read_fd(int fd, const char *path, size_t largest)
{
    struct rhost_lines *l = (struct rhost_lines *)calloc(1, sizeof *l);

    if (!l)
        return NULL;
    l->path = strdup(path);
    if (!l->path || (fd >= 0 && rhost_lines_fill(l, fd, largest) < 0)) {
        rhost_lines_free(l);
        return NULL;
    }
    return l;
}

/* NULL with errno. A file that is missing is an empty one, with `exists` 0. Links are followed. */
RHOST_UNUSED static inline struct rhost_lines *
rhost_lines_read(rhost_ctx *ctx, const char *path)
{
    /* O_NONBLOCK: a named pipe must not hold us up. */
    int fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    struct rhost_lines *l;

    if (fd < 0 && errno != ENOENT)
        return NULL;
    l = rhost_lines_read_fd(fd, path, RHOST_LINES_LARGEST);
    rhost_path_close(fd);
    return l;
}

/* Says with errno why a file could not be read. */
RHOST_UNUSED static inline int
rhost_lines_fail(rhost_ctx *ctx, const char *path)
{
    if (errno == EFBIG)
        return rhost_fail(ctx, "cannot read '%s': it is larger than %lu MiB", path,
                          (unsigned long)(RHOST_LINES_LARGEST >> 20));
    if (errno == EINVAL)
        return rhost_fail(ctx, "cannot read '%s': it is not a regular file", path);
    return rhost_fail_path(ctx, "cannot read '%s'", path);
}

/* Whether the file at its path is still what was read. One that was changed in the very moment in
 * which it was read is not trusted: its times could not tell. The path is not walked with care here: wherever
 * it leads, only the very file that was read is taken for it. */
RHOST_UNUSED static inline int
rhost_lines_are_fresh(const struct rhost_lines *l)
{
    const struct stat *was = &l->stat;
    struct stat now;
    double age;

    if (l->edited || l->failed)
        return 0;
    if (stat(l->path, &now) < 0)
        return errno == ENOENT && !l->exists;
    age = (double)(l->read_at.tv_sec - was->st_ctim.tv_sec)
          + (double)(l->read_at.tv_nsec - was->st_ctim.tv_nsec) / 1e9;
    return l->exists && age > 0.02 && now.st_ino == was->st_ino && now.st_dev == was->st_dev
           && now.st_size == was->st_size && now.st_mtim.tv_sec == was->st_mtim.tv_sec
           && now.st_mtim.tv_nsec == was->st_mtim.tv_nsec
           && now.st_ctim.tv_sec == was->st_ctim.tv_sec
           && now.st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

/* Whether this is text as values have it. Files may hold anything: what is in another encoding can't be
 * reported as a string, and is best left unknown. */
RHOST_UNUSED static inline int
rhost_is_utf8(const char *text, size_t len)
{
    const unsigned char *p = (const unsigned char *)text, *end = len ? p + len : p;

    while (p < end) {
        size_t more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 : *p >= 0xe0 && *p < 0xf0 ? 2 : 3;

        if ((more == 3 && (*p < 0xf0 || *p > 0xf4)) || (size_t)(end - p) <= more)
            return 0;
        if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f)
            || (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
            return 0;
        for (p++; more; more--, p++)
            if ((*p & 0xc0) != 0x80)
                return 0;
    }
    return 1;
}

#ifdef __cplusplus
}
#endif

#endif
