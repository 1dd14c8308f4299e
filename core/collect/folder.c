/* SPDX-License-Identifier: Apache-2.0 */
/* folder - the directory that machines send their reports to. */
#include "config.h"

#include "collect/folder.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/safe-path.h"
#include "collect/record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    QUIET = 10 /* seconds without a change after which a file is whole */,
    LONGEST_NAME = 240,   /* with what is added to it, a name of the file system */
    NO_REPLACE = 1,       /* the RENAME_NOREPLACE of the kernel */
    MOST_OF_A_NAME = 100, /* files of one name in the quarantine */
};

static int
open_directory(const char *path, char **absolute, struct rh_error *err)
{
    char here[PATH_MAX];
    struct rh_unsafe unsafe = { 0 };
    int fd;

    if (path[0] != '/' && !getcwd(here, sizeof here))
        return rh_error_system(err, errno, "cannot find the working directory");
    *absolute = path[0] == '/' ? rh_xstrdup(path) : rh_printf("%s/%s", here, path);
    fd = rh_safe_open(*absolute, true, O_RDONLY | O_DIRECTORY, 0, &unsafe);
    if (fd < 0 && *unsafe.why)
        return rh_error_set(err, RH_EINPUT, "cannot open the directory '%s': %s", path, unsafe.why);
    if (fd < 0)
        return rh_error_system(err, errno, "cannot open the directory '%s'", path);
    return fd;
}

