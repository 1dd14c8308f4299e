/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/posix.h - owners, modes and paths, for providers that manage what lies in file systems.
 *
 * Canonical forms, so that what is wanted and what is there compare as text:
 *   path   one '/' between its parts, none behind the last, and no "." among them
 *   mode   four octal digits, "0644"
 *   owner  the name, where the system knows one, else the number as text: "root", never 0
 * Names are looked up by the host (rhost/ids.h), which remembers them for the request at hand. */
#ifndef RHOST_POSIX_H
#define RHOST_POSIX_H

/* With -std=c11 the C library hides what POSIX has, unless this stands before its first header. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <rhost/ids.h>
#include <rhost/provider.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Data types for the attribute tables. */
#define RHOST_TYPE_PATH "Pattern[/\\A\\//]"
#define RHOST_TYPE_MODE "Pattern[/\\A0?[0-7]{3,4}\\z/]"
#define RHOST_TYPE_OWNER "Variant[String[1], Integer[0, 4294967294]]"

/* The number that `name` has in the account data base (or is); -1 with errno when that can't be told, and
 * with errno 0 when there is no such account. */
static inline int64_t
rhost_look_up_id(rhost_ctx *ctx, int groups, const char *name)
{
    int64_t id = -1; /* which it stays unless the number is known */
    int32_t answer;

    errno = 0;
    if (*name && strspn(name, "0123456789") == strlen(name)) {
        unsigned long long n = strlen(name) > 10 ? 4294967295ULL : strtoull(name, NULL, 10);

        return n < 4294967295ULL ? (int64_t)n : -1;
    }
    answer = rhost_ids_number(ctx, groups ? RHOST_IDS_GROUP : RHOST_IDS_USER, name, &id);
    errno = -answer;
    return id;
}

/* The name of a number, or the number as text. */
static inline const char *
rhost_look_up_name(rhost_ctx *ctx, int groups, uint32_t id)
{
    const char *name = NULL;
    char *number;

    if (rhost_ids_name(ctx, groups ? RHOST_IDS_GROUP : RHOST_IDS_USER, id, &name) == 0 && name)
        return name;
    number = (char *)ctx->host->alloc(ctx, 16);
    snprintf(number, 16, "%lu", (unsigned long)id);
    return number;
}

/* The id that attribute `key` of `wanted` stands for: 0 and *id, which is -1 when nothing is
 * wanted; or -1, with the reason given, when there is no such account. */
static inline int
rhost_wanted_id(rhost_ctx *ctx, const rhost_value *wanted, const char *key, int groups, int64_t *id)
{
    const char *name = rhost_str(wanted, key);

    *id = name ? rhost_look_up_id(ctx, groups, name) : -1;
    if (name && *id < 0 && errno)
        return ctx->host->fail(ctx, errno, key,
                               rhost_fmt(ctx, "cannot look up %s '%s'", groups ? "group" : "user", name));
    if (name && *id < 0)
        return rhost_fail_attr(ctx, key, "unknown %s '%s'", groups ? "group" : "user", name);
    return 0;
}

/* The mode that `wanted` has, -1 for none. */
RHOST_UNUSED static inline int64_t
rhost_wanted_mode(const rhost_value *wanted)
{
    const char *mode = rhost_str(wanted, "mode");

    return mode ? strtol(mode, NULL, 8) : -1;
}

/* Reports owner, group and mode as they are. */
RHOST_UNUSED static inline void
rhost_put_stat(rhost_ctx *ctx, rhost_value *current, const struct stat *st)
{
    char mode[5] = "0000";

    for (int i = 0; i < 4; i++)
        mode[i] = (char)('0' + (st->st_mode >> (9 - 3 * i) & 7));
    rhost_put_str(current, "owner", rhost_look_up_name(ctx, 0, st->st_uid));
    rhost_put_str(current, "group", rhost_look_up_name(ctx, 1, st->st_gid));
    rhost_put_str(current, "mode", mode);
}

/* Whether this is an image, or the root of another system, in a chroot: a push into a directory says so, else
 * / is not that of the first process. Nothing is started there, and what is enabled is for a later boot. A
 * container is none. */
RHOST_UNUSED static inline int
rhost_in_chroot(void)
{
    struct stat ours, first;

    if (stat("/run/rhost/image", &first) == 0 || stat("/dev/rhost/image", &first) == 0)
        return 1;
    if (stat("/run/.containerenv", &first) == 0 || stat("/.dockerenv", &first) == 0)
        return 0;
    return stat("/", &ours) == 0 && stat("/proc/1/root/.", &first) == 0
           && (ours.st_dev != first.st_dev || ours.st_ino != first.st_ino);
}

