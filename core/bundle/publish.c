/* SPDX-License-Identifier: Apache-2.0 */
/* publish - puts bundles where others get them. */
#include "config.h"

#include "bundle/bundle.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/io.h"
#include "reach/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -1 with an error where the file is there with other bytes; `same` says whether it is there. */
static int
compare(const char *path, const char *bytes, size_t n, bool *same, struct rh_error *err)
{
    size_t there = 0;
    rh_autofree char *old = NULL;

    *same = false;
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    old = rh_read_kept_file(path, RH_SITE_BYTES, &there, err);
    if (!old)
        return -1;
    if (there != n || memcmp(old, bytes, n) != 0)
        return rh_error_set(err, RH_EINPUT, "'%s' is there already, and is another bundle", path);
    *same = true;
    return 0;
}

/* An archive has its digest as its name: the same name with other bytes is an error. A signature may be
 * replaced by another one. */
static int
copy(const char *from, const char *to, bool replaces, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *bytes = rh_read_file(from, RH_SITE_BYTES, &n, err);
    bool same = false;

    if (!bytes || (!replaces && compare(to, bytes, n, &same, err) < 0))
        return -1;
    return same ? 0 : rh_replace_file(to, bytes, n, 0644, err);
}

int
rh_bundle_publish(const struct rh_bundle *b, const char *path, const char *directory, struct rh_error *err)
{
    rh_autofree char *archive = rh_bundle_archive_path(path, b->description.sha256);
    rh_autofree char *description = rh_printf("%s/r%lld.json", directory, (long long)b->description.revision);
    rh_autofree char *archive_there = rh_bundle_archive_path(description, b->description.sha256);
    rh_autofree char *signature = rh_printf("%s.sig", path),
                     *signature_there = rh_printf("%s.sig", description);
    bool same;

    if (compare(description, b->described.text, b->described.n, &same, err) < 0)
        return -1;
    /* The description comes last: who finds it finds the others. */
    if (copy(archive, archive_there, false, err) < 0
        || (access(signature, F_OK) == 0 && copy(signature, signature_there, true, err) < 0))
        return -1;
    return same ? 0 : rh_replace_file(description, b->described.text, b->described.n, 0644, err);
}
