/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/dry-run.h - what an apply would lack, said by a dry run.
 *
 * A dry run that promises a change which apply can't make is worse than none. So load() checks under noop what apply
 * needs: the owner, the group, the directory above. What the manifest itself creates is not missing. For the rest
 * these functions fail with RHOST_MISSING: where something else in the run might create it, a package or a
 * command, the host reports the state as unknown, with the reason.
 *
 * They do nothing, and cost nothing, where something is applied; and ask the catalog only when something is missing.
 * Needs POSIX.1-2008. */
#ifndef RHOST_DRY_RUN_H
#define RHOST_DRY_RUN_H

/* With -std=c11 the C library hides what POSIX has, unless this stands before its first header. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <rhost/catalog.h>
#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the manifest has type[title], and not to remove it. */
static inline int
rhost_will_exist(rhost_ctx *ctx, const char *type, const char *title)
{
    const rhost_value *should = rhost_declared(ctx, type, title);

    return should && strcmp(rhost_str_or(should, "ensure", "present"), "absent") != 0;
}

/* Fails with RHOST_MISSING and returns -1; or returns 0 where there is no manifest that could be asked, so that nobody
 * knows what else is to be created. */
static inline int
rhost_fail_missing(rhost_ctx *ctx, const char *key, const char *message)
{
    /* Of a type that there is not: only whether there is an answer matters. */
    return rhost_declared_all(ctx, "-") ? ctx->host->fail(ctx, RHOST_MISSING, key, message) : 0;
}

/* Whether a noop should look ahead for a resource: not when it is only shown, or is to be removed. */
static inline int
rhost_looks_ahead(rhost_ctx *ctx, const rhost_value *should)
{
    return should && rhost_noop(ctx) && strcmp(rhost_str_or(should, "ensure", ""), "absent") != 0;
}

/* An account that attribute `key` names exists, or will: 0; or -1 with the reason given. */
static inline int
rhost_foresee_account(rhost_ctx *ctx, const char *key, int groups, const char *name)
{
    if (!rhost_noop(ctx) || rhost_look_up_id(ctx, groups, name) >= 0 || errno != 0)
        return 0;
    /* A new user mostly gets a group of the same name. */
    if (rhost_will_exist(ctx, groups ? "group" : "user", name) || (groups && rhost_will_exist(ctx, "user", name)))
        return 0;
    return rhost_fail_missing(ctx, key, rhost_fmt(ctx, "unknown %s '%s'", groups ? "group" : "user", name));
}

/* Of `owner` and `group`, those that differ from what is there (NULL: nothing). */
RHOST_UNUSED static inline int
rhost_foresee_owners(rhost_ctx *ctx, const rhost_value *should, const rhost_value *current)
{
    static const char *const keys[] = { "owner", "group" };

    if (!rhost_looks_ahead(ctx, should))
        return 0;
    for (int groups = 0; groups < 2; groups++) {
        const char *name = rhost_str(should, keys[groups]);
        const char *now = current ? rhost_str(current, keys[groups]) : NULL;

        if (name && (!now || strcmp(now, name) != 0)
            && rhost_foresee_account(ctx, keys[groups], groups, name) < 0)
            return -1;
    }
    return 0;
}

/* Whether `path` is `top` or below it. */
static inline int
rhost_is_at_or_below(const char *path, const char *top)
{
    size_t len = strlen(top);

    while (len > 0 && top[len - 1] == '/')
        len--;
    return strncmp(path, top, len) == 0 && (!path[len] || path[len] == '/');
}

/* Whether a file or a directory of the manifest has `parents: true` and lies below this directory. */
static inline int
rhost_will_be_parent(rhost_ctx *ctx, const char *path)
{
    static const char *const types[] = { "directory", "file" };

    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const rhost_value *all = rhost_declared_all(ctx, types[k]);

        for (size_t i = 0; i < rhost_count(all); i++) {
            const rhost_value *should = rhost_get(rhost_at(all, i, NULL), "should");
            const char *below = rhost_str(should, "path");

            if (below && rhost_bool(should, "parents", 0)
                && strcmp(rhost_str_or(should, "ensure", ""), "absent") != 0
                && rhost_is_at_or_below(below, path))
                return 1;
        }
    }
    return 0;
}

/* Whether the manifest has this directory: as one, as a link to one, or as what is in a file system that it
 * mounts, or in the home of a user that it creates. */
static inline int
rhost_directory_is_declared(rhost_ctx *ctx, const char *path)
{
    static const char *const tops[][2] = { { "mount", "name" }, { "user", "home" }, { "link", "path" } };

    if (rhost_will_exist(ctx, "directory", path))
        return 1;
    for (size_t k = 0; k < sizeof tops / sizeof *tops; k++) {
        const rhost_value *all = rhost_declared_all(ctx, tops[k][0]);

        for (size_t i = 0; i < rhost_count(all); i++) {
            const rhost_value *should = rhost_get(rhost_at(all, i, NULL), "should");
            const char *top = rhost_str(should, tops[k][1]);

            if (top && strcmp(rhost_str_or(should, "ensure", ""), "absent") != 0
                && rhost_is_at_or_below(path, top))
                return 1;
        }
    }
    return 0;
}

/* Whether the manifest will make this directory: as itself, or with something below it. */
RHOST_UNUSED static inline int
rhost_directory_will_exist(rhost_ctx *ctx, const char *path)
{
    return rhost_directory_is_declared(ctx, path) || rhost_will_be_parent(ctx, path);
}

/* A directory exists, or will: 0; or -1 with the reason given, which begins with `what`. The one that was found last
 * is remembered: a dry run is one process, and many files are in one directory. */
