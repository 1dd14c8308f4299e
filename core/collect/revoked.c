/* SPDX-License-Identifier: Apache-2.0 */
/* revoked - the hosts whose certificates were revoked. */
#include "config.h"

#include "collect/revoked.h"

#include "base/error.h"
#include "base/io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20 };

static bool
is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
           && a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

int
rh_revoked_read(struct rh_revoked *r, const char *path, struct rh_error *err)
{
    struct stat st;
    char *text, *rest = NULL;
    size_t n = 0;

    if (stat(path, &st) < 0)
        return rh_error_system(err, errno, "cannot read the revoked hosts in '%s'", path);
    if (r->text && is_same(&st, &r->st))
        return 0;
    text = rh_read_file(path, LARGEST, &n, err);
    if (!text)
        return rh_error_prefix(err, "cannot read the revoked hosts");
    rh_revoked_clear(r);
    r->text = text;
    r->st = st;
    for (char *name = strtok_r(text, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest))
        (void)rh_map_put(&r->names, name, name);
    return 0;
}

bool
rh_revoked_has(const struct rh_revoked *r, const char *host)
{
    return r->names.used && rh_map_get(&r->names, host);
}

void
rh_revoked_clear(struct rh_revoked *r)
{
    rh_map_clear(&r->names);
    free(r->text);
    *r = (struct rh_revoked){ .text = NULL };
}