static int
open_quarantine(struct rh_folder *f, const char *path, struct rh_error *err)
{
    rh_autofree char *absolute = NULL;
    struct stat a, b;

    if (path) {
        f->quarantine = open_directory(path, &absolute, err);
        if (f->quarantine < 0)
            return -1;
    } else {
        if (mkdirat(f->fd, ".quarantine", 0750) < 0 && errno != EEXIST)
            return rh_error_system(err, errno, "cannot make the directory '%s/.quarantine'", f->path);
        f->quarantine = openat(f->fd, ".quarantine", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (f->quarantine < 0)
            return rh_error_system(err, errno, "cannot open the directory '%s/.quarantine'", f->path);
    }
    if (fstat(f->fd, &a) < 0 || fstat(f->quarantine, &b) < 0)
        return rh_error_system(err, errno, "cannot read the directory '%s'", f->path);
    if (a.st_dev != b.st_dev)
        return rh_error_set(err, RH_EINPUT, "the quarantine must be on the file system of '%s'", f->path);
    return 0;
}

int
rh_folder_open(struct rh_folder *f, const char *path, const char *quarantine, struct rh_error *err)
{
    *f = (struct rh_folder){ .fd = -1, .quarantine = -1 };
    f->fd = open_directory(path, &f->path, err);
    if (f->fd >= 0 && open_quarantine(f, quarantine, err) == 0)
        return 0;
    rh_folder_close(f);
    return -1;
}

void
rh_folder_close(struct rh_folder *f)
{
    rh_cleanup_close(&f->fd);
    rh_cleanup_close(&f->quarantine);
    free(f->path);
    *f = (struct rh_folder){ .fd = -1, .quarantine = -1 };
}

int
rh_folder_host(const struct rh_folder *f, const char *host)
{
    return openat(f->fd, host, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool
rh_folder_is_report(const char *name)
{
    size_t n = strlen(name);

    return name[0] != '.' && n > 5 && strcmp(name + n - 5, ".json") == 0;
}

/* A file that was changed a moment ago may not be whole. One whose time is in the future is. */
static bool
is_quiet(const struct stat *st)
{
    time_t now = time(NULL);

    return st->st_mtim.tv_sec > now || now - st->st_mtim.tv_sec >= QUIET;
}

static enum rh_take
open_failed(const char *host, const char *name, struct rh_error *err)
{
    if (errno == ENOENT)
        return RH_TAKE_GONE;
    rh_discard(rh_error_system(err, errno, "cannot read '%s/%s'", host, name));
    return errno == ELOOP ? RH_TAKE_BAD : RH_TAKE_LATER;
}

static bool
is_named(const char *name, const char *run)
{
    size_t n = strlen(run);

    return strncmp(name, run, n) == 0 && strcmp(name + n, ".json") == 0;
}

enum rh_take
rh_folder_take(struct rh_arena *a, int fd, const char *host, const char *name, struct rh_item *item,
               struct rh_error *err)
{
    rh_autofree char *text = NULL;
    rh_autoclose int file = -1;
    size_t n = 0;

    *item = (struct rh_item){ .host = rh_arena_strdup(a, host), .name = rh_arena_strdup(a, name) };
    if (fstatat(fd, name, &item->st, AT_SYMLINK_NOFOLLOW) < 0)
        return open_failed(host, name, err);
    if (!S_ISREG(item->st.st_mode)) {
        rh_discard(rh_error_set(err, RH_EINPUT, "it is not a regular file"));
        return RH_TAKE_BAD;
    }
    file = openat(fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || fstat(file, &item->st) < 0)
        return open_failed(host, name, err);
    if (!S_ISREG(item->st.st_mode))
        return RH_TAKE_LATER;
    text = rh_read_descriptor(file, name, RH_RECORD_BYTES, &n, err);
    if (!text && err->kind == RH_ESYSTEM)
        return RH_TAKE_LATER;
    if (text)
        item->record = rh_record_read(a, item->host, text, n, err);
    if (item->record && !is_named(name, item->record->run)) {
        rh_discard(rh_error_set(err, RH_EINPUT, "the report is of run '%s', and its file is '%s'",
                                item->record->run, name));
        item->record = NULL;
    }
    if (item->record)
        return RH_TAKE_OK;
    return is_quiet(&item->st) ? RH_TAKE_BAD : RH_TAKE_LATER;
}

/* A file of the same name that came meanwhile is another one. */
static bool
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size
           && a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec
           && a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

int
rh_folder_remove(const struct rh_folder *f, const struct rh_item *items, size_t n, struct rh_error *err)
{
    rh_autoclose int fd = -1;
    const char *host = "";
    struct stat st;
    int rc = 0;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(host, items[i].host) != 0) {
            rh_cleanup_close(&fd);
            fd = rh_folder_host(f, items[i].host);
            host = items[i].host;
        }
        /* What stays is read again, and found to be stored. */
        if (fd >= 0 && fstatat(fd, items[i].name, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_same(&st, &items[i].st)
            && unlinkat(fd, items[i].name, 0) < 0 && errno != ENOENT)
            rc = rh_error_system(err, errno, "cannot remove '%s/%s'", host, items[i].name);
    }
    return rc;
}

/* A file that nothing has the name of. */
static int
write_reason(int fd, const char *path, const char *reason, struct rh_error *err)
{
    rh_autofree char *text = rh_printf("%s\n", reason);
    rh_autoclose int file = openat(fd, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);

    if (file >= 0 && rh_write_all(file, text, strlen(text)) == 0)
        return 0;
    if (file < 0 && errno == EEXIST)
        return 1;
    rh_discard(rh_error_system(err, errno, "cannot write '%s'", path));
    if (file >= 0)
        (void)unlinkat(fd, path, 0);
    return -1;
}

/* Not every C library has renameat2(), and not every file system its flag. */
static int
move(int from, const char *name, int to, const char *new_name)
{
    struct stat st;

    if (syscall(SYS_renameat2, from, name, to, new_name, NO_REPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (fstatat(to, new_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return -1;
    }
    return renameat(from, name, to, new_name);
}

/* 1: moved; 0: it is gone; -1 with errno, which is EEXIST where the name is taken, and with `err` where more
 * is to be said. */
static int
move_with_reason(int from, const struct rh_item *item, int to, const char *name, const char *reason,
                 struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s.reason", name);
    struct stat st;
    int rc = write_reason(to, path, reason, err);

    if (rc) {
        errno = rc > 0 ? EEXIST : 0;
        return -1;
    }
    rc = fstatat(from, item->name, &st, AT_SYMLINK_NOFOLLOW);
    if (rc == 0 && is_same(&st, &item->st) && (rc = move(from, item->name, to, name)) == 0)
        return 1;
    if (rc < 0 && errno != ENOENT && errno != EEXIST)
        rh_discard(
            rh_error_system(err, errno, "cannot move '%s/%s' to the quarantine", item->host, item->name));
    rc = rc == 0 || errno == ENOENT ? 0 : errno == EEXIST ? EEXIST : EIO;
    (void)unlinkat(to, path, 0);
    errno = rc;
    return rc ? -1 : 0;
}

int
rh_folder_quarantine(const struct rh_folder *f, const struct rh_item *item, const char *reason,
                     struct rh_error *err)
{
    rh_autoclose int from = rh_folder_host(f, item->host);
    rh_autoclose int to = -1;

    if (from < 0)
        return rh_error_system(err, errno, "cannot open the directory '%s'", item->host);
    if (strlen(item->name) > LONGEST_NAME)
        return rh_error_set(err, RH_ESYSTEM, "the name '%s/%s' is too long for the quarantine", item->host,
                            item->name);
    if (mkdirat(f->quarantine, item->host, 0750) < 0 && errno != EEXIST)
        return rh_error_system(err, errno, "cannot make the directory '%s' in the quarantine", item->host);
    to = openat(f->quarantine, item->host, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (to < 0)
        return rh_error_system(err, errno, "cannot open the directory '%s' in the quarantine", item->host);
    for (int i = 1; i < MOST_OF_A_NAME; i++) {
        rh_autofree char *name = i == 1 ? rh_xstrdup(item->name) : rh_printf("%s.%d", item->name, i);
        int rc = move_with_reason(from, item, to, name, reason, err);

        if (rc >= 0 || errno != EEXIST)
            return rc;
    }
    return rh_error_set(err, RH_EINPUT, "the quarantine has %d files of the name '%s/%s'", MOST_OF_A_NAME,
                        item->host, item->name);
}
