/* SPDX-License-Identifier: Apache-2.0 */
/* place - the directory that packages are in, and the user that its manager runs as. */

#include "place.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/xattr.h>
#include <unistd.h>

static void
run_as(struct place *p, int64_t uid)
{
    p->uid = uid;
    if (geteuid() == 0)
        p->user = rhost_fmt(p->ctx, "%lld", (long long)uid);
}

int32_t
place_open(rhost_ctx *ctx, struct place *p, const char *path, const rhost_value *should)
{
    const char *owner = rhost_str(should, "owner");
    int64_t uid = owner ? rhost_look_up_id(ctx, 0, owner) : -1;
    struct stat st;

    *p = (struct place){ .ctx = ctx, .should = should, .path = path };
    if (rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return rhost_fail_path(ctx, "cannot stat '%s'", path);
        run_as(p, uid < 0 ? geteuid() : uid);
        return 0;
    }
    if (!S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' exists, but is not a directory", path);
    if (owner && uid < 0)
        return rhost_wanted_id(ctx, should, "owner", 0, &uid) < 0 ? -1 : 0;
    if (owner && uid != st.st_uid)
        return rhost_fail_attr(ctx, "owner", "'%s' belongs to user '%s'", path,
                               rhost_look_up_name(ctx, 0, st.st_uid));
    p->exists = 1;
    run_as(p, st.st_uid);
    return 0;
}

static int32_t
refuse(const struct place *p, const char *manager, const char *path)
{
    return rhost_fail(p->ctx, "cannot run %s in '%s' as %s: another user can change '%s'", manager, p->path,
                      p->uid == 0 ? "root" : "its owner", path);
}

/* Its group may be root's; but with an ACL, the bits of the group are the most that anybody named there has.
 */
static int
group_can_write(const struct stat *st, const char *path)
{
    return st->st_mode & S_IWGRP
           && (st->st_gid != 0 || getxattr(path, "system.posix_acl_access", NULL, 0) > 0);
}

/* What the path leads to. 1: nobody but root can change it; 0: there is nothing. */
static int
check_one(const struct place *p, const char *manager, const char *path)
{
    struct stat st;

    if (rhost_path_trusted(p->ctx, path) < 0 && errno != ENOENT && errno != ENOTDIR)
        return rhost_fail_path(p->ctx, "cannot run %s in '%s' as root", manager, p->path);
    if (rhost_path_stat(p->ctx, path, RHOST_PATH_FOLLOW, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : rhost_fail_path(p->ctx, "cannot stat '%s'", path);
    return st.st_uid != 0 || st.st_mode & S_IWOTH || group_can_write(&st, path) ? refuse(p, manager, path)
                                                                                : 1;
}

/* The directory, and what is in it by names of this pattern; in a scope of npm as well. */
static int32_t
check_directory(const struct place *p, const char *manager, const char *directory, const char *pattern)
{
    const char **names;
    struct stat st;
    ssize_t n;
    int rc = check_one(p, manager, directory);

    if (rc <= 0)
        return rc;
    if (rhost_path_stat(p->ctx, directory, RHOST_PATH_FOLLOW, &st) == 0 && !S_ISDIR(st.st_mode))
        return 0;
    n = rhost_path_list(p->ctx, directory, RHOST_PATH_FOLLOW, &names);
    if (n < 0)
        return rhost_fail_path(p->ctx, "cannot read '%s'", directory);
    for (ssize_t i = 0; i < n; i++) {
        const char *path = rhost_fmt(p->ctx, "%s/%s", directory, names[i]);

        if (fnmatch(pattern, names[i], 0) != 0)
            continue;
        if ((*names[i] == '@' ? check_directory(p, manager, path, pattern) : check_one(p, manager, path)) < 0)
            return -1;
    }
    return 0;
}

static const char *
above(rhost_ctx *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash || !path[1])
        return NULL;
    return slash == path ? "/" : rhost_copy(ctx, path, (size_t)(slash - path));
}

/* The directories above, none of which may be that of a third user, who could put another place there. */
static int32_t
check_above(const struct place *p, const char *manager, const char *path)
{
    struct stat st;

    while ((path = above(p->ctx, path)) && path[1]) {
        if (rhost_path_stat(p->ctx, path, 0, &st) < 0)
            return rhost_fail_path(p->ctx, "cannot stat '%s'", path);
        if (st.st_uid != 0 && st.st_uid != p->uid)
            return refuse(p, manager, path);
        if (S_ISLNK(st.st_mode) || st.st_mode & S_ISVTX)
            continue;
        if (st.st_mode & S_IWOTH || group_can_write(&st, path))
            return refuse(p, manager, path);
    }
    return 0;
}

static int32_t
check_place_of_owner(const struct place *p, const char *manager)
{
    char real[PATH_MAX];

    if (check_above(p, manager, p->path) < 0)
        return -1;
    if (!realpath(p->path, real))
        return errno == ENOENT ? 0 : rhost_fail_path(p->ctx, "cannot stat '%s'", p->path);
    return strcmp(real, p->path) == 0 ? 0 : check_above(p, manager, real);
}

int32_t
place_check_trust(const struct place *p, const char *manager, const char *const *all)
{
    if (geteuid() != 0)
        return 0;
    if (p->uid != 0)
        return check_place_of_owner(p, manager);
    if (check_one(p, manager, p->path) < 0)
        return -1;
    for (; *all; all++) {
        const char *name = strrchr(*all, '/');
        int32_t rc = name && strchr(name, '*') ? check_directory(p, manager, above(p->ctx, *all), name + 1)
                                               : check_one(p, manager, *all);

        if (rc < 0)
            return -1;
    }
    return 0;
}

/* What was opened is what was made: nobody else's, and empty. */
static int
is_as_made(int fd)
{
    int copy = dup(fd), entries = 0;
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    struct stat st;

    if (!folder) {
        rhost_path_close(copy);
        return 0;
    }
    while (readdir(folder))
        entries++;
    (void)closedir(folder);
    return entries == 2 && fstat(fd, &st) == 0 && st.st_uid == geteuid(); /* "." and ".." */
}

int32_t
place_make(struct place *p)
{
    int64_t uid;
    int fd;

    if (p->exists)
        return 0;
    if (rhost_wanted_id(p->ctx, p->should, "owner", 0, &uid) < 0)
        return -1;
    if (rhost_path_mkdir(p->ctx, p->path, 0700) < 0)
        return rhost_fail_path(p->ctx, "cannot create directory '%s'", p->path);
    rhost_touched(p->ctx, p->path);
    fd = rhost_path_open(p->ctx, p->path, 0, O_RDONLY | O_DIRECTORY, 0);
    if (fd >= 0 && !is_as_made(fd)) {
        rhost_path_close(fd);
        return rhost_fail(p->ctx, "'%s' was exchanged while it was made", p->path);
    }
    if (fd < 0 || rhost_path_own(p->ctx, fd, uid, -1, 0755) < 0) {
        (void)rhost_fail_path(p->ctx, "cannot change the owner of '%s'", p->path);
        rhost_path_close(fd);
        return -1;
    }
    rhost_path_close(fd);
    run_as(p, uid < 0 ? geteuid() : uid);
    p->exists = 1;
    return 0;
}

int32_t
place_foresee(const struct place *p)
{
    const char *owner = rhost_str(p->should, "owner");

    return owner ? rhost_foresee_account(p->ctx, "owner", 0, owner) : 0;
}

int
place_has(rhost_ctx *ctx, const char *path)
{
    struct stat st;

    return rhost_path_stat(ctx, path, 0, &st) == 0;
}
