/* SPDX-License-Identifier: Apache-2.0 */
/* tree - what lies below a directory: looking at it, changing it, removing it. */

#include "tree.h"

#include <rhost/mode.h>
#include <rhost/path.h>
#include <rhost/progress.h>

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#ifndef STATX_BASIC_STATS
/* A musl that has no statx() of its own yet. */
#include <linux/stat.h>
#include <sys/syscall.h>

static int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *to)
{
    return (int)syscall(SYS_statx, dir, path, flags, mask, to);
}
#endif

enum { DEEPEST = 200, STOP = 1 }; /* a descriptor is held for each level */

#define FIXED (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)

struct walk {
    rhost_ctx *ctx;
    /* For each entry, after what is below it: 0, STOP, or -1 with the reason given. */
    int32_t (*visit)(struct walk *w, int dir, const char *name, const struct stat *st);
    const struct tree_rule *rule;
    size_t enough, differ;
    char *first;
    size_t first_size;
    int removing;    /* what is mounted below is in the way; otherwise it is passed over */
    int seeking;     /* what nothing can be removed from: its path goes into `first` */
    const char *top; /* the path of the directory, for messages; NULL: they have paths from there */
    char *why;       /* takes these; or NULL: they are the reason of the failure */
    size_t why_size;
    int lift_to;         /* -1, or the directory that is emptied: what is too deep is moved there */
    unsigned lifted;     /* the number of the next one */
    int again;           /* there are such, which the next walk removes */
    char path[PATH_MAX]; /* of the entry, from the top */
};

static int32_t walk_into(struct walk *w, int fd, size_t at, int depth);

/* Because of errno, or with 0 there of `reason`. */
static int32_t
fail(const struct walk *w, const char *doing, const char *reason)
{
    int why = errno;
    const char *below = *w->path || w->top ? w->path : ".";
    const char *path = w->top ? rhost_fmt(w->ctx, *below ? "%s/%s" : "%s%s", w->top, below) : below;

    if (w->why) {
        snprintf(w->why, w->why_size, "cannot %s '%s': %s", doing, path, why ? strerror(why) : reason);
        return -1;
    }
    errno = why;
    return why ? rhost_fail_errno(w->ctx, "cannot %s '%s'", doing, path)
               : rhost_fail(w->ctx, "cannot %s '%s': %s", doing, path, reason);
}

/* As fstatat(2) of an entry, or of `dir` itself (""), without following a link; with STATX_ATTR_... Whether
 * something is mounted there is among these: the number of the device would not tell a bind mount. -1 with
 * errno. */
static int
stat_entry(int dir, const char *name, struct stat *st, uint64_t *attributes)
{
    struct statx x;
    struct stat above;

    if (statx(dir, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (*name ? 0 : AT_EMPTY_PATH),
              STATX_BASIC_STATS, &x)
        < 0)
        return -1;
    memset(st, 0, sizeof *st);
    st->st_mode = x.stx_mode;
    st->st_uid = x.stx_uid;
    st->st_gid = x.stx_gid;
    st->st_ino = x.stx_ino;
    st->st_dev = makedev(x.stx_dev_major, x.stx_dev_minor);
    *attributes = x.stx_attributes;
    if (!(x.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) /* a kernel before 5.8 */
        && fstatat(dir, *name ? "." : "..", &above, 0) == 0 && above.st_dev != st->st_dev)
        *attributes |= STATX_ATTR_MOUNT_ROOT;
    return 0;
}

/* Moves what is too deep for the walk, or its path too long, to the top, for the next walk. */
static int32_t
lift(struct walk *w, int dir, const char *name)
{
    char to[32];

    for (int tries = 0; tries < 1000; tries++) {
        snprintf(to, sizeof to, ".rhost-removal-%u", w->lifted++);
        if (renameat(dir, name, w->lift_to, to) == 0) {
            w->again = 1;
            return 0;
        }
        if (errno == ENOENT)
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR && errno != EISDIR)
            break;
    }
    return fail(w, "remove", "");
}

