/* SPDX-License-Identifier: Apache-2.0 */
/* open - a file type.yaml is opened, with the program that it names. A file that was opened before and is the
 * same gives the same plugin: its types and transports find each other by that. */

#include "keep.h"
#include "type.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

/* What is named by a path, from the folder on, is to be ours as the file is; the rest is looked up. */
static int
find_program(const struct rhost_bridge_host *host, struct description *s)
{
    struct text why = { 0 };
    int rc = 0;

    s->program = NULL;
    for (size_t i = 0; rc == 0 && s->argv[i]; i++) {
        const char *arg = s->argv[i];
        bool beside = strncmp(arg, "./", 2) == 0;

        if (i == 0 && arg[0] != '/' && strchr(arg, '/') && !beside) {
            text_addf(&why, "its program '%s' is neither a name, nor a path that begins with / or ./", arg);
            host->refuse(host, 0, why.s);
            rc = -1;
        }
        if (beside) {
            struct text path = { 0 };

            text_addf(&path, "%s%s", s->folder, arg + 1);
            s->argv[i] = keep(path.s);
            if (!s->program)
                s->program = s->argv[i];
            text_clear(&path);
        }
        if (rc == 0 && (beside || (i == 0 && arg[0] == '/'))) {
            list_add(&s->files, s->argv[i]);
            rc = host->check_file(host, s->argv[i]);
        }
    }
    if (rc == 0 && strchr(s->argv[0], '/') && access(s->argv[0], X_OK) < 0) {
        text_addf(&why, "its program '%s' cannot be executed: %s", s->argv[0], strerror(errno));
        host->refuse(host, 1, why.s);
        rc = -1;
    }
    if (!s->program)
        s->program = s->argv[0];
    text_clear(&why);
    return rc;
}

static char *
read_file(const struct rhost_bridge_host *host, const char *path, struct stat *st, size_t *n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct text why = { 0 }, all = { 0 };
    char chunk[8192], *copy = NULL;
    ssize_t got = fd < 0 || fstat(fd, st) < 0 ? -1 : 0;

    while (fd >= 0 && all.n <= LARGEST && (got = read(fd, chunk, sizeof chunk)) > 0)
        text_add(&all, chunk, (size_t)got);
    if (got < 0)
        text_addf(&why, "it cannot be read: %s", strerror(errno));
    else if (all.n > LARGEST)
        text_adds(&why, "it cannot be read: it is larger than 1 MiB");
    if (why.s) {
        host->refuse(host, 1, why.s);
    } else {
        copy = need_text(all.n ? all.s : "", all.n);
        *n = all.n;
    }
    if (fd >= 0)
        (void)close(fd);
    text_clear(&why);
    text_clear(&all);
    return copy;
}

/* What was opened, the last first. */
static struct opened {
    const struct opened *before;
    const char *path;
    struct stat st;
    const struct description *description;
} const *all_opened;

static bool
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
           && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec
           && a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

static const struct description *
find_opened(const char *path)
{
    struct stat st;

    for (const struct opened *o = all_opened; o; o = o->before)
        if (strcmp(o->path, path) == 0)
            return stat(path, &st) == 0 && is_same(&st, &o->st) ? o->description : NULL;
    return NULL;
}

static void
remember(const char *path, const struct stat *st, const struct description *description)
{
    struct opened *o = keep_room(sizeof *o);

    *o = (struct opened){ all_opened, keep(path), *st, description };
    all_opened = o;
}

static const struct rhost_plugin *
open_again(const struct rhost_bridge_host *host, const struct description *d)
{
    for (size_t i = 0; i < d->files.n; i++)
        if (host->check_file(host, d->files.at[i]) < 0)
            return NULL;
    return &d->plugin;
}

const struct rhost_plugin *
type_open(const struct rhost_bridge_host *host, const char *path)
{
    const struct description *opened = find_opened(path);
    struct description *d;
    struct text why = { 0 };
    struct stat st = { 0 };
    size_t n = 0;
    char *text, *folder;
    int rc;

    if (opened)
        return open_again(host, opened);
    text = read_file(host, path, &st, &n);
    if (!text)
        return NULL;
    d = keep_room(sizeof *d);
    folder = need_text(path, (size_t)(strrchr(path, '/') - path));
    d->folder = keep(folder);
    free(folder);
    rc = type_read(d, text, n, &why);
    if (rc < 0)
        host->refuse(host, 0, why.s);
    text_clear(&why);
    free(text);
    if (rc < 0 || find_program(host, d) < 0)
        return NULL;
    remember(path, &st, d);
    return &d->plugin;
}
