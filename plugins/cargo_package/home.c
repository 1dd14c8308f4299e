/* SPDX-License-Identifier: Apache-2.0 */
/* home - cargo's own directory: its configuration, and what it has downloaded. */

#include "home.h"

#include <rhost/path.h>

#include <pwd.h>

const char *
home_find(const struct place *p)
{
    const char *given = rhost_str(p->should, "cargo_home");
    struct passwd pw, *found = NULL;
    int why = ERANGE;

    if (given)
        return given;
    for (size_t size = 2048; why == ERANGE && size <= ((size_t)1 << 22); size *= 8)
        why = getpwuid_r((uid_t)p->uid, &pw, rhost_alloc(p->ctx, size), size, &found);
    if (found && pw.pw_dir && *pw.pw_dir == '/')
        return rhost_fmt(p->ctx, "%s/.cargo", strcmp(pw.pw_dir, "/") == 0 ? "" : pw.pw_dir);
    (void)rhost_fail(p->ctx, "the user %lld that cargo runs as has no home directory: set 'cargo_home'",
                     (long long)p->uid);
    return NULL;
}

/* The directory above, without a '/' at its end; NULL: there is none. */
static const char *
above(rhost_ctx *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? rhost_copy(ctx, path, (size_t)(slash - path)) : NULL;
}

void
home_add_trusted(struct words *all, const char *home)
{
    static const char *const parts[] = {
        "config",       "config.toml",   "credentials",   "credentials.toml",  "git",
        "git/db",       "git/checkouts", "registry",      "registry/cache",    "registry/index",
        "registry/src", ".cargo",        ".cargo/config", ".cargo/config.toml"
    };
    static const char *const configurations[] = { "config", "config.toml" };

    words_add(all, home);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        words_add(all, rhost_fmt(all->ctx, "%s/%s", home, parts[i]));
    for (const char *up = above(all->ctx, home); up; up = above(all->ctx, up))
        for (size_t i = 0; i < sizeof configurations / sizeof *configurations; i++)
            words_add(all, rhost_fmt(all->ctx, "%s/.cargo/%s", up, configurations[i]));
}

int32_t
home_check_above(const struct place *p, const char *home)
{
    for (const char *up = above(p->ctx, home); up; up = above(p->ctx, up)) {
        const char *path = rhost_fmt(p->ctx, "%s/.cargo", up);
        struct stat st;
        int safe;

        if (rhost_path_stat(p->ctx, path, 0, &st) == 0)
            safe = st.st_uid == 0 || st.st_uid == p->uid;
        else if (errno == ENOENT && *up && rhost_path_stat(p->ctx, up, 0, &st) == 0)
            safe = (st.st_uid == 0 || st.st_uid == p->uid) && !(st.st_mode & S_IWOTH);
        else
            safe = errno == ENOENT || errno == ENOTDIR;
        if (!safe)
            return rhost_fail(
                p->ctx,
                "cannot run cargo with its home '%s': another user can change '%s', which cargo "
                "reads its configuration from",
                home, path);
    }
    return 0;
}
