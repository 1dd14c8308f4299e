/* SPDX-License-Identifier: Apache-2.0 */
/* packages - what kits need of Debian and RPM packages. libarchive reads all of their formats; nothing runs.
 */
#include "config.h"

#include "kit/archive.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "base/json-writer.h"

#include <rhost/sha256.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_PACKAGE = 512 << 20, MOST_UNPACKED = 1 << 30 };

static bool
ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), k = strlen(end);

    return n > k && strcmp(s + n - k, end) == 0;
}

/* Programs and libraries; what else there is stays packed. */
static bool
is_wanted(const char *path)
{
    static const char *const wanted[] = { "lib", "usr/lib", "usr/bin/rhost", "bin/rhost", "etc/ld.so.conf" };

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (strncmp(path, wanted[i], strlen(wanted[i])) == 0)
            return true;
    return false;
}

static struct archive *
open_disk(void)
{
    struct archive *disk = archive_write_disk_new();

    if (!disk)
        rh_out_of_memory();
    (void)archive_write_disk_set_options(disk, ARCHIVE_EXTRACT_SECURE_NODOTDOT
                                                   | ARCHIVE_EXTRACT_SECURE_SYMLINKS
                                                   | ARCHIVE_EXTRACT_SECURE_NOABSOLUTEPATHS);
    return disk;
}

static int
failed(struct archive *a, const char *package, struct rh_error *err)
{
    const char *why = archive_error_string(a);

    return rh_error_set(err, RH_EINPUT, "cannot unpack '%s': %s", package, why ? why : "it is damaged");
}

static int
copy(struct archive *from, struct archive *disk, uint64_t *total, const char *package, struct rh_error *err)
{
    const void *part;
    size_t n;
    int64_t at;
    int rc;

    while ((rc = archive_read_data_block(from, &part, &n, &at)) == ARCHIVE_OK) {
        if ((*total += n) > MOST_UNPACKED)
            return rh_error_set(err, RH_EINPUT, "cannot unpack '%s': it is larger than 1 GiB", package);
        if (archive_write_data_block(disk, part, n, at) != ARCHIVE_OK)
            return failed(disk, package, err);
    }
    return rc == ARCHIVE_EOF ? 0 : failed(from, package, err);
}

static int
unpack(struct archive *from, const char *package, struct rh_error *err)
{
    struct archive *disk = open_disk();
    struct archive_entry *e;
    uint64_t total = 0;
    int rc, result = 0;

    while (result == 0 && (rc = archive_read_next_header(from, &e)) == ARCHIVE_OK) {
        const char *path = archive_entry_pathname(e), *link = archive_entry_hardlink(e);
        unsigned type = archive_entry_filetype(e);

        path = path && strncmp(path, "./", 2) == 0 ? path + 2 : path;
        path = path && *path == '/' ? path + 1 : path;
        if (!path || !is_wanted(path) || !(link || type == AE_IFREG || type == AE_IFLNK || type == AE_IFDIR))
            continue;
        rh_autofree char *relative = rh_xstrdup(path);

        archive_entry_copy_pathname(e, relative);
        archive_entry_set_perm(e, type == AE_IFDIR ? 0700 : 0600);
        if (archive_write_header(disk, e) != ARCHIVE_OK)
            result = failed(disk, package, err);
        else if (!link && type == AE_IFREG)
            result = copy(from, disk, &total, package, err);
    }
    if (result == 0 && rc != ARCHIVE_EOF)
        result = failed(from, package, err);
    if (archive_write_close(disk) != ARCHIVE_OK && result == 0)
        result = failed(disk, package, err);
    (void)archive_write_free(disk);
    return result;
}

static struct archive *
open_memory(const char *bytes, size_t n, bool outer)
{
    struct archive *a = archive_read_new();

    if (!a)
        rh_out_of_memory();
    /* By name: those that start a program are left out. */
    (void)archive_read_support_filter_gzip(a);
    (void)archive_read_support_filter_xz(a);
    (void)archive_read_support_filter_lzma(a);
    (void)archive_read_support_filter_bzip2(a);
    (void)archive_read_support_filter_zstd(a);
    (void)archive_read_support_filter_rpm(a);
    if (outer) {
        (void)archive_read_support_format_ar(a);
    } else {
        (void)archive_read_support_format_tar(a);
        (void)archive_read_support_format_cpio(a);
    }
    (void)archive_read_open_memory(a, bytes, n);
    return a;
}

/* The files are in an archive of their own, data.tar, compressed in one way or another. */
static int
unpack_debian(const char *bytes, size_t n, const char *package, struct rh_error *err)
{
    struct archive *outer = open_memory(bytes, n, true), *inner = NULL;
    struct archive_entry *e;
    rh_autofree char *data = NULL;
    int64_t size = -1;
    int rc = -1;

    while (size < 0 && archive_read_next_header(outer, &e) == ARCHIVE_OK)
        if (archive_entry_pathname(e) && strncmp(archive_entry_pathname(e), "data.tar", 8) == 0)
            size = archive_entry_size(e);
    if (size < 0 || size > LARGEST_PACKAGE) {
        rh_error_set(err, RH_EINPUT, "cannot unpack '%s': it is not a Debian package", package);
    } else {
        data = rh_xalloc((size_t)size + 1);
        if (archive_read_data(outer, data, (size_t)size) != (la_ssize_t)size) {
            (void)failed(outer, package, err);
        } else {
            inner = open_memory(data, (size_t)size, false);
            rc = unpack(inner, package, err);
        }
    }
    if (inner)
        (void)archive_read_free(inner);
    (void)archive_read_free(outer);
    return rc;
}

static int
unpack_rpm(const char *bytes, size_t n, const char *package, struct rh_error *err)
{
    struct archive *a = open_memory(bytes, n, false);
    int rc = unpack(a, package, err);

    (void)archive_read_free(a);
    return rc;
}

static int
unpack_file(const char *path, struct rh_buf *b, struct rh_error *err)
{
    const char *slash = strrchr(path, '/');
    struct rhost_sha256 sum;
    char hex[65];
    size_t n = 0;
    rh_autofree char *bytes = rh_read_file(path, LARGEST_PACKAGE, &n, err);

    if (!bytes)
        return -1;
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, bytes, n);
    rhost_sha256_hex(&sum, hex);
    rh_json_element(b);
    rh_buf_addc(b, '{');
    rh_json_text(b, "file", slash ? slash + 1 : path);
    rh_json_text(b, "sha256", hex);
    rh_buf_addc(b, '}');
    return ends_with(path, ".deb") ? unpack_debian(bytes, n, path, err) : unpack_rpm(bytes, n, path, err);
}

int
rh_packages_unpack(const char *directory, struct rh_buf *b, struct rh_error *err)
{
    rh_autofree char *pattern = rh_printf("%s/*", directory);
    glob_t found = { 0 };
    size_t n = 0;
    int rc = 0;

    if (strpbrk(directory, "*?[\\"))
        return rh_error_set(err, RH_EINPUT, "the name of the directory '%s' has characters of a pattern",
                            directory);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && rc == 0; i++)
            if (ends_with(found.gl_pathv[i], ".deb") || ends_with(found.gl_pathv[i], ".rpm")) {
                n++;
                rc = unpack_file(found.gl_pathv[i], b, err);
            }
    globfree(&found);
    if (rc == 0 && !n)
        return rh_error_set(err, RH_EINPUT, "'%s' has no packages (.deb or .rpm)", directory);
    return rc;
}
