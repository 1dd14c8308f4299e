/* SPDX-License-Identifier: Apache-2.0 */
/* ext-file - the extension rhost.file/1: replace a file, or leave it as it was.
 *
 * The new file has no name until it is complete: whenever we are killed, nothing is left behind. Where
 * the file system can't do that, it has one that can't be guessed. What takes more than the one step of
 * naming it is done relative to a descriptor of the directory, so that nobody can swap a part of the
 * path between two steps. */
#include "config.h"

#include "provider/ext-file.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "provider/durable.h"
#include "provider/ext-exec.h"
#include "provider/file-copy.h"

#include <rhost/exec.h>
#include <rhost/file.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

enum { MAX_LINKS = 40, VALIDATE_TIMEOUT = 60000, PERMISSIONS = 07777 };

/* The place, and the file that is to come into it. */
struct place {
    char *path; /* with links followed, where that is asked for */
    const char *base;
    char *parent; /* with the '/' behind it */
    int dir;      /* -1 as long as it is not needed */
    struct stat old; /* st_mode 0: nothing that is kept */
    bool vacant;     /* nothing is there at all */
    char beside[NAME_MAX + 1]; /* the new file's name so far, empty while it has none */
    int fd; /* of the new file */
    dev_t dev; /* that it lives on */
};

static bool
is_regular(const struct place *p)
{
    return S_ISREG(p->old.st_mode);
}

static const char *
kind_of(mode_t mode)
{
    return S_ISDIR(mode)                     ? "a directory"
           : S_ISCHR(mode) || S_ISBLK(mode)  ? "a device"
           : S_ISFIFO(mode)                  ? "a named pipe"
           : S_ISSOCK(mode)                  ? "a socket"
                                             : "not a regular file";
}

/* Replaces *path by what the link at it points at, link after link. */
static int
follow(char **path, struct rh_error *err)
{
    char target[PATH_MAX];

    for (int i = 0; i < MAX_LINKS; i++) {
        ssize_t len = readlink(*path, target, sizeof target - 1);
        char *next;

        if (len < 0 && (errno == EINVAL || errno == ENOENT))
            return 0;
        if (len < 0)
            return rh_error_system(err, errno, "cannot follow '%s'", *path);
        target[len] = '\0';
        next = target[0] == '/'
                   ? rh_xstrdup(target)
                   : rh_printf("%.*s/%s", (int)(strrchr(*path, '/') - *path), *path, target);
        free(*path);
        *path = next;
    }
    return rh_error_system(err, ELOOP, "cannot follow '%s'", *path);
}

static int
open_parent(struct place *p, struct rh_error *err)
{
    if (p->dir < 0)
        p->dir = open(p->parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return p->dir < 0 ? rh_error_system(err, errno, "cannot write '%s'", p->path) : 0;
}

/* Looks at what stands there now; when it is something, within the directory. */
static int
open_place(struct place *p, const struct rhost_new_file *file, struct rh_error *err)
{
    if (!file->path || file->path[0] != '/')
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': the path is not absolute",
                            file->path ? file->path : "");
    p->path = rh_xstrdup(file->path);
    if ((file->flags & RHOST_FILE_FOLLOW) && follow(&p->path, err) < 0)
        return -1;
    p->base = strrchr(p->path, '/') + 1;
    if (!*p->base || strcmp(p->base, ".") == 0 || strcmp(p->base, "..") == 0)
        return rh_error_set(err, RH_EINPUT, "cannot write '%s': it is a directory", p->path);
    p->parent = rh_xstrndup(p->path, (size_t)(p->base - p->path));
    p->vacant = lstat(p->path, &p->old) < 0 && errno == ENOENT;
    if (p->vacant) {
        p->old.st_mode = 0;
        return 0;
    }
    if (open_parent(p, err) < 0)
        return -1;
    if (fstatat(p->dir, p->base, &p->old, AT_SYMLINK_NOFOLLOW) < 0) {
        if (errno != ENOENT)
            return rh_error_system(err, errno, "cannot write '%s'", p->path);
        p->old.st_mode = 0;
        p->vacant = true;
    } else if (S_ISLNK(p->old.st_mode)) {
        p->old.st_mode = 0; /* the link goes, and nothing of it is kept */
    } else if (!is_regular(p)) {
        return rh_error_set(err, RH_ESYSTEM, "cannot write '%s': it is %s", p->path,
                            kind_of(p->old.st_mode));
    }
    return 0;
}

