/* SPDX-License-Identifier: Apache-2.0 */
/* content - large values that runs have replaced or removed. */
#include "config.h"

#include "run/content.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/new-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <rhost/sha256.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct rh_content_store {
    char *state_dir, *run;
    char *store, *own; /* `content`, and the run's own folder */
    uint64_t most, used;
    int fd;     /* of the store; -1: nothing was added yet */
    bool dirty; /* something may not be on disk */
};

struct rh_content_store *
rh_contents_open(const char *state_dir, const char *run, uint64_t most)
{
    struct rh_content_store *c = rh_xalloc(sizeof *c);

    *c = (struct rh_content_store){
        .state_dir = rh_xstrdup(state_dir),
        .run = rh_xstrdup(run),
        .store = rh_printf("%s/content", state_dir),
        .own = rh_printf("%s/runs/%s.content", state_dir, run),
        .most = most,
        .fd = -1,
    };
    return c;
}

static const char unfinished[] = "new.";

void
rh_contents_remove_leftovers(const char *state_dir)
{
    rh_autofree char *store = rh_printf("%s/content", state_dir);
    rh_autoclosedir DIR *d = opendir(store);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        if (strncmp(e->d_name, unfinished, sizeof unfinished - 1) == 0
            && unlinkat(dirfd(d), e->d_name, 0) < 0)
            rh_debug("cannot remove '%s/%s': %s", store, e->d_name, strerror(errno));
}

void
rh_contents_free(struct rh_content_store *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        (void)close(c->fd);
    free(c->state_dir);
    free(c->run);
    free(c->store);
    free(c->own);
    free(c);
}

static bool
is_digest(const char *name)
{
    return strspn(name, "0123456789abcdef") == RH_CONTENT_DIGEST - 1 && !name[RH_CONTENT_DIGEST - 1];
}

/* Removes what no run has a link of, with what killed runs have left; `used` gets the bytes of the others. */
static void
sweep(const char *store, uint64_t *used)
{
    rh_autoclosedir DIR *d = opendir(store);
    const struct dirent *e;
    struct stat st;

    *used = 0;
    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.' && (!e->d_name[1] || e->d_name[1] == '.'))
            continue;
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
            continue;
        if (st.st_nlink > 1 && is_digest(e->d_name))
            *used += (uint64_t)st.st_size;
        else if (unlinkat(dirfd(d), e->d_name, 0) < 0)
            rh_debug("cannot remove '%s/%s': %s", store, e->d_name, strerror(errno));
    }
}

/* Removes the links of a run; the contents themselves are left to sweep(). -1: its folder is still there. */
static int
remove_links(const char *state_dir, const char *run)
{
    rh_autofree char *own = rh_printf("%s/runs/%s.content", state_dir, run);
    rh_autoclosedir DIR *d = opendir(own);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        if (is_digest(e->d_name) && unlinkat(dirfd(d), e->d_name, 0) < 0)
            rh_debug("cannot remove '%s/%s': %s", own, e->d_name, strerror(errno));
    if (rmdir(own) == 0)
        return 0;
    rh_debug("cannot remove '%s': %s", own, strerror(errno));
    return -1;
}

void
rh_contents_remove(const char *state_dir, const char *run)
{
    rh_autofree char *own = rh_printf("%s/runs/%s.content", state_dir, run);
    rh_autofree char *store = rh_printf("%s/content", state_dir);
    uint64_t used;

    if (access(own, F_OK) < 0)
        return;
    (void)remove_links(state_dir, run);
    sweep(store, &used);
}

/* The run whose folder of contents this is, or NULL: the caller's. */
static char *
run_of(const char *name)
{
    static const char ending[] = ".content";
    size_t n = strlen(name);

    return n >= sizeof ending && strcmp(name + n - (sizeof ending - 1), ending) == 0
               ? rh_xstrndup(name, n - (sizeof ending - 1))
               : NULL;
}

/* The oldest run with a folder of contents that is not this one, by name: the caller's. NULL: there is none.
 */
static char *
oldest_run(const char *state_dir, const char *but)
{
    rh_autofree char *folder = rh_printf("%s/runs", state_dir);
    rh_autoclosedir DIR *d = opendir(folder);
    const struct dirent *e;
    char *oldest = NULL;

    while (d && (e = readdir(d))) {
        rh_autofree char *run = run_of(e->d_name);

        if (!run || (but && strcmp(run, but) == 0) || (oldest && strcmp(run, oldest) > 0))
            continue;
        free(oldest);
        oldest = rh_take(&run);
    }
    return oldest;
}

