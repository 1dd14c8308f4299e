/* SPDX-License-Identifier: Apache-2.0 */
/* pair - the files of a key pair, in a directory that may belong to an ordinary user: reading, and what is
 * written without ssh-keygen. */

#include "pair.h"

#include "../ssh_authorized_key/keys.h"
#include "../ssh_authorized_key/place.h"

#include <rhost/posix.h>

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)

/* A directory of a user may have anything in it. */
enum { LARGEST = 256 << 10 };

/* Only ".ssh" is made, as its user would: 1 when the path is in one. */
static int
is_in_dot_ssh(const char *folder)
{
    const char *slash = strrchr(folder, '/');

    return slash && strcmp(slash, "/.ssh") == 0;
}

static int
make_dot_ssh(rhost_ctx *ctx, const char *path, const char *folder)
{
    const char *name;
    int in = rhost_path_parent(ctx, folder, 0, &name), fd;
    struct place place = { .path = rhost_strdup(ctx, path), .dir = -1 };
    struct stat st;

    if (in < 0 || fstat(in, &st) < 0) {
        rhost_path_close(in);
        return rhost_fail_path(ctx, "cannot create the directory of '%s'", path);
    }
    place.uid = st.st_uid;
    place.gid = st.st_gid;
    fd = place_make_folder(ctx, &place, in, name);
    rhost_path_close(in);
    return fd;
}

int
pair_open(rhost_ctx *ctx, const char *path, const rhost_value *should, int make, struct pair *p)
{
    const char *slash = strrchr(path, '/');
    const char *folder = slash == path ? "/" : rhost_copy(ctx, path, (size_t)(slash - path));
    int64_t owner = -1;
    struct stat st;

    *p = (struct pair){
        .path = path, .base = slash + 1, .pub = rhost_fmt(ctx, "%s.pub", slash + 1), .dir = -1
    };
    if (should && rhost_has(should, "owner"))
        owner = rhost_look_up_id(ctx, 0, rhost_str_or(should, "owner", ""));
    p->dir = rhost_path_open(ctx, folder, RHOST_PATH_FOLLOW, O_RDONLY | O_DIRECTORY, 0);
    if (p->dir < 0 && (errno == ENOENT || errno == ENOTDIR) && !make)
        return 1;
    if (p->dir < 0 && errno == ENOENT && is_in_dot_ssh(folder))
        p->dir = make_dot_ssh(ctx, path, folder);
    else if (p->dir < 0)
        return rhost_fail_path(ctx, "cannot open the directory of '%s'", path);
    if (p->dir < 0)
        return -1;
    if (fstat(p->dir, &st) < 0)
        return rhost_fail_errno(ctx, "cannot open the directory of '%s'", path);
    p->runs_as = st.st_uid;
    if (owner >= 0 && st.st_uid != 0 && st.st_uid != geteuid() && (int64_t)st.st_uid != owner)
        return rhost_fail(ctx, "the directory of '%s' belongs to another user than 'owner'", path);
    if (st.st_mode & OTHERS_WRITE)
        return rhost_fail(ctx, "the directory of '%s' can be written by others", path);
    return 0;
}

void
pair_close(struct pair *p)
{
    rhost_path_close(p->dir);
    p->dir = -1;
}

