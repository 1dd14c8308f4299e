/* SPDX-License-Identifier: Apache-2.0 */
/* probe - what the machine's own files say, for facts. */
#include "config.h"

#include "facts/probe.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LARGEST = 8 << 20, /* /proc/cpuinfo of a thousand processors, /etc/passwd of 100,000 accounts */
    MOST_NAMES = 20000,
    LONGEST_TEXT = 4096, /* of one fact */
};

static char *below(const struct rh_probe *l, const char *fmt, va_list ap)
    __attribute__((format(printf, 2, 0)));

static char *
below(const struct rh_probe *l, const char *fmt, va_list ap)
{
    rh_autofree char *path = rh_vprintf(fmt, ap);

    return rh_arena_printf(l->arena, "%s%s", l->root, path);
}

const char *
rh_probe_path(const struct rh_probe *l, const char *fmt, ...)
{
    const char *path;
    va_list ap;

    va_start(ap, fmt);
    path = below(l, fmt, ap);
    va_end(ap);
    return path;
}

/* Opened without waiting for anybody: a pipe in the place of a file stops nothing. */
static char *
read_whole(const struct rh_probe *l, const char *path, bool with_nul)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    rh_autobuf struct rh_buf b = { 0 };
    struct stat st;
    char *text;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > LARGEST)
        return NULL;
    for (;;) {
        ssize_t got;

        rh_buf_make_room(&b, 4096);
        got = read(fd, b.s + b.n, b.cap - b.n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || b.n + (size_t)got > LARGEST)
            return NULL;
        if (got == 0)
            break;
        b.n += (size_t)got;
    }
    if (b.n && !with_nul && memchr(b.s, '\0', b.n))
        return NULL;
    text = rh_arena_alloc(l->arena, b.n + 2); /* zeroed */
    if (b.n)
        memcpy(text, b.s, b.n);
    return text;
}

char *
rh_probe_text(const struct rh_probe *l, const char *fmt, ...)
{
    char *path;
    va_list ap;

    va_start(ap, fmt);
    path = below(l, fmt, ap);
    va_end(ap);
    return read_whole(l, path, false);
}

char *
rh_probe_blocks(const struct rh_probe *l, const char *path)
{
    return read_whole(l, rh_probe_path(l, "%s", path), true);
}

static char *
trim(char *s)
{
    size_t n;

    s += strspn(s, " \t\r");
    n = strlen(s);
    while (n && strchr(" \t\r\n", s[n - 1]))
        s[--n] = '\0';
    return s;
}

static char *
first_line(const struct rh_probe *l, const char *path)
{
    char *text = read_whole(l, path, false), *line = text ? rh_probe_next(&text) : NULL;

    line = line ? trim(line) : NULL;
    return line && *line ? line : NULL;
}

char *
rh_probe_line(const struct rh_probe *l, const char *fmt, ...)
{
    char *path;
    va_list ap;

    va_start(ap, fmt);
    path = below(l, fmt, ap);
    va_end(ap);
    return first_line(l, path);
}

int64_t
rh_probe_number(const struct rh_probe *l, const char *fmt, ...)
{
    char *path;
    va_list ap;

    va_start(ap, fmt);
    path = below(l, fmt, ap);
    va_end(ap);
    return rh_probe_integer(first_line(l, path));
}

int
rh_probe_image(const struct rh_probe *l)
{
    struct stat ours, first;

    /* As rhost_in_chroot() of the SDK. */
    if (rh_probe_exists(l, "/run/rhost/image") || rh_probe_exists(l, "/dev/rhost/image"))
        return 1;
    if (rh_probe_exists(l, "/run/.containerenv") || rh_probe_exists(l, "/.dockerenv"))
        return 0;
    if (stat(rh_probe_path(l, "/"), &ours) < 0 || stat(rh_probe_path(l, "/proc/1/root/."), &first) < 0)
        return -1;
    return ours.st_dev != first.st_dev || ours.st_ino != first.st_ino;
}

bool
rh_probe_exists(const struct rh_probe *l, const char *path)
{
    struct stat st;

    return lstat(rh_probe_path(l, "%s", path), &st) == 0;
}

char *
rh_probe_link(const struct rh_probe *l, bool all, const char *fmt, ...)
{
    char target[PATH_MAX], *path, *slash;
    ssize_t n;
    va_list ap;

    va_start(ap, fmt);
    path = below(l, fmt, ap);
    va_end(ap);
    n = readlink(path, target, sizeof target);
    if (n <= 0 || n == (ssize_t)sizeof target)
        return NULL;
    target[n] = '\0';
    slash = all ? NULL : strrchr(target, '/');
    return rh_arena_strdup(l->arena, slash ? slash + 1 : target);
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **
rh_probe_names(const struct rh_probe *l, size_t *n, const char *fmt, ...)
{
    rh_autoclosedir DIR *d = NULL;
    rh_autofree char **names = NULL;
    const struct dirent *e;
    size_t used = 0, cap = 0;
    char **list;
    va_list ap;

    va_start(ap, fmt);
    d = opendir(below(l, fmt, ap));
    va_end(ap);
    while (d && used < MOST_NAMES && (e = readdir(d))) {
        if (e->d_name[0] == '.')
            continue;
        names = rh_xgrow(names, &cap, used, sizeof *names);
        names[used++] = rh_arena_strdup(l->arena, e->d_name);
    }
    if (used)
        qsort(names, used, sizeof *names, by_name);
    list = rh_arena_alloc(l->arena, used * sizeof *list);
    if (used)
        memcpy(list, names, used * sizeof *list);
    *n = used;
    return list;
}

char *
rh_probe_next(char **text)
{
    char *line = *text;
    size_t n;

    if (!line || !*line)
        return NULL;
    n = strcspn(line, "\n");
    *text = line[n] ? line + n + 1 : line + n;
    line[n] = '\0';
    return line;
}

char *
rh_probe_word(char **line)
{
    char *word = *line + strspn(*line, " \t");
    size_t n = strcspn(word, " \t");

    if (!*word)
        return NULL;
    *line = word[n] ? word + n + 1 : word + n;
    word[n] = '\0';
    return word;
}

char *
rh_probe_value(char *line, char at)
{
    char *sign = strchr(line, at);

    if (!sign)
        return NULL;
    *sign = '\0';
    (void)trim(line);
    return trim(sign + 1);
}

int64_t
rh_probe_integer(const char *text)
{
    int64_t n = 0;

    if (!text || !*text)
        return -1;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || n > (INT64_MAX - 9) / 10)
            return -1;
        n = n * 10 + (*text - '0');
    }
    return n;
}

struct rh_value *
rh_probe_string(const struct rh_probe *l, const char *text)
{
    size_t n = text ? strlen(text) : 0;

    return n && n <= LONGEST_TEXT && rh_utf8_valid(text, n) ? rh_value_stringn(l->arena, text, n) : NULL;
}

void
rh_probe_put(const struct rh_probe *l, struct rh_value *hash, const char *key, const char *text)
{
    struct rh_value *v = rh_probe_string(l, text);

    if (v)
        rh_value_put(hash, key, v);
}

void
rh_probe_put_number(const struct rh_probe *l, struct rh_value *hash, const char *key, int64_t n)
{
    if (n >= 0)
        rh_value_put(hash, key, rh_value_integer(l->arena, n));
}

void
rh_probe_put_boolean(const struct rh_probe *l, struct rh_value *hash, const char *key, bool b)
{
    rh_value_put(hash, key, rh_value_boolean(l->arena, b));
}

struct rh_value *
rh_probe_filled(struct rh_value *hash)
{
    return hash->count ? hash : NULL;
}
