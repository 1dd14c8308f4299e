/* SPDX-License-Identifier: Apache-2.0 */
/* tree - what lies below a directory: looking at it, changing it, removing it. */

#include "tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

enum { DEEPEST = 200, STOP = 1 }; /* a descriptor is held for each level */

struct walk {
    rhost_ctx *ctx;
    /* For each entry, after what is below it: 0, STOP, or -1 with the reason given. */
    int32_t (*visit)(struct walk *w, int dir, const char *name, const struct stat *st);
    const struct tree_rule *rule;
    dev_t dev;
    size_t enough, differ;
    char *first;
    size_t first_size;
    int removing;
    char path[PATH_MAX]; /* of the entry, from the top */
};

static int32_t walk_into(struct walk *w, int fd, size_t at, int depth);

static int32_t
walk_entry(struct walk *w, int dir, const char *name, size_t at, int depth)
{
    struct stat st;
    size_t len = strlen(name);

    if (at + len + 2 > sizeof w->path)
        return rhost_fail(w->ctx, "the path below '%s' is too long", w->path);
    memcpy(w->path + at, name, len + 1);
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : rhost_fail_errno(w->ctx, "cannot look at '%s'", w->path);
    if (S_ISDIR(st.st_mode)) {
        int fd, result;

        if (st.st_dev != w->dev && w->removing)
            return rhost_fail(w->ctx, "cannot remove '%s': something is mounted there", w->path);
        if (st.st_dev != w->dev)
            return 0;
        fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return errno == ENOENT ? 0 : rhost_fail_errno(w->ctx, "cannot open '%s'", w->path);
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
        (void)close(fd);
        return depth < DEEPEST ? rhost_fail_errno(w->ctx, "cannot read '%s'", w->path)
                               : rhost_fail(w->ctx, "'%s' is too deep", w->path);
    }
    while (!result && (errno = 0, e = readdir(dir)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = walk_entry(w, dirfd(dir), e->d_name, at, depth);
    if (!result && errno) {
        w->path[at] = '\0';
        result = rhost_fail_errno(w->ctx, "cannot read '%s'", at ? w->path : ".");
    }
    (void)closedir(dir);
    return result;
}

static int32_t
walk(struct walk *w, int fd)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;

    if (own < 0 || fstat(own, &st) < 0)
        return rhost_fail_errno(w->ctx, "cannot open the directory");
    w->dev = st.st_dev;
    return walk_into(w, own, 0, 0);
}

int64_t
tree_directory_mode(int64_t mode)
{
    return mode < 0 ? mode : mode | (mode & 0444) >> 2;
}

/* What the entry's mode should be; -1: as it is. Links have none, and setuid, setgid and the
 * sticky bit are meant for directories when they are given to a tree. */
static int64_t
mode_below(const struct tree_rule *rule, const struct stat *st)
{
    if (rule->mode < 0 || S_ISLNK(st->st_mode))
        return -1;
    return S_ISDIR(st->st_mode) ? tree_directory_mode(rule->mode) : rule->mode & 0777;
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
tree_check(rhost_ctx *ctx, int fd, const struct tree_rule *rule, size_t enough, size_t *differ,
           char *first, size_t size)
{
    struct walk w = { .ctx = ctx, .visit = visit_check, .rule = rule, .enough = enough,
                      .first = first, .first_size = size };

    if (walk(&w, fd) < 0)
        return -1;
    *differ = w.differ;
    return 0;
}

static int32_t
visit_apply(struct walk *w, int dir, const char *name, const struct stat *st)
{
    const struct tree_rule *rule = w->rule;
    int chown = owner_differs(rule, st);
    int64_t mode = mode_below(rule, st);

    if (chown
        && fchownat(dir, name, (uid_t)rule->uid, (gid_t)rule->gid, AT_SYMLINK_NOFOLLOW) < 0)
        return rhost_fail_errno(w->ctx, "cannot change the owner of '%s'", w->path);
    if (mode < 0 && chown && !S_ISLNK(st->st_mode))
        mode = st->st_mode & 07777; /* a new owner takes setuid bits away */
    if (mode >= 0 && (chown || mode_differs(rule, st))
        && fchmodat(dir, name, (mode_t)mode, AT_SYMLINK_NOFOLLOW) < 0)
        return rhost_fail_errno(w->ctx, "cannot change the mode of '%s'", w->path);
    return 0;
}

int32_t
tree_apply(rhost_ctx *ctx, int fd, const struct tree_rule *rule)
{
    struct walk w = { .ctx = ctx, .visit = visit_apply, .rule = rule };

    return walk(&w, fd);
}

static int
is_kept(const rhost_value *keep, const char *name)
{
    for (size_t i = 0; i < rhost_count(keep); i++) {
        const char *kept = rhost_str_at(keep, i);

        if (kept && strcmp(kept, name) == 0)
            return 1;
    }
    return 0;
}

int32_t
tree_list(rhost_ctx *ctx, int fd, const rhost_value *keep, int force, struct tree_entry **entries,
          size_t *n)
{
    int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    const struct dirent *e;
    int why;

    *entries = NULL;
    *n = 0;
    if (!dir)
        return rhost_fail_errno(ctx, "cannot open the directory");
    while ((errno = 0, e = readdir(dir))) {
        size_t len = strlen(e->d_name);
        struct tree_entry *entry;
        struct stat st;

        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0
            || is_kept(keep, e->d_name))
            continue;
        if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue; /* gone by itself */
        if (S_ISDIR(st.st_mode) && !force)
            continue;
        entry = rhost_alloc(ctx, sizeof *entry + len + 1);
        entry->is_directory = S_ISDIR(st.st_mode);
        memcpy(entry->name, e->d_name, len + 1);
        entry->next = *entries;
        *entries = entry;
        ++*n;
    }
    why = errno;
    (void)closedir(dir);
    errno = why;
    return why ? rhost_fail_errno(ctx, "cannot read the directory") : 0;
}

static int32_t
visit_remove(struct walk *w, int dir, const char *name, const struct stat *st)
{
    if (unlinkat(dir, name, S_ISDIR(st->st_mode) ? AT_REMOVEDIR : 0) < 0 && errno != ENOENT)
        return rhost_fail_errno(w->ctx, "cannot remove '%s'", w->path);
    return 0;
}

int32_t
tree_remove_below(rhost_ctx *ctx, int fd)
{
    struct walk w = { .ctx = ctx, .visit = visit_remove, .removing = 1 };

    return walk(&w, fd);
}

int32_t
tree_remove_entry(rhost_ctx *ctx, int fd, const struct tree_entry *entry)
{
    struct walk w = { .ctx = ctx, .visit = visit_remove, .removing = 1 };
    struct stat st;

    if (fstat(fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot look at the directory");
    w.dev = st.st_dev;
    return walk_entry(&w, fd, entry->name, 0, 0);
}
