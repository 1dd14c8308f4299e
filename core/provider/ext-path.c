/* SPDX-License-Identifier: Apache-2.0 */
/* ext-path - the extension rhost.path/1: reach what a path names, without being led astray. */
#include "config.h"

#include "provider/extensions.h"

#include "base/beside.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/mounted.h"
#include "base/safe-path.h"
#include "base/trust.h"
#include "provider/file-parts.h"

#include <rhost/path.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct rh_unsafe last; /* of the last call: there is one thread, and one call at a time */

static int32_t
answer(int result)
{
    return result < 0 ? -errno : result;
}

static const uint64_t FLAGS = RHOST_PATH_FOLLOW | RHOST_PATH_REPLACE;

static int32_t
path_open(rhost_ctx *ctx, const char *path, uint64_t flags, int32_t open_flags, uint32_t mode)
{
    (void)ctx;
    if (flags & ~FLAGS)
        return -EINVAL;
    return answer(rh_safe_open(path, flags & RHOST_PATH_FOLLOW, open_flags, (mode_t)mode, &last));
}

static int32_t
path_parent(rhost_ctx *ctx, const char *path, uint64_t flags, const char **name)
{
    char part[NAME_MAX + 1], *copy;
    int fd = rh_safe_parent(path, flags & RHOST_PATH_FOLLOW, part, &last);

    if (fd < 0)
        return -errno;
    copy = ctx->host->alloc(ctx, strlen(part) + 1);
    memcpy(copy, part, strlen(part) + 1);
    *name = copy;
    return fd;
}

static const char *
path_unsafe(rhost_ctx *ctx)
{
    char *copy;

    if (!last.why[0])
        return NULL;
    copy = ctx->host->alloc(ctx, strlen(last.why) + 1);
    return memcpy(copy, last.why, strlen(last.why) + 1);
}

static int
make_link(void *target, int dir, const char *name)
{
    const char *const *to = target;

    return symlinkat(*to, dir, name);
}

static int
put_link(const char *target, int dir, const char *name, bool replace)
{
    char beside[NAME_MAX + 1];
    struct stat st;
    int why;

    if (symlinkat(target, dir, name) == 0)
        return 0;
    if (errno != EEXIST || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return -1;
    if (S_ISDIR(st.st_mode) || (!replace && !S_ISLNK(st.st_mode))) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EEXIST;
        return -1;
    }
    for (int i = 0; i < RH_BESIDE_TRIES; i++) {
        if (rh_beside(dir, name, make_link, &target, beside) < 0)
            return -1;
        if (rh_is_mounted_unseen(dir, name))
            errno = EBUSY;
        else if (renameat(dir, beside, dir, name) == 0)
            return 0;
        if (errno != ENOENT) /* another run took it for a leftover: a link can't be claimed */
            break;
    }
    why = errno;
    (void)unlinkat(dir, beside, 0);
    errno = why;
    return -1;
}

static int32_t
path_symlink(rhost_ctx *ctx, const char *target, const char *path, uint64_t flags)
{
    char name[NAME_MAX + 1];
    rh_autoclose int dir = -1;

    (void)ctx;
    dir = rh_safe_parent(path, false, name, &last);
    return dir < 0 ? -errno : answer(put_link(target, dir, name, flags & RHOST_PATH_REPLACE));
}

static int32_t
path_own(rhost_ctx *ctx, int32_t fd, int64_t uid, int64_t gid, int64_t mode)
{
    (void)ctx;
    return answer(rh_own(fd, uid, gid, mode));
}

/* As another user than root, paths are what that user makes of them. */
static int32_t
path_trusted(rhost_ctx *ctx, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };

    (void)ctx;
    last.why[0] = '\0';
    if (*path != '/')
        return -EINVAL;
    if (geteuid() != 0 || rh_trust_path(path, RH_TRUST_ENTRY, &err) == 0)
        return 0;
    (void)snprintf(last.why, sizeof last.why, "%.*s", (int)sizeof last.why - 1,
                   err.message ? err.message : "it is not safe");
    return -ELOOP;
}

static int32_t
path_hidden_mount(rhost_ctx *ctx, int32_t dir, const char *name)
{
    (void)ctx;
    return rh_is_mounted_unseen(dir, name);
}

const struct rhost_path *
rh_ext_path(void)
{
    static const struct rhost_path extension = {
        .struct_size = sizeof extension,
        .open = path_open,
        .parent = path_parent,
        .unsafe = path_unsafe,
        .symlink = path_symlink,
        .own = path_own,
        .trusted = path_trusted,
        .hidden_mount = path_hidden_mount,
    };

    return &extension;
}
