/* SPDX-License-Identifier: Apache-2.0 */
/* io - whole files and whole writes. */
#include "config.h"

#include "base/io.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

char *
rh_read_file(const char *path, size_t limit, size_t *len, struct rh_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    rh_autoclose int fd =
        standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0) {
        rh_error_system(err, errno, "cannot open '%s'", path);
        return NULL;
    }
    return rh_read_descriptor(fd, path, limit, len, err);
}

char *
rh_read_kept_file(const char *path, size_t limit, size_t *len, struct rh_error *err)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;

    if ((fd < 0 && errno == ELOOP) || (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))) {
        rh_error_set(err, RH_EINPUT, "'%s' is not a regular file", path);
        return NULL;
    }
    if (fd < 0) {
        rh_error_system(err, errno, "cannot open '%s'", path);
        return NULL;
    }
    return rh_read_descriptor(fd, path, limit, len, err);
}

/* More room, without a copy of what was read in freed memory: it may be secret. */
static char *
enlarge(char *text, size_t n, size_t cap)
{
    char *larger = rh_xalloc(cap);

    if (text) {
        memcpy(larger, text, n);
        explicit_bzero(text, n);
    }
    free(text);
    return larger;
}

static char *
forget(char *text, size_t n)
{
    if (text)
        explicit_bzero(text, n);
    free(text);
    return NULL;
}

char *
rh_read_descriptor(int fd, const char *path, size_t limit, size_t *len, struct rh_error *err)
{
    char *text = NULL;
    size_t n = 0, cap = 0;
    struct stat st;

    if (fstat(fd, &st) < 0) {
        rh_error_system(err, errno, "cannot open '%s'", path);
        return NULL;
    }
    if (S_ISREG(st.st_mode) && limit && st.st_size > 0 && (uint64_t)st.st_size > limit) {
        rh_error_set(err, RH_EINPUT, "'%s' is larger than %zu bytes", path, limit);
        return NULL;
    }
    if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size < SIZE_MAX / 2)
        cap = (size_t)st.st_size + 1;
    for (;;) {
        ssize_t got;

        if (limit && n > limit) {
            rh_error_set(err, RH_EINPUT, "'%s' is larger than %zu bytes", path, limit);
            return forget(text, n);
        }
        if (!text || n + 1 >= cap) {
            cap = text ? cap * 2 : cap > 4096 ? cap + 1 : 4096;
            text = enlarge(text, n, cap);
        }
        got = read(fd, text + n, cap - n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            rh_error_system(err, errno, "cannot read '%s'", path);
            return forget(text, n);
        }
        if (got == 0)
            break;
        n += (size_t)got;
    }
    text[n] = '\0';
    if (len)
        *len = n;
    return text;
}

int
rh_write_all(int fd, const void *p, size_t n)
{
    const char *at = p;

    while (n) {
        ssize_t put = write(fd, at, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        at += put;
        n -= (size_t)put;
    }
    return 0;
}

int
rh_write_all_at(int fd, const void *p, size_t n, off_t at)
{
    const char *from = p;

    while (n) {
        ssize_t put = pwrite(fd, from, n, at);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        from += put;
        at += put;
        n -= (size_t)put;
    }
    return 0;
}

int
rh_sync_directory(const char *path, struct rh_error *err)
{
    rh_autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0 || fsync(fd) < 0)
        return rh_error_system(err, errno, "cannot sync directory '%s' to disk", path);
    return 0;
}

/* Its parent, for that is where its name is. Who may only pass through a directory cannot open it, and
 * has no way to sync it alone. */
static int
sync_parent(const char *path, struct rh_error *err)
{
    const char *slash = strrchr(path, '/');
    rh_autofree char *parent = !slash          ? rh_xstrdup(".")
                               : slash == path ? rh_xstrdup("/")
                                               : rh_xstrndup(path, (size_t)(slash - path));

    if (access(parent, R_OK) < 0 && errno == EACCES) {
        sync();
        return 0;
    }
    return rh_sync_directory(parent, err);
}

static int
make_one(const char *path, unsigned mode, struct rh_error *err)
{
    if (mkdir(path, mode) == 0)
        return sync_parent(path, err);
    return errno == EEXIST ? 0 : rh_error_system(err, errno, "cannot create directory '%s'", path);
}

int
rh_make_directory(const char *path, unsigned mode, struct rh_error *err)
{
    rh_autofree char *copy = rh_xstrdup(path);

    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (make_one(copy, 0755, err) < 0)
            return -1;
        *slash = '/';
    }
    return make_one(copy, mode, err);
}

void
rh_close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, UINT_MAX, 0) == 0)
        return;
#endif
    for (long fd = first, max = sysconf(_SC_OPEN_MAX); fd < max; fd++)
        (void)close((int)fd);
}
