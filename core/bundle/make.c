/* SPDX-License-Identifier: Apache-2.0 */
/* make - makes a bundle of a site. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/value.h"
#include "reach/wire.h"

#include <rhost/sha256.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number of "r43.json", or 0. */
static int64_t
revision_of(const char *name)
{
    char *end;
    long long n;

    if (name[0] != 'r' || name[1] < '1' || name[1] > '9')
        return 0;
    errno = 0;
    n = strtoll(name + 1, &end, 10);
    return errno || strcmp(end, ".json") != 0 || n > RH_BUNDLE_LAST ? 0 : n;
}

static int
find_highest(const char *directory, int64_t below, int64_t *highest, struct rh_error *err)
{
    rh_autoclosedir DIR *d = opendir(directory);
    const struct dirent *e;

    *highest = 0;
    if (!d)
        return errno == ENOENT ? 0 : rh_error_system(err, errno, "cannot read the directory '%s'", directory);
    errno = 0;
    while ((e = readdir(d))) {
        int64_t n = revision_of(e->d_name);

        if (n > *highest && (!below || n < below))
            *highest = n;
        errno = 0;
    }
    return errno ? rh_error_system(err, errno, "cannot read the directory '%s'", directory) : 0;
}

static void
take_types(struct rh_arena *a, struct rh_description *d, const char *types)
{
    struct rh_value *list = rh_value_new(a, RH_ARRAY);

    while (*types) {
        size_t n = strcspn(types, ",");

        rh_value_append(list, rh_value_string(a, rh_arena_strndup(a, types, n)));
        types += n + (types[n] == ',');
    }
    d->types = list;
}

/* A file that is there stays where it has these bytes. */
static int
keep_or_write(const char *path, const struct rh_buf *bytes, struct rh_error *err)
{
    rh_autoerror struct rh_error reading = { 0 };
    size_t n = 0;
    rh_autofree char *there = NULL;

    if (access(path, F_OK) == 0) {
        there = rh_read_kept_file(path, RH_SITE_BYTES, &n, &reading);
        if (there && n == bytes->n && memcmp(there, bytes->s, n) == 0)
            return 0;
        return rh_error_set(err, RH_EINPUT, "'%s' is there already, and is another bundle", path);
    }
    return rh_replace_file(path, bytes->s, bytes->n, 0644, err);
}

static int
choose_revision(const struct rh_bundle_request *r, struct rh_description *d, struct rh_error *err)
{
    int64_t highest;

    if (find_highest(r->output, r->revision, &highest, err) < 0)
        return -1;
    d->revision = r->revision ? r->revision : highest + 1;
    d->parent = r->parent ? r->parent : highest;
    if (d->parent >= d->revision)
        return rh_error_set(err, RH_EINPUT, "revision %lld cannot come after revision %lld",
                            (long long)d->revision, (long long)d->parent);
    return 0;
}

/* What is made must not be a part of what is made next. */
static int
check_output(const struct rh_bundle_request *r, struct rh_error *err)
{
    rh_autofree char *site = realpath(r->directory, NULL), *output = realpath(r->output, NULL);
    size_t n = site ? strlen(site) : 0;

    if (site && output && strncmp(output, site, n) == 0 && (output[n] == '/' || !output[n]))
        return rh_error_set(err, RH_EINPUT, "the bundle must not be written into the site: use --output=DIR");
    return 0;
}

int
rh_bundle_make(const struct rh_bundle_request *r, struct rh_buf *path, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_description d = { .manifest = r->manifest, .min_rhost = r->min_rhost, .commit = r->commit };
    rh_autofiles struct rh_bundle_files files = { 0 };
    rh_autobuf struct rh_buf archive = { 0 };
    rh_autobuf struct rh_buf text = { 0 };
    rh_autofree char *archive_path = NULL;
    struct rh_description read_back;
    struct rhost_sha256 sum;

    if (check_output(r, err) < 0 || rh_files_read(&files, r->directory, err) < 0)
        return -1;
    if (!rh_files_find(&files, r->manifest))
        return rh_error_set(err, RH_EINPUT, "'%s' has no file '%s'", r->directory, r->manifest);
    if (rh_files_pack(&files, &archive, err) < 0 || rh_make_directory(r->output, 0755, err) < 0
        || choose_revision(r, &d, err) < 0)
        return -1;
    if (archive.n > RH_SITE_BYTES)
        return rh_error_set(err, RH_EINPUT, "a bundle can have %d MiB at most", RH_SITE_BYTES >> 20);
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, archive.s, archive.n);
    rhost_sha256_hex(&sum, d.sha256);
    d.size = (int64_t)archive.n;
    d.files = (int64_t)files.n;
    d.unpacked = (int64_t)files.bytes;
    if (r->types)
        take_types(a, &d, r->types);
    rh_description_write(&text, &d);
    if (rh_description_read(a, text.s, text.n, &read_back, err) < 0)
        return rh_error_prefix(err, "the description cannot be written");
    rh_buf_addf(path, "%s/r%lld.json", r->output, (long long)d.revision);
    archive_path = rh_bundle_archive_path(rh_buf_text(path), d.sha256);
    if (keep_or_write(archive_path, &archive, err) < 0)
        return -1;
    return keep_or_write(rh_buf_text(path), &text, err);
}
