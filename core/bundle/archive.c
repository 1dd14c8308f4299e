/* SPDX-License-Identifier: Apache-2.0 */
/* archive - bundles as archives: written the same for the same files, and read without trust. */
#include "config.h"

#include "bundle/files-parts.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One time for all files; tar(1) warns of those that are much older. */
enum { FILE_TIME = 946684800 /* 2000-01-01 */ };

static int
fail(struct archive *a, struct rh_error *err, const char *what)
{
    return rh_error_set(err, RH_EINPUT, "%s: %s", what,
                        archive_error_string(a) ? archive_error_string(a) : "unknown");
}

static la_ssize_t
take_packed(struct archive *a, void *data, const void *p, size_t n)
{
    (void)a;
    rh_buf_addn(data, p, n);
    return (la_ssize_t)n;
}

static bool
write_entry(struct archive *a, const struct rh_bundle_file *file)
{
    struct archive_entry *e = archive_entry_new();
    bool done;

    if (!e)
        rh_out_of_memory();
    archive_entry_set_pathname_utf8(e, file->path);
    archive_entry_set_mode(e, S_IFREG | (file->executable ? 0755 : 0644));
    archive_entry_set_size(e, (int64_t)file->n);
    archive_entry_set_mtime(e, FILE_TIME, 0);
    archive_entry_set_uid(e, 0);
    archive_entry_set_gid(e, 0);
    done = archive_write_header(a, e) == ARCHIVE_OK
           && (!file->n || archive_write_data(a, file->bytes, file->n) == (la_ssize_t)file->n);
    archive_entry_free(e);
    return done;
}

int
rh_files_pack(const struct rh_bundle_files *f, struct rh_buf *b, struct rh_error *err)
{
    struct archive *a = archive_write_new();
    bool done;

    if (!a)
        rh_out_of_memory();
    done = archive_write_set_format_pax_restricted(a) == ARCHIVE_OK
           && archive_write_add_filter_zstd(a) == ARCHIVE_OK
           && archive_write_set_options(a, "zstd:compression-level=12") == ARCHIVE_OK
           && archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK
           && archive_write_open(a, b, NULL, take_packed, NULL) == ARCHIVE_OK;
    for (size_t i = 0; done && i < f->n; i++)
        done = write_entry(a, &f->v[i]);
    if (!done || archive_write_close(a) != ARCHIVE_OK) {
        done = false;
        (void)fail(a, err, "cannot write the archive");
    }
    (void)archive_write_free(a);
    return done ? 0 : -1;
}

/* No mode, owner or kind but those that are written here. */
static bool
is_plain(struct archive_entry *e)
{
    mode_t mode = archive_entry_perm(e);

    return archive_entry_filetype(e) == AE_IFREG && !archive_entry_hardlink(e) && !archive_entry_symlink(e)
           && (mode == 0755 || mode == 0644) && archive_entry_uid(e) == 0 && archive_entry_gid(e) == 0;
}

static int
read_entry(struct rh_bundle_files *f, struct archive *a, struct archive_entry *e, uint64_t files,
           uint64_t bytes, struct rh_error *err)
{
    const char *path = archive_entry_pathname_utf8(e);
    int64_t size = archive_entry_size(e);
    rh_autofree char *content = NULL;
    char more;

    if (!path || !is_plain(e) || !archive_entry_size_is_set(e) || size < 0)
        return rh_error_set(err, RH_EINPUT, "it has an entry that no bundle has");
    if (f->n == files || (uint64_t)size > bytes - f->bytes)
        return rh_error_set(err, RH_EINPUT, "it has more than its description says");
    content = rh_xalloc((size_t)size + 1);
    if (archive_read_data(a, content, (size_t)size) != (la_ssize_t)size
        || archive_read_data(a, &more, 1) != 0)
        return fail(a, err, "it is damaged");
    return rh_files_add(f, path, rh_take(&content), (size_t)size, archive_entry_perm(e) & 0100, err);
}

int
rh_files_unpack(struct rh_bundle_files *f, const char *archive, size_t n, uint64_t files, uint64_t bytes,
                struct rh_error *err)
{
    struct archive *a = archive_read_new();
    struct archive_entry *e;
    int rc, result = 0;

    if (!a)
        rh_out_of_memory();
    if (archive_read_support_filter_zstd(a) != ARCHIVE_OK || archive_read_support_format_tar(a) != ARCHIVE_OK
        || archive_read_open_memory(a, archive, n) != ARCHIVE_OK)
        result = fail(a, err, "it cannot be read");
    while (result == 0 && (rc = archive_read_next_header(a, &e)) != ARCHIVE_EOF)
        result = rc == ARCHIVE_OK ? read_entry(f, a, e, files, bytes, err) : fail(a, err, "it is damaged");
    (void)archive_read_free(a);
    if (result == 0 && (f->n != files || f->bytes != bytes))
        result = rh_error_set(err, RH_EINPUT, "it has less than its description says");
    return result == 0 ? rh_files_sort(f, err) : -1;
}
