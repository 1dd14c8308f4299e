/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - reads an archive with libarchive and makes what it has below a directory, within limits.
 *
 * libarchive only reads: what is made on disk is made by place.c, through descriptors. Its own writer goes by
 * paths, and by the working directory. */

#include "unpack.h"

#include "name.h"
#include "place.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

struct unpacking {
    rhost_ctx *ctx;
    const struct unpack_order *order;
    struct archive *archive;
    struct archive_entry *entry; /* the one that was read last */
    char *block;                 /* BLOCK bytes of the file */
    struct place place;
    int64_t bytes;   /* of files so far */
    int64_t entries; /* of the archive so far */
    int any;         /* something was made */
};

static int32_t
refuse(const struct unpacking *u, const char *name, const char *why)
{
    return rhost_fail(u->ctx, "'%s' has the entry '%s', which is refused: %s", u->order->path, name, why);
}

/* What libarchive says of its last call. */
static int32_t
fail_archive(const struct unpacking *u, const char *doing)
{
    const char *why = archive_error_string(u->archive);

    return rhost_fail(u->ctx, "cannot %s '%s': %s", doing, u->order->path,
                      why ? why : "libarchive gives no reason");
}

/* The formats and compressions that this libarchive can read by itself. What it was built without it would
 * leave to a program, and says so by ARCHIVE_WARN: that is not used. */
static struct archive *
new_reader(void)
{
    static int (*const filters[])(struct archive *) = {
        archive_read_support_filter_gzip, archive_read_support_filter_bzip2, archive_read_support_filter_xz,
        archive_read_support_filter_lzma, archive_read_support_filter_zstd,  archive_read_support_filter_lz4,
    };
    struct archive *probe = archive_read_new(), *a = archive_read_new();

    for (size_t i = 0; probe && a && i < sizeof filters / sizeof *filters; i++)
        if (filters[i](probe) == ARCHIVE_OK)
            (void)filters[i](a);
    (void)archive_read_free(probe);
    if (a && archive_read_support_format_tar(a) == ARCHIVE_OK
        && archive_read_support_format_cpio(a) == ARCHIVE_OK
        && archive_read_support_format_zip(a) == ARCHIVE_OK
        && archive_read_support_format_7zip(a) == ARCHIVE_OK)
        return a;
    (void)archive_read_free(a);
    return NULL;
}

static la_ssize_t
read_file(struct archive *a, void *data, const void **block)
{
    struct unpacking *u = data;
    ssize_t got;

    do
        got = read(u->order->from, u->block, BLOCK);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        archive_set_error(a, errno, "%s", strerror(errno));
    *block = u->block;
    return got;
}

/* zip and 7z have their table of contents at the end. */
static la_int64_t
seek_file(struct archive *a, void *data, la_int64_t offset, int whence)
{
    const struct unpacking *u = data;
    off_t at = lseek(u->order->from, (off_t)offset, whence);

    if (at < 0)
        archive_set_error(a, errno, "%s", strerror(errno));
    return at < 0 ? ARCHIVE_FATAL : at;
}

/* Not archive_read_open_fd(), which uses a NULL pointer where there is no memory. */
static int
open_file(struct unpacking *u)
{
    struct archive *a = u->archive;

    if (archive_read_set_callback_data(a, u) != ARCHIVE_OK
        || archive_read_set_read_callback(a, read_file) != ARCHIVE_OK
        || archive_read_set_seek_callback(a, seek_file) != ARCHIVE_OK)
        return -1;
    return archive_read_open1(a) == ARCHIVE_OK ? 0 : -1;
}

static int32_t
write_block(struct unpacking *u, int fd, const char *name, const void *block, size_t size, int64_t at)
{
    const char *from = block;

    while (size) {
        ssize_t put = pwrite(fd, from, size, (off_t)at);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return rhost_fail_errno(u->ctx, "cannot unpack '%s'", name);
        from += put;
        at += put;
        size -= (size_t)put;
    }
    return 0;
}

