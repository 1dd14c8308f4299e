/* SPDX-License-Identifier: Apache-2.0 */
/* home - home directories: what the tools may be given.
 *
 * useradd, usermod and mkhomedir_helper are given paths, which they walk by name. They are only run where no
 * ordinary user can put a symbolic link into such a path. */

#include "home.h"

#include "change.h"
#include "mounts.h"
#include "system.h"
#include "tools.h"

#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/path.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

int
home_exists(rhost_ctx *ctx, const char *home)
{
    struct stat st;

    if (*home != '/')
        return 0;
    if (rhost_path_stat(ctx, home, RHOST_PATH_FOLLOW, &st) < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
    return S_ISDIR(st.st_mode);
}

/* --- Before the tools. ------------------------------------------------------------------------ */

const char *
home_skel(rhost_ctx *ctx, const struct rhost_change *change)
{
    char skel[PATH_MAX] = "/etc/skel";
    const char *stated = rhost_str(change->should, "skel");

    if (stated)
        return stated;
    if (!change->is) /* mkhomedir_helper knows no settings of useradd */
        system_default("SKEL", skel, sizeof skel);
    return rhost_fmt(ctx, "%s", skel);
}

const char *
home_of(rhost_ctx *ctx, const struct rhost_change *change)
{
    char base[PATH_MAX] = "/home";
    const char *home = change_home(change);

    if (*home || change->is)
        return home;
    system_default("HOME", base, sizeof base);
    return rhost_fmt(ctx, "%s/%s", base, rhost_str(change->name, "name"));
}

static int
fail_stat(rhost_ctx *ctx, const char *home)
{
    return rhost_fail_path(ctx, "cannot check whether home directory '%s' exists", home);
}

/* 1: there is one to be moved; 0; or -1 after the reason was given. */
static int
is_moved(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *from = rhost_str(change->is, "home");
    int exists = 0;

    if (from && change_differs(change, "home") && rhost_bool(change->should, "move_home", 0))
        exists = home_exists(ctx, from);
    return exists < 0 ? fail_stat(ctx, from) : exists;
}

/* 1: it is wanted and does not exist; 0; or -1 after the reason was given. */
static int
is_made(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *home = change_home(change);
    int exists;

    if (!rhost_bool(change->should, "create_home", 0))
        return 0;
    exists = change->is ? home_exists(ctx, home) : 0;
    return exists < 0 ? fail_stat(ctx, home) : !exists;
}

/* The skeleton is copied as root: what only root can read must not get into it. */
static int32_t
check_creation(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *home = home_of(ctx, change), *skel = home_skel(ctx, change);

    if (*home == '/' && rhost_path_trusted(ctx, home) < 0)
        return rhost_fail_path(ctx, "cannot create home directory '%s'", home);
    if (rhost_path_trusted(ctx, rhost_fmt(ctx, "%s/.", skel)) < 0)
        return rhost_fail_path(ctx, "cannot copy '%s' to home directory '%s'", skel, home);
    return 0;
}

/* usermod changes the account first, and then fails without the directory above. */
static int32_t
check_parent(rhost_ctx *ctx, const char *from, const char *to)
{
    const char *parent = rhost_parent_path(ctx, to);
    struct stat st;

    if (!parent || (rhost_noop(ctx) && rhost_directory_will_exist(ctx, parent)))
        return 0;
    if (rhost_path_stat(ctx, parent, RHOST_PATH_FOLLOW, &st) < 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            return rhost_fail_path(ctx, "cannot move home directory '%s' to '%s'", from, to);
        return rhost_fail_attr(ctx, "home", "'%s' cannot be moved to '%s': directory '%s' does not exist",
                               from, to, parent);
    }
    return S_ISDIR(st.st_mode)
               ? 0
               : rhost_fail_attr(ctx, "home", "'%s' cannot be moved to '%s': '%s' is not a directory", from,
                                 to, parent);
}

/* usermod finds out that there is something in the way when it has said already where the home is. It copies
 * to another file system, and then removes what it has copied: what is mounted there as well. */
static int32_t
check_move(rhost_ctx *ctx, const char *from, const char *to)
{
    char where[PATH_MAX] = "";
    struct stat st;
    int32_t found;
    int fd;

    if (rhost_path_trusted(ctx, from) < 0 || rhost_path_trusted(ctx, to) < 0)
        return rhost_fail_path(ctx, "cannot move home directory '%s' to '%s'", from, to);
    if (rhost_path_stat(ctx, to, 0, &st) == 0)
        return rhost_fail_attr(ctx, "home", "'%s' cannot be moved to '%s', which already exists", from, to);
    if (errno != ENOENT && errno != ENOTDIR)
        return fail_stat(ctx, to);
    if (check_parent(ctx, from, to) < 0)
        return -1;
    fd = rhost_path_open(ctx, from, RHOST_PATH_FOLLOW, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open home directory '%s'", from);
    found = mounts_find(ctx, fd, where, sizeof where);
    rhost_path_close(fd);
    return found > 0 ? rhost_fail_attr(ctx, "home", "'%s' cannot be moved: something is mounted at '%s'",
                                       from, where)
                     : found;
}

int32_t
home_check(rhost_ctx *ctx, const struct rhost_change *change, int *moves)
{
    const char *home = change_home(change);
    int moved = is_moved(ctx, change), made = moved < 0 ? -1 : is_made(ctx, change);

    if (made < 0)
        return -1;
    if (moves)
        *moves = moved;
    if (moved && check_move(ctx, rhost_str(change->is, "home"), rhost_str(change->should, "home")) < 0)
        return -1;
    if (made && check_creation(ctx, change) < 0)
        return -1;
    /* usermod gives what is in it to the new number. */
    if (change->is && *home == '/' && (change_differs(change, "uid") || change_differs(change, "gid"))
        && rhost_path_trusted(ctx, home) < 0)
        return rhost_fail_path(ctx, "cannot change the owner of home directory '%s'", home);
    return 0;
}

/* --- Making it for an account that exists. ---------------------------------------------------- */

/* As useradd computes it. */
static mode_t
home_mode(void)
{
    return (mode_t)system_number("HOME_MODE", 07777, 0777 & ~system_number("UMASK", 0777, 022));
}

/* Helpers of older systems know no mode. */
static int32_t
check_mode(rhost_ctx *ctx, const char *home, mode_t mode)
{
    int fd = rhost_path_open(ctx, home, 0, O_RDONLY | O_DIRECTORY, 0);
    struct stat st;
    int32_t result = 0;

    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s', which was made as home directory", home);
    if (fstat(fd, &st) < 0 || ((st.st_mode & 07777) != mode && rhost_path_own(ctx, fd, -1, -1, mode) < 0))
        result = rhost_fail_errno(ctx, "cannot set the mode of '%s'", home);
    rhost_path_close(fd);
    return result;
}

int32_t
home_make(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *home = change_home(change);
    mode_t mode = home_mode();
    struct tools_command c = {
        .words = { "mkhomedir_helper", rhost_str(change->name, "name"), "0022", home_skel(ctx, change),
                   rhost_fmt(ctx, "%#o", mode) },
        .n = 5,
    };
    int made = is_made(ctx, change);

    if (made <= 0)
        return made;
    if (check_creation(ctx, change) < 0 || tools_run(ctx, change, &c) < 0)
        return -1;
    if (home_exists(ctx, home) <= 0)
        return rhost_fail_attr(ctx, "create_home", "'%s' could not be made", home);
    return check_mode(ctx, home, mode);
}
