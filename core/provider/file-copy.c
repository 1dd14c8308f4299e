/* SPDX-License-Identifier: Apache-2.0 */
/* file-copy - bytes, and what hangs on a file beside them, from one descriptor to another. */
#include "config.h"

#include "provider/file-copy.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/io.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define ACL_NAME "system.posix_acl_access"

static int
copy_through_memory(int from, int to)
{
    char chunk[65536];
    ssize_t got;

    while ((got = read(from, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || rh_write_all(to, chunk, (size_t)got) < 0)
            return -1;
    }
    return 0;
}

int
rh_copy_bytes(int from, int to)
{
    for (;;) {
        ssize_t put = copy_file_range(from, NULL, to, NULL, SSIZE_MAX / 2 + 1, 0);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && (errno == ENOSPC || errno == EIO || errno == EDQUOT || errno == EFBIG))
            return -1;
        /* Not between these two, or the end; but some kernels say "end" at once for files
         * like those in /proc, so the loop below has the last word. */
        if (put <= 0)
            return copy_through_memory(from, to);
    }
}

static bool
stays_behind(const char *name)
{
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0
           || strncmp(name, "trusted.overlay.", 16) == 0;
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
rh_copy_xattrs(int from, int to)
{
    char few[4096];
    rh_autofree char *many = NULL;
    char *names = few;
    ssize_t len = flistxattr(from, few, sizeof few);
    bool acl = false;

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
        acl = acl || strcmp(name, ACL_NAME) == 0;
        if (!stays_behind(name) && copy_one(from, to, name) < 0)
            return -1;
    }
    if (!acl && fremovexattr(to, ACL_NAME) < 0 && errno != ENODATA && errno != ENOTSUP)
        return -1;
    return 0;
}
