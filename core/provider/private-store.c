/* SPDX-License-Identifier: Apache-2.0 */
/* private-store - files in the directory `private` of the state directory.
 *
 * Both are reached by descriptors only. Nothing is followed, and nothing is read that somebody else could
 * have put there. */
#include "config.h"

#include "provider/private-store.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "provider/exec-child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "private"
#define KEY "key"

enum { LARGEST = 1 << 20 };

/* Nobody else's, and of the right kind; errno says why not. */
static bool
is_ours(int fd, mode_t kind, mode_t refused)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return false;
    if ((st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() && !(st.st_mode & refused))
        return true;
    errno = EPERM;
    return false;
}

/* Makes a directory in another, if that is missing. A confined process may make none: it was made before
 * (plugin/confined.c). -1 with errno. */
static int
make_in(int parent, const char *name)
{
    rh_autoclose int fd = -1;

    if (mkdirat(parent, name, 0700) < 0)
        return errno == EEXIST || errno == EACCES ? 0 : -1;
    fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* `parent` may be a place only */
    return fd < 0 ? -1 : fsync(fd);
}

/* -1 with errno. */
static int
open_in(int parent, const char *name, int flags)
{
    rh_autoclose int fd = openat(parent, name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    return fd >= 0 && is_ours(fd, S_IFDIR, S_IWGRP | S_IWOTH) ? rh_take_fd(&fd) : -1;
}

int
rh_private_open(const char *owner, bool make)
{
    int state = rh_exec_held();
    rh_autoclose int all = -1;

    if (state < 0)
        errno = ENOENT;
    if (state < 0 || (make && make_in(state, FOLDER) < 0))
        return -1;
    all = open_in(state, FOLDER, O_PATH); /* a confined process may not read it */
    if (all < 0 || (make && make_in(all, owner) < 0))
        return -1;
    return open_in(all, owner, O_RDONLY);
}

static int
refuse(struct rh_error *err, int why, const char *what)
{
    return rh_error_system(err, why, "cannot %s what is kept for resources in the state directory", what);
}

bool
rh_private_exists(void)
{
    struct stat st;

    return rh_exec_held() >= 0 && fstatat(rh_exec_held(), FOLDER, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* The bytes of a file, the caller's; NULL without an error when there is none. */
static char *
read_bytes(const char *owner, const char *file, size_t *n, struct rh_error *err)
{
    rh_autoclose int folder = rh_private_open(owner, false), fd = -1;
    char *text;

    if (folder >= 0)
        fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || !is_ours(fd, S_IFREG, S_IRWXG | S_IRWXO)) {
        if (errno != ENOENT)
            (void)refuse(err, errno, "read");
        return NULL;
    }
    text = rh_read_descriptor(fd, FOLDER, LARGEST, n, err);
    return text;
}

int
rh_private_read(struct rh_arena *a, const char *owner, const char *file, const struct rh_value **v,
                struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *text = read_bytes(owner, file, &n, err);

    *v = NULL;
    if (!text)
        return err->message ? -1 : 0;
    *v = rh_value_from_json(a, text, n, err);
    return *v ? 0 : -1;
}

static int
write_bytes(int folder, const char *file, const void *p, size_t n)
{
    rh_autoclose int fd = -1;
    char beside[80];

    (void)snprintf(beside, sizeof beside, "%s.new", file);
    if (unlinkat(folder, beside, 0) < 0 && errno != ENOENT)
        return -1;
    fd = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || fchmod(fd, 0600) < 0 || rh_write_all(fd, p, n) < 0 || fdatasync(fd) < 0
        || renameat(folder, beside, folder, file) < 0)
        return -1;
    return fsync(folder);
}

static int
replace(const char *owner, const char *file, const void *p, size_t n, struct rh_error *err)
{
    rh_autoclose int folder = rh_exec_held() >= 0 ? rh_private_open(owner, true) : -1;

    if (rh_exec_held() < 0)
        return rh_error_set(err, RH_ESYSTEM, "cannot keep private data of resources: no state directory");
    if (folder < 0 || write_bytes(folder, file, p, n) < 0)
        return refuse(err, errno, "write");
    return 0;
}

int
rh_private_write(const char *owner, const char *file, const struct rh_value *v, struct rh_error *err)
{
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_to_json(&text, v, false);
    rh_buf_addc(&text, '\n');
    return replace(owner, file, text.s, text.n, err);
}

int
rh_private_remove(const char *owner, const char *file, struct rh_error *err)
{
    rh_autoclose int folder = rh_private_open(owner, false);

    if (folder < 0)
        return errno == ENOENT ? 0 : refuse(err, errno, "remove");
    if (unlinkat(folder, file, 0) < 0)
        return errno == ENOENT ? 0 : refuse(err, errno, "remove");
    return fsync(folder) < 0 ? refuse(err, errno, "remove") : 0;
}

int
rh_private_key(const char *owner, unsigned char key[RH_PRIVATE_KEY_BYTES], bool make, struct rh_error *err)
{
    static unsigned char passing[RH_PRIVATE_KEY_BYTES];
    static bool passing_made;
    size_t n = 0;
    rh_autofree char *text = read_bytes(owner, KEY, &n, err);

    if (text && n == RH_PRIVATE_KEY_BYTES) {
        memcpy(key, text, RH_PRIVATE_KEY_BYTES);
        explicit_bzero(text, n);
        return 0;
    }
    if (err->message)
        return -1;
    if (text)
        return refuse(err, EINVAL, "read");
    if (!passing_made && getrandom(passing, sizeof passing, 0) != sizeof passing)
        return rh_error_system(err, errno, "no random numbers");
    passing_made = true;
    memcpy(key, passing, sizeof passing);
    return make ? replace(owner, KEY, key, RH_PRIVATE_KEY_BYTES, err) : 0;
}
