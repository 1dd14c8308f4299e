/* SPDX-License-Identifier: Apache-2.0 */
/* change - what ssh-keygen does: on a file beside the key, which takes its place when it is complete. */

#include "keygen.h"
#include "pair.h"

#include <rhost/file.h>
#include <rhost/posix.h>

#include <dirent.h>
#include <sys/random.h>
#include <sys/syscall.h>

/* The file beside the key, and its public key. */
struct draft {
    const char *path, *name, *pub;
};

/* ".BASE." and 16 hexadecimal digits, and of its public key. */
static int
is_draft_of(const struct pair *p, const char *name)
{
    size_t base = strlen(p->base);
    const char *digits = name + base + 2;

    return name[0] == '.' && strncmp(name + 1, p->base, base) == 0 && name[base + 1] == '.'
           && strspn(digits, "0123456789abcdef") == 16 && (!digits[16] || strcmp(digits + 16, ".pub") == 0);
}

/* Private keys that runs have left which were killed. */
static void
remove_old_drafts(const struct pair *p)
{
    int fd = openat(p->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *e;

    while (directory && (e = readdir(directory)))
        if (is_draft_of(p, e->d_name))
            (void)unlinkat(p->dir, e->d_name, 0);
    if (directory)
        (void)closedir(directory);
    else
        rhost_path_close(fd);
}

/* Under a name that nobody knows before. As root, ssh-keygen follows no link of an ordinary user on the way
 * to it. */
static int
draft_begin(rhost_ctx *ctx, const struct pair *p, struct draft *d)
{
    uint64_t number;
    int fd;

    remove_old_drafts(p);
    if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
        return rhost_fail_errno(ctx, "cannot create a file beside '%s'", p->path);
    d->name = rhost_fmt(ctx, ".%s.%016llx", p->base, (unsigned long long)number);
    d->pub = rhost_fmt(ctx, "%s.pub", d->name);
    d->path = rhost_fmt(ctx, "%.*s%s", (int)(p->base - p->path), p->path, d->name);
    if (p->runs_as == 0 && rhost_path_trusted(ctx, d->path) < 0)
        return rhost_fail_path(ctx, "cannot create a file beside '%s'", p->path);
    /* Before ssh-keygen leaves a key there that we could neither use nor remove: a directory that was just
     * made may be closed to a process that is confined. The host then calls again, in a new one. */
    fd = openat(p->dir, d->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return rhost_fail_errno(ctx, "cannot create a file beside '%s'", p->path);
    (void)close(fd);
    (void)unlinkat(p->dir, d->name, 0);
    return 0;
}

static void
draft_end(const struct pair *p, const struct draft *d)
{
    (void)unlinkat(p->dir, d->name, 0);
    (void)unlinkat(p->dir, d->pub, 0);
}

/* Gives a file of ours, and of nobody else, owner and mode, and has it on the disk. */
static int
own(rhost_ctx *ctx, const struct pair *p, const char *name, int64_t uid, int64_t gid, int64_t mode)
{
    int fd = openat(p->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), failed;
    struct stat st;

    if (fd < 0)
        return rhost_fail_errno(ctx, "cannot read what ssh-keygen has written beside '%s'", p->path);
    if (fstat(fd, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_uid != p->runs_as || st.st_nlink != 1)) {
        rhost_path_close(fd);
        return rhost_fail(ctx, "something else than ssh-keygen has written beside '%s'", p->path);
    }
    failed = rhost_path_own(ctx, fd, uid, gid, mode);
    if (failed < 0)
        (void)rhost_fail_errno(ctx, "cannot give '%s' its owner and mode", p->path);
    else if ((failed = fsync(fd)) < 0) /* ssh-keygen does not; there is no other copy of the key */
        (void)rhost_fail_errno(ctx, "cannot write '%s' to disk; the former key, if there is one, stays",
                               p->path);
    rhost_path_close(fd);
    return failed < 0 ? -1 : 0;
}

/* Of a new pair. */
static int
own_new(rhost_ctx *ctx, const struct pair *p, const struct draft *d, const rhost_value *should)
{
    int64_t uid, gid, mode = rhost_wanted_mode(should);

    if (rhost_wanted_id(ctx, should, "owner", 0, &uid) < 0
        || rhost_wanted_id(ctx, should, "group", 1, &gid) < 0)
        return -1;
    return own(ctx, p, d->pub, uid, gid, 0644) < 0
                   || own(ctx, p, d->name, uid, gid, mode < 0 ? 0600 : mode) < 0
               ? -1
               : 0;
}

static int
complain(rhost_ctx *ctx, const struct pair *p, const struct rhost_output *output)
{
    return rhost_fail(ctx, "ssh-keygen failed for '%s': %s", p->path, keygen_complaint(ctx, output));
}

static int
generate(rhost_ctx *ctx, const struct pair *p, const struct draft *d, const rhost_value *should)
{
    const char *algorithm = rhost_str_or(should, "algorithm", "ed25519"),
               *comment = rhost_str(should, "comment");
    const char *argv[12] = { "ssh-keygen", "-q", "-t", algorithm, "-f", d->path };
    struct rhost_output output;
    size_t n = 6;

    if (rhost_has(should, "bits")) {
        argv[n++] = "-b";
        argv[n++] = rhost_fmt(ctx, "%lld", (long long)rhost_int(should, "bits", 0));
    }
    if (comment) {
        argv[n++] = "-C";
        argv[n++] = comment;
    }
    if (keygen_run(ctx, p->runs_as, argv, rhost_str(should, "passphrase"), 2, RHOST_EXEC_STOPPABLE, &output)
        < 0)
        return -1;
    return output.status == 0 ? 0 : complain(ctx, p, &output);
}

/* Where nothing has the name. Not every C library has renameat2(2). */
static int
rename_new(int dir, const char *from, const char *to)
{
    enum { NO_REPLACE = 1 };

    return (int)syscall(SYS_renameat2, dir, from, dir, to, NO_REPLACE);
}

int32_t
pair_make(rhost_ctx *ctx, const struct pair *p, const rhost_value *should)
{
    struct draft d;
    int32_t result = -1;

    if (pair_refuse_lone_public(ctx, p) < 0 || draft_begin(ctx, p, &d) < 0)
        return -1;
    if (generate(ctx, p, &d, should) < 0 || own_new(ctx, p, &d, should) < 0)
        result = -1;
    else if (rename_new(p->dir, d.name, p->base) < 0)
        rhost_fail_errno(ctx, "cannot create '%s'", p->path);
    else if (rename_new(p->dir, d.pub, p->pub) < 0)
        rhost_fail_errno(ctx, "cannot create '%s.pub'", p->path);
    else
        result = 0;
    draft_end(p, &d);
    rhost_touched(ctx, p->path);
    return result;
}

/* A copy of the private key, for ssh-keygen to change. */
static int
copy(rhost_ctx *ctx, const struct pair *p, const struct draft *d, struct stat *st)
{
    struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = d->path,
        .mode = 0600,
        .uid = p->runs_as,
        .gid = -1,
        .flags = RHOST_FILE_AT | RHOST_FILE_SECRET,
        .dir = p->dir,
    };
    struct private_key k;
    const char *text = NULL;
    int result = pair_read(ctx, p, &k, &text, &file.content_len, st);

    if (result <= 0)
        return result < 0 ? -1 : rhost_fail(ctx, "'%s' does not exist any more", p->path);
    file.content = text;
    result = rhost_replace_file(ctx, &file);
    explicit_bzero((char *)(uintptr_t)text, file.content_len);
    return result == 0 ? 0 : -1;
}

/* Has ssh-keygen change a copy of the private key, which takes its place, and with it the public key that was
 * written anew, if there is one. */
static int32_t
change(rhost_ctx *ctx, const struct pair *p, const struct draft *d, const char *const *argv,
       const char *passphrase, int lines)
{
    struct rhost_output output;
    struct stat st;
    int32_t result = -1;

    if (copy(ctx, p, d, &st) == 0
        && keygen_run(ctx, p->runs_as, argv, passphrase, lines, RHOST_EXEC_STOPPABLE, &output) == 0) {
        if (output.status != 0)
            complain(ctx, p, &output);
        else if (own(ctx, p, d->name, st.st_uid, st.st_gid, st.st_mode & 07777) < 0)
            result = -1;
        else if (faccessat(p->dir, d->pub, F_OK, AT_SYMLINK_NOFOLLOW) == 0
                 && own(ctx, p, d->pub, st.st_uid, st.st_gid, 0644) < 0)
            result = -1;
        else if (renameat(p->dir, d->name, p->dir, p->base) < 0)
            rhost_fail_errno(ctx, "cannot replace '%s'", p->path);
        else if (renameat(p->dir, d->pub, p->dir, p->pub) < 0 && errno != ENOENT)
            rhost_fail_errno(ctx, "cannot replace '%s.pub'", p->path);
        else
            result = 0;
    }
    draft_end(p, d);
    rhost_touched(ctx, p->path);
    return result;
}

int32_t
pair_encrypt(rhost_ctx *ctx, const struct pair *p, const char *passphrase)
{
    struct draft d;

    if (draft_begin(ctx, p, &d) < 0)
        return -1;
    return change(ctx, p, &d, (const char *const[]){ "ssh-keygen", "-q", "-p", "-f", d.path, NULL },
                  passphrase, 2);
}

int32_t
pair_comment(rhost_ctx *ctx, const struct pair *p, const char *comment, const char *passphrase)
{
    struct draft d;

    if (draft_begin(ctx, p, &d) < 0)
        return -1;
    return change(ctx, p, &d,
                  (const char *const[]){ "ssh-keygen", "-q", "-c", "-C", comment, "-f", d.path, NULL },
                  passphrase, 1);
}

int
pair_passphrase_fits(rhost_ctx *ctx, const struct pair *p, const char *passphrase)
{
    const char *const argv[] = { "ssh-keygen", "-y", "-f", p->path, NULL };
    struct rhost_output output;

    if (p->runs_as == 0 && rhost_path_trusted(ctx, p->path) < 0)
        return rhost_fail_path(ctx, "cannot decrypt '%s'", p->path);
    if (keygen_run(ctx, p->runs_as, argv, passphrase, 1, RHOST_EXEC_READS, &output) < 0)
        return -1;
    if (output.status == 0)
        return 1;
    return strstr(output.err, "passphrase") && strstr(output.err, "incorrect") ? 0
                                                                               : complain(ctx, p, &output);
}
