/* SPDX-License-Identifier: Apache-2.0 */
/* home - home directories: what the tools may be given, and what is removed without them.
 *
 * useradd, usermod and mkhomedir_helper are given paths, which they walk by name. They are only run where no
 * ordinary user can put a symbolic link into such a path. userdel would also empty what is mounted in a home
 * directory, and what it removes was made by the user whose account goes: so it is not asked to. */

#include "home.h"

#include "../directory/tree.h"
#include "change.h"
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

static const char *
skel_of(const struct rhost_change *change)
{
    return rhost_str_or(change->should, "skel", "/etc/skel");
}

static int
fail_look(rhost_ctx *ctx, const char *home)
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
    return exists < 0 ? fail_look(ctx, from) : exists;
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
    return exists < 0 ? fail_look(ctx, home) : !exists;
}

/* The skeleton is copied as root: what only root can read must not get into it. */
static int32_t
check_creation(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *home = change_home(change), *skel = skel_of(change);

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
        return fail_look(ctx, to);
    if (check_parent(ctx, from, to) < 0)
        return -1;
    fd = rhost_path_open(ctx, from, RHOST_PATH_FOLLOW, O_RDONLY | O_DIRECTORY, 0);
    if (fd < 0)
        return rhost_fail_path(ctx, "cannot open home directory '%s'", from);
    found = tree_find_mount(ctx, fd, where, sizeof where);
    rhost_path_close(fd);
    return found > 0
               ? rhost_fail_attr(ctx, "home", "'%s' cannot be moved: something is mounted at '%s'", from,
                                 strcmp(where, ".") == 0 ? from : rhost_fmt(ctx, "%s/%s", from, where))
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
        .words = { "mkhomedir_helper", rhost_str(change->name, "name"), "0022", skel_of(change),
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

/* --- Removing it. ----------------------------------------------------------------------------- */

/* Whether `path` is `top`, or something below it. Neither is "/". */
static int
is_below(const char *path, const char *top)
{
    size_t len = strlen(top);

    while (len > 1 && top[len - 1] == '/')
        len--;
    return strncmp(path, top, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* Takes over `fd`. Whether it is the directory `top`, or is somewhere below it. */
static int
is_within(int fd, const struct stat *top)
{
    struct stat st, above;
    int found = 0, up;

    while (fd >= 0 && fstat(fd, &st) == 0) {
        found = st.st_dev == top->st_dev && st.st_ino == top->st_ino;
        up = found ? -1 : openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (up >= 0 && fstat(up, &above) == 0 && above.st_dev == st.st_dev && above.st_ino == st.st_ino) {
            rhost_path_close(up); /* the root */
            up = -1;
        }
        rhost_path_close(fd);
        fd = up;
    }
    rhost_path_close(fd);
    return found;
}

/* Whether `path` leads to the directory `top`, or below it: links make the texts of two paths differ. Where
 * it does not exist, or is not safe to follow, the part of it that can be opened counts. */
static int
leads_into(rhost_ctx *ctx, const char *path, const struct stat *top)
{
    size_t len = strlen(path);

    while (len > 1) {
        const char *part = rhost_copy(ctx, path, len);
        int fd = rhost_path_open(ctx, part, RHOST_PATH_FOLLOW, O_PATH | O_DIRECTORY, 0);

        if (fd >= 0)
            return is_within(fd, top);
        while (len > 1 && path[len - 1] == '/')
            len--;
        while (len > 1 && path[len - 1] != '/')
            len--;
    }
    return 0;
}

static int32_t
check_others(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change, const char *home,
             const struct stat *top)
{
    const char *name = rhost_str(change->name, "name");

    for (size_t i = 0; i < a->n_users; i++)
        if (strcmp(a->users[i].name, name) != 0
            && (is_below(a->users[i].home, home)
                || (*a->users[i].home == '/' && leads_into(ctx, a->users[i].home, top))))
            return rhost_fail_attr(ctx, "remove_home",
                                   "home directory '%s' is not removed: user '%s' has '%s' as home directory",
                                   home, a->users[i].name, a->users[i].home);
    return 0;
}

static int32_t
check_content(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change,
              const struct home_leaving *leaving)
{
    int64_t uid = rhost_int(change->is, "uid", -1);
    char where[PATH_MAX] = "";
    struct stat st;
    int32_t found;

    if (fstat(leaving->fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat home directory '%s'", leaving->home);
    if (check_others(ctx, a, change, leaving->home, &st) < 0)
        return -1;
    if (st.st_uid != (uid_t)uid)
        return rhost_fail_attr(ctx, "remove_home", "home directory '%s' is not removed: its owner is user %u",
                               leaving->home, (unsigned)st.st_uid);
    found = tree_find_mount(ctx, leaving->fd, where, sizeof where);
    return found > 0 ? rhost_fail_attr(
               ctx, "remove_home", "home directory '%s' is not removed: something is mounted at '%s'",
               leaving->home,
               strcmp(where, ".") == 0 ? leaving->home : rhost_fmt(ctx, "%s/%s", leaving->home, where))
                     : found;
}

int32_t
home_open(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change,
          struct home_leaving *leaving)
{
    const char *home = rhost_str_or(change->is, "home", "");

    *leaving = (struct home_leaving){ .home = home, .fd = -1, .dir = -1 };
    if (*home != '/')
        return 0;
    if (!home[strspn(home, "/")])
        return rhost_fail_attr(ctx, "remove_home", "home directory '/' is not removed");
    leaving->dir = rhost_path_parent(ctx, home, RHOST_PATH_FOLLOW, &leaving->name);
    if (leaving->dir >= 0)
        leaving->fd = openat(leaving->dir, leaving->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (leaving->fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        struct stat st;

        if (errno == ENOENT || rhost_path_stat(ctx, home, RHOST_PATH_FOLLOW, &st) < 0)
            return 0;
        return rhost_fail_attr(ctx, "remove_home",
                               "home directory '%s' is not removed: it is not a directory", home);
    }
    if (leaving->fd < 0)
        return rhost_fail_path(ctx, "cannot open home directory '%s'", home);
    return check_content(ctx, a, change, leaving);
}

void
home_close(struct home_leaving *leaving)
{
    rhost_path_close(leaving->fd);
    rhost_path_close(leaving->dir);
}

/* Where userdel looks for it: MAIL_DIR of login.defs(5). With MAIL_FILE alone, it is in the home directory.
 */
static int32_t
remove_mailbox(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *name = rhost_str(change->name, "name"), *in, *path;
    char where[PATH_MAX] = "/var/mail";
    struct stat st;
    int dir, result;

    if (!system_text("MAIL_DIR", where, sizeof where) && system_text("MAIL_FILE", where, sizeof where))
        return 0;
    path = rhost_fmt(ctx, "%s/%s", where, name);
    dir = *path == '/' ? rhost_path_parent(ctx, path, 0, &in) : -1;
    if (dir < 0)
        return *path == '/' && errno != ENOENT && errno != ENOTDIR
                   ? rhost_fail_path(ctx, "cannot open the directory of mailbox '%s'", path)
                   : 0;
    result = fstatat(dir, in, &st, AT_SYMLINK_NOFOLLOW);
    if (result == 0 && (!S_ISREG(st.st_mode) || st.st_uid != (uid_t)rhost_int(change->is, "uid", -1)))
        result = rhost_fail(ctx, "mailbox '%s' was not removed: %s", path,
                            S_ISREG(st.st_mode) ? "it belongs to another user" : "it is not a regular file");
    else if ((result == 0 ? unlinkat(dir, in, 0) : result) < 0)
        result = errno == ENOENT ? 0 : rhost_fail_errno(ctx, "cannot remove mailbox '%s'", path);
    else
        rhost_touched(ctx, path);
    rhost_path_close(dir);
    return result;
}

int32_t
home_remove(rhost_ctx *ctx, const struct rhost_change *change, const struct home_leaving *leaving)
{
    struct stat st;

    if (leaving->fd >= 0) {
        if (tree_remove_below(ctx, leaving->fd) < 0)
            return -1;
        if (unlinkat(leaving->dir, leaving->name, AT_REMOVEDIR) < 0 && errno != ENOENT)
            return rhost_fail_errno(ctx, "cannot remove home directory '%s'", leaving->home);
        /* A link that root has put there, whose target is gone now. */
        if (rhost_path_stat(ctx, leaving->home, 0, &st) == 0 && S_ISLNK(st.st_mode)
            && rhost_path_unlink(ctx, leaving->home, 0) < 0)
            return rhost_fail_path(ctx, "cannot remove '%s'", leaving->home);
        rhost_touched(ctx, leaving->home);
    }
    return remove_mailbox(ctx, change);
}
