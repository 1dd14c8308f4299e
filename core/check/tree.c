/* SPDX-License-Identifier: Apache-2.0 */
/* tree - what a directory has in it, as text. */
#include "config.h"

#include "check/scratch.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/mounted.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <rhost/sha256.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 64 << 20 };

static int
by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static int
add_content(struct rh_buf *b, const char *path, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *text = rh_read_file(path, LARGEST, &n, err);
    struct rhost_sha256 sum;
    char hex[65];

    if (!text)
        return -1;
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, text, n);
    rhost_sha256_hex(&sum, hex);
    rh_buf_addf(b, " %s", hex);
    return 0;
}

struct listing {
    struct rh_buf *b;
    const char *dir, *shown, *old;
};

/* Whether this is in the old directory as well, by all that a file says without being read: a file
 * that was opened for writing is copied, and not changed by that. */
static bool
is_old(const struct listing *l, const FTSENT *e)
{
    const struct stat *new = e->fts_statp;
    rh_autofree char *path = l->old ? rh_printf("%s%s", l->old, e->fts_path + strlen(l->dir)) : NULL;
    struct stat old;

    return path && lstat(path, &old) == 0
           && old.st_mode == new->st_mode &&old.st_uid == new->st_uid &&old.st_gid
                  == new->st_gid &&old.st_mtim.tv_sec == new->st_mtim.tv_sec &&old.st_mtim.tv_nsec
                  == new->st_mtim.tv_nsec
           && (S_ISDIR(new->st_mode) || old.st_size == new->st_size);
}

static int
add_entry(const struct listing *l, const FTSENT *e, struct rh_error *err)
{
    const struct stat *st = e->fts_statp;
    char target[PATH_MAX];
    ssize_t n;

    if (e->fts_info == FTS_DP)
        return 0;
    if (e->fts_info == FTS_ERR || e->fts_info == FTS_DNR || e->fts_info == FTS_NS)
        return rh_error_system(err, e->fts_errno, "cannot stat '%s'", e->fts_path);
    if (is_old(l, e))
        return 0;
    rh_buf_addf(l->b, "%06o %u:%u %lld.%09ld", (unsigned)st->st_mode, (unsigned)st->st_uid,
                (unsigned)st->st_gid, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
    if (S_ISREG(st->st_mode) && add_content(l->b, e->fts_path, err) < 0)
        return -1;
    if (S_ISLNK(st->st_mode) && (n = readlink(e->fts_path, target, sizeof target)) >= 0)
        rh_buf_addf(l->b, " -> %.*s", (int)n, target);
    rh_buf_addf(l->b, " %s%s\n", l->shown, e->fts_path + strlen(l->dir));
    return 0;
}

int
rh_tree_list(struct rh_buf *b, const char *dir, const char *shown, const char *old, struct rh_error *err)
{
    const struct listing l = { .b = b, .dir = dir, .shown = shown ? shown : dir, .old = old };
    rh_autofree char *copy = rh_xstrdup(dir);
    char *const paths[] = { copy, NULL };
    FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    FTSENT *e;
    int rc = 0;

    if (!walk)
        return rh_error_system(err, errno, "cannot stat '%s'", dir);
    while (rc == 0 && (e = fts_read(walk))) {
        if (e->fts_info == FTS_D && e->fts_level > 0 && rh_is_mounted(AT_FDCWD, e->fts_path))
            (void)fts_set(walk, e, FTS_SKIP);
        rc = add_entry(&l, e, err);
    }
    (void)fts_close(walk);
    return rc;
}
