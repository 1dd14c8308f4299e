/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/ids.h - the extension rhost.ids/1: the numbers of users and groups, and their names.
 *
 * The host looks them up, and remembers them for the request at hand only: accounts change during a run. What a
 * command that the provider ran has changed is looked up again. Without the extension each is
 * looked up in the system's data base. Needs POSIX.1-2008. */
#ifndef RHOST_IDS_H
#define RHOST_IDS_H

/* With -std=c11 the C library hides what POSIX has, unless this stands before its first header. */
#if defined(__STRICT_ANSI__) && !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <rhost/abi.h>

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_IDS_ID "rhost.ids/1"

#define RHOST_IDS_USER 0
#define RHOST_IDS_GROUP 1

struct rhost_ids {
    size_t struct_size;
    /* The number of the account of this name, which is a name only, as *id; -1: there is no such account.
     * 0, or an errno, negative, when that can't be told. */
    int32_t (*number)(rhost_ctx *ctx, int32_t kind, const char *name, int64_t *id);
    /* The name of the account with this number, in memory of the call, as *name; NULL: there is none. Answers
     * as above. */
    int32_t (*name)(rhost_ctx *ctx, int32_t kind, uint32_t id, const char **name);
};

/* One look into the data base, by name, or by number when that is NULL. 0 with *id and *found, which is
 * NULL when there is no such account; or an errno, negative. */
static inline int32_t
rhost_ids_look_up(rhost_ctx *ctx, int32_t kind, const char *name, uint32_t number, int64_t *id,
                  const char **found)
{
    struct passwd pw, *user = NULL;
    struct group gr, *group = NULL;
    int why = ERANGE;

    for (size_t size = 2048; why == ERANGE && size <= ((size_t)1 << 22); size *= 8) {
        char *buf = (char *)ctx->host->alloc(ctx, size);

        if (kind == RHOST_IDS_GROUP)
            why = name ? getgrnam_r(name, &gr, buf, size, &group) : getgrgid_r(number, &gr, buf, size, &group);
        else
            why = name ? getpwnam_r(name, &pw, buf, size, &user) : getpwuid_r(number, &pw, buf, size, &user);
    }
    *id = user ? (int64_t)user->pw_uid : group ? (int64_t)group->gr_gid : -1;
    *found = user ? user->pw_name : group ? group->gr_name : NULL;
    /* Not found has several numbers, depending on where was looked: getpwnam(3). */
    if (*found || why == ENOENT || why == ESRCH || why == EBADF || why == EPERM)
        return 0;
    return -why;
}

static inline int32_t
rhost_ids_number(rhost_ctx *ctx, int32_t kind, const char *name, int64_t *id)
{
    const struct rhost_ids *ext = (const struct rhost_ids *)ctx->host->extension(ctx, RHOST_IDS_ID);
    const char *found;

    return ext ? ext->number(ctx, kind, name, id) : rhost_ids_look_up(ctx, kind, name, 0, id, &found);
}

static inline int32_t
rhost_ids_name(rhost_ctx *ctx, int32_t kind, uint32_t id, const char **name)
{
    const struct rhost_ids *ext = (const struct rhost_ids *)ctx->host->extension(ctx, RHOST_IDS_ID);
    int64_t number;

    return ext ? ext->name(ctx, kind, id, name) : rhost_ids_look_up(ctx, kind, NULL, id, &number, name);
}

#ifdef __cplusplus
}
#endif

#endif
