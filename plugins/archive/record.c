/* SPDX-License-Identifier: Apache-2.0 */
/* record - what was unpacked to a directory, kept in the state directory. */

#include "record.h"

#include <rhost/private.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef STATX_BASIC_STATS
/* A musl that has no statx() of its own yet. */
#include <linux/stat.h>
#include <sys/syscall.h>

static int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *to)
{
    return (int)syscall(SYS_statx, dir, path, flags, mask, to);
}
#endif

static const char unknown[] = "-";

const char *
record_identity(rhost_ctx *ctx, int fd)
{
    struct statx x;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, &x) < 0) {
        (void)rhost_fail_errno(ctx, "cannot stat the directory");
        return NULL;
    }
    if (!(x.stx_mask & STATX_BTIME)) /* the file system keeps no such time */
        x.stx_btime.tv_sec = x.stx_btime.tv_nsec = 0;
    return rhost_fmt(ctx, "%llu.%lld.%u", (unsigned long long)x.stx_ino, (long long)x.stx_btime.tv_sec,
                     (unsigned)x.stx_btime.tv_nsec);
}

/* The next line of a text, in memory of the call; NULL at the end. */
static const char *
next_line(rhost_ctx *ctx, const char **at)
{
    size_t len = strcspn(*at, "\n");
    const char *line = **at ? rhost_copy(ctx, *at, len) : NULL;

    *at += len + ((*at)[len] == '\n');
    return line;
}

int
record_read(rhost_ctx *ctx, const rhost_value *name, const char *identity, struct record *r)
{
    const char *at = rhost_private_get(ctx, name, "tree"), *of, *strip;

    *r = (struct record){ 0 };
    if (!at)
        return 0;
    of = next_line(ctx, &at);
    r->sum = next_line(ctx, &at);
    strip = next_line(ctx, &at);
    r->stamp = next_line(ctx, &at);
    r->source = *at ? at : NULL; /* to the end: a path may contain newlines */
    if (!r->source || strcmp(of, identity) != 0) {
        *r = (struct record){ 0 };
        return 0;
    }
    r->strip = strtoll(strip, NULL, 10);
    return 1;
}

int32_t
record_write(rhost_ctx *ctx, const rhost_value *name, const char *identity, const struct record *r)
{
    return rhost_private_put(
        ctx, name, "tree",
        rhost_fmt(ctx, "%s\n%s\n%lld\n%s\n%s", identity, r->sum, (long long)r->strip, r->stamp, r->source));
}

static const char *
or_unknown(const char *identity)
{
    return identity ? identity : unknown;
}

static const char *
known(const char *identity)
{
    return identity && strcmp(identity, unknown) != 0 ? identity : NULL;
}

int
record_work_read(rhost_ctx *ctx, const rhost_value *name, struct record_work *w)
{
    const char *at = rhost_private_get(ctx, name, "work");

    *w = (struct record_work){ 0 };
    if (!at)
        return 0;
    w->fresh = known(next_line(ctx, &at));
    w->former = known(next_line(ctx, &at));
    w->beside = *at ? at : NULL;
    return w->beside != NULL;
}

int32_t
record_work_write(rhost_ctx *ctx, const rhost_value *name, const struct record_work *w)
{
    return rhost_private_put(
        ctx, name, "work",
        rhost_fmt(ctx, "%s\n%s\n%s", or_unknown(w->fresh), or_unknown(w->former), w->beside));
}

int32_t
record_work_end(rhost_ctx *ctx, const rhost_value *name)
{
    return rhost_private_put(ctx, name, "work", NULL);
}
