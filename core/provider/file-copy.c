/* SPDX-License-Identifier: Apache-2.0 */
/* file-copy - bytes, and what hangs on a file beside them, from one descriptor to another. */
#include "config.h"

#include "provider/file-parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL_NAME "system.posix_acl_access"

enum { AT_ONCE = 8 << 20 }; /* bytes: also a slow disk has these before anybody takes it for a hang */

/* Who waits for the copy. */
struct waiter {
    void (*alive)(rhost_ctx *ctx);
    rhost_ctx *ctx;
};

static void
go_on(const struct waiter *w)
{
    if (w->alive)
        w->alive(w->ctx);
}

static int
copy_through_memory(int from, int to, const struct waiter *w)
{
    char chunk[65536];
    ssize_t got;

    while ((got = read(from, chunk, sizeof chunk)) != 0) {
        go_on(w);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || rh_write_all(to, chunk, (size_t)got) < 0)
            return -1;
    }
    return 0;
}

static int
copy_data(int from, int to, const struct waiter *w)
{
    for (;;) {
        ssize_t put = copy_file_range(from, NULL, to, NULL, AT_ONCE, 0);

        go_on(w);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && (errno == ENOSPC || errno == EIO || errno == EDQUOT || errno == EFBIG))
            return -1;
        /* Not between these two, or the end; but some kernels say "end" at once for files
         * like those in /proc, so the loop below has the last word. */
        if (put <= 0)
            return copy_through_memory(from, to, w);
    }
}

/* The pieces between the holes; `end` is the size. */
static int
copy_pieces(int from, int to, off_t end, const struct waiter *w)
{
    off_t at = 0, data;

    while ((data = lseek(from, at, SEEK_DATA)) >= 0 && data < end) {
        off_t hole = lseek(from, data, SEEK_HOLE);

        if (hole < 0 || lseek(to, data, SEEK_SET) < 0 || lseek(from, data, SEEK_SET) < 0)
            return -1;
        for (at = data; at < hole;) {
            size_t n = hole - at < AT_ONCE ? (size_t)(hole - at) : (size_t)AT_ONCE;
            ssize_t put = copy_file_range(from, NULL, to, NULL, n, 0);

            go_on(w);
            if (put < 0 && errno == EINTR)
                continue;
            if (put <= 0)
                break;
            at += put;
        }
        if (at < hole) { /* not between these two: the slow way, from here */
            char chunk[65536];

            while (at < hole) {
                size_t n = hole - at < (off_t)sizeof chunk ? (size_t)(hole - at) : sizeof chunk;
                ssize_t got = pread(from, chunk, n, at);

                go_on(w);
                if (got < 0 && errno == EINTR)
                    continue;
                if (got < 0 || (got > 0 && rh_write_all_at(to, chunk, (size_t)got, at) < 0))
                    return -1;
                if (got == 0)
                    break; /* it has become shorter */
                at += got;
            }
            at = hole;
        }
    }
    return data < 0 && errno != ENXIO ? -1 : ftruncate(to, end);
}

int
rh_copy_bytes(int from, int to, void (*alive)(rhost_ctx *ctx), rhost_ctx *ctx)
{
    const struct waiter w = { alive, ctx };
    struct stat st;

    if (fstat(from, &st) < 0)
        return -1;
    /* Fewer blocks than its size takes: it has holes. */
    if (st.st_size > 65536 && (int64_t)st.st_blocks < st.st_size / 512 && lseek(from, 0, SEEK_DATA) >= 0)
        return copy_pieces(from, to, st.st_size, &w);
    return lseek(from, 0, SEEK_SET) < 0 && errno != ESPIPE ? -1 : copy_data(from, to, &w);
}

static bool
stays_behind(const char *name)
{
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0
           || strcmp(name, "security.capability") == 0 || strncmp(name, "trusted.overlay.", 16) == 0;
}

/* Setting what is there already may be refused, and is not needed. */
static int
copy_one(int from, int to, const char *name)
{
    char old[4096], new[4096];
    rh_autofree char *large = NULL;
    char *value = old;
    ssize_t len = fgetxattr(from, name, old, sizeof old), has;

    if (len < 0 && errno == ERANGE) {
        len = fgetxattr(from, name, NULL, 0);
        if (len >= 0) {
            value = large = rh_xalloc((size_t)len + 1);
            len = fgetxattr(from, name, large, (size_t)len);
        }
    }
    if (len < 0)
        return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
    has = fgetxattr(to, name, new, sizeof new);
    if (has == len && memcmp(value, new, (size_t)len) == 0)
        return 0;
    return fsetxattr(to, name, value, (size_t)len, 0) < 0 && errno != ENOTSUP ? -1 : 0;
}

int
rh_copy_xattrs(int from, int to, bool acl)
{
    char few[4096];
    rh_autofree char *many = NULL;
    char *names = few;
    ssize_t len = flistxattr(from, few, sizeof few);
    bool has_acl = false;

    if (len < 0 && errno == ERANGE) {
        len = flistxattr(from, NULL, 0);
        if (len >= 0) {
            names = many = rh_xalloc((size_t)len + 1);
            len = flistxattr(from, many, (size_t)len);
        }
    }
    if (len < 0)
        return errno == ENOTSUP ? 0 : -1;
    for (const char *name = names; name < names + len; name += strlen(name) + 1) {
        bool is_acl = strcmp(name, ACL_NAME) == 0;

        if (is_acl && !acl)
            continue;
        has_acl = has_acl || is_acl;
        if (!stays_behind(name) && copy_one(from, to, name) < 0)
            return -1;
    }
    if (!has_acl && fremovexattr(to, ACL_NAME) < 0 && errno != ENODATA && errno != ENOTSUP)
        return -1;
    return 0;
}
