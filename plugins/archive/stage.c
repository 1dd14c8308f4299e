/* SPDX-License-Identifier: Apache-2.0 */
/* stage - the directory beside the path in which a tree comes to be, and how it takes its place. */

#include "stage.h"

#include "../directory/tree.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NO_REPLACE = 1, EXCHANGE = 2 }; /* of renameat2(2), which not every C library has */

static int
rename_at(int dir, const char *from, const char *to, unsigned flags)
{
    return (int)syscall(SYS_renameat2, dir, from, dir, to, flags);
}

static int
enter(int dir, const char *name)
{
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int
is_same(const char *identity, const char *one)
{
    return one && strcmp(identity, one) == 0;
}

/* Empties the directory `fd`, which is `name` in `parent`, and removes it. */
static int32_t
remove_tree(rhost_ctx *ctx, int parent, const char *name, int fd)
{
    if (tree_remove_below(ctx, fd) < 0)
        return -1;
    if (unlinkat(parent, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
        return rhost_fail_errno(ctx, "cannot remove '%s'", name);
    return 0;
}

/* What a run that was killed has left. Only what is known to be ours is emptied: somebody who owns the
 * directory above can put something else there. */
static int32_t
clean_up(rhost_ctx *ctx, const rhost_value *name, int parent)
{
    const char *identity;
    struct record_work w;
    int32_t result = 0;
    int fd;

    if (!record_work_read(ctx, name, &w))
        return 0;
    fd = enter(parent, w.beside);
    if (fd >= 0) {
        identity = record_identity(ctx, fd);
        if (!identity)
            result = -1;
        else if (is_same(identity, w.fresh) || is_same(identity, w.former))
            result = remove_tree(ctx, parent, w.beside, fd);
        else if (unlinkat(parent, w.beside, AT_REMOVEDIR) < 0 && errno != ENOENT)
            rhost_warning(ctx,
                          "'%s' beside it was left by a run that was killed; it is not empty, and is kept",
                          w.beside);
        (void)close(fd);
    } else if (errno != ENOENT) {
        rhost_warning(ctx, "'%s' beside it is not the directory that a run has left there; it is kept",
                      w.beside);
    }
    return result < 0 ? -1 : record_work_end(ctx, name);
}

static const char *
new_name(rhost_ctx *ctx, const char *base)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        (void)rhost_fail_errno(ctx, "cannot get a random number");
        return NULL;
    }
    return rhost_fmt(ctx, ".%.*s.rhost-%016llx", NAME_MAX - 32, base, (unsigned long long)number);
}

static int32_t
make(rhost_ctx *ctx, struct stage *s)
{
    s->work.beside = new_name(ctx, s->base);
    if (!s->work.beside || record_work_write(ctx, s->name, &s->work) < 0)
        return -1;
    if (mkdirat(s->parent, s->work.beside, 0700) < 0) {
        (void)rhost_fail_create(ctx, s->path);
        return -1;
    }
    s->fd = enter(s->parent, s->work.beside);
    if (s->fd < 0 || fchmod(s->fd, 0700) < 0)
        return rhost_fail_errno(ctx, "cannot open '%s'", s->work.beside);
    s->work.fresh = record_identity(ctx, s->fd);
    return s->work.fresh ? record_work_write(ctx, s->name, &s->work) : -1;
}

int32_t
stage_open(rhost_ctx *ctx, const rhost_value *name, const char *path, struct stage *s)
{
    *s = (struct stage){ .name = name, .path = path, .fd = -1 };
    s->parent = rhost_path_parent(ctx, path, 0, &s->base);
    if (s->parent < 0)
        return rhost_fail_create(ctx, path);
    if (clean_up(ctx, name, s->parent) == 0 && make(ctx, s) == 0)
        return 0;
    stage_close(ctx, s);
    return -1;
}

void
stage_close(rhost_ctx *ctx, struct stage *s)
{
    if (s->fd >= 0) {
        if (s->work.beside && remove_tree(ctx, s->parent, s->work.beside, s->fd) == 0)
            (void)record_work_end(ctx, s->name);
        (void)close(s->fd);
    }
    if (s->parent >= 0)
        (void)close(s->parent);
    s->fd = s->parent = -1;
}

/* The tree is in its place: nothing is left to be removed there. */
static int32_t
settle(rhost_ctx *ctx, struct stage *s)
{
    s->work.beside = NULL;
    rhost_touched(ctx, s->path);
    return 0;
}

/* A power cut after the renaming must not leave files without content. */
static int32_t
bring_to_disk(rhost_ctx *ctx, const struct stage *s)
{
    rhost_busy(ctx, 600, "writing to disk");
    return syncfs(s->fd) < 0 ? rhost_fail_errno(ctx, "cannot write '%s' to disk", s->path) : 0;
}

int32_t
stage_place(rhost_ctx *ctx, struct stage *s)
{
    if (bring_to_disk(ctx, s) < 0)
        return -1;
    if (rename_at(s->parent, s->work.beside, s->base, NO_REPLACE) < 0)
        return rhost_fail_errno(ctx, "cannot create '%s'", s->path);
    return settle(ctx, s);
}

int32_t
stage_replace(rhost_ctx *ctx, struct stage *s, int former)
{
    const char *beside = s->work.beside, *now;
    int32_t result = 0;
    int fd;

    s->work.former = record_identity(ctx, former);
    if (!s->work.former || record_work_write(ctx, s->name, &s->work) < 0 || bring_to_disk(ctx, s) < 0)
        return -1;
    if (rename_at(s->parent, beside, s->base, EXCHANGE) < 0)
        return errno == EINVAL || errno == ENOSYS ? rhost_fail(
                   ctx, "cannot replace '%s': this file system cannot exchange two directories in one step",
                   s->path)
                                                  : rhost_fail_errno(ctx, "cannot replace '%s'", s->path);
    (void)settle(ctx, s);
    fd = enter(s->parent, beside);
    now = fd < 0 ? NULL : record_identity(ctx, fd);
    if (!now || !is_same(now, s->work.former))
        result =
            rhost_fail(ctx, "'%s' was replaced by something else meanwhile, which is kept as '%s' beside it",
                       s->path, beside);
    else if (remove_tree(ctx, s->parent, beside, fd) < 0)
        result = rhost_fail(ctx, "the new tree is in its place; the former one is '%s' beside it", beside);
    if (fd >= 0)
        (void)close(fd);
    return result;
}

static int32_t
remove_aside(rhost_ctx *ctx, const rhost_value *name, const char *path, int parent, const char *base, int fd)
{
    struct record_work w = { .beside = new_name(ctx, base), .former = record_identity(ctx, fd) };
    const char *identity;
    int32_t result;
    int aside;

    if (!w.beside || !w.former || record_work_write(ctx, name, &w) < 0)
        return -1;
    if (rename_at(parent, base, w.beside, NO_REPLACE) < 0)
        return rhost_fail_errno(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    aside = enter(parent, w.beside);
    identity = aside < 0 ? NULL : record_identity(ctx, aside);
    if (identity && is_same(identity, w.former))
        result = remove_tree(ctx, parent, w.beside, aside);
    else
        result =
            rhost_fail(ctx, "'%s' was replaced by something else meanwhile, which is kept as '%s' beside it",
                       path, w.beside);
    if (aside >= 0)
        (void)close(aside);
    return result < 0 ? -1 : record_work_end(ctx, name);
}

int
stage_is_left(rhost_ctx *ctx, const rhost_value *name, const char *path)
{
    struct record_work w;
    struct stat st;
    const char *base;
    int parent, found;

    if (!record_work_read(ctx, name, &w))
        return 0;
    parent = rhost_path_parent(ctx, path, 0, &base);
    found = parent >= 0 && fstatat(parent, w.beside, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
    rhost_path_close(parent);
    return found;
}

int32_t
stage_check_removable(rhost_ctx *ctx, int fd, const char *path)
{
    char where[PATH_MAX];
    int fixed;

    if (tree_check_removal(ctx, fd) < 0)
        return -1;
    fixed = tree_find_fixed(ctx, fd, where, sizeof where);
    if (fixed > 0)
        return rhost_fail(ctx, "cannot replace '%s': '%s' in it is immutable or append-only", path, where);
    return fixed;
}

/* Removes the directory `fd`, which is what is at the path; with -1 only what was left beside it. */
static int32_t
remove_at(rhost_ctx *ctx, const rhost_value *name, const char *path, int fd)
{
    const char *base;
    int parent = rhost_path_parent(ctx, path, 0, &base);
    int32_t result;

    if (parent < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    result = clean_up(ctx, name, parent);
    if (result == 0 && fd >= 0)
        result = remove_aside(ctx, name, path, parent, base, fd);
    (void)close(parent);
    return result;
}

int32_t
stage_with(rhost_ctx *ctx, const struct rhost_change *change, stage_fn *fn)
{
    const char *path = rhost_str(change->name, "path");
    int fd = rhost_path_open(ctx, path, 0, O_RDONLY | O_DIRECTORY, 0);
    int32_t result;

    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    result = fn(ctx, change, fd);
    (void)close(fd);
    return result;
}

int32_t
stage_remove(rhost_ctx *ctx, const struct rhost_change *change, stage_fn *may_go)
{
    const char *path = rhost_str(change->name, "path");
    int fd = rhost_path_open(ctx, path, 0, O_RDONLY | O_DIRECTORY, 0);
    int32_t result = -1;

    if (fd < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    if (fd < 0 || (may_go(ctx, change, fd) == 0 && stage_check_removable(ctx, fd, path) == 0))
        result = remove_at(ctx, change->name, path, fd);
    rhost_path_close(fd);
    return result;
}