/* A file of the directory that is the owner's own; -1 with errno, or after `why` was set. */
static int
open_file(rhost_ctx *ctx, const struct pair *p, const char *name, struct stat *st, const char **why)
{
    int fd = openat(p->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    *why = NULL;
    if (fd < 0 && errno == ELOOP)
        *why = "it is a symbolic link";
    if (fd >= 0 && fstat(fd, st) < 0)
        *why = rhost_strdup(ctx, strerror(errno));
    else if (fd >= 0 && !S_ISREG(st->st_mode))
        *why = "it is not a regular file";
    else if (fd >= 0 && p->runs_as != 0 && st->st_uid != p->runs_as)
        *why = "it belongs to another user than its directory";
    else if (fd >= 0 && st->st_size > LARGEST)
        *why = "it is too large for a key";
    if (fd >= 0 && *why) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

/* What is open, up to LARGEST, in memory of the call; NULL with errno. */
static const char *
read_all(rhost_ctx *ctx, int fd, size_t *len)
{
    char *text = rhost_alloc(ctx, LARGEST + 1);
    ssize_t got = 1;

    *len = 0;
    while (got > 0 && *len < LARGEST) {
        got = read(fd, text + *len, LARGEST - *len);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            *len += (size_t)got;
    }
    text[*len] = '\0';
    return got < 0 ? NULL : text;
}

int
pair_read(rhost_ctx *ctx, const struct pair *p, struct private_key *k, const char **text, size_t *len,
          struct stat *st)
{
    const char *why, *content;
    int fd = open_file(ctx, p, p->base, st, &why);
    size_t n = 0;

    if (fd < 0 && !why && errno == ENOENT)
        return 0;
    if (fd < 0)
        return why ? rhost_fail(ctx, "cannot read the private key '%s': %s", p->path, why)
                   : rhost_fail_errno(ctx, "cannot read the private key '%s'", p->path);
    content = read_all(ctx, fd, &n);
    (void)close(fd);
    if (!content)
        return rhost_fail_errno(ctx, "cannot read the private key '%s'", p->path);
    why = private_parse(ctx, content, n, k);
    if (why)
        return rhost_fail(ctx, "cannot read the private key '%s': %s", p->path, why);
    if (text) {
        *text = content;
        *len = n;
    } else {
        explicit_bzero((char *)(uintptr_t)content, n);
    }
    return 1;
}

const char *
pair_public_fault(rhost_ctx *ctx, const struct pair *p, const struct private_key *k, const char **comment)
{
    const char *why, *text;
    struct stat st;
    int fd = open_file(ctx, p, p->pub, &st, &why);
    struct key line;
    size_t len;

    *comment = NULL;
    if (fd < 0 && !why && errno == ENOENT)
        return rhost_fmt(ctx, "'%s.pub' does not exist", p->path);
    if (fd < 0)
        return rhost_fmt(ctx, "'%s.pub' cannot be read: %s", p->path, why ? why : strerror(errno));
    text = read_all(ctx, fd, &len);
    (void)close(fd);
    if (!text)
        return rhost_fmt(ctx, "'%s.pub' cannot be read", p->path);
    if (!key_parse(text, strcspn(text, "\n"), &line) || line.options.len || !key_part_is(line.blob, k->blob)
        || !key_part_is(line.type, k->type))
        return rhost_fmt(ctx, "'%s.pub' is not the public key of '%s'", p->path, p->path);
    if (line.comment.len && rhost_is_utf8(line.comment.at, line.comment.len))
        *comment = rhost_copy(ctx, line.comment.at, line.comment.len);
    return NULL;
}

int
pair_refuse_lone_public(rhost_ctx *ctx, const struct pair *p)
{
    if (p->dir < 0 || faccessat(p->dir, p->pub, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    return rhost_fail(
        ctx,
        "'%s.pub' exists without its private key, and is not overwritten; if it is not needed any "
        "more, remove it",
        p->path);
}

int32_t
pair_write_public(rhost_ctx *ctx, const struct pair *p, const struct private_key *k, const char *comment)
{
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = rhost_fmt(ctx, "%s.pub", p->path),
        .content =
            rhost_fmt(ctx, "%s %s%s%s\n", k->type, k->blob, comment ? " " : "", comment ? comment : ""),
        .mode = 0644,
        .uid = -1,
        .gid = -1,
        .flags = RHOST_FILE_AT,
        .dir = p->dir,
    };
    struct stat st;

    if (fstatat(p->dir, p->base, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return rhost_fail_errno(ctx, "cannot write '%s'", file.path);
    file.uid = st.st_uid;
    file.gid = st.st_gid;
    file.content_len = strlen(file.content);
    return rhost_replace_file(ctx, &file);
}

static int32_t
own_one(rhost_ctx *ctx, const struct pair *p, const char *name, int64_t uid, int64_t gid, int64_t mode)
{
    const char *why;
    struct stat st;
    int fd = open_file(ctx, p, name, &st, &why), result;

    if (fd < 0)
        return why ? rhost_fail(ctx, "cannot change the owner or the mode of '%s': %s", name, why)
                   : rhost_fail_errno(ctx, "cannot change the owner or the mode of '%s'", name);
    result = rhost_path_own(ctx, fd, uid, gid, mode);
    rhost_path_close(fd);
    return result < 0 ? rhost_fail_errno(ctx, "cannot change the owner or the mode of '%s'", name) : 0;
}

int32_t
pair_own(rhost_ctx *ctx, const struct pair *p, const rhost_value *should)
{
    int64_t uid, gid;

    if (rhost_wanted_id(ctx, should, "owner", 0, &uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &gid) < 0
        || own_one(ctx, p, p->base, uid, gid, rhost_wanted_mode(should)) < 0
        || own_one(ctx, p, p->pub, uid, gid, -1) < 0)
        return -1;
    rhost_touched(ctx, p->path);
    return 0;
}

int32_t
pair_remove(rhost_ctx *ctx, const struct pair *p)
{
    if (unlinkat(p->dir, p->pub, 0) < 0 && errno != ENOENT)
        return rhost_fail_errno(ctx, "cannot remove '%s.pub'", p->path);
    if (unlinkat(p->dir, p->base, 0) < 0 && errno != ENOENT)
        return rhost_fail_errno(ctx, "cannot remove '%s'", p->path);
    rhost_touched(ctx, p->path);
    return 0;
}
