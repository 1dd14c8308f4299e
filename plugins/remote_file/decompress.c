/* SPDX-License-Identifier: Apache-2.0 */
/* decompress - the content of a compressed file, by the filters of libarchive.
 *
 * libarchive would take a file that has not the form of its filter for an empty one, undo several
 * compressions at once, and run programs for forms that it cannot read itself. So the form is looked up here,
 * and its filter is the only one. */

#include "decompress.h"

#include "digest.h"

#include <rhost/lines.h>
#include <rhost/progress.h>

#include <archive.h>
#include <archive_entry.h>
#include <endian.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, MAGIC = 6, GZIP_END = 8, START = 32 };

static const struct form {
    const char *name, *magic;
    size_t len;
    int filter;
    off_t smallest; /* bytes of a file without content */
} forms[] = {
    { "gzip", "\x1f\x8b", 2, ARCHIVE_FILTER_GZIP, 20 },
    { "bzip2", "BZh", 3, ARCHIVE_FILTER_BZIP2, 14 },
    { "xz",
      "\xfd"
      "7zXZ\0",
      6, ARCHIVE_FILTER_XZ, 32 },
    { "zstd", "\x28\xb5\x2f\xfd", 4, ARCHIVE_FILTER_ZSTD, 9 },
};

int
decompress_is_desired(const rhost_value *should)
{
    return strcmp(rhost_str_or(should, "decompress", "none"), "none") != 0;
}

/* The form that a file has; NULL: none of them. */
static const struct form *
form_of(int fd, off_t size)
{
    char bytes[MAGIC];
    ssize_t n = pread(fd, bytes, sizeof bytes, 0);

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (n >= (ssize_t)forms[i].len && memcmp(bytes, forms[i].magic, forms[i].len) == 0)
            return size >= forms[i].smallest ? &forms[i] : NULL;
    return NULL;
}