/* Signs of life, and whether the run shall end. */
static int32_t
go_on(struct unpacking *u)
{
    rhost_progress(u->ctx, NULL, (uint64_t)archive_filter_bytes(u->archive, -1), u->order->size, "bytes");
    return rhost_stopping(u->ctx) ? rhost_fail(u->ctx, "interrupted while '%s' was unpacked", u->order->path)
                                  : 0;
}

static int32_t
too_large(struct unpacking *u)
{
    return rhost_fail_attr(u->ctx, "size_limit", "the files of '%s' have more than %lld bytes",
                           u->order->path, (long long)u->order->size_limit);
}

/* The content of the entry that was read last; `fd` -1: it is passed over, and counts all the same. A hole
 * counts as what it stands for. */
static int32_t
unpack_content(struct unpacking *u, int fd, const char *name, int64_t declared)
{
    int64_t end = 0, at, left = u->order->size_limit - u->bytes;
    const void *block;
    size_t size;
    int got;

    if (declared > left)
        return too_large(u);
    while ((got = archive_read_data_block(u->archive, &block, &size, &at)) == ARCHIVE_OK
           || got == ARCHIVE_RETRY) {
        if (got == ARCHIVE_RETRY)
            continue;
        if (at < 0 || at > left || (int64_t)size > left - at)
            return too_large(u);
        if (at + (int64_t)size > end)
            end = at + (int64_t)size;
        if ((fd >= 0 && write_block(u, fd, name, block, size, at) < 0) || go_on(u) < 0)
            return -1;
    }
    if (got != ARCHIVE_EOF)
        return fail_archive(u, "read");
    if (declared > end)
        end = declared;
    u->bytes += end;
    if (fd >= 0 && ftruncate(fd, (off_t)end) < 0)
        return rhost_fail_errno(u->ctx, "cannot unpack '%s'", name);
    return 0;
}

static int64_t
declared_size(struct archive_entry *e)
{
    return archive_entry_size_is_set(e) && archive_entry_size(e) > 0 ? archive_entry_size(e) : 0;
}

/* Takes over `fd`. */
static int32_t
fill(struct unpacking *u, int fd, const char *name, struct archive_entry *e)
{
    int32_t result = unpack_content(u, fd, name, declared_size(e));
    struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_nsec = UTIME_OMIT } };

    if (result == 0 && archive_entry_mtime_is_set(e)) {
        times[1].tv_sec = archive_entry_mtime(e);
        times[1].tv_nsec = archive_entry_mtime_nsec(e);
        if (futimens(fd, times) < 0)
            result = rhost_fail_errno(u->ctx, "cannot set the time of '%s'", name);
    }
    if (close(fd) < 0 && result == 0)
        result = rhost_fail_errno(u->ctx, "cannot unpack '%s'", name);
    return result;
}

/* A second name of a file. In some formats the last name has the content. */
static int32_t
unpack_hard_link(struct unpacking *u, const char *name, struct archive_entry *e)
{
    const char *why, *to = name_clean(u->ctx, archive_entry_hardlink(e), u->order->strip, &why);
    int fd;

    if (!to)
        return refuse(u, name, rhost_fmt(u->ctx, "the file that it is a hard link to: %s", why));
    if (!*to)
        return refuse(u, name, "it is a hard link to a file that 'strip' leaves out");
    if (place_hard_link(&u->place, name, to) < 0)
        return -1;
    if (declared_size(e) == 0)
        return 0;
    fd = place_again(&u->place, name);
    return fd < 0 ? -1 : fill(u, fd, name, e);
}

/* No setuid, setgid and sticky bits, and nobody else may write. */
static mode_t
mode_of(struct archive_entry *e)
{
    return archive_entry_perm(e) & 0755;
}