static int32_t
walk_entry(struct walk *w, int dir, const char *name, size_t at, int depth)
{
    struct stat st;
    size_t len = strlen(name);
    uint64_t attributes;

    rhost_alive(w->ctx);
    if (at + len + 2 > sizeof w->path) {
        if (w->seeking)
            return 0;
        w->path[at] = '\0';
        return w->lift_to >= 0 ? lift(w, dir, name)
                               : rhost_fail(w->ctx, "the path below '%s' is too long", w->path);
    }
    memcpy(w->path + at, name, len + 1);
    if (stat_entry(dir, name, &st, &attributes) < 0)
        return errno == ENOENT ? 0 : fail(w, "stat", "");
    if (attributes & STATX_ATTR_MOUNT_ROOT
        || ((w->removing || S_ISDIR(st.st_mode)) && rhost_path_hidden_mount(w->ctx, dir, name))) {
        errno = 0;
        return w->removing ? fail(w, "remove", "something is mounted there") : 0;
    }
    if (w->seeking && attributes & FIXED) {
        snprintf(w->first, w->first_size, "%s", w->path);
        return STOP;
    }
    if (S_ISDIR(st.st_mode) && depth + 1 >= DEEPEST && w->seeking)
        return 0;
    if (S_ISDIR(st.st_mode) && depth + 1 >= DEEPEST && w->lift_to >= 0)
        return lift(w, dir, name);
    if (S_ISDIR(st.st_mode)) {
        int fd, result;
        struct stat opened;

        fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return errno == ENOENT ? 0 : fail(w, "open", "");
        if (stat_entry(fd, "", &opened, &attributes) < 0
            || attributes & STATX_ATTR_MOUNT_ROOT) { /* just now */
            (void)close(fd);
            errno = 0;
            return fail(w, "enter", "something was mounted there");
        }
        w->path[at + len] = '/';
        result = walk_into(w, fd, at + len + 1, depth + 1);
        if (result)
            return result;
        w->path[at + len] = '\0';
    }
    return w->visit(w, dir, name, &st);
}