static inline int
rhost_foresee_directory(rhost_ctx *ctx, const char *key, const char *what, const char *path)
{
    static char last[4096]; /* as long as a path can be */
    struct stat st;
    int why;

    if (!rhost_noop(ctx) || (*last && strcmp(last, path) == 0))
        return 0;
    if (rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) == 0) {
        if (S_ISDIR(st.st_mode)) {
            (void)snprintf(last, sizeof last, "%s", path);
            return 0;
        }
        if (rhost_directory_is_declared(ctx, path))
            return 0;
        return rhost_fail_missing(ctx, key, rhost_fmt(ctx, "%s'%s' is not a directory", what, path));
    }
    why = errno;
    if (rhost_directory_will_exist(ctx, path))
        return 0;
    errno = why;
    if (rhost_path_unsafe(ctx))
        return rhost_fail_path(ctx, "%scannot use directory '%s'", what, path);
    if (errno != ENOENT && errno != ENOTDIR)
        return 0; /* other troubles are for the reading of it to tell */
    return rhost_fail_missing(ctx, key, rhost_fmt(ctx, "%sdirectory '%s' does not exist, and no directory[%s] creates it",
                                     what, path, path));
}

/* The directory that `path` is to be created in. */
static inline int
rhost_foresee_parent(rhost_ctx *ctx, const char *path)
{
    const char *end = strrchr(path, '/');

    if (!end || !rhost_noop(ctx))
        return 0;
    return rhost_foresee_directory(ctx, NULL, rhost_fmt(ctx, "cannot create '%s': ", path),
                                   end == path ? "/" : rhost_copy(ctx, path, (size_t)(end - path)));
}

/* After something could not be created at `path`: as rhost_fail_path(), and says so where the directory does not
 * exist. */
RHOST_UNUSED static inline int
rhost_fail_create(rhost_ctx *ctx, const char *path)
{
    int why = errno;
    const char *end = strrchr(path, '/');
    struct stat st;

    if (why == ENOENT && end && end != path) {
        const char *parent = rhost_copy(ctx, path, (size_t)(end - path));

        if (rhost_path_stat(ctx, parent, RHOST_PATH_FOLLOW, &st) < 0 && errno == ENOENT)
            return rhost_fail(ctx, "cannot create '%s': directory '%s' does not exist; 'directory: %s' creates it", path,
                              parent, parent);
    }
    errno = why;
    return rhost_fail_path(ctx, "cannot create '%s'", path);
}

/* The directory that `path` is in; NULL for "/" and what is in it. */
static inline const char *
rhost_parent_path(rhost_ctx *ctx, const char *path)
{
    const char *end = strrchr(path, '/');

    return end && end != path ? rhost_copy(ctx, path, (size_t)(end - path)) : NULL;
}

/* Makes the directories that `path` lies in as far as they do not exist, with mode 0755 whatever the umask is: for
 * a parameter `parents: true`, before something is created at `path`. Those that exist stay as they are. 0; or -1 with
 * the reason given. */
RHOST_UNUSED static inline int
rhost_make_parents(rhost_ctx *ctx, const char *path)
{
    const char *parent = rhost_parent_path(ctx, path);
    struct stat st;
    int made;

    if (!parent)
        return 0;
    if (rhost_path_stat(ctx, parent, RHOST_PATH_FOLLOW, &st) == 0) {
        if (S_ISDIR(st.st_mode))
            return 0;
        return rhost_fail(ctx, "cannot create '%s': '%s' is not a directory", path, parent);
    }
    if (errno != ENOENT && errno != ENOTDIR)
        return rhost_fail_path(ctx, "cannot create directory '%s'", parent);
    if (rhost_make_parents(ctx, parent) < 0)
        return -1;
    made = rhost_path_make_directory(ctx, parent, 0755);
    if (made < 0)
        return rhost_fail_path(ctx, "cannot create directory '%s'", parent);
    if (made) {
        rhost_notice(ctx, "Created directory '%s'", parent);
        rhost_touched(ctx, parent);
    }
    return 0;
}

/* The same under noop: says which directories would be made, or fails where they can't be. */
static inline int
rhost_foresee_parents(rhost_ctx *ctx, const char *path)
{
    const char *missing = "", *at = path;
    struct stat st;

    while ((at = rhost_parent_path(ctx, at))) {
        if (rhost_path_stat(ctx, at, RHOST_PATH_FOLLOW, &st) == 0) {
            if (S_ISDIR(st.st_mode) || rhost_directory_is_declared(ctx, at))
                break;
            return rhost_fail_missing(
                ctx, NULL, rhost_fmt(ctx, "cannot create '%s': '%s' is not a directory", path, at));
        }
        if (errno != ENOENT && errno != ENOTDIR)
            return 0; /* for the reading of it to tell */
        if (!rhost_will_exist(ctx, "directory", at))
            missing = rhost_fmt(ctx, "'%s'%s%s", at, *missing ? ", " : "", missing);
    }
    if (*missing)
        rhost_notice(ctx, "Would create %s %s", strchr(missing, ',') ? "directories" : "directory", missing);
    return 0;
}

/* What load() answers of what does not exist and would be created in the file, or as the file, at `path`:
 * RHOST_ABSENT, or -1 with the reason given. With the parameter `parents: true` the directory of it need not exist:
 * see rhost_make_parents(). */
RHOST_UNUSED static inline int32_t
rhost_absent_at(rhost_ctx *ctx, const rhost_value *should, const char *path)
{
    if (!rhost_looks_ahead(ctx, should))
        return RHOST_ABSENT;
    return (rhost_bool(should, "parents", 0) ? rhost_foresee_parents(ctx, path) : rhost_foresee_parent(ctx, path)) < 0
               ? -1
               : RHOST_ABSENT;
}

#ifdef __cplusplus
}
#endif

#endif