/* --- Canonical forms, in place, of what is there. ------------------------------------------- */

/* The canonical form of an absolute path, in memory of the call: one '/' between its parts, no "." among
 * them, and none behind the last. ".." stays: where that leads depends on links. Other text is given back as
 * it is. */
static inline const char *
rhost_tidied_path(rhost_ctx *ctx, const char *path)
{
    char *tidy = (char *)ctx->host->alloc(ctx, strlen(path) + 2), *to = tidy;

    if (*path != '/')
        return path;
    for (const char *part = path; *part;) {
        size_t len;

        while (*part == '/')
            part++;
        len = strcspn(part, "/");
        if (len && !(len == 1 && *part == '.')) {
            *to++ = '/';
            memcpy(to, part, len);
            to += len;
        }
        part += len;
    }
    if (to == tidy)
        *to++ = '/';
    *to = '\0';
    return tidy;
}

/* Whether no part of a path is empty or "."; nearly all are so, which one pass tells. */
static inline int
rhost_is_tidy(const char *path)
{
    for (const char *p = path; *p; p++)
        if (*p == '/'
            && (p[1] == '/' || (p[1] == '\0' && p > path) || (p[1] == '.' && (p[2] == '/' || p[2] == '\0'))))
            return 0;
    return 1;
}

RHOST_UNUSED static inline void
rhost_tidy_path(rhost_ctx *ctx, rhost_value *resource, const char *key)
{
    const char *path = rhost_str(resource, key), *tidy;

    if (!path || rhost_is_tidy(path))
        return;
    tidy = rhost_tidied_path(ctx, path);
    if (strcmp(tidy, path) != 0)
        rhost_put_str(resource, key, tidy);
}

RHOST_UNUSED static inline void
rhost_tidy_mode(rhost_value *resource)
{
    const char *mode = rhost_str(resource, "mode");

    if (mode && strlen(mode) != 4)
        rhost_put_fmt(resource, "mode", "%04lo", (unsigned long)strtol(mode, NULL, 8) & 07777ul);
}

static inline void
rhost_tidy_id(rhost_ctx *ctx, rhost_value *resource, const char *key, int groups)
{
    const char *name = rhost_str(resource, key), *canonical;
    int64_t id = name ? rhost_look_up_id(ctx, groups, name) : rhost_int(resource, key, -1);

    if (id < 0)
        return; /* not there (yet): compared as it stands */
    canonical = rhost_look_up_name(ctx, groups, (uint32_t)id);
    if (!name || strcmp(name, canonical) != 0)
        rhost_put_str(resource, key, canonical);
}

RHOST_UNUSED static inline void
rhost_tidy_owners(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_id(ctx, resource, "owner", 0);
    rhost_tidy_id(ctx, resource, "group", 1);
}

/* --- The attribute `validate`: a command that must accept a new file (<rhost/file.h>). ------- */

#define RHOST_VALIDATE_ATTR                                                                                  \
    {                                                                                                        \
        .name = "validate", .type = "Optional[Array[String[1], 1]]", .behaviour = RHOST_PARAMETER,           \
        .desc = "A command that must accept the new file, whose path stands for %."                          \
    }

/* For canonicalize: -1, with the reason given, when none of its arguments is the path. */
RHOST_UNUSED static inline int
rhost_check_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *command = rhost_get(resource, "validate");

    for (size_t i = 0; i < rhost_count(command); i++)
        if (strcmp(rhost_str_at(command, i), "%") == 0)
            return 0;
    return rhost_count(command)
               ? rhost_fail_attr(ctx, "validate", "no argument is \"%%\", the path of the new file")
               : 0;
}

/* As rhost_new_file has it, in memory of the call; NULL: there is none. */
RHOST_UNUSED static inline const char *const *
rhost_wanted_validate(rhost_ctx *ctx, const rhost_value *should)
{
    const rhost_value *command = rhost_get(should, "validate");
    size_t n = rhost_count(command);
    const char **argv = (const char **)rhost_alloc(ctx, (n + 1) * sizeof *argv);

    for (size_t i = 0; i < n; i++)
        argv[i] = rhost_str_at(command, i);
    return n ? argv : NULL;
}

#ifdef __cplusplus
}
#endif

#endif
