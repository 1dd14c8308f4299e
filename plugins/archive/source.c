/* SPDX-License-Identifier: Apache-2.0 */
/* source - the file that is an archive: its digest, and a copy that no other user can change. */

#include "source.h"

#include <rhost/path.h>
#include <rhost/progress.h>
#include <rhost/sha256.h>

#include <fcntl.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

const char *
source_stamp(rhost_ctx *ctx, const struct stat *st)
{
    return rhost_fmt(ctx, "%llu %llu %lld %lld.%09ld %lld.%09ld", (unsigned long long)st->st_dev,
                     (unsigned long long)st->st_ino, (long long)st->st_size, (long long)st->st_mtim.tv_sec,
                     st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

int32_t
source_open(rhost_ctx *ctx, const char *path, struct source *s)
{
    *s = (struct source){ .fd = rhost_path_open(ctx, path, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0) };
    if (s->fd < 0 && (errno == ENOENT || errno == ENOTDIR))
        return RHOST_ABSENT;
    if (s->fd < 0)
        return rhost_fail_path(ctx, "cannot open '%s'", path);
    if (fstat(s->fd, &s->st) < 0) {
        (void)rhost_fail_errno(ctx, "cannot stat '%s'", path);
    } else if (!S_ISREG(s->st.st_mode)) {
        (void)rhost_fail_attr(ctx, "source", "'%s' is not a regular file", path);
    } else {
        s->stamp = source_stamp(ctx, &s->st);
        return 0;
    }
    source_close(s);
    return -1;
}

void
source_close(struct source *s)
{
    if (s->fd >= 0)
        (void)close(s->fd);
    s->fd = -1;
}

/* The next bytes of it; 0 at the end; -1 with the reason given. */
static ssize_t
read_chunk(rhost_ctx *ctx, const char *path, int fd, char *chunk)
{
    for (;;) {
        ssize_t got = read(fd, chunk, CHUNK);

        if (got < 0 && errno == EINTR)
            continue;
        rhost_alive(ctx);
        if (got < 0)
            return rhost_fail_errno(ctx, "cannot read '%s'", path);
        return rhost_stopping(ctx) ? rhost_fail(ctx, "interrupted while '%s' was read", path) : got;
    }
}

static int32_t
rewind_to_start(rhost_ctx *ctx, const char *path, int fd)
{
    return lseek(fd, 0, SEEK_SET) < 0 ? rhost_fail_errno(ctx, "cannot read '%s'", path) : 0;
}

int32_t
source_sum(rhost_ctx *ctx, const char *path, struct source *s)
{
    struct rhost_sha256 sum;
    char chunk[CHUNK];
    ssize_t got;

    rhost_sha256_init(&sum);
    if (rewind_to_start(ctx, path, s->fd) < 0)
        return -1;
    while ((got = read_chunk(ctx, path, s->fd, chunk)) > 0)
        rhost_sha256_add(&sum, chunk, (size_t)got);
    if (got < 0)
        return -1;
    rhost_sha256_hex(&sum, s->sum);
    return rewind_to_start(ctx, path, s->fd);
}

int
source_is_exposed(const struct source *s)
{
    return (s->st.st_uid != 0 && s->st.st_uid != geteuid()) || (s->st.st_mode & 022);
}

static int32_t
write_chunk(rhost_ctx *ctx, const char *path, int fd, const char *chunk, size_t n)
{
    while (n) {
        ssize_t put = write(fd, chunk, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return rhost_fail_errno(ctx, "cannot copy '%s'", path);
        chunk += put;
        n -= (size_t)put;
    }
    return 0;
}

int32_t
source_copy(rhost_ctx *ctx, const char *path, int dir, struct source *s)
{
    static const char name[] = ".source";
    int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    char chunk[CHUNK];
    ssize_t got;

    if (fd < 0)
        return rhost_fail_errno(ctx, "cannot copy '%s'", path);
    if (unlinkat(dir, name, 0) < 0) {
        (void)rhost_fail_errno(ctx, "cannot copy '%s'", path);
        got = -1;
    } else {
        got = rewind_to_start(ctx, path, s->fd) < 0 ? -1 : 1;
    }
    while (got > 0 && (got = read_chunk(ctx, path, s->fd, chunk)) > 0)
        if (write_chunk(ctx, path, fd, chunk, (size_t)got) < 0)
            got = -1;
    if (got == 0 && fstat(fd, &s->st) < 0) {
        (void)rhost_fail_errno(ctx, "cannot stat the copy of '%s'", path);
        got = -1;
    }
    if (got < 0) {
        (void)close(fd);
        return -1;
    }
    (void)close(s->fd);
    s->fd = fd;
    return 0;
}

int32_t
source_is_unchanged(rhost_ctx *ctx, const char *path, const struct source *s)
{
    struct stat st;

    if (fstat(s->fd, &st) < 0)
        return rhost_fail_errno(ctx, "cannot stat '%s'", path);
    if (st.st_size == s->st.st_size && st.st_mtim.tv_sec == s->st.st_mtim.tv_sec
        && st.st_mtim.tv_nsec == s->st.st_mtim.tv_nsec)
        return 0;
    return rhost_fail(ctx, "'%s' was changed while it was unpacked", path);
}
