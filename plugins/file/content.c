/* SPDX-License-Identifier: Apache-2.0 */
/* content - comparing and reporting what is in a file, without reading more than that needs. */

#include "content.h"

#include "ending.h"

#include <rhost/dry-run.h>
#include <rhost/lines.h>
#include <rhost/path.h>
#include <rhost/progress.h>
#include <rhost/sha256.h>

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHOWN = 65536, WHOLE = 64 << 20, OFTEN = 1 << 20 };

static const int64_t most_summed = INT64_C(1) << 40; /* bytes: hours */

/* While a large file is read, so that nobody takes it for a hang. */
static void
go_on(rhost_ctx *ctx, off_t at)
{
    if (at && at % OFTEN == 0)
        rhost_alive(ctx);
}

/* At `offset`, until `n` bytes or the end; -1 with errno. */
static ssize_t
read_at(int fd, char *p, size_t n, off_t offset)
{
    size_t have = 0;

    while (have < n) {
        ssize_t got = pread(fd, p + have, n - have, offset + (off_t)have);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

static int
is_text(const char *s, size_t n)
{
    return !memchr(s, '\0', n) && rhost_is_utf8(s, n);
}

/* 1: the file has these bytes and no more; 0: it hasn't; -1 with errno. */
static int
has_content(int fd, const char *wanted, size_t len)
{
    char chunk[SHOWN];
    size_t at = 0;

    while (at < len) {
        size_t n = len - at < sizeof chunk ? len - at : sizeof chunk;
        ssize_t got = read_at(fd, chunk, n, (off_t)at);

        if (got < 0)
            return -1;
        if ((size_t)got != n || memcmp(chunk, wanted + at, n) != 0)
            return 0;
        at += n;
    }
    return 1;
}

static void
put_content(rhost_value *current, const char *bytes, size_t n, int binary)
{
    if (binary || !is_text(bytes, n))
        current->host->put_binary(current, "content", bytes, n);
    else
        rhost_put_bytes(current, "content", bytes, n);
}

int32_t
content_report(rhost_ctx *ctx, int fd, const struct stat *st, const rhost_value *should, rhost_value *current)
{
    const rhost_value *wanted = should ? rhost_get(should, "content") : NULL;
    char text[SHOWN];
    size_t len = 0;
    const char *bytes = wanted ? wanted->host->string(wanted, &len) : NULL;
    ssize_t n;

    if (bytes && (size_t)st->st_size == len) {
        int same = has_content(fd, bytes, len);

        if (same < 0)
            return rhost_fail_errno(ctx, "cannot read the file");
        if (same) {
            rhost_put_copy(current, "content", wanted);
            return 0;
        }
    }
    if (st->st_size > SHOWN)
        return 0;
    n = read_at(fd, text, (size_t)st->st_size, 0);
    if (n < 0)
        return rhost_fail_errno(ctx, "cannot read the file");
    /* A text with other endings is no canonical one; as bytes, an undo restores it. */
    put_content(
        current, text, (size_t)n,
        wanted && (wanted->host->kind(wanted) == RHOST_BINARY || ending_differs(should, text, (size_t)n)));
    if (wanted && wanted->host->sensitive(wanted))
        current->host->mark_sensitive(current, "content");
    return 0;
}

int32_t
content_report_whole(rhost_ctx *ctx, int fd, const struct stat *st, rhost_value *current)
{
    size_t size = (size_t)st->st_size;
    char *bytes;
    ssize_t n;

    if (st->st_size > WHOLE)
        return 0;
    bytes = malloc(size + 1);
    n = bytes ? read_at(fd, bytes, size, 0) : -1;
    if (n >= 0)
        put_content(current, bytes, (size_t)n, 0);
    else
        n = rhost_fail_errno(ctx, "cannot read the file");
    free(bytes);
    return n < 0 ? -1 : 0;
}

int32_t
content_foresee_source(rhost_ctx *ctx, const char *source)
{
    struct stat st;

    if (rhost_path_stat(ctx, source, RHOST_PATH_FOLLOW, &st) == 0)
        return S_ISREG(st.st_mode) || rhost_will_exist(ctx, "file", source)
                       || rhost_will_exist(ctx, "link", source)
                   ? 0
                   : rhost_fail_attr(ctx, "source", "'%s' is not a regular file", source);
    if (rhost_path_unsafe(ctx))
        return rhost_fail_path(ctx, "cannot open '%s'", source);
    if (errno != ENOENT || rhost_will_exist(ctx, "file", source) || rhost_will_exist(ctx, "link", source))
        return 0;
    return rhost_fail_missing(ctx, "source", rhost_fmt(ctx, "'%s' does not exist", source));
}

int32_t
content_report_source(rhost_ctx *ctx, int fd, const struct stat *st, const char *source, rhost_value *current)
{
    char ours[SHOWN / 2], theirs[SHOWN / 2];
    int from = rhost_path_open(ctx, source, RHOST_PATH_FOLLOW, O_RDONLY | O_NONBLOCK, 0);
    struct stat other = { 0 };
    off_t at = 0;
    ssize_t n = -1, m = -1;

    /* Not there (yet): it differs, and who copies it will say what is wrong. */
    if (from < 0)
        return 0;
    if (fstat(from, &other) == 0 && S_ISREG(other.st_mode) && other.st_size == st->st_size) {
        do {
            n = read_at(fd, ours, sizeof ours, at);
            m = read_at(from, theirs, sizeof theirs, at);
            at += n;
            go_on(ctx, at);
        } while (n > 0 && n == m && memcmp(ours, theirs, (size_t)n) == 0);
        if (n == 0 && n == m)
            rhost_put_str(current, "source", source);
    }
    (void)close(from);
    return n < 0 && st->st_size == other.st_size && S_ISREG(other.st_mode)
               ? rhost_fail_errno(ctx, "cannot read the file")
               : 0;
}

int32_t
content_report_lines(rhost_ctx *ctx, int fd, const struct stat *st, const char *source,
                     const rhost_value *should, rhost_value *current)
{
    size_t n = 0;
    const char *text = ending_source(ctx, should, source, &n);
    int same = text && (size_t)st->st_size == n ? has_content(fd, text, n) : 0;

    if (!text) /* as above, it differs where it is not there */
        return errno ? 0 : -1;
    if (same < 0)
        return rhost_fail_errno(ctx, "cannot read the file");
    if (same)
        rhost_put_str(current, "source", source);
    return 0;
}

int32_t
content_report_checksum(rhost_ctx *ctx, int fd, rhost_value *current)
{
    struct stat st;
    char chunk[SHOWN], hex[65];
    struct rhost_sha256 sum;
    off_t at = 0;
    ssize_t n;

    if (fstat(fd, &st) == 0 && st.st_size > most_summed)
        return rhost_fail_attr(ctx, "checksum", "the file is too large for a checksum: the limit is 1 TiB");
    rhost_sha256_init(&sum);
    while ((n = read_at(fd, chunk, sizeof chunk, at)) > 0) {
        rhost_sha256_add(&sum, chunk, (size_t)n);
        at += n;
        go_on(ctx, at);
    }
    if (n < 0)
        return rhost_fail_errno(ctx, "cannot read the file");
    rhost_sha256_hex(&sum, hex);
    rhost_put_str(current, "checksum", hex);
    return 0;
}
