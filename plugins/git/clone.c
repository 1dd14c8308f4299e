/* SPDX-License-Identifier: Apache-2.0 */
/* clone - makes a clone beside its path, and puts it there when it is whole. */

#include "clone.h"

#include "checkout.h"
#include "local.h"

#include "../archive/stage.h"

#include <rhost/dry-run.h>
#include <rhost/path.h>
#include <rhost/posix.h>

#include <unistd.h>

/* Who git runs as, and who owns what it makes; -1: as we are. */
static int32_t
choose_owner(rhost_ctx *ctx, const rhost_value *should, int former, int64_t *uid, int64_t *gid)
{
    struct stat st;

    if (rhost_wanted_id(ctx, should, "owner", 0, uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, gid) < 0)
        return -1;
    if (geteuid() != 0)
        return 0;
    if (*uid < 0 && former >= 0) {
        if (fstat(former, &st) < 0)
            return rhost_fail_errno(ctx, "cannot stat the directory");
        *uid = st.st_uid;
    }
    if (*uid < 0)
        *uid = 0;
    return 0;
}

static int32_t
fill(const struct git *g, struct stage *stage, const rhost_value *name, int64_t uid, int64_t gid)
{
    struct repository r = { .kind = rhost_bool(g->should, "bare", 0) ? REPOSITORY_BARE : REPOSITORY_TREE };
    const char *source = rhost_str(g->should, "source");

    /* Nobody else sees it before it is whole. */
    if (rhost_path_own(g->ctx, stage->fd, uid, gid, 0700) < 0)
        return rhost_fail_errno(g->ctx, "cannot change the owner of '%s'", g->path);
    if (checkout_init(g) < 0 || checkout_set_source(g, source) < 0 || checkout_bring(g, &r, name) < 0)
        return -1;
    if (rhost_bool(g->should, "submodules", 0) && checkout_bring_submodules(g) < 0)
        return -1;
    if (rhost_path_own(g->ctx, stage->fd, -1, -1, 0755) < 0)
        return rhost_fail_errno(g->ctx, "cannot change the mode of '%s'", g->path);
    return 0;
}

int32_t
clone_create(rhost_ctx *ctx, const struct rhost_change *change, int former)
{
    const char *path = rhost_str(change->name, "path"), *above;
    struct stage stage;
    int64_t uid, gid;
    int32_t result;
    struct git g;

    if (!rhost_has(change->should, "source"))
        return rhost_fail_attr(ctx, "source", "a clone that does not exist needs a 'source'");
    if (choose_owner(ctx, change->should, former, &uid, &gid) < 0)
        return -1;
    if (uid == 0 && geteuid() == 0 && rhost_path_trusted(ctx, path) < 0 && errno != ENOENT)
        return rhost_fail_path(ctx, "cannot run git in '%s' as root, set 'owner'", path);
    if (stage_open(ctx, change->name, path, &stage) < 0)
        return -1;
    above = rhost_parent_path(ctx, path);
    git_command_open(ctx, &g, change->should, rhost_fmt(ctx, "%s/%s", above ? above : "", stage.work.beside),
                     uid, gid);
    result = fill(&g, &stage, change->name, uid, gid);
    if (result == 0)
        result = former < 0 ? stage_place(ctx, &stage) : stage_replace(ctx, &stage, former);
    if (result == 0)
        result = record_work_end(ctx, change->name);
    stage_close(ctx, &stage);
    return result;
}
