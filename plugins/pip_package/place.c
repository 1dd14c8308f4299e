/* SPDX-License-Identifier: Apache-2.0 */
/* place - the directory that packages are in, and the user that its manager runs as. */

#include "place.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>

#include <unistd.h>

static void
run_as(struct place *p, int64_t uid)
{
    p->uid = uid;
    if (geteuid() == 0)
        p->user = rhost_fmt(p->ctx, "%lld", (long long)uid);
}

int32_t
place_open(rhost_ctx *ctx, struct place *p, const char *path, const rhost_value *should)
{
    const char *owner = rhost_str(should, "owner");
    int64_t uid = owner ? rhost_look_up_id(ctx, 0, owner) : -1;
    struct stat st;

    *p = (struct place){ .ctx = ctx, .should = should, .path = path };
    if (rhost_path_stat(ctx, path, RHOST_PATH_FOLLOW, &st) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return rhost_fail_path(ctx, "cannot stat '%s'", path);
        run_as(p, uid < 0 ? geteuid() : uid);
        return 0;
    }
    if (!S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' exists, but is not a directory", path);
    if (owner && uid < 0)
        return rhost_wanted_id(ctx, should, "owner", 0, &uid) < 0 ? -1 : 0;
    if (owner && uid != st.st_uid)
        return rhost_fail_attr(ctx, "owner", "'%s' belongs to user '%s'", path,
                               rhost_look_up_name(ctx, 0, st.st_uid));
    p->exists = 1;
    run_as(p, st.st_uid);
    return 0;
}

int32_t
place_check_trust(const struct place *p, const char *manager, const char *const *below)
{
    struct stat st;

    if (geteuid() != 0 || p->uid != 0)
        return 0;
    for (const char *path = p->path; path; path = *below ? *below++ : NULL) {
        if (rhost_path_trusted(p->ctx, path) < 0 && errno != ENOENT && errno != ENOTDIR)
            return rhost_fail_path(p->ctx, "cannot run %s in '%s' as root", manager, p->path);
        if (rhost_path_stat(p->ctx, path, RHOST_PATH_FOLLOW, &st) < 0) {
            if (errno == ENOENT || errno == ENOTDIR)
                continue;
            return rhost_fail_path(p->ctx, "cannot stat '%s'", path);
        }
        if (st.st_uid != 0 || st.st_mode & 022)
            return rhost_fail(p->ctx, "cannot run %s in '%s' as root: another user can change '%s'", manager,
                              p->path, path);
    }
    return 0;
}

int32_t
place_make(struct place *p)
{
    int64_t uid;
    int fd;

    if (p->exists)
        return 0;
    if (rhost_wanted_id(p->ctx, p->should, "owner", 0, &uid) < 0)
        return -1;
    if (rhost_path_mkdir(p->ctx, p->path, 0700) < 0)
        return rhost_fail_path(p->ctx, "cannot create directory '%s'", p->path);
    rhost_touched(p->ctx, p->path);
    fd = rhost_path_open(p->ctx, p->path, 0, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0 || rhost_path_own(p->ctx, fd, uid, -1, 0755) < 0) {
        (void)rhost_fail_path(p->ctx, "cannot change the owner of '%s'", p->path);
        rhost_path_close(fd);
        return -1;
    }
    rhost_path_close(fd);
    run_as(p, uid < 0 ? geteuid() : uid);
    p->exists = 1;
    return 0;
}

int32_t
place_foresee(const struct place *p)
{
    const char *owner = rhost_str(p->should, "owner");

    return owner ? rhost_foresee_account(p->ctx, "owner", 0, owner) : 0;
}

int
place_has(rhost_ctx *ctx, const char *path)
{
    struct stat st;

    return rhost_path_stat(ctx, path, 0, &st) == 0;
}
