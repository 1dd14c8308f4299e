/* SPDX-License-Identifier: Apache-2.0 */
/* place - a file in the .ssh of a user, or elsewhere, reached without being led astray by that user. */

#include "place.h"

#include <limits.h>
#include <pwd.h>
#include <sys/fsuid.h>

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* A file of keys is the user's: it must not use up our memory or time. */
enum { LARGEST = 8 << 20 };

static int
is_ours(uid_t uid)
{
    return uid == 0 || uid == geteuid();
}

/* Says why not: as the failure of the call, or as a warning where others go on. */
static int RHOST_PRINTF(4, 5) refuse(rhost_ctx *ctx, const struct place *p, int number, const char *fmt, ...)
{
    char text[PATH_MAX + 256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (number == ENOMEM && p->no_memory) /* which is no matter of this one user */
        *p->no_memory = 1;
    if (!p->warn || number == ENOMEM)
        return ctx->host->fail(ctx, number, NULL, text);
    rhost_warning(ctx, "%s%s%s, continuing without it", text, number ? ": " : "",
                  number ? strerror(number) : "");
    return -1;
}

/* After a function of <rhost/path.h> has failed. */
static int RHOST_PRINTF(3, 4) refuse_path(rhost_ctx *ctx, const struct place *p, const char *fmt, ...)
{
    int why = errno;
    const char *unsafe = rhost_path_unsafe(ctx);
    char text[PATH_MAX + 256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return unsafe ? refuse(ctx, p, 0, "%s: %s", text, unsafe) : refuse(ctx, p, why, "%s", text);
}

int
place_find(rhost_ctx *ctx, const char *user, const char *name, const char *target, struct place *p)
{
    struct passwd pw, *found = NULL;
    int why = ERANGE;

    memset(p, 0, sizeof *p);
    p->dir = -1;
    for (size_t size = 2048; why == ERANGE && size <= ((size_t)1 << 22); size *= 8)
        why = getpwnam_r(user, &pw, rhost_alloc(ctx, size), size, &found);
    if (!found && why && why != ENOENT && why != ESRCH) {
        errno = why;
        return rhost_fail_errno(ctx, "cannot look up user '%s'", user);
    }
    if (!found)
        return 1;
    if (!*target && (!pw.pw_dir || *pw.pw_dir != '/'))
        return rhost_fail(ctx, "user '%s' has no home directory", user);
    p->uid = pw.pw_uid;
    p->gid = pw.pw_gid;
    p->own = !*target;
    p->path = *target ? rhost_fmt(ctx, "%s", target) : rhost_fmt(ctx, "%s/.ssh/%s", pw.pw_dir, name);
    p->base = strrchr(p->path, '/') + 1;
    if (!*p->base)
        return rhost_fail_attr(ctx, "target", "'%s' is a directory", target);
    return 0;
}

void
place_close(struct place *p)
{
    if (p->dir >= 0)
        (void)close(p->dir);
    p->dir = -1;
}

int
place_make_folder(rhost_ctx *ctx, const struct place *p, int in, const char *name)
{
    int other = geteuid() == 0 && p->uid != 0, fd, rc, why;
    struct stat st;

    if (fstat(in, &st) < 0)
        return rhost_fail_errno(ctx, "cannot create the directory of '%s'", p->path);
    if (st.st_uid != p->uid && (!is_ours(st.st_uid) || st.st_mode & OTHERS_WRITE))
        return refuse(ctx, p, 0, "cannot create the directory of '%s': the home belongs to another user",
                      p->path);
    if (other) {
        (void)setfsgid(p->gid);
        (void)setfsuid(p->uid);
    }
    rc = mkdirat(in, name, 0700);
    why = errno;
    if (other) {
        (void)setfsuid(geteuid());
        (void)setfsgid(getegid());
    }
    errno = why;
    if (rc < 0 && errno != EEXIST)
        return rhost_fail_errno(ctx, "cannot create the directory of '%s'", p->path);
    fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? rhost_fail_errno(ctx, "cannot create the directory of '%s'", p->path) : fd;
}

/* The folder of the user's usual file, made when it is missing; a descriptor, or -1 after the reason. */
static int
open_made_folder(rhost_ctx *ctx, const struct place *p, const char *folder)
{
    const char *name;
    int in = rhost_path_parent(ctx, folder, 0, &name), fd;

    if (in < 0 && errno == ENOENT)
        return refuse(ctx, p, 0,
                      "cannot create the directory of '%s': the home directory does not exist; "
                      "'create_home: true' of the user creates it",
                      p->path);
    if (in < 0)
        return refuse_path(ctx, p, "cannot open the directory of '%s'", p->path);
    fd = place_make_folder(ctx, p, in, name);
    rhost_path_close(in);
    return fd;
}

/* Opens the folder of the file. 0; 1: it is not there, and not to be made; -1 after the reason. */
static int
open_folder(rhost_ctx *ctx, struct place *p, int make)
{
    const char *folder =
        p->base == p->path + 1 ? "/" : rhost_copy(ctx, p->path, (size_t)(p->base - p->path) - 1);
    int fd = rhost_path_open(ctx, folder, RHOST_PATH_FOLLOW, O_RDONLY | O_DIRECTORY, 0);
    struct stat st;

    /* A process that is confined, and only lists keys, may read the file and not the directory. */
    if (fd < 0 && errno == EACCES && !make)
        fd = rhost_path_open(ctx, folder, RHOST_PATH_FOLLOW, O_PATH | O_DIRECTORY, 0);
    if (fd < 0 && errno == ENOENT && !make)
        return 1;
    if (fd < 0 && errno == ENOENT && p->own)
        fd = open_made_folder(ctx, p, folder);
    else if (fd < 0)
        return refuse_path(ctx, p, "cannot open the directory of '%s'", p->path);
    if (fd < 0)
        return -1;
    p->dir = fd;
    if (fstat(fd, &st) < 0)
        return refuse(ctx, p, errno, "cannot open the directory of '%s'", p->path);
    if (st.st_uid != p->uid && !is_ours(st.st_uid))
        return refuse(ctx, p, 0, "the directory of '%s' belongs to another user", p->path);
    if (!p->own && (st.st_mode & OTHERS_WRITE))
        return refuse(ctx, p, 0, "the directory of '%s' can be written by others", p->path);
    return 0;
}

/* What is in the file will be the user's to read: so it is the user's, or everybody can read it, or the
 * folder is not one into which the user could have moved a file of root's. */
static int
check_file(rhost_ctx *ctx, const struct place *p, int fd)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return refuse(ctx, p, errno, "cannot read '%s'", p->path);
    if (!S_ISREG(st.st_mode))
        return refuse(ctx, p, 0, "'%s' exists, but is not a regular file", p->path);
    if (st.st_uid == p->uid || (st.st_uid == 0 && (!p->own || (st.st_mode & S_IROTH))))
        return 0;
    return refuse(ctx, p, 0, "'%s' belongs to another user: it is not touched", p->path);
}

struct rhost_lines *
place_read(rhost_ctx *ctx, struct place *p)
{
    struct rhost_lines *l = NULL;
    int there, fd = -1;

    place_close(p);
    there = open_folder(ctx, p, 0);
    if (there < 0)
        return NULL;
    if (there == 0)
        fd = openat(p->dir, p->base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (there == 0 && fd < 0 && errno != ENOENT) {
        if (errno == ELOOP)
            refuse(ctx, p, 0, "'%s' is a symbolic link: it is not followed", p->path);
        else
            refuse(ctx, p, errno, "cannot read '%s'", p->path);
        return NULL;
    }
    if (fd < 0 || check_file(ctx, p, fd) == 0) {
        l = rhost_lines_read_fd(fd, p->path, LARGEST);
        if (!l && errno == EFBIG)
            refuse(ctx, p, 0, "'%s' is larger than %d MiB", p->path, LARGEST >> 20);
        else if (!l)
            refuse(ctx, p, errno, "cannot read '%s'", p->path);
    }
    if (fd >= 0)
        (void)close(fd);
    return l;
}

const char *
place_fault(rhost_ctx *ctx, const struct place *p, const struct rhost_lines *l)
{
    struct stat st;

    if (p->dir < 0 || !l->exists)
        return NULL;
    if (p->own && fstat(p->dir, &st) == 0 && (st.st_mode & OTHERS_WRITE))
        return rhost_fmt(ctx, "others can write to the directory of '%s'", p->path);
    if (l->stat.st_mode & OTHERS_WRITE)
        return rhost_fmt(ctx, "others can write to '%s'", p->path);
    if (p->own && l->stat.st_uid != p->uid)
        return rhost_fmt(ctx, "'%s' does not belong to the user", p->path);
    return NULL;
}

int32_t
place_write(rhost_ctx *ctx, struct place *p, const struct rhost_lines *l)
{
    /* A user may have to be let in to a file that is root's, as in /etc/ssh/keys. */
    mode_t new_mode = p->own ? 0600 : 0644;
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = p->path,
        .flags = RHOST_FILE_AT,
        .mode = l->exists ? l->stat.st_mode & 0777 & ~(mode_t)OTHERS_WRITE : new_mode,
        .uid = p->own ? (int64_t)p->uid : -1,
        .gid = p->own && (!l->exists || l->stat.st_uid != p->uid) ? (int64_t)p->gid : -1,
    };
    struct stat st;

    if (p->dir < 0 && open_folder(ctx, p, 1) < 0)
        return -1;
    if (fstat(p->dir, &st) < 0)
        return rhost_fail_errno(ctx, "cannot write '%s'", p->path);
    if (p->own && (st.st_mode & OTHERS_WRITE)
        && fchmod(p->dir, st.st_mode & 07777 & ~(mode_t)OTHERS_WRITE) < 0)
        return rhost_fail_errno(ctx, "cannot change the mode of the directory of '%s'", p->path);
    file.dir = p->dir;
    return rhost_lines_save(ctx, l, &file);
}
