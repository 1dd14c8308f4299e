/* SPDX-License-Identifier: Apache-2.0 */
/* rhost/posix.h - owners, modes and paths, for providers that manage what lies in file systems.
 *
 * Canonical forms, so that what is wanted and what is there compare as text:
 *   path   one '/' between its parts and none behind the last
 *   mode   four octal digits, "0644"
 *   owner  the name, where the system knows one, else the number as text: "root", never 0
 * Names that are looked up are remembered from rhost_posix_open() to rhost_posix_close(), which a
 * provider puts into its open and close slots. What is not found is not remembered: a user may
 * be created later in the same run. */
#ifndef RHOST_POSIX_H
#define RHOST_POSIX_H

#include <rhost/provider.h>

#include <grp.h>
#include <pwd.h>
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

struct rhost_known_ids {
    size_t n;
    struct {
        uint32_t id;
        char name[60];
    } at[64];
};

struct rhost_posix {
    struct rhost_known_ids users, groups;
};

RHOST_UNUSED static inline int32_t
rhost_posix_open(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    *state = calloc(1, sizeof(struct rhost_posix)); /* without it, each name is looked up again */
    return 0;
}

RHOST_UNUSED static inline void
rhost_posix_close(rhost_ctx *ctx)
{
    void **state = ctx->host->state(ctx);

    free(*state);
    *state = NULL;
}

static inline struct rhost_known_ids *
rhost_known(rhost_ctx *ctx, int groups)
{
    struct rhost_posix *posix = (struct rhost_posix *)*ctx->host->state(ctx);

    return !posix ? NULL : groups ? &posix->groups : &posix->users;
}

static inline void
rhost_remember(struct rhost_known_ids *known, uint32_t id, const char *name)
{
    size_t len = strlen(name);

    if (!known || len >= sizeof known->at[0].name)
        return;
    if (known->n == sizeof known->at / sizeof known->at[0])
        known->n = 0;
    known->at[known->n].id = id;
    memcpy(known->at[known->n].name, name, len + 1);
    known->n++;
}

/* The number that `name` has in the account data base (or is), -1 if none. */
static inline int64_t
rhost_look_up_id(rhost_ctx *ctx, int groups, const char *name)
{
    struct rhost_known_ids *known = rhost_known(ctx, groups);
    struct passwd pw, *user = NULL;
    struct group gr, *group = NULL;
    int why = ERANGE;

    if (*name && strspn(name, "0123456789") == strlen(name)) {
        unsigned long long n = strlen(name) > 10 ? 4294967295ULL : strtoull(name, NULL, 10);

        return n < 4294967295ULL ? (int64_t)n : -1;
    }
    for (size_t i = 0; known && i < known->n; i++)
        if (strcmp(known->at[i].name, name) == 0)
            return known->at[i].id;
    for (size_t size = 2048; why == ERANGE && size <= ((size_t)1 << 22); size *= 8) {
        char *buf = (char *)ctx->host->alloc(ctx, size);

        why = groups ? getgrnam_r(name, &gr, buf, size, &group)
                     : getpwnam_r(name, &pw, buf, size, &user);
    }
    return user ? (int64_t)user->pw_uid : group ? (int64_t)group->gr_gid : -1;
}

/* The name of a number, or the number as text. */
static inline const char *
rhost_look_up_name(rhost_ctx *ctx, int groups, uint32_t id)
{
    struct rhost_known_ids *known = rhost_known(ctx, groups);
    struct passwd pw, *user = NULL;
    struct group gr, *group = NULL;
    char *number;
    int why = ERANGE;

    for (size_t i = 0; known && i < known->n; i++)
        if (known->at[i].id == id)
            return known->at[i].name;
    for (size_t size = 2048; why == ERANGE && size <= ((size_t)1 << 22); size *= 8) {
        char *buf = (char *)ctx->host->alloc(ctx, size);

        why = groups ? getgrgid_r(id, &gr, buf, size, &group)
                     : getpwuid_r(id, &pw, buf, size, &user);
    }
    if (user || group) {
        const char *name = user ? user->pw_name : group->gr_name;

        rhost_remember(known, id, name);
        return name;
    }
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
    if (name && *id < 0)
        return rhost_fail_attr(ctx, key, "there is no %s '%s'", groups ? "group" : "user", name);
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

/* --- Canonical forms, in place, of what is there. ------------------------------------------- */

RHOST_UNUSED static inline void
rhost_tidy_path(rhost_ctx *ctx, rhost_value *resource, const char *key)
{
    const char *path = rhost_str(resource, key);
    size_t len = path ? strlen(path) : 0;
    char *tidy, *to;

    if (!path || len < 2 || (!strstr(path, "//") && path[len - 1] != '/'))
        return;
    tidy = to = (char *)ctx->host->alloc(ctx, len + 1);
    for (; *path; path++)
        if (*path != '/' || to == tidy || to[-1] != '/')
            *to++ = *path;
    if (to > tidy + 1 && to[-1] == '/')
        to--;
    *to = '\0';
    rhost_put_str(resource, key, tidy);
}

RHOST_UNUSED static inline void
rhost_tidy_mode(rhost_value *resource)
{
    const char *mode = rhost_str(resource, "mode");

    if (mode && (strlen(mode) != 4 || strspn(mode, "01234567") != 4))
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

#define RHOST_VALIDATE_ATTR                                                                        \
    { .name = "validate", .type = "Optional[Array[String[1], 1]]", .behaviour = RHOST_PARAMETER,    \
      .desc = "A command that must accept the new file, whose path stands for %." }

/* For canonicalize: -1, with the reason given, when none of its arguments is the path. */
RHOST_UNUSED static inline int
rhost_check_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *command = rhost_get(resource, "validate");

    for (size_t i = 0; i < rhost_count(command); i++)
        if (strcmp(rhost_str_at(command, i), "%") == 0)
            return 0;
    return rhost_count(command) ? rhost_fail_attr(ctx, "validate",
                                                  "no argument is \"%%\", the path of the new file")
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