/* A name beside the place. The dot keeps it out of what globs like *.conf gather. */
static int
create_named(struct place *p, struct rh_error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345";
    unsigned char random[12];
    char suffix[sizeof random + 1] = "";

    if (open_parent(p, err) < 0)
        return -1;
    for (int attempt = 0; attempt < 16; attempt++) {
        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
            break;
        for (size_t i = 0; i < sizeof random; i++)
            suffix[i] = letters[random[i] % (sizeof letters - 1)];
        snprintf(p->beside, sizeof p->beside, ".%.200s.rhost-%s", p->base, suffix);
        p->fd = openat(p->dir, p->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                       0600);
        if (p->fd >= 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    p->beside[0] = '\0';
    return rh_error_system(err, errno, "cannot write '%s'", p->path);
}

/* Without a name nobody else can open it: it may have its mode from the start. */
static int
create_new(struct place *p, mode_t mode, struct rh_error *err)
{
    p->fd = openat(p->dir < 0 ? AT_FDCWD : p->dir, p->dir < 0 ? p->parent : ".",
                   O_WRONLY | O_TMPFILE | O_CLOEXEC, mode & 0777);
    if (p->fd >= 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL)
        return rh_error_system(err, errno, "cannot write '%s'", p->path);
    return create_named(p, err);
}

/* The direct way is open to root and, on newer kernels, to whoever opened the file; the way through
 * /proc takes twice as long, and needs a /proc. */
static int
link_as(const struct place *p, int dir, const char *name)
{
    char self[40];

    if (linkat(p->fd, "", dir, name, AT_EMPTY_PATH) == 0)
        return 0;
    if (errno != ENOENT)
        return -1;
    snprintf(self, sizeof self, "/proc/self/fd/%d", p->fd);
    return linkat(AT_FDCWD, self, dir, name, AT_SYMLINK_FOLLOW);
}

/* The complete file gets the name from which it is renamed. That name is always the same: should we be
 * killed between the two steps, the next try takes the place of what is left. */
static int
give_name(struct place *p, struct rh_error *err)
{
    if (p->beside[0])
        return 0;
    if (open_parent(p, err) < 0)
        return -1;
    snprintf(p->beside, sizeof p->beside, ".%.200s.rhost-new", p->base);
    if (link_as(p, p->dir, p->beside) == 0)
        return 0;
    if (errno == EEXIST && unlinkat(p->dir, p->beside, 0) == 0
        && link_as(p, p->dir, p->beside) == 0)
        return 0;
    p->beside[0] = '\0';
    return rh_error_system(err, errno, "cannot write '%s'", p->path);
}

static int
fill(const struct place *p, const struct rhost_new_file *file, struct rh_error *err)
{
    if (file->source) {
        /* O_NONBLOCK: a named pipe must not hold us up. */
        rh_autoclose int from = open(file->source, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        struct stat st;

        if (from < 0 || fstat(from, &st) < 0)
            return rh_error_system(err, errno, "cannot open '%s'", file->source);
        if (!S_ISREG(st.st_mode))
            return rh_error_set(err, RH_ESYSTEM, "cannot copy '%s': it is %s", file->source,
                                kind_of(st.st_mode));
        if (rh_copy_bytes(from, p->fd) < 0)
            return rh_error_system(err, errno, "cannot copy '%s' to '%s'", file->source, p->path);
    } else if (rh_write_all(p->fd, file->content, file->content_len) < 0) {
        return rh_error_system(err, errno, "cannot write '%s'", p->path);
    }
    return 0;
}

static mode_t
mode_of(const struct place *p, const struct rhost_new_file *file)
{
    mode_t new_mode = file->flags & RHOST_FILE_SECRET ? 0600 : 0644;

    return (file->mode >= 0 ? (mode_t)file->mode : is_regular(p) ? p->old.st_mode : new_mode)
           & PERMISSIONS;
}

/* Owner first, since changing it takes setuid bits away; then ACLs; the mode last. */
static int
dress(struct place *p, const struct rhost_new_file *file, struct rh_error *err)
{
    uid_t uid = file->uid >= 0 ? (uid_t)file->uid : is_regular(p) ? p->old.st_uid : (uid_t)-1;
    gid_t gid = file->gid >= 0 ? (gid_t)file->gid : is_regular(p) ? p->old.st_gid : (gid_t)-1;
    mode_t mode = mode_of(p, file);
    struct stat new;

    if (fstat(p->fd, &new) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", p->path);
    p->dev = new.st_dev;
    if (uid == new.st_uid)
        uid = (uid_t)-1;
    if (gid == new.st_gid)
        gid = (gid_t)-1;
    if (uid == (uid_t)-1 && gid == (gid_t)-1 && !is_regular(p)
        && mode == (new.st_mode & PERMISSIONS))
        return 0; /* it was born so */
    if ((uid != (uid_t)-1 || gid != (gid_t)-1) && fchown(p->fd, uid, gid) < 0)
        return rh_error_system(err, errno, "cannot change the owner of '%s'", p->path);
    if (is_regular(p)) {
        rh_autoclose int old =
            openat(p->dir, p->base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

        if (old < 0 || rh_copy_xattrs(old, p->fd) < 0)
            return rh_error_system(err, errno, "cannot keep the attributes of '%s'", p->path);
    }
    if (fchmod(p->fd, mode) < 0)
        return rh_error_system(err, errno, "cannot change the mode of '%s'", p->path);
    return 0;
}

/* The last line of what a validator said: mostly the one with the reason. */
static void
last_line(const struct rhost_output *o, const char **line, int *len)
{
    const char *end = o->out + o->out_len;

    while (end > o->out && (end[-1] == '\n' || end[-1] == ' '))
        end--;
    *line = end;
    while (*line > o->out && (*line)[-1] != '\n')
        (*line)--;
    *len = (int)(end - *line < 1000 ? end - *line : 1000);
}

/* Runs the command on the new file. What it can't be told through `err`, it has told fail(). */
static int
validate(rhost_ctx *ctx, struct place *p, const struct rhost_new_file *file)
{
    rh_autofree char *beside =
        rh_printf("%.*s%s", (int)(p->base - p->path), p->path, p->beside);
    rh_autofree const char **argv = NULL;
    rh_autofree char *message = NULL;
    struct rhost_output out = { .struct_size = sizeof out };
    struct rhost_command command = {
        .struct_size = sizeof command,
        .timeout = file->validate_timeout ? file->validate_timeout : VALIDATE_TIMEOUT,
        .flags = RHOST_EXEC_READS | RHOST_EXEC_MERGE | RHOST_EXEC_TAIL,
        .output_limit = 8192,
    };
    const char *line;
    size_t n = 0;
    int len;

    while (file->validate[n])
        n++;
    argv = rh_xalloc((n + 1) * sizeof *argv);
    for (size_t i = 0; i < n; i++)
        argv[i] = strcmp(file->validate[i], "%") == 0 ? beside : file->validate[i];
    command.argv = argv;

    if (rh_ext_exec()->run(ctx, &command, &out) < 0)
        return -1;
    if (out.status == 0)
        return 0;
    last_line(&out, &line, &len);
    if (file->flags & RHOST_FILE_SECRET)
        message = rh_printf("cannot write '%s': '%s' refuses the new content with status %d",
                            p->path, file->validate[0], out.status);
    else
        message = rh_printf("cannot write '%s': '%s' refuses the new content with status %d%s%.*s",
                            p->path, file->validate[0], out.status, len ? ": " : "", len, line);
    return ctx->host->fail(ctx, 0, NULL, message);
}

/* Before an older content is given up, the new one must be on disk: a rename may get there before
 * the bytes that it names. */
static int
put_in_place(struct place *p, const struct rhost_new_file *file, struct rh_error *err)
{
    bool replaces = is_regular(p) && p->old.st_size > 0;

    if (replaces && !(file->flags & RHOST_FILE_DEFERRED_SYNC) && fdatasync(p->fd) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", p->path);
    if (p->vacant && !p->beside[0] && link_as(p, AT_FDCWD, p->path) == 0) {
        rh_durable_touch_on(p->fd, p->dev);
        return 0;
    }
    if (give_name(p, err) < 0)
        return -1;
    if (renameat(p->dir, p->beside, p->dir, p->base) < 0)
        return rh_error_system(err, errno, "cannot write '%s'", p->path);
    p->beside[0] = '\0';
    rh_durable_touch_on(p->fd, p->dev);
    return 0;
}

static int
replace(rhost_ctx *ctx, struct place *p, const struct rhost_new_file *file, struct rh_error *err)
{
    if (open_place(p, file, err) < 0 || create_new(p, mode_of(p, file), err) < 0 || fill(p, file, err) < 0
        || dress(p, file, err) < 0)
        return -1;
    if (file->validate && file->validate[0]) {
        if (give_name(p, err) < 0)
            return -1;
        /* A file that is open for writing could not be executed. */
        (void)close(p->fd);
        p->fd = openat(p->dir, p->beside, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        if (p->fd < 0)
            return rh_error_system(err, errno, "cannot write '%s'", p->path);
        if (validate(ctx, p, file) < 0)
            return -1;
    }
    return put_in_place(p, file, err);
}

static int32_t
file_replace(rhost_ctx *ctx, const struct rhost_new_file *asked)
{
    struct rhost_new_file file = { 0 };
    struct place p = { .dir = -1, .fd = -1 };
    rh_autoerror struct rh_error err = { 0 };
    size_t size = asked->struct_size;
    int result;

    memcpy(&file, asked, size < sizeof file ? size : sizeof file);
    if (size < offsetof(struct rhost_new_file, flags))
        result = rh_error_set(&err, RH_EPROVIDER,
                              "a struct rhost_new_file says that it is %zu bytes long, which can't be: its "
                              "struct_size is its sizeof", size);
    else if (ctx->host->noop(ctx))
        result = rh_error_set(&err, RH_EPROVIDER, "'%s' would be written, and this is noop",
                              file.path ? file.path : "");
    else
        result = replace(ctx, &p, &file, &err);
    if (p.beside[0])
        (void)unlinkat(p.dir, p.beside, 0);
    if (p.fd >= 0)
        (void)close(p.fd);
    if (p.dir >= 0)
        (void)close(p.dir);
    free(p.parent);
    free(p.path);
    return result < 0 && err.message ? ctx->host->fail(ctx, 0, NULL, err.message) : result;
}

static void
file_touched(rhost_ctx *ctx, const char *path)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    (void)ctx;
    if (fd < 0) { /* a link, or gone: its directory lives on the same file system */
        rh_autofree char *parent = rh_xstrdup(path);
        char *slash = strrchr(parent, '/');

        if (slash)
            slash[slash == parent] = '\0';
        fd = open(slash ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    if (fd >= 0)
        rh_durable_touch(fd);
}

const struct rhost_file *
rh_ext_file(void)
{
    static const struct rhost_file extension = {
        .struct_size = sizeof extension,
        .replace = file_replace,
        .touched = file_touched,
    };

    return &extension;
}
