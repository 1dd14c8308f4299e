/* SPDX-License-Identifier: Apache-2.0 */
/* xattrs - extended attributes of files and directories that users and programs set. */

#include "xattrs.h"

#include <rhost/lines.h>

#include <errno.h>
#include <sys/xattr.h>

#define SPACE "user."

enum { LARGEST = 65536 };

static int
is_unsupported(void)
{
    return errno == ENOTSUP || errno == EOPNOTSUPP;
}

static const char *
complaint(rhost_ctx *ctx, const char *name)
{
    if (strcmp(name, "security.capability") == 0)
        return "'capabilities' keeps the capabilities of a file";
    if (strncmp(name, "system.posix_acl_", 17) == 0)
        return "'acl' keeps the ACL";
    if (strncmp(name, SPACE, sizeof SPACE - 1) != 0)
        return rhost_fmt(ctx, "'%s' does not begin with '" SPACE "': others belong to the kernel and to root",
                         name);
    return name[sizeof SPACE - 1] ? NULL : "'" SPACE "' is not a name";
}

int
xattrs_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const rhost_value *all = rhost_get(resource, "xattrs");
    int result = 0;

    for (size_t i = 0; i < rhost_count(all); i++) {
        const char *name = NULL, *why;
        const rhost_value *one = rhost_at(all, i, &name);
        size_t len = 0;

        why = complaint(ctx, name);
        if (!why && one && one->host->string(one, &len) && len > LARGEST)
            why = rhost_fmt(ctx, "'%s' is longer than %d bytes", name, LARGEST);
        if (why)
            result = rhost_fail_attr(ctx, "xattrs", "%s", why);
    }
    return result;
}

/* The value of one in `buffer`, of LARGEST bytes: its length; -1: it does not exist; -2 with the reason
 * given. */
static ssize_t
read_one(rhost_ctx *ctx, int fd, const char *name, char *buffer)
{
    ssize_t n = fgetxattr(fd, name, buffer, LARGEST);

    if (n >= 0)
        return n;
    if (errno == ENODATA || is_unsupported())
        return -1;
    (void)rhost_fail_errno(ctx, "cannot read the extended attribute '%s'", name);
    return -2;
}

static void
put_one(rhost_value *into, const char *name, const char *bytes, size_t n)
{
    if (!memchr(bytes, '\0', n) && rhost_is_utf8(bytes, n))
        rhost_put_bytes(into, name, bytes, n);
    else
        into->host->put_binary(into, name, bytes, n);
}

static int
report_wanted(rhost_ctx *ctx, int fd, const rhost_value *wanted, rhost_value *current)
{
    rhost_value *into = current->host->put_hash(current, "xattrs");
    char *buffer = rhost_alloc(ctx, LARGEST);
    int secret = wanted->host->sensitive(wanted);

    for (size_t i = 0; i < rhost_count(wanted); i++) {
        const char *name = NULL, *bytes;
        const rhost_value *one = rhost_at(wanted, i, &name);
        size_t len = 0;
        ssize_t n = read_one(ctx, fd, name, buffer);

        bytes = one ? one->host->string(one, &len) : NULL;
        secret |= one && one->host->sensitive(one);
        if (n == -2)
            return -1;
        if (n < 0)
            into->host->put_undef(into, name);
        else if (bytes && (size_t)n == len && memcmp(bytes, buffer, len) == 0)
            rhost_put_copy(into, name, one);
        else
            put_one(into, name, buffer, (size_t)n);
    }
    if (secret)
        current->host->mark_sensitive(current, "xattrs");
    return 0;
}

static int
report_all(rhost_ctx *ctx, int fd, rhost_value *current)
{
    char *names = rhost_alloc(ctx, LARGEST), *buffer = rhost_alloc(ctx, LARGEST);
    ssize_t all = flistxattr(fd, names, LARGEST);
    rhost_value *into = NULL;

    if (all < 0)
        return is_unsupported() ? 0 : rhost_fail_errno(ctx, "cannot list the extended attributes");
    for (const char *name = names; name < names + all; name += strlen(name) + 1) {
        ssize_t n;

        if (complaint(ctx, name) || !rhost_is_utf8(name, strlen(name)))
            continue;
        n = read_one(ctx, fd, name, buffer);
        if (n == -2)
            return -1;
        if (n < 0)
            continue;
        if (!into)
            into = current->host->put_hash(current, "xattrs");
        put_one(into, name, buffer, (size_t)n);
    }
    return 0;
}

int
xattrs_report(rhost_ctx *ctx, int fd, const rhost_value *should, rhost_value *current)
{
    const rhost_value *wanted = rhost_get(should, "xattrs");

    if (wanted)
        return report_wanted(ctx, fd, wanted, current);
    return should ? 0 : report_all(ctx, fd, current);
}

static int
fail_set(rhost_ctx *ctx, const char *name)
{
    if (is_unsupported())
        return rhost_fail_attr(ctx, "xattrs", "the file system has no extended attributes");
    if (errno == E2BIG || errno == ENOSPC || errno == ERANGE)
        return rhost_fail_attr(ctx, "xattrs", "the value of '%s' is too large for the file system", name);
    return rhost_fail_errno(ctx, "cannot set the extended attribute '%s'", name);
}

int
xattrs_set(rhost_ctx *ctx, int fd, const rhost_value *should)
{
    const rhost_value *wanted = rhost_get(should, "xattrs");
    char *buffer = rhost_alloc(ctx, LARGEST);

    for (size_t i = 0; i < rhost_count(wanted); i++) {
        const char *name = NULL, *bytes;
        const rhost_value *one = rhost_at(wanted, i, &name);
        size_t len = 0;
        ssize_t n = read_one(ctx, fd, name, buffer);

        bytes = one ? one->host->string(one, &len) : NULL;
        if (n == -2)
            return -1;
        if (bytes ? n == (ssize_t)len && memcmp(bytes, buffer, len) == 0 : n < 0)
            continue;
        if ((bytes ? fsetxattr(fd, name, bytes, len, 0) : fremovexattr(fd, name)) < 0)
            return fail_set(ctx, name);
    }
    return 0;
}