static int32_t
unpack_entry(struct unpacking *u, const char *name, struct archive_entry *e)
{
    int fd;

    if (archive_entry_hardlink(e))
        return unpack_hard_link(u, name, e);
    switch (archive_entry_filetype(e)) {
    case AE_IFREG:
        fd = place_file(&u->place, name, mode_of(e));
        return fd < 0 ? -1 : fill(u, fd, name, e);
    case AE_IFDIR:
        return place_directory(&u->place, name, mode_of(e) | 0700);
    case AE_IFLNK: {
        const char *target = archive_entry_symlink(e);
        const char *why = target ? name_link_refused(name, target) : "its target cannot be read";

        return why ? refuse(u, name, why) : place_symlink(&u->place, name, target);
    }
    default:
        return refuse(u, name, "it is a device, a named pipe or a socket");
    }
}

static int32_t
take_entry(struct unpacking *u, struct archive_entry *e)
{
    const char *raw = archive_entry_pathname(e), *name, *why;

    if (++u->entries > u->order->entry_limit)
        return rhost_fail_attr(u->ctx, "entry_limit", "'%s' has more than %lld entries", u->order->path,
                               (long long)u->order->entry_limit);
    if (!raw)
        return rhost_fail(u->ctx, "'%s' has an entry whose name cannot be read", u->order->path);
    if (archive_entry_is_encrypted(e) > 0)
        return refuse(u, raw, "it is encrypted");
    name = name_clean(u->ctx, raw, u->order->strip, &why);
    if (!name)
        return refuse(u, raw, why);
    if (!*name)
        return archive_entry_filetype(e) == AE_IFREG && !archive_entry_hardlink(e)
                   ? unpack_content(u, -1, raw, declared_size(e))
                   : 0;
    u->any = 1;
    return unpack_entry(u, name, e);
}

static int32_t
unpack_all(struct unpacking *u)
{
    struct archive_entry *e = u->entry;
    int got;

    if (open_file(u) < 0)
        return fail_archive(u, "read");
    /* Not archive_read_next_header(), for the same reason. ARCHIVE_WARN: something that is not needed, such
     * as an attribute, could not be read. */
    while ((got = archive_read_next_header2(u->archive, e)) == ARCHIVE_OK || got == ARCHIVE_WARN
           || got == ARCHIVE_RETRY) {
        if (got == ARCHIVE_WARN)
            rhost_debug(u->ctx, "'%s': %s", u->order->path, archive_error_string(u->archive));
        if (got != ARCHIVE_RETRY && (take_entry(u, e) < 0 || go_on(u) < 0))
            return -1;
    }
    if (got != ARCHIVE_EOF)
        return fail_archive(u, "read");
    if (u->entries == 0)
        return rhost_fail(u->ctx, "'%s' is empty", u->order->path);
    if (!u->any)
        return rhost_fail_attr(u->ctx, "strip", "nothing in '%s' has a name of more than %lld parts",
                               u->order->path, (long long)u->order->strip);
    return 0;
}

int32_t
unpack(rhost_ctx *ctx, const struct unpack_order *order)
{
    struct unpacking u = {
        .ctx = ctx,
        .order = order,
        .archive = new_reader(),
        .block = rhost_alloc(ctx, BLOCK),
        .place = { .ctx = ctx,
                   .top = order->into,
                   .uid = order->uid,
                   .gid = order->gid,
                   .most = (uint64_t)order->entry_limit },
    };
    /* libarchive converts names to the encoding of the locale. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), before;
    int32_t result;

    u.entry = u.archive ? archive_entry_new2(u.archive) : NULL;
    if (!u.entry) {
        (void)archive_read_free(u.archive);
        if (utf8)
            freelocale(utf8);
        return rhost_fail(ctx, "cannot use libarchive: out of memory");
    }
    before = utf8 ? uselocale(utf8) : (locale_t)0;
    result = unpack_all(&u);
    place_close(&u.place);
    archive_entry_free(u.entry);
    (void)archive_read_free(u.archive);
    if (utf8) {
        (void)uselocale(before);
        freelocale(utf8);
    }
    return result;
}
