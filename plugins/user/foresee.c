/* SPDX-License-Identifier: Apache-2.0 */
/* foresee - what the tools would refuse, said by a dry run; and a shell that does not exist, which they
 * accept. */

#include "foresee.h"

#include "home.h"
#include "removal.h"

#include <rhost/dry-run.h>

static int
has(const rhost_value *list, const char *name)
{
    for (size_t i = 0; i < rhost_count(list); i++)
        if (strcmp(rhost_str_at(list, i), name) == 0)
            return 1;
    return 0;
}

/* Those that it is not in yet. */
static int
foresee_groups(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, const rhost_value *current)
{
    const rhost_value *now = current ? rhost_get(current, "groups") : NULL;
    const char *gid_now = current ? rhost_str(current, "gid") : NULL;
    const rhost_value *groups = rhost_get(should, "groups");
    const char *gid = rhost_str(should, "gid");

    if (!current && gid && strcmp(gid, rhost_str(name, "name")) == 0)
        gid = NULL; /* its own group, which is made */
    if (gid && (!gid_now || strcmp(gid, gid_now) != 0) && rhost_foresee_account(ctx, "gid", 1, gid) < 0)
        return -1;
    for (size_t i = 0; i < rhost_count(groups); i++)
        if (!has(now, rhost_str_at(groups, i))
            && rhost_foresee_account(ctx, "groups", 1, rhost_str_at(groups, i)) < 0)
            return -1;
    return 0;
}

/* A number that another user has, who keeps it as far as the manifest is concerned. */
static int
foresee_uid(rhost_ctx *ctx, const struct accounts *a, const rhost_value *name, const rhost_value *should,
            const rhost_value *current)
{
    int64_t uid = rhost_int(should, "uid", -1);

    if (uid < 0 || uid == rhost_int(current, "uid", -1) || rhost_bool(should, "allow_duplicate_uid", 0))
        return 0;
    for (size_t i = 0; i < a->n_users; i++)
        if (a->users[i].uid == uid && strcmp(a->users[i].name, rhost_str(name, "name")) != 0
            && !rhost_declared(ctx, "user", a->users[i].name))
            return rhost_fail_attr(ctx, "uid", "user '%s' has the uid %lld", a->users[i].name,
                                   (long long)uid);
    return 0;
}

/* A warning: such a user can't log in, which may be what is meant. */
static void
check_shell(rhost_ctx *ctx, const rhost_value *should, const rhost_value *current)
{
    const char *shell = rhost_str(should, "shell"), *now = current ? rhost_str(current, "shell") : NULL;
    struct stat st;

    if (!shell || !*shell || (now && strcmp(now, shell) == 0)
        || rhost_path_stat(ctx, shell, RHOST_PATH_FOLLOW, &st) == 0 || errno != ENOENT)
        return;
    if (rhost_noop(ctx)
        && (rhost_will_exist(ctx, "package", strrchr(shell, '/') + 1) || rhost_will_exist(ctx, "file", shell)
            || rhost_will_exist(ctx, "link", shell)))
        return;
    rhost_warning(ctx, "shell '%s' does not exist: the user cannot log in", shell);
}

/* What the change would refuse of the home directory. */
static int
foresee_home(rhost_ctx *ctx, const struct accounts *a, const rhost_value *name, const rhost_value *should,
             const rhost_value *current)
{
    const struct rhost_change change = {
        .struct_size = sizeof change, .name = name, .is = current, .should = should
    };
    struct removal removal;
    int result;

    if (strcmp(rhost_str_or(should, "ensure", ""), "absent") != 0)
        return home_check(ctx, &change, NULL);
    if (!current || !rhost_bool(should, "remove_home", 0))
        return 0;
    result = removal_open(ctx, a, &change, &removal);
    removal_close(&removal);
    return result;
}

int
foresee_user(rhost_ctx *ctx, const struct accounts *a, const rhost_value *name, const rhost_value *should,
             const rhost_value *current)
{
    if (!should)
        return 0;
    if (rhost_noop(ctx) && foresee_home(ctx, a, name, should, current) < 0)
        return -1;
    if (rhost_wants_absence(should))
        return 0;
    check_shell(ctx, should, current);
    if (!rhost_noop(ctx))
        return 0;
    return foresee_groups(ctx, name, should, current) < 0 || foresee_uid(ctx, a, name, should, current) < 0
               ? -1
               : 0;
}
