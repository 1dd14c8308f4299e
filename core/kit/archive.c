/* SPDX-License-Identifier: Apache-2.0 */
/* archive - kits as files. */
#include "config.h"

#include "kit/archive.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "kit/contents.h"

#include <rhost/sha256.h>

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char sums_name[] = "SHA256SUMS";

/* One time for all files; tar(1) warns of those that are much older. */
enum { FILE_TIME = 946684800 /* 2000-01-01 */, MOST_FILES = 2000 };
enum { LARGEST_KIT = 512 << 20 };

void
rh_archive_sums(struct rh_buf *b, struct rh_contents *c)
{
    rh_contents_sort(c);
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].path, sums_name) != 0)
            rh_buf_addf(b, "%s  %s\n", c->v[i].sum, c->v[i].path);
}

static int
fail(struct archive *a, struct rh_error *err, const char *what)
{
    return rh_error_set(err, RH_ESYSTEM, "%s: %s", what,
                        archive_error_string(a) ? archive_error_string(a) : "unknown");
}

static int
write_entry(struct archive *a, const char *path, mode_t mode, const char *bytes, size_t n)
{
    struct archive_entry *e = archive_entry_new();
    int rc = -1;

    if (!e)
        rh_out_of_memory();
    archive_entry_set_pathname(e, path);
    archive_entry_set_mode(e, mode);
    archive_entry_set_size(e, (int64_t)n);
    archive_entry_set_mtime(e, FILE_TIME, 0);
    archive_entry_set_uid(e, 0);
    archive_entry_set_gid(e, 0);
    if (archive_write_header(a, e) == ARCHIVE_OK && (!n || archive_write_data(a, bytes, n) == (la_ssize_t)n))
        rc = 0;
    archive_entry_free(e);
    return rc;
}

static int
write_contents(struct archive *a, const struct rh_contents *c)
{
    size_t known = 0;
    const char *last = "";

    for (size_t i = 0; i < c->n; i++) {
        const char *path = c->v[i].path, *slash = strchr(path, '/');

        /* A directory comes before its first file. */
        if (slash && ((size_t)(slash - path) != known || strncmp(path, last, known) != 0)) {
            rh_autofree char *directory = rh_xstrndup(path, (size_t)(slash - path));

            if (write_entry(a, directory, S_IFDIR | 0755, NULL, 0) < 0)
                return -1;
            known = (size_t)(slash - path);
            last = path;
        }
        if (write_entry(a, path, S_IFREG | (c->v[i].program ? 0755 : 0644), c->v[i].bytes, c->v[i].n) < 0)
            return -1;
    }
    return 0;
}

int
rh_archive_write(const struct rh_contents *c, int fd, uint64_t *size, struct rh_error *err)
{
    struct archive *a = archive_write_new();
    int rc = -1;

    if (!a)
        rh_out_of_memory();
    if (archive_write_set_format_ustar(a) != ARCHIVE_OK || archive_write_add_filter_gzip(a) != ARCHIVE_OK
        || archive_write_set_options(a, "gzip:compression-level=6,gzip:!timestamp") != ARCHIVE_OK
        || archive_write_set_bytes_in_last_block(a, 1) != ARCHIVE_OK
        || archive_write_open_fd(a, fd) != ARCHIVE_OK || write_contents(a, c) < 0
        || archive_write_close(a) != ARCHIVE_OK)
        (void)fail(a, err, "cannot write the kit");
    else
        rc = 0;
    *size = (uint64_t)archive_filter_bytes(a, -1);
    (void)archive_write_free(a);
    return rc;
}

/* A directory, or a file in one or none, with nothing before or in it that a file of a kit does not have. */
static bool
is_safe_name(const char *path, bool directory)
{
    static const char *const directories[] = { "bin", "plugins", "lib", "libc" };
    const char *slash = strchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : strlen(path);
    bool known = false;

    for (size_t i = 0; i < sizeof directories / sizeof directories[0]; i++)
        known |= strlen(directories[i]) == n && memcmp(directories[i], path, n) == 0;
    if (directory)
        return known && (!slash || !slash[1]);
    return *path && *path != '.' && !strpbrk(path, "\n\\")
           && (slash ? known && slash[1] && slash[1] != '.' && !strchr(slash + 1, '/') : !known);
}

