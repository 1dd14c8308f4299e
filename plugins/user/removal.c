/* SPDX-License-Identifier: Apache-2.0 */
/* removal - removing the home directory and the mailbox of an account that goes.
 *
 * userdel would also empty what is mounted in a home directory, and what it removes was made by the user
 * whose account goes: so it is not asked to. */

#include "removal.h"

#include "../directory/tree.h"
#include "mounts.h"
#include "system.h"

#include <rhost/file.h>
#include <rhost/path.h>

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

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
        up = found ? -1 : openat(fd, "..", O_PATH | O_CLOEXEC);
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

/* The home of another account in it; or NULL. */
static const struct accounts_user *
other_home(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change, const char *home,
           const struct stat *top)
{
    const char *name = rhost_str(change->name, "name");

    for (size_t i = 0; i < a->n_users; i++)
        if (strcmp(a->users[i].name, name) != 0
            && (is_below(a->users[i].home, home)
                || (*a->users[i].home == '/' && leads_into(ctx, a->users[i].home, top))))
            return &a->users[i];
    return NULL;
}

/* The home directory stays when the account goes. */
static int32_t
keep_home(rhost_ctx *ctx, struct removal *r, const char *why)
{
    rhost_warning(ctx, "home directory '%s' is not removed: %s", r->home, why);
    rhost_path_close(r->fd);
    r->fd = -1;
    return 0;
}

