/* SPDX-License-Identifier: Apache-2.0 */
/* source - files of the machine, read whole. */
#include "config.h"

#include "capture/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/safe-path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 4 << 20 }; /* of a file with settings */

char *
rh_capture_bytes(const char *path, size_t limit, size_t *len, struct stat *st)
{
    struct rh_unsafe unsafe;
    rh_autoclose int fd = rh_safe_open(path, false, O_RDONLY | O_NONBLOCK, 0, &unsafe);
    size_t n = 0, size;
    ssize_t got;
    char *text;

    if (fd < 0 || fstat(fd, st) < 0)
        return NULL;
    if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size > limit) {
        errno = S_ISREG(st->st_mode) ? EFBIG : S_ISDIR(st->st_mode) ? EISDIR : EINVAL;
        return NULL;
    }
    size = (size_t)st->st_size;
    text = rh_xalloc(size + 1);
    while (n < size && ((got = read(fd, text + n, size - n)) > 0 || (got < 0 && errno == EINTR)))
        n += got > 0 ? (size_t)got : 0;
    text[n] = '\0';
    *len = n;
    return text;
}

char *
rh_capture_read(struct looking *l, const char *path, size_t *len, struct stat *st)
{
    rh_autofree char *text = rh_capture_bytes(path, LARGEST, len, st);

    return text ? rh_arena_strndup(l->arena, text, *len) : NULL;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static size_t
names_in(struct looking *l, const char *directory, bool hidden, const char ***names)
{
    struct rh_unsafe unsafe;
    int fd = rh_safe_open(directory, true, O_RDONLY | O_DIRECTORY, 0, &unsafe);
    rh_autoclosedir DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    const char **list = NULL;
    size_t n = 0, cap = 0;
    const struct dirent *e;

    if (fd >= 0 && !dir)
        (void)close(fd);
    while (dir && (e = readdir(dir))) {
        if (*e->d_name == '.' && (!hidden || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0))
            continue;
        list = rh_xgrow(list, &cap, n, sizeof *list);
        list[n++] = rh_arena_strdup(l->arena, e->d_name);
    }
    *names = rh_arena_alloc(l->arena, (n + 1) * sizeof **names);
    if (n) {
        memcpy(*names, list, n * sizeof *list);
        qsort(*names, n, sizeof **names, by_text);
    }
    free(list);
    return n;
}

size_t
rh_capture_names(struct looking *l, const char *directory, const char ***names)
{
    return names_in(l, directory, false, names);
}

size_t
rh_capture_all_names(struct looking *l, const char *directory, const char ***names)
{
    return names_in(l, directory, true, names);
}

char *
rh_capture_line(char **text)
{
    char *line = *text, *end;

    if (!line || !*line)
        return NULL;
    end = strchr(line, '\n');
    *text = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return line;
}

const char *
rh_capture_secret(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && !S_ISLNK(st.st_mode) && !(st.st_mode & S_IROTH)
               ? "not everybody may read it"
               : NULL;
}

bool
rh_capture_ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);

    return n >= m && strcmp(s + n - m, end) == 0;
}
