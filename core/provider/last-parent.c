/* SPDX-License-Identifier: Apache-2.0 */
/* last-parent - the directory that the last file of a batch was written to, and the next one often is. */
#include "config.h"

#include "provider/file-parts.h"

#include "base/safe-path.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

static struct {
    bool in_batch;
    int fd; /* -1: none */
    dev_t dev;
    ino_t ino;
    size_t len;
    char path[PATH_MAX]; /* with the '/' at its end */
} last = { .fd = -1 };

/* Where the last part of the path begins, as far as the path is an ordinary one. */
static size_t
ordinary_parent(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t len = strlen(name);

    if (path[0] != '/' || !len || len > NAME_MAX || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    return (size_t)(name - path) < sizeof last.path ? (size_t)(name - path) : 0;
}

/* Whether the path still leads to the directory that was entered. By which links is no matter: it is that
 * directory's descriptor that is used. */
static bool
is_last(const char *path, size_t len)
{
    struct stat st;

    return last.fd >= 0 && last.len == len && memcmp(last.path, path, len) == 0 && stat(last.path, &st) == 0
           && st.st_dev == last.dev && st.st_ino == last.ino;
}

static void
let_go(void)
{
    if (last.fd >= 0)
        (void)close(last.fd);
    last.fd = -1;
}

static bool
keep(int fd, const char *path, size_t len)
{
    struct stat st;

    if (!last.in_batch || fstat(fd, &st) < 0)
        return false;
    let_go();
    last.fd = fd;
    last.dev = st.st_dev;
    last.ino = st.st_ino;
    last.len = len;
    memcpy(last.path, path, len);
    last.path[len] = '\0';
    return true;
}

int
rh_last_parent(const char *path, char name[NAME_MAX + 1], bool *kept, struct rh_unsafe *unsafe)
{
    size_t len = ordinary_parent(path);
    int fd;

    *kept = len && is_last(path, len);
    if (*kept) {
        memcpy(name, path + len, strlen(path + len) + 1);
        return last.fd;
    }
    fd = rh_safe_parent(path, false, name, unsafe);
    *kept = fd >= 0 && len && keep(fd, path, len);
    return fd;
}

void
rh_last_parent_batch(bool begins)
{
    let_go();
    last.in_batch = begins;
}
