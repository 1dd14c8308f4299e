/* SPDX-License-Identifier: Apache-2.0 */
/* trust - whether somebody else than root and this user can change what a path stands for. */
#include "config.h"

#include "base/trust.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MOST_LINKS = 40 };

/* The number that sudo left in the environment. Only root's environment counts, which nobody but the
 * caller has made: who may call rhost as root needs no file to do so. */
static bool
is_caller(const char *variable, unsigned id)
{
    const char *text = geteuid() == 0 ? getenv(variable) : NULL;
    char *end = NULL;
    unsigned long n;

    if (!text || !*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    n = strtoul(text, &end, 10);
    return !errno && n == id;
}

char *
rh_trust_refusal(const struct stat *st, unsigned flags)
{
    bool group = st->st_gid == 0 || (flags & RH_TRUST_CALLER && is_caller("SUDO_GID", st->st_gid));

    if (st->st_uid != 0 && st->st_uid != geteuid()
        && !(flags & RH_TRUST_CALLER && is_caller("SUDO_UID", st->st_uid)))
        return rh_printf("its owner is user %u", (unsigned)st->st_uid);
    if (S_ISLNK(st->st_mode))
        return NULL; /* the mode of a link is not used */
    /* In a sticky directory everybody keeps what is theirs. */
    if (S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX)
        return NULL;
    if (st->st_mode & S_IWOTH)
        return rh_xstrdup("everybody can write to it");
    if (st->st_mode & S_IWGRP && !group)
        return rh_printf("group %u can write to it", (unsigned)st->st_gid);
    return NULL;
}

/* A path while its links are resolved: what was looked at, without links, and what follows. */
struct walk {
    struct rh_buf done, rest;
    int links;
    bool shared; /* `done` is a directory in which others may make files */
    bool opened; /* the last link was one of /proc: what has no name was opened by who called us */
};

static int
refuse(const struct walk *w, const char *path, const char *why, struct rh_error *err)
{
    rh_autofree char *shown = rh_safe_text(path), *at = rh_safe_text(w->done.n ? w->done.s : "/");

    if (strcmp(shown, at) == 0)
        return rh_error_set(err, RH_EINPUT, "'%s' is not safe: %s", shown, why);
    return rh_error_set(err, RH_EINPUT, "'%s' is not safe: %s ('%s')", shown, why, at);
}

/* Puts the target of the link at `done` before the rest. */
static int
follow(struct walk *w, size_t parent)
{
    char target[PATH_MAX];
    ssize_t n = readlink(w->done.s, target, sizeof target - 1);
    rh_autofree char *rest = rh_xstrdup(rh_buf_text(&w->rest));

    if (n < 0)
        return -1;
    if (++w->links > MOST_LINKS) {
        errno = ELOOP;
        return -1;
    }
    target[n] = '\0';
    w->opened = strncmp(w->done.s, "/proc/", strlen("/proc/")) == 0;
    rh_buf_truncate(&w->done, target[0] == '/' ? 0 : parent);
    rh_buf_truncate(&w->rest, 0);
    rh_buf_addf(&w->rest, "%s/%s", target, rest);
    return 0;
}

/* Moves the first component of the rest over; false when there is none left. */
static bool
step(struct walk *w, size_t *parent)
{
    const char *name = rh_buf_text(&w->rest) + strspn(rh_buf_text(&w->rest), "/");
    size_t n = strcspn(name, "/");
    rh_autofree char *rest = rh_xstrdup(name + n);

    *parent = w->done.n;
    if (!n)
        return false;
    if (n == 2 && strncmp(name, "..", 2) == 0) {
        char *slash = w->done.n ? strrchr(w->done.s, '/') : NULL;

        rh_buf_truncate(&w->done, slash ? (size_t)(slash - w->done.s) : 0);
        *parent = w->done.n;
    } else if (n != 1 || *name != '.') {
        rh_buf_addc(&w->done, '/');
        rh_buf_addn(&w->done, name, n);
    }
    rh_buf_truncate(&w->rest, 0);
    rh_buf_add(&w->rest, rest);
    return true;
}

/* With an access ACL, the bits of the group are a mask: the most that any user or group named there has. */
static char *
acl_refusal(const char *at, const struct stat *st)
{
    if (!(st->st_mode & S_IWGRP) || S_ISLNK(st->st_mode) || (S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX))
        return NULL;
    return lgetxattr(at, "system.posix_acl_access", NULL, 0) > 0
               ? rh_xstrdup("its ACL may let others write to it")
               : NULL;
}

/* Whether `done` is the whole path, and what is there need not be trusted: only its directory. */
static bool
is_entry(const struct walk *w, const struct stat *st, unsigned flags)
{
    return flags & RH_TRUST_ENTRY && !S_ISLNK(st->st_mode) && !w->shared
           && !rh_buf_text(&w->rest)[strspn(rh_buf_text(&w->rest), "/")];
}

static int
check_here(struct walk *w, const char *path, size_t parent, unsigned flags, struct rh_error *err)
{
    const char *at = w->done.n ? w->done.s : "/";
    rh_autofree char *why = NULL;
    struct stat st;

    if (lstat(at, &st) < 0) {
        if (errno == ENOENT && w->shared && !w->opened && !(flags & RH_TRUST_MISSING))
            return refuse(w, path, "others can create it", err);
        return errno == ENOENT || errno == ENOTDIR ? 1 : rh_error_system(err, errno, "cannot stat '%s'", at);
    }
    if (!is_entry(w, &st, flags) && ((why = rh_trust_refusal(&st, flags)) || (why = acl_refusal(at, &st))))
        return refuse(w, path, why, err);
    w->shared = S_ISDIR(st.st_mode) && st.st_mode & S_ISVTX && st.st_mode & (S_IWGRP | S_IWOTH);
    if (S_ISLNK(st.st_mode) && follow(w, parent) < 0)
        return rh_error_system(err, errno, "cannot follow '%s'", at);
    return 0;
}

int
rh_trust_path(const char *path, unsigned flags, struct rh_error *err)
{
    struct walk w = { 0 };
    char here[PATH_MAX];
    size_t parent = 0;
    int rc = 0;

    if (path[0] != '/' && (!getcwd(here, sizeof here) || here[0] != '/'))
        return rh_error_system(err, ENOENT, "cannot resolve '%s'", path);
    rh_buf_addf(&w.rest, "%s/%s", path[0] == '/' ? "" : here, path);
    do
        rc = check_here(&w, path, parent, flags, err);
    while (rc == 0 && step(&w, &parent));
    rh_buf_clear(&w.done);
    rh_buf_clear(&w.rest);
    return rc < 0 ? -1 : 0;
}