static int32_t
check_home(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change, struct removal *r)
{
    const struct accounts_user *other;
    char where[PATH_MAX] = "";
    struct stat st;
    int32_t found;

    if (fstat(r->fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat home directory '%s'", r->home);
    other = other_home(ctx, a, change, r->home, &st);
    if (other)
        return keep_home(ctx, r,
                         rhost_fmt(ctx, "user '%s' has '%s' as home directory", other->name, other->home));
    if (st.st_uid != (uid_t)rhost_int(change->is, "uid", -1))
        return keep_home(ctx, r, rhost_fmt(ctx, "its owner is user %u", (unsigned)st.st_uid));
    found = mounts_find(ctx, r->fd, where, sizeof where);
    if (found > 0)
        return rhost_fail_attr(ctx, "remove_home",
                               "home directory '%s' is not removed: something is mounted at '%s'", r->home,
                               where);
    if (found == 0)
        found = tree_find_fixed(ctx, r->fd, where, sizeof where);
    return found > 0 ? rhost_fail_attr(
               ctx, "remove_home",
               "home directory '%s' is not removed: '%s' is immutable or append-only (see lsattr)", r->home,
               strcmp(where, ".") == 0 ? r->home : rhost_fmt(ctx, "%s/%s", r->home, where))
                     : found;
}

static int32_t
open_home(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change, struct removal *r)
{
    struct stat st;

    if (*r->home != '/')
        return 0;
    if (!r->home[strspn(r->home, "/")])
        return keep_home(ctx, r, "it is the root directory");
    r->dir = rhost_path_parent(ctx, r->home, RHOST_PATH_FOLLOW, &r->name);
    if (r->dir >= 0)
        r->fd = openat(r->dir, r->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (r->fd >= 0)
        return check_home(ctx, a, change, r);
    if (errno != ENOENT && errno != ENOTDIR)
        return rhost_fail_path(ctx, "cannot open home directory '%s'", r->home);
    if (errno == ENOENT || rhost_path_stat(ctx, r->home, RHOST_PATH_FOLLOW, &st) < 0)
        return 0;
    return keep_home(ctx, r, "it is not a directory");
}

/* Why a mailbox stays; NULL: it goes, or does not exist. */
static const char *
mailbox_stays(const struct rhost_change *change, const struct removal *r)
{
    struct stat st;

    if (fstatat(r->mail_dir, r->mail_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return NULL;
    if (!S_ISREG(st.st_mode))
        return "it is not a regular file";
    return st.st_uid != (uid_t)rhost_int(change->is, "uid", -1) ? "it belongs to another user" : NULL;
}

static void
keep_mailbox(rhost_ctx *ctx, struct removal *r, const char *why)
{
    rhost_warning(ctx, "mailbox '%s' is not removed: %s", r->mail, why);
    rhost_path_close(r->mail_dir);
    r->mail_dir = -1;
}

/* Where userdel looks for it: MAIL_DIR of login.defs(5). With MAIL_FILE alone, it is in the home directory.
 */
static int32_t
open_mailbox(rhost_ctx *ctx, const struct rhost_change *change, struct removal *r)
{
    char where[PATH_MAX] = "/var/mail";
    const char *why;

    if (!system_text("MAIL_DIR", where, sizeof where) && system_text("MAIL_FILE", where, sizeof where))
        return 0;
    r->mail = rhost_fmt(ctx, "%s/%s", where, rhost_str(change->name, "name"));
    if (*r->mail != '/')
        return 0;
    r->mail_dir = rhost_path_parent(ctx, r->mail, 0, &r->mail_name);
    if (r->mail_dir < 0)
        return errno == ENOENT || errno == ENOTDIR
                   ? 0
                   : rhost_fail_path(ctx, "cannot open the directory of mailbox '%s'", r->mail);
    why = mailbox_stays(change, r);
    if (why)
        keep_mailbox(ctx, r, why);
    return 0;
}

int32_t
removal_open(rhost_ctx *ctx, const struct accounts *a, const struct rhost_change *change, struct removal *r)
{
    *r =
        (struct removal){ .home = rhost_str_or(change->is, "home", ""), .fd = -1, .dir = -1, .mail_dir = -1 };
    return open_home(ctx, a, change, r) < 0 ? -1 : open_mailbox(ctx, change, r);
}

void
removal_close(struct removal *r)
{
    rhost_path_close(r->fd);
    rhost_path_close(r->dir);
    rhost_path_close(r->mail_dir);
}

/* Because of `why`. A resource fails for one reason: what comes after it is a warning. */
static int32_t
fail_left(rhost_ctx *ctx, const struct rhost_change *change, int failed, const char *what, const char *path,
          const char *why)
{
    const char *text = rhost_fmt(ctx, "user '%s' was removed, but its %s '%s' is left: %s",
                                 rhost_str(change->name, "name"), what, path, why);

    if (!failed)
        return rhost_fail(ctx, "%s", text);
    rhost_warning(ctx, "%s", text);
    return -1;
}

static int32_t
remove_home(rhost_ctx *ctx, const struct rhost_change *change, const struct removal *r, int failed)
{
    char why[RHOST_MESSAGE_MAX] = "";
    struct stat st;

    rhost_touched(ctx, r->home);
    if (tree_empty(ctx, r->fd, r->home, why, sizeof why) < 0)
        return fail_left(ctx, change, failed, "home directory", r->home, why);
    if (unlinkat(r->dir, r->name, AT_REMOVEDIR) < 0 && errno != ENOENT)
        return fail_left(ctx, change, failed, "home directory", r->home, strerror(errno));
    /* A link that root has put there, whose target is gone now. */
    if (rhost_path_stat(ctx, r->home, 0, &st) == 0 && S_ISLNK(st.st_mode)
        && rhost_path_unlink(ctx, r->home, 0) < 0)
        return fail_left(ctx, change, failed, "link to the home directory", r->home, strerror(errno));
    return 0;
}

static int32_t
remove_mailbox(rhost_ctx *ctx, const struct rhost_change *change, struct removal *r, int failed)
{
    const char *why = mailbox_stays(change, r); /* again: it may be another one now */

    if (why)
        keep_mailbox(ctx, r, why);
    else if (unlinkat(r->mail_dir, r->mail_name, 0) == 0)
        rhost_touched(ctx, r->mail);
    else if (errno != ENOENT)
        return fail_left(ctx, change, failed, "mailbox", r->mail, strerror(errno));
    return 0;
}

int32_t
removal_apply(rhost_ctx *ctx, const struct rhost_change *change, struct removal *r, int failed)
{
    int32_t result = r->fd >= 0 ? remove_home(ctx, change, r, failed) : 0;

    return r->mail_dir >= 0 && remove_mailbox(ctx, change, r, failed || result < 0) < 0 ? -1 : result;
}