/* Takes over `fd`. */
static int32_t
walk_into(struct walk *w, int fd, size_t at, int depth)
{
    DIR *dir = depth < DEEPEST ? fdopendir(fd) : NULL;
    const struct dirent *e;
    int32_t result = 0;

    w->path[at] = '\0';
    if (!dir) {
        rhost_path_close(fd);
        return depth < DEEPEST ? fail(w, "read", "") : rhost_fail(w->ctx, "'%s' is too deep", w->path);
    }
    while (!result && (errno = 0, e = readdir(dir)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = walk_entry(w, dirfd(dir), e->d_name, at, depth);
    if (!result && errno) {
        w->path[at] = '\0';
        result = fail(w, "read", "");
    }
    (void)closedir(dir);
    return result;
}

static int32_t
walk(struct walk *w, int fd)
{
    int own = openat(fd, ".", O_RDONLY | O_CLOEXEC);

    return own < 0 ? fail(w, "open", "") : walk_into(w, own, 0, 0);
}

int64_t
tree_directory_mode(const char *text, mode_t now)
{
    int64_t mode = rhost_mode_of(text, now, 1);

    return mode >= 0 && *text >= '0' && *text <= '7' ? mode | (mode & 0444) >> 2 : mode;
}

/* What the entry's mode should be; -1: as it is. Links have none, and setuid, setgid and the
 * sticky bit are meant for directories when they are given to a tree in octal. */
static int64_t
mode_below(const struct tree_rule *rule, const struct stat *st)
{
    if (!rule->mode || S_ISLNK(st->st_mode))
        return -1;
    if (S_ISDIR(st->st_mode))
        return tree_directory_mode(rule->mode, st->st_mode);
    return rhost_mode_of(rule->mode, st->st_mode, 0)
           & (*rule->mode >= '0' && *rule->mode <= '7' ? 0777 : 07777);
}

static int
owner_differs(const struct tree_rule *rule, const struct stat *st)
{
    return (rule->uid >= 0 && (uid_t)rule->uid != st->st_uid)
           || (rule->gid >= 0 && (gid_t)rule->gid != st->st_gid);
}

static int
mode_differs(const struct tree_rule *rule, const struct stat *st)
{
    int64_t mode = mode_below(rule, st);

    return mode >= 0 && (mode_t)mode != (st->st_mode & 07777);
}

static int32_t
visit_check(struct walk *w, int dir, const char *name, const struct stat *st)
{
    (void)dir;
    (void)name;
    if (!owner_differs(w->rule, st) && !mode_differs(w->rule, st))
        return 0;
    if (w->differ++ == 0)
        snprintf(w->first, w->first_size, "%s", w->path);
    return w->differ >= w->enough ? STOP : 0;
}

int32_t
tree_check(rhost_ctx *ctx, int fd, const struct tree_rule *rule, size_t enough, size_t *differ, char *first,
           size_t size)
{
    struct walk w = { .ctx = ctx,
                      .lift_to = -1,
                      .visit = visit_check,
                      .rule = rule,
                      .enough = enough,
                      .first = first,
                      .first_size = size };

    if (walk(&w, fd) < 0)
        return -1;
    *differ = w.differ;
    return 0;
}

/* By descriptor, so that what was granted under the former owner goes in the same step. */
static int32_t
own_file(struct walk *w, int dir, const char *name, int64_t mode)
{
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat st;
    int result;

    if (fd < 0)
        return errno == ENOENT ? 0 : rhost_fail_errno(w->ctx, "cannot open '%s'", w->path);
    result = fstat(fd, &st);
    if (result == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
        result = rhost_path_own(w->ctx, fd, w->rule->uid, w->rule->gid, mode);
    rhost_path_close(fd);
    return result < 0 ? rhost_fail_errno(w->ctx, "cannot change the owner or the mode of '%s'", w->path) : 0;
}

static int32_t
visit_apply(struct walk *w, int dir, const char *name, const struct stat *st)
{
    const struct tree_rule *rule = w->rule;
    int64_t mode = mode_below(rule, st);

    if (!owner_differs(rule, st) && !mode_differs(rule, st))
        return 0;
    if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode))
        return own_file(w, dir, name, mode);
    if (owner_differs(rule, st)
        && fchownat(dir, name, (uid_t)rule->uid, (gid_t)rule->gid, AT_SYMLINK_NOFOLLOW) < 0)
        return rhost_fail_errno(w->ctx, "cannot change the owner of '%s'", w->path);
    if (mode_differs(rule, st) && fchmodat(dir, name, (mode_t)mode, AT_SYMLINK_NOFOLLOW) < 0)
        return rhost_fail_errno(w->ctx, "cannot change the mode of '%s'", w->path);
    return 0;
}

int32_t
tree_apply(rhost_ctx *ctx, int fd, const struct tree_rule *rule)
{
    struct walk w = { .ctx = ctx, .lift_to = -1, .visit = visit_apply, .rule = rule };

    return walk(&w, fd);
}

/* Whether the manifest names this entry, or something below it. */
static int
is_declared(const struct tree_kept *kept, const char *name)
{
    size_t top = strlen(kept->path), len = strlen(name);

    while (top > 0 && kept->path[top - 1] == '/')
        top--;
    for (size_t i = 0; i < rhost_count(kept->declared); i++) {
        const char *path = rhost_str_at(kept->declared, i);
        const char *below = path && strlen(path) > top ? path + top + strspn(path + top, "/") : "";

        if (strncmp(below, name, len) == 0 && (below[len] == '\0' || below[len] == '/'))
            return 1;
    }
    return 0;
}

static int
is_kept(const struct tree_kept *kept, const char *name)
{
    for (size_t i = 0; i < rhost_count(kept->keep); i++) {
        const char *one = rhost_str_at(kept->keep, i);

        if (one && strcmp(one, name) == 0)
            return 1;
    }
    return is_declared(kept, name);
}

static int32_t
visit_count(struct walk *w, int dir, const char *name, const struct stat *st)
{
    (void)dir;
    (void)name;
    (void)st;
    return ++w->differ > w->enough ? STOP : 0;
}

int32_t
tree_list(rhost_ctx *ctx, int fd, const struct tree_kept *kept, size_t enough, struct tree_entry **entries,
          size_t *n)
{
    struct walk w = { .ctx = ctx, .lift_to = -1, .visit = visit_count, .enough = enough };
    int own = openat(fd, ".", O_RDONLY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    const struct dirent *e;
    int32_t result = 0;

    *entries = NULL;
    *n = 0;
    if (!dir)
        return rhost_fail_errno(ctx, "cannot open the directory");
    while (result == 0 && (errno = 0, e = readdir(dir))) {
        size_t len = strlen(e->d_name);
        struct tree_entry *entry;
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || is_kept(kept, e->d_name))
            continue;
        if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue; /* gone by itself */
        if (S_ISDIR(st.st_mode) && !kept->force)
            continue;
        entry = rhost_alloc(ctx, sizeof *entry + len + 1);
        memcpy(entry->name, e->d_name, len + 1);
        entry->next = *entries;
        *entries = entry;
        result = walk_entry(&w, fd, e->d_name, 0, 0);
    }
    if (result == 0 && errno)
        result = rhost_fail_errno(ctx, "cannot read the directory");
    (void)closedir(dir);
    *n = w.differ;
    return result;
}

static int32_t
visit_nothing(struct walk *w, int dir, const char *name, const struct stat *st)
{
    (void)w;
    (void)dir;
    (void)name;
    (void)st;
    return 0;
}

int32_t
tree_find_fixed(rhost_ctx *ctx, int fd, char *where, size_t size)
{
    struct walk w = {
        .ctx = ctx, .lift_to = -1, .visit = visit_nothing, .seeking = 1, .first = where, .first_size = size
    };
    struct stat st;
    uint64_t attributes;

    if (stat_entry(fd, "", &st, &attributes) < 0)
        return rhost_fail_errno(ctx, "cannot stat the directory");
    if (attributes & FIXED)
        snprintf(where, size, ".");
    return attributes & FIXED ? 1 : walk(&w, fd);
}

static int32_t
visit_remove(struct walk *w, int dir, const char *name, const struct stat *st)
{
    if (unlinkat(dir, name, S_ISDIR(st->st_mode) ? AT_REMOVEDIR : 0) < 0 && errno != ENOENT)
        return fail(w, "remove", "");
    return 0;
}

int32_t
tree_empty(rhost_ctx *ctx, int fd, const char *top, char *why, size_t size)
{
    struct walk w = {
        .ctx = ctx,
        .visit = visit_remove,
        .removing = 1,
        .lift_to = fd,
        .top = top,
        .why = why,
        .why_size = size,
    };
    struct timespec now;
    int32_t result;

    if (clock_gettime(CLOCK_MONOTONIC, &now) == 0)
        w.lifted = (unsigned)now.tv_nsec; /* for names that are not in use */
    do {
        w.again = 0;
        result = walk(&w, fd);
    } while (result == 0 && w.again);
    return result;
}

int32_t
tree_check_removal(rhost_ctx *ctx, int fd)
{
    struct walk search = { .ctx = ctx, .lift_to = -1, .visit = visit_nothing, .removing = 1 };
    struct stat st;
    uint64_t attributes;

    if (stat_entry(fd, "", &st, &attributes) < 0)
        return rhost_fail_errno(ctx, "cannot stat the directory");
    if (attributes & STATX_ATTR_MOUNT_ROOT || rhost_path_hidden_mount(ctx, fd, ""))
        return rhost_fail(ctx, "cannot remove the directory: something is mounted there");
    return walk(&search, fd);
}

/* First looked at whole, for what is mounted; then removed. */
int32_t
tree_remove_below(rhost_ctx *ctx, int fd)
{
    struct walk remove = { .ctx = ctx, .lift_to = -1, .visit = visit_remove, .removing = 1 };

    return tree_check_removal(ctx, fd) < 0 ? -1 : walk(&remove, fd);
}

int32_t
tree_remove(rhost_ctx *ctx, int fd, const struct tree_entry *entries)
{
    struct walk search = { .ctx = ctx, .lift_to = -1, .visit = visit_nothing, .removing = 1 };
    struct walk remove = { .ctx = ctx, .lift_to = -1, .visit = visit_remove, .removing = 1 };

    for (const struct tree_entry *e = entries; e; e = e->next)
        if (walk_entry(&search, fd, e->name, 0, 0) < 0)
            return -1;
    for (const struct tree_entry *e = entries; e; e = e->next)
        if (walk_entry(&remove, fd, e->name, 0, 0) < 0)
            return -1;
    return 0;
}
