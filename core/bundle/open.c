/* SPDX-License-Identifier: Apache-2.0 */
/* open - reads bundles, and believes nothing of them before it is verified. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "reach/wire.h"

#include <rhost/sha256.h>

#include <string.h>

enum { LARGEST_DESCRIPTION = 1 << 20 };

char *
rh_bundle_archive_path(const char *path, const char *sha256)
{
    const char *slash = strrchr(path, '/');

    return rh_printf("%.*s%s" RH_BUNDLE_SUFFIX, slash ? (int)(slash + 1 - path) : 0, path, sha256);
}

int
rh_bundle_describe(struct rh_bundle *b, const char *path, const char *signers, struct rh_error *err)
{
    rh_autofree char *name = NULL;
    const char *slash;

    *b = (struct rh_bundle){ .arena = rh_arena_new(NULL) };
    if (rh_signed_open(&b->described, path, LARGEST_DESCRIPTION, RH_BUNDLE_NAMESPACE, signers, err) < 0)
        return -1;
    if (rh_description_read(b->arena, b->described.text, b->described.n, &b->description, err) < 0)
        return rh_error_prefix(err, "'%s' describes no bundle", path);
    /* Who serves files must not give one revision out as another. */
    slash = strrchr(path, '/');
    name = rh_printf("r%lld.json", (long long)b->description.revision);
    if (strcmp(slash ? slash + 1 : path, name) != 0)
        return rh_error_set(err, RH_EINPUT, "'%s' is the description of revision %lld: its name must be '%s'",
                            path, (long long)b->description.revision, name);
    return 0;
}

int
rh_bundle_open(struct rh_bundle *b, const char *path, const char *signers, struct rh_error *err)
{
    rh_autofree char *archive_path = NULL, *archive = NULL;
    const struct rh_description *d = &b->description;
    struct rhost_sha256 sum;
    char digest[65];
    size_t n = 0;

    if (rh_bundle_describe(b, path, signers, err) < 0)
        return -1;
    archive_path = rh_bundle_archive_path(path, d->sha256);
    archive = rh_read_file(archive_path, RH_SITE_BYTES, &n, err);
    if (!archive)
        return -1;
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, archive, n);
    rhost_sha256_hex(&sum, digest);
    if ((int64_t)n != d->size || strcmp(digest, d->sha256) != 0)
        return rh_error_set(err, RH_EINPUT,
                            "'%s' is damaged: it has not the size and digest of its description",
                            archive_path);
    if (rh_files_unpack(&b->files, archive, n, (uint64_t)d->files, (uint64_t)d->unpacked, err) < 0)
        return rh_error_prefix(err, "'%s' is no bundle", archive_path);
    if (!rh_files_find(&b->files, d->manifest))
        return rh_error_set(err, RH_EINPUT, "'%s' lacks its manifest '%s'", archive_path, d->manifest);
    return 0;
}

void
rh_bundle_clear(struct rh_bundle *b)
{
    rh_files_clear(&b->files);
    rh_arena_free(b->arena);
    rh_signed_clear(&b->described);
    *b = (struct rh_bundle){ 0 };
}
