/* SPDX-License-Identifier: Apache-2.0 */
/* scratch-site - where a target keeps a site while it is used. */
#include "config.h"

#include "reach/scratch-site.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/trust.h"
#include "reach/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "rhost-push."
enum { OLD = 60 /* seconds */ };

#define SITE "site" /* beside the lock: the site may have any name */

static bool
is_in_memory(const char *path, struct statfs *fs)
{
    return statfs(path, fs) == 0
           && ((uint32_t)fs->f_type == TMPFS_MAGIC || (uint32_t)fs->f_type == RAMFS_MAGIC);
}

/* Whether a directory without a lock was left by a receiver that was killed while it made or removed it. A
 * new directory has no lock for a moment. */
static bool
is_old(const struct stat *st)
{
    return st->st_mtime < time(NULL) - OLD;
}

/* A directory whose lock no process holds was left by a receiver that was killed. */
static void
remove_leftovers(const char *where)
{
    rh_autoclosedir DIR *dir = opendir(where);
    struct dirent *e;

    while (dir && (e = readdir(dir))) {
        rh_autofree char *path = NULL;
        struct stat st;
        rh_autoclose int at = -1;
        rh_autoclose int lock = -1;

        if (strncmp(e->d_name, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        at = openat(dirfd(dir), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (at < 0 || fstat(at, &st) < 0 || st.st_uid != geteuid())
            continue;
        lock = openat(at, ".lock", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (lock < 0 ? errno != ENOENT || !is_old(&st) : flock(lock, LOCK_EX | LOCK_NB) < 0)
            continue;
        path = rh_printf("%s/%s", where, e->d_name);
        rh_remove_tree(path);
    }
}

/* The directory `top`, or, where that is NULL, one with a new name. */
static char *
make_top(const char *where, const char *top, struct rh_error *err)
{
    rh_autofree char *path = top ? rh_xstrdup(top) : rh_printf("%s/" PREFIX "XXXXXX", where);

    if (top ? mkdir(path, 0700) == 0 : mkdtemp(path) != NULL)
        return rh_take(&path);
    if (top && errno == EEXIST)
        (void)rh_error_set(err, RH_EINPUT, "'%s' exists: another push makes or applies this plan", path);
    else
        (void)rh_error_system(err, errno, "cannot create a directory in '%s'", where);
    return NULL;
}

/* 1: created; 0: not there, or not in memory; -1: there, and of no use, with an error. */
static int
try_place(struct rh_scratch_site *s, const char *where, const char *asked, uint64_t bytes,
          struct rh_error *err)
{
    struct statfs fs;
    rh_autoclose int top = -1;

    if (!is_in_memory(where, &fs))
        return 0;
    if (geteuid() == 0 && rh_trust_path(where, 0, err) < 0)
        return rh_error_prefix(err, "the site cannot be kept in '%s'", where);
    remove_leftovers(where);
    if ((uint32_t)fs.f_type == TMPFS_MAGIC && fs.f_blocks && statfs(where, &fs) == 0
        && fs.f_bavail * (uint64_t)fs.f_bsize < bytes + (1 << 20))
        return rh_error_set(err, RH_ESYSTEM,
                            "no space: '%s' has room for %llu KiB, and the site needs %llu KiB", where,
                            (unsigned long long)(fs.f_bavail * (uint64_t)fs.f_bsize / 1024),
                            (unsigned long long)(bytes / 1024 + 1024));
    s->top = make_top(where, asked, err);
    if (!s->top)
        return -1;
    s->path = rh_printf("%s/" SITE, s->top);
    top = open(s->top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* It gets its name when it is held: from then on others look at it. */
    s->lock = top < 0 ? -1 : openat(top, ".lock.new", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (s->lock >= 0 && flock(s->lock, LOCK_EX | LOCK_NB) == 0
        && renameat(top, ".lock.new", top, ".lock") == 0 && mkdirat(top, SITE, 0700) == 0)
        s->dir = openat(top, SITE, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (s->dir < 0)
        return rh_error_system(err, errno, "cannot create a directory in '%s'", s->top);
    return 1;
}

/* Whether `top` is a directory of ours in this place; only its name can be anything. */
static bool
is_below(const char *top, const char *where)
{
    rh_autofree char *real = realpath(where, NULL);
    size_t n = real ? strlen(real) : 0;

    if (!n || strncmp(top, real, n) != 0 || top[n] != '/'
        || strncmp(top + n + 1, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    top += n + sizeof PREFIX;
    return strlen(top) >= 6
           && strspn(top, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == strlen(top);
}

int
rh_scratch_site_open(struct rh_scratch_site *s, const char *top, uint64_t bytes, struct rh_error *err)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    rh_autofree char *own = rh_printf("/run/user/%u", (unsigned)geteuid());
    const char *places[] = { geteuid() == 0 ? "/run" : NULL, runtime && *runtime == '/' ? runtime : NULL, own,
                             "/dev/shm" };
    rh_autoerror struct rh_error why = { 0 };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        rh_autoerror struct rh_error one = { 0 };
        int made = 0;

        if (places[i] && (!top || is_below(top, places[i])))
            made = try_place(s, places[i], top, bytes, &one);

        if (made > 0)
            return 0;
        rh_scratch_site_close(s);
        if (made < 0 && !why.message)
            rh_error_move(&why, &one);
    }
    if (why.message) {
        rh_error_move(err, &why);
        return -1;
    }
    if (top)
        return rh_error_set(err, RH_EINPUT, "a site cannot be kept in '%s', where the plan was made", top);
    return rh_error_set(
        err, RH_ESYSTEM,
        "no file system in memory: a site may have secrets, and is kept in a tmpfs at /run or "
        "/dev/shm only");
}

void
rh_scratch_site_close(struct rh_scratch_site *s)
{
    if (s->file >= 0)
        (void)close(s->file);
    if (s->dir >= 0)
        (void)close(s->dir);
    if (s->top)
        rh_remove_tree(s->top);
    if (s->lock >= 0)
        (void)close(s->lock);
    free(s->top);
    free(s->path);
    *s = RH_SCRATCH_SITE_INIT;
}

/* The directory that the file is in, with those on the way; -1 with errno. */
static int
make_parents(const struct rh_scratch_site *s, const char *path, const char **name)
{
    rh_autofree char *copy = rh_xstrdup(path);
    char *rest = copy, *slash;
    rh_autoclose int at = fcntl(s->dir, F_DUPFD_CLOEXEC, 3);

    while (at >= 0 && (slash = strchr(rest, '/'))) {
        int next;

        *slash = '\0';
        if (mkdirat(at, rest, 0700) < 0 && errno != EEXIST)
            return -1;
        next = openat(at, rest, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        (void)close(at);
        at = next;
        rest = slash + 1;
    }
    *name = path + (rest - copy);
    return rh_take_fd(&at);
}

int
rh_scratch_site_file(struct rh_scratch_site *s, const char *path, uint64_t size, bool executable,
                     struct rh_error *err)
{
    const char *name = path;
    rh_autoclose int at = -1;

    if (s->missing)
        return rh_error_set(err, RH_EINPUT, "file '%s' comes before the end of another one", path);
    if (++s->n_files > RH_SITE_FILES || (s->n_bytes += size) > (uint64_t)RH_SITE_BYTES * 2)
        return rh_error_set(err, RH_EINPUT, "the site is too large");
    if (s->file >= 0)
        (void)close(s->file);
    s->file = -1;
    at = make_parents(s, path, &name);
    if (at >= 0)
        s->file =
            openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, executable ? 0700 : 0600);
    if (s->file < 0)
        return rh_error_system(err, errno, "cannot create '%s' for the site", path);
    s->missing = size;
    return 0;
}

int
rh_scratch_site_data(struct rh_scratch_site *s, const void *p, size_t n, struct rh_error *err)
{
    if (n > s->missing || s->file < 0)
        return rh_error_set(err, RH_EINPUT, "more data than the file has");
    if (rh_write_all(s->file, p, n) < 0)
        return rh_error_system(err, errno, "cannot write to '%s'", s->path);
    s->missing -= n;
    return 0;
}
