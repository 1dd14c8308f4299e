/* SPDX-License-Identifier: Apache-2.0 */
/* place - the new file beside the path, and how it takes its place. */

#include "place.h"

#include "record.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL "system.posix_acl_access"

enum { NO_REPLACE = 1, NAMES = 1 << 16, DISK_SECONDS = 3600 };

static const char beside[] = "beside", other[] = "other";

static int32_t
remove_one(rhost_ctx *ctx, const rhost_value *name, const char *key, int dir)
{
    const char *left = record_beside(ctx, name, key);
    struct stat st;

    if (!left)
        return 0;
    if (*left == '.' && !strchr(left, '/') && fstatat(dir, left, &st, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISREG(st.st_mode) && unlinkat(dir, left, 0) < 0 && errno != ENOENT)
        return rhost_fail_errno(ctx, "cannot remove '%s', which a run has left", left);
    return record_put_beside(ctx, name, key, NULL);
}

static int32_t
remove_left(rhost_ctx *ctx, const rhost_value *name, int dir)
{
    return remove_one(ctx, name, beside, dir) < 0 ? -1 : remove_one(ctx, name, other, dir);
}

static int32_t
new_name(rhost_ctx *ctx, struct place *p)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return rhost_fail_errno(ctx, "cannot get a random number");
    (void)snprintf(p->beside, sizeof p->beside, ".%.*s.rhost-%016llx", 200, p->base,
                   (unsigned long long)number);
    return record_put_beside(ctx, p->name, p->key, p->beside);
}

/* Root needs no /proc to give such a file a name. */
static int
may_be_nameless(void)
{
    return geteuid() == 0 || access("/proc/self/fd", X_OK) == 0;
}