/* What tar(1) would make of it: no mode, owner or kind but those that rh_archive_write() writes. */
static bool
is_plain(struct archive_entry *e)
{
    mode_t mode = archive_entry_perm(e);
    bool directory = archive_entry_filetype(e) == AE_IFDIR;

    return (directory || archive_entry_filetype(e) == AE_IFREG) && !archive_entry_hardlink(e)
           && (mode == 0755 || (mode == 0644 && !directory)) && archive_entry_uid(e) == 0
           && archive_entry_gid(e) == 0;
}

static int
read_entry(struct archive *a, struct archive_entry *e, struct rh_contents *c, uint64_t *total,
           struct rh_error *err)
{
    const char *path = archive_entry_pathname(e);
    int64_t size = archive_entry_size(e);
    rh_autofree char *bytes = NULL;

    if (path && is_plain(e) && archive_entry_filetype(e) == AE_IFDIR && is_safe_name(path, true))
        return 0;
    if (!path || !is_plain(e) || archive_entry_filetype(e) != AE_IFREG || !is_safe_name(path, false)
        || size < 0 || (uint64_t)size > LARGEST_KIT || (*total += (uint64_t)size) > LARGEST_KIT
        || c->n >= MOST_FILES || rh_contents_get(c, path))
        return rh_error_set(err, RH_EINPUT, "it has an entry that no kit has");
    bytes = rh_xalloc((size_t)size + 1);
    if (archive_read_data(a, bytes, (size_t)size) != (la_ssize_t)size)
        return fail(a, err, "it is damaged");
    (void)rh_contents_add(c, path, rh_take(&bytes), (size_t)size, archive_entry_perm(e) & 0111);
    return 0;
}

static int
read_all(struct archive *a, const char *path, struct rh_contents *c, struct rh_error *err)
{
    struct archive_entry *e;
    uint64_t total = 0;
    int rc;

    (void)archive_read_support_filter_gzip(a);
    (void)archive_read_support_format_tar(a);
    if (archive_read_open_filename(a, path, 64 << 10) != ARCHIVE_OK)
        return fail(a, err, "it cannot be read");
    while ((rc = archive_read_next_header(a, &e)) == ARCHIVE_OK)
        if (read_entry(a, e, c, &total, err) < 0)
            return -1;
    return rc == ARCHIVE_EOF ? 0 : fail(a, err, "it is damaged");
}

static int
check(struct rh_contents *c, const char *digest, char found[65], struct rh_error *err)
{
    const struct rh_content *sums = rh_contents_get(c, sums_name);
    rh_autobuf struct rh_buf b = { 0 };

    if (!sums)
        return rh_error_set(err, RH_EINPUT, "it has no SHA256SUMS");
    memcpy(found, sums->sum, 65);
    if (digest && strcmp(digest, found) != 0)
        return rh_error_set(err, RH_EINPUT, "its digest is %s, and not that of its name", found);
    rh_archive_sums(&b, c);
    sums = rh_contents_get(c, sums_name);
    if (b.n != sums->n || memcmp(b.s, sums->bytes, b.n) != 0)
        return rh_error_set(err, RH_EINPUT, "its files are not those of its SHA256SUMS");
    return 0;
}

int
rh_archive_check(const char *path, const char *digest, char found[65], struct rh_contents *c,
                 struct rh_error *err)
{
    struct archive *a = archive_read_new();
    int rc;

    if (!a)
        rh_out_of_memory();
    rc = read_all(a, path, c, err);
    (void)archive_read_free(a);
    if (rc == 0)
        rc = check(c, digest, found, err);
    return rc == 0 ? 0 : rh_error_prefix(err, "the kit '%s' cannot be used", path);
}