/* The CRC-32 of RFC 1952, of what went before and of these bytes; it begins with 0. */
static uint32_t
crc_add(uint32_t crc, const unsigned char *bytes, size_t n)
{
    static uint32_t table[256];

    for (uint32_t i = 0; !table[255] && i < 256; i++) {
        uint32_t c = i;

        for (int k = 0; k < 8; k++)
            c = c & 1 ? UINT32_C(0xedb88320) ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    crc = ~crc;
    for (size_t i = 0; i < n; i++)
        crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

/* What libarchive does not look at: that a file of gzip ends with the checksum and the length of its content.
 * Of several that were put together, those are of the last one. */
static int
is_whole(const struct form *form, int fd, off_t size, const struct decompressed *d)
{
    unsigned char end[GZIP_END];
    uint32_t crc, length;

    if (form->filter != ARCHIVE_FILTER_GZIP)
        return 1;
    if (pread(fd, end, sizeof end, size - GZIP_END) != GZIP_END)
        return 0;
    memcpy(&crc, end, sizeof crc);
    memcpy(&length, end + sizeof crc, sizeof length);
    return le32toh(crc) == d->crc && le32toh(length) == (uint32_t)d->size;
}

/* Whether a file that libarchive takes for one without content has none by its first bytes: it takes one for
 * that too which ends before there is any. */
static int
is_empty(const struct form *form, int fd)
{
    static const unsigned dictionary[] = { 0, 1, 2, 4 }, length[] = { 0, 2, 4, 8 };
    unsigned char at[START] = { 0 };
    unsigned header;

    if (pread(fd, at, sizeof at, 0) < 0)
        return 0;
    switch (form->filter) {
    case ARCHIVE_FILTER_BZIP2: /* the mark of the end, behind "BZh9" */
        return memcmp(at + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0;
    case ARCHIVE_FILTER_XZ: /* the index, and no block, behind the header of 12 bytes */
        return at[12] == 0 && at[13] == 0;
    case ARCHIVE_FILTER_ZSTD: /* a last block of 0 bytes, behind the header of the frame */
        header = 5 + (at[4] & 0x20 ? 0 : 1) + dictionary[at[4] & 3]
                 + (at[4] & 0x20 && !(at[4] >> 6) ? 1 : length[at[4] >> 6]);
        return memcmp(at + header, "\1\0\0", 3) == 0;
    default:
        return 1; /* see is_whole() */
    }
}

static int
write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t put = write(fd, bytes, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -1;
        bytes += put;
        n -= (size_t)put;
    }
    return 0;
}

static const char *
complaint(rhost_ctx *ctx, struct archive *a)
{
    const char *text = archive_error_string(a);

    return text && rhost_is_utf8(text, strlen(text)) ? rhost_strdup(ctx, text) : "it is damaged";
}

/* All blocks. 0, see d->why; -1 with the reason given. */
static int32_t
copy(rhost_ctx *ctx, struct archive *a, const struct form *form, const rhost_value *should, const char *path,
     int to, struct decompressed *d)
{
    int64_t most = rhost_int(should, "size_limit", INT64_MAX);
    struct digest digest;
    int rc;

    digest_begin(&digest, DIGEST_DEFAULT);
    for (;;) {
        const void *bytes;
        size_t n;
        la_int64_t at;

        rc = archive_read_data_block(a, &bytes, &n, &at);
        if (rc != ARCHIVE_OK)
            break;
        if ((int64_t)n > most - d->size) {
            d->why = rhost_fmt(ctx, "its content is larger than %lld bytes ('size_limit')", (long long)most);
            return 0;
        }
        if (write_all(to, bytes, n) < 0)
            return rhost_fail_errno(ctx, "cannot write '%s' after %lld bytes", path, (long long)d->size);
        digest_add(&digest, bytes, n);
        if (form->filter == ARCHIVE_FILTER_GZIP)
            d->crc = crc_add(d->crc, bytes, n);
        d->size += (off_t)n;
        rhost_progress(ctx, NULL, (uint64_t)d->size, 0, "bytes");
        if (rhost_stopping(ctx))
            return rhost_fail(ctx, "the run is to end");
    }
    d->sum = digest_end(ctx, &digest);
    if (rc != ARCHIVE_EOF)
        d->why = complaint(ctx, a);
    return 0;
}

/* Opens the one entry that there is. 1; 0: there is no content; -1: see archive_error_string(). */
static int
open_content(struct archive *a, const struct form *form, int from)
{
    struct archive_entry *entry;
    int rc;

    if (archive_read_support_format_raw(a) != ARCHIVE_OK || archive_read_support_format_empty(a) != ARCHIVE_OK
        || archive_read_append_filter(a, form->filter) != ARCHIVE_OK
        || archive_read_open_fd(a, from, BLOCK) != ARCHIVE_OK)
        return -1;
    rc = archive_read_next_header(a, &entry);
    return rc == ARCHIVE_OK ? 1 : rc == ARCHIVE_EOF ? 0 : -1;
}

static int32_t
decompress(rhost_ctx *ctx, const rhost_value *should, const char *path, const struct form *form, int from,
           int to, struct decompressed *d)
{
    struct archive *a = archive_read_new();
    int opened = a ? open_content(a, form, from) : -1;
    int32_t result = 0;
    struct digest none;

    if (!a) {
        d->why = "out of memory";
    } else if (opened > 0) {
        result = copy(ctx, a, form, should, path, to, d);
    } else if (opened == 0) {
        digest_begin(&none, DIGEST_DEFAULT);
        d->sum = digest_end(ctx, &none);
    } else {
        d->why = complaint(ctx, a);
    }
    (void)archive_read_free(a);
    return result;
}

int32_t
decompress_file(rhost_ctx *ctx, const rhost_value *should, const char *path, int from, off_t size,
                int is_checked, int to, struct decompressed *d)
{
    const char *how = rhost_str_or(should, "decompress", "none");
    const struct form *form = form_of(from, size);

    *d = (struct decompressed){ 0 };
    if (!form || (strcmp(how, "auto") != 0 && strcmp(how, form->name) != 0)) {
        d->why = strcmp(how, "auto") == 0
                     ? "it is compressed neither with gzip nor with bzip2, xz or zstd, or truncated"
                     : rhost_fmt(ctx, "it is not compressed with %s, or truncated", how);
        return 0;
    }
    if (lseek(from, 0, SEEK_SET) < 0 || ftruncate(to, 0) < 0 || lseek(to, 0, SEEK_SET) < 0)
        return rhost_fail_errno(ctx, "cannot write '%s'", path);
    if (decompress(ctx, should, path, form, from, to, d) < 0)
        return -1;
    if (!d->why && !d->size && (!is_empty(form, from) || !is_whole(form, from, size, d)))
        d->why = "it is truncated or damaged";
    if (!d->why && !is_checked && !is_whole(form, from, size, d))
        d->why = "it is truncated or damaged, or several files of gzip in one, which take a 'checksum' or a "
                 "'signature'";
    if (d->why)
        d->why = rhost_fmt(ctx, "cannot decompress it with %s: %s", form->name, d->why);
    return 0;
}