static int32_t
open_new(rhost_ctx *ctx, struct place *p)
{
    if (may_be_nameless()) {
        p->fd = openat(p->dir, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
        if (p->fd >= 0)
            return 0;
        if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)
            return rhost_fail_create(ctx, p->path);
    }
    if (new_name(ctx, p) < 0)
        return -1;
    p->fd = openat(p->dir, p->beside, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return p->fd < 0 ? rhost_fail_create(ctx, p->path) : 0;
}

static int32_t
open_place(rhost_ctx *ctx, const rhost_value *name, const char *path, const char *key, struct place *p)
{
    *p = (struct place){ .name = name, .key = key, .path = path, .fd = -1 };
    p->dir = rhost_path_parent(ctx, path, RHOST_PATH_FOLLOW, &p->base);
    if (p->dir < 0)
        return rhost_fail_create(ctx, path);
    p->is_there = fstatat(p->dir, p->base, &p->old, AT_SYMLINK_NOFOLLOW) == 0;
    if (!p->is_there && errno != ENOENT)
        (void)rhost_fail_errno(ctx, "cannot read '%s'", path);
    else if (p->is_there && !S_ISREG(p->old.st_mode))
        (void)rhost_fail(ctx, "'%s' is not a regular file any more", path);
    else if ((key == other || remove_left(ctx, name, p->dir) == 0) && open_new(ctx, p) == 0)
        return 0;
    place_close(ctx, p);
    return -1;
}

int32_t
place_open(rhost_ctx *ctx, const rhost_value *name, const char *path, struct place *p)
{
    return open_place(ctx, name, path, beside, p);
}

int32_t
place_open_other(rhost_ctx *ctx, const rhost_value *name, const char *path, struct place *p)
{
    return open_place(ctx, name, path, other, p);
}

void
place_close(rhost_ctx *ctx, struct place *p)
{
    if (p->fd >= 0)
        (void)close(p->fd);
    if (*p->beside && (unlinkat(p->dir, p->beside, 0) == 0 || errno == ENOENT))
        (void)record_put_beside(ctx, p->name, p->key, NULL);
    rhost_path_close(p->dir);
    p->fd = p->dir = -1;
    *p->beside = '\0';
}

/* What was granted to the former content, or says what it was. */
static int
stays_behind(const char *name)
{
    return strcmp(name, "security.capability") == 0 || strcmp(name, "security.ima") == 0
           || strcmp(name, "security.evm") == 0 || strncmp(name, "trusted.", 8) == 0;
}

/* Setting what is there already may be refused, and is not needed. */
static int
copy_attribute(int from, int to, const char *name, char *value, char *has)
{
    ssize_t len = fgetxattr(from, name, value, NAMES);

    if (len < 0)
        return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
    if (fgetxattr(to, name, has, NAMES) == len && memcmp(has, value, (size_t)len) == 0)
        return 0;
    return fsetxattr(to, name, value, (size_t)len, 0) < 0 && errno != ENOTSUP ? -1 : 0;
}

/* The ACL, the security label and what users have noted of the former file. */
static int
inherit(rhost_ctx *ctx, const struct place *p, int with_acl)
{
    char *names = rhost_alloc(ctx, NAMES), *value = rhost_alloc(ctx, NAMES), *has = rhost_alloc(ctx, NAMES);
    int old = openat(p->dir, p->base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), result = 0;
    ssize_t len = old < 0 ? -1 : flistxattr(old, names, NAMES);

    if (len < 0)
        result = old >= 0 && errno == ENOTSUP ? 0 : -1;
    if (fremovexattr(p->fd, ACL) < 0 && errno != ENODATA && errno != ENOTSUP)
        result = -1;
    for (const char *name = names; result == 0 && len > 0 && name < names + len; name += strlen(name) + 1)
        if (!stays_behind(name) && (with_acl || strcmp(name, ACL) != 0))
            result = copy_attribute(old, p->fd, name, value, has);
    rhost_path_close(old);
    return result;
}

/* The owner first, since changing it takes setuid bits away; then the ACL; the mode last. */
static int32_t
dress(rhost_ctx *ctx, struct place *p, int64_t uid, int64_t gid, mode_t mode)
{
    int moves;

    if (p->is_there) {
        uid = uid >= 0 ? uid : p->old.st_uid;
        gid = gid >= 0 ? gid : p->old.st_gid;
    }
    moves = p->is_there && (uid != p->old.st_uid || gid != p->old.st_gid);
    if (rhost_path_own(ctx, p->fd, uid, gid, -1) < 0)
        return rhost_fail_errno(ctx, "cannot set the owner of '%s'", p->path);
    if (p->is_there && inherit(ctx, p, !moves) < 0)
        return rhost_fail_errno(ctx, "cannot keep the attributes of '%s'", p->path);
    if (rhost_path_own(ctx, p->fd, -1, -1, mode) < 0)
        return rhost_fail_errno(ctx, "cannot set the mode of '%s'", p->path);
    return 0;
}

static int
link_to(const struct place *p, const char *name)
{
    char self[40];

    if (linkat(p->fd, "", p->dir, name, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno != ENOENT)
        return -1;
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", p->fd);
    return linkat(AT_FDCWD, self, p->dir, name, AT_SYMLINK_FOLLOW);
}

/* Not every C library has renameat2(), and not every file system has its flag. */
static int
rename_new(const struct place *p)
{
    struct stat st;

    if (syscall(SYS_renameat2, p->dir, p->beside, p->dir, p->base, NO_REPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (fstatat(p->dir, p->base, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(p->dir, p->beside, p->dir, p->base);
}

static int32_t
put(rhost_ctx *ctx, struct place *p, int is_new)
{
    if (is_new && !*p->beside)
        return link_to(p, p->base) < 0 ? rhost_fail_errno(ctx, "cannot create '%s'", p->path) : 0;
    if (!*p->beside) {
        if (new_name(ctx, p) < 0)
            return -1;
        if (link_to(p, p->beside) < 0)
            return rhost_fail_errno(ctx, "cannot replace '%s'", p->path);
    }
    if (!is_new && rhost_path_hidden_mount(ctx, p->dir, p->base)) {
        errno = EBUSY;
        return rhost_fail_errno(ctx, "cannot replace '%s', on which something is mounted", p->path);
    }
    if ((is_new ? rename_new(p) : renameat(p->dir, p->beside, p->dir, p->base)) < 0)
        return rhost_fail_errno(ctx, is_new ? "cannot create '%s'" : "cannot replace '%s'", p->path);
    *p->beside = '\0';
    return record_put_beside(ctx, p->name, p->key, NULL);
}

int32_t
place_commit(rhost_ctx *ctx, struct place *p, int64_t uid, int64_t gid, mode_t mode, int is_new)
{
    if (dress(ctx, p, uid, gid, mode) < 0)
        return -1;
    rhost_busy(ctx, DISK_SECONDS, "writing to disk");
    if (fsync(p->fd) < 0)
        return rhost_fail_errno(ctx, "cannot write '%s'", p->path);
    if (put(ctx, p, is_new) < 0)
        return -1;
    rhost_touched(ctx, p->path);
    return 0;
}

static const char *const keys[] = { beside, other };

/* The directory of the path, where a run may have left something; -1: there is nothing. */
static int
open_left(rhost_ctx *ctx, const rhost_value *name, const char *path)
{
    const char *base;

    if (!record_beside(ctx, name, beside) && !record_beside(ctx, name, other))
        return -1;
    return rhost_path_parent(ctx, path, RHOST_PATH_FOLLOW, &base);
}

int
place_is_left(rhost_ctx *ctx, const rhost_value *name, const char *path)
{
    int dir = open_left(ctx, name, path), found = 0;
    struct stat st;

    for (size_t i = 0; dir >= 0 && i < sizeof keys / sizeof *keys; i++) {
        const char *left = record_beside(ctx, name, keys[i]);

        found |= left && fstatat(dir, left, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
    }
    rhost_path_close(dir);
    return found;
}

int32_t
place_clean_up(rhost_ctx *ctx, const rhost_value *name, const char *path)
{
    int dir = open_left(ctx, name, path);
    int32_t result = dir < 0 ? 0 : remove_left(ctx, name, dir);

    rhost_path_close(dir);
    return result;
}
