/* SPDX-License-Identifier: Apache-2.0 */
/* folder - what is in a directory, with all that is below it. */
#include "config.h"

#include "base/folder.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 64 };

struct walk {
    struct rh_folder_contents *folder;
    const char *name; /* of the directory, for messages */
    size_t limit;
    struct rh_error *err;
};

void
rh_folder_clear(struct rh_folder_contents *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->v[i].path);
        free(f->v[i].target);
    }
    free(f->v);
    *f = (struct rh_folder_contents){ 0 };
}

bool
rh_folder_is_left_out(const char *name)
{
    static const char *const patterns[] = { ".git",       ".hg", ".svn", ".DS_Store", "*~",
                                            ".*.sw[a-p]", "#*#", ".#*",  NULL };

    for (size_t i = 0; patterns[i]; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

static int
by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
    char **v;
    size_t n, cap;
};

static void
clear_names(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->v[i]);
    free(names->v);
}

/* Sorted. Takes the descriptor. */
static int
read_names(const struct walk *w, int fd, const char *below, struct names *names)
{
    rh_autoclosedir DIR *d = fdopendir(fd);
    const struct dirent *e;

    if (!d) {
        int why = errno;

        (void)close(fd);
        return rh_error_system(w->err, why, "cannot read the directory '%s/%s'", w->name, below);
    }
    while ((errno = 0, e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (!rh_utf8_valid(e->d_name, strlen(e->d_name)))
            return rh_error_set(w->err, RH_EINPUT, "'%s/%s' has an entry whose name is not UTF-8", w->name,
                                below);
        names->v = rh_xgrow((void *)names->v, &names->cap, names->n, sizeof *names->v);
        names->v[names->n++] = rh_xstrdup(e->d_name);
    }
    if (errno)
        return rh_error_system(w->err, errno, "cannot read the directory '%s/%s'", w->name, below);
    if (names->n)
        qsort((void *)names->v, names->n, sizeof *names->v, by_bytes);
    return 0;
}

static int
read_target(const struct walk *w, int at, const char *name, const char *path, char **target)
{
    char text[PATH_MAX];
    ssize_t n = readlinkat(at, name, text, sizeof text);

    if (n < 0)
        return rh_error_system(w->err, errno, "cannot read the link '%s/%s'", w->name, path);
    if ((size_t)n == sizeof text || !rh_utf8_valid(text, (size_t)n))
        return rh_error_set(w->err, RH_EINPUT, "the target of the link '%s/%s' is too long, or not UTF-8",
                            w->name, path);
    *target = rh_xstrndup(text, (size_t)n);
    return 0;
}

static int walk(const struct walk *w, int at, const char *below, int depth);

static int
add(const struct walk *w, int at, const char *name, const char *below, int depth)
{
    struct rh_folder_contents *f = w->folder;
    struct rh_folder_entry *e;
    struct stat st;

    if (f->n >= w->limit)
        return rh_error_set(w->err, RH_EINPUT, "'%s' has more than %zu entries", w->name, w->limit);
    f->v = rh_xgrow(f->v, &f->cap, f->n, sizeof *f->v);
    e = &f->v[f->n++];
    *e = (struct rh_folder_entry){ .path = rh_printf("%s%s", below, name) };
    if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return rh_error_system(w->err, errno, "cannot stat '%s/%s'", w->name, e->path);
    e->executable = S_ISREG(st.st_mode) && st.st_mode & S_IXUSR;
    e->kind = S_ISDIR(st.st_mode)   ? RH_FOLDER_DIRECTORY
              : S_ISLNK(st.st_mode) ? RH_FOLDER_LINK
                                    : RH_FOLDER_FILE;
    if (e->kind == RH_FOLDER_LINK)
        return read_target(w, at, name, e->path, &e->target);
    if (e->kind == RH_FOLDER_FILE && !S_ISREG(st.st_mode))
        return rh_error_set(w->err, RH_EINPUT, "'%s/%s' is a special file", w->name, e->path);
    if (e->kind == RH_FOLDER_DIRECTORY) {
        rh_autofree char *inner = rh_printf("%s/", e->path);
        int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

        if (fd < 0)
            return rh_error_system(w->err, errno, "cannot open the directory '%s/%s'", w->name, inner);
        return walk(w, fd, inner, depth + 1);
    }
    return 0;
}

/* Takes the descriptor. `below` ends in '/' unless it is empty. */
static int
walk(const struct walk *w, int at, const char *below, int depth)
{
    __attribute__((cleanup(clear_names))) struct names names = { 0 };
    rh_autoclose int own = depth > DEEPEST ? -1 : fcntl(at, F_DUPFD_CLOEXEC, 3);

    if (own < 0) {
        int why = errno;

        (void)close(at);
        return depth > DEEPEST
                   ? rh_error_set(w->err, RH_EINPUT, "'%s' is nested more than %d deep", w->name, DEEPEST)
                   : rh_error_system(w->err, why, "cannot read the directory '%s'", w->name);
    }
    if (read_names(w, at, below, &names) < 0)
        return -1;
    for (size_t i = 0; i < names.n; i++)
        if (add(w, own, names.v[i], below, depth) < 0)
            return -1;
    return 0;
}

int
rh_folder_list(int fd, const char *name, size_t limit, struct rh_folder_contents *f, struct rh_error *err)
{
    const struct walk w = { .folder = f, .name = name, .limit = limit, .err = err };

    return walk(&w, fd, "", 0);
}