/* Names of runs begin with their time. */
void
rh_contents_expire(const char *state_dir, unsigned age, const char *keep)
{
    rh_autofree char *store = rh_printf("%s/content", state_dir);
    time_t since = time(NULL) - (time_t)age;
    char least[sizeof "20261231T235959"];
    bool any = false;
    struct tm tm;
    uint64_t used;

    if (!gmtime_r(&since, &tm) || strftime(least, sizeof least, "%Y%m%dT%H%M%S", &tm) != sizeof least - 1)
        return;
    for (;;) {
        rh_autofree char *oldest = oldest_run(state_dir, keep);

        if (!oldest || strncmp(oldest, least, sizeof least - 1) >= 0 || remove_links(state_dir, oldest) < 0)
            break;
        any = true;
    }
    if (any)
        sweep(store, &used);
}

/* Makes room for `n` bytes: the oldest runs lose what they have kept. */
static int
make_room(struct rh_content_store *c, size_t n, struct rh_error *err)
{
    if (n > c->most)
        return rh_error_set(err, RH_ESYSTEM, "it has %zu bytes, and the limit of all contents is %llu", n,
                            (unsigned long long)c->most);
    while (c->used + n > c->most) {
        rh_autofree char *oldest = oldest_run(c->state_dir, c->run);

        if (!oldest || remove_links(c->state_dir, oldest) < 0)
            return rh_error_set(err, RH_ESYSTEM, "this run alone has replaced more than %llu bytes",
                                (unsigned long long)c->most);
        sweep(c->store, &c->used);
    }
    return 0;
}

static int
open_store(struct rh_content_store *c, struct rh_error *err)
{
    if (c->fd >= 0)
        return 0;
    if (rh_make_directory(c->store, 0700, err) < 0 || rh_make_directory(c->own, 0700, err) < 0)
        return -1;
    c->fd = open(c->store, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (c->fd < 0)
        return rh_error_system(err, errno, "cannot open '%s'", c->store);
    sweep(c->store, &c->used);
    return 0;
}

/* Whether it has these bytes: a file that was damaged is no copy. */
static bool
is_intact(const char *path, const void *p, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    size_t there = 0;
    rh_autofree char *bytes = rh_read_kept_file(path, 0, &there, &err);

    return bytes && there == n && memcmp(bytes, p, n) == 0;
}

static int
write_new(struct rh_content_store *c, const char *path, const void *p, size_t n, struct rh_error *err)
{
    rh_autofree char *fresh = rh_printf("%s/%sXXXXXX", c->store, unfinished);
    rh_autoclose int fd = -1;

    if (make_room(c, n, err) < 0)
        return -1;
    fd = mkostemp(fresh, O_CLOEXEC);
    if (fd < 0)
        return rh_error_system(err, errno, "cannot write to '%s'", c->store);
    if (rh_write_all(fd, p, n) < 0) {
        int number = errno;

        (void)unlink(fresh);
        return rh_error_system(err, number, "cannot write to '%s'", c->store);
    }
    if (rh_rename_file(fresh, path, err) < 0) {
        (void)unlink(fresh);
        return -1;
    }
    c->used += n;
    c->dirty = true;
    return 0;
}

int
rh_contents_add(struct rh_content_store *c, const void *p, size_t n, char digest[RH_CONTENT_DIGEST],
                struct rh_error *err)
{
    rh_autofree char *path = NULL, *own = NULL;
    struct rhost_sha256 sum;

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, p, n);
    rhost_sha256_hex(&sum, digest);
    if (open_store(c, err) < 0)
        return -1;
    path = rh_printf("%s/%s", c->store, digest);
    own = rh_printf("%s/%s", c->own, digest);
    if (access(own, F_OK) == 0)
        return 0;
    if (!is_intact(path, p, n) && write_new(c, path, p, n, err) < 0)
        return -1;
    c->dirty = true;
    if (link(path, own) < 0 && errno != EEXIST)
        return rh_error_system(err, errno, "cannot write to '%s'", c->own);
    return 0;
}

int
rh_contents_sync(struct rh_content_store *c, struct rh_error *err)
{
    if (!c->dirty)
        return 0;
    if (syncfs(c->fd) < 0)
        return rh_error_system(err, errno, "cannot sync '%s' to disk", c->store);
    c->dirty = false;
    return 0;
}

char *
rh_content_read(const char *state_dir, const char *run, const char *digest, size_t *n, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/runs/%s.content/%s", state_dir, run, digest);
    rh_autofree char *bytes = NULL;
    char found[RH_CONTENT_DIGEST];
    struct rhost_sha256 sum;

    if (!is_digest(digest)) {
        rh_error_set(err, RH_EINPUT, "'%s' is not a digest", digest);
        return NULL;
    }
    bytes = rh_read_kept_file(path, 0, n, err);
    if (!bytes) {
        rh_error_prefix(err, "a content that the run kept cannot be read");
        return NULL;
    }
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, bytes, *n);
    rhost_sha256_hex(&sum, found);
    if (strcmp(found, digest) == 0)
        return rh_take(&bytes);
    rh_error_set(err, RH_EINPUT, "the content '%s' was damaged: its digest does not match", path);
    return NULL;
}
