/* SPDX-License-Identifier: Apache-2.0 */
/* pem - the file of the certificates that sign a server's. */

#include "pem.h"

#include <rhost/path.h>

enum { LARGEST = 1 << 20 };

int32_t
pem_read_ca(struct transfer *t, const char *path)
{
    struct stat st;

    if (!path)
        return 0;
    t->ca.bytes = rhost_path_read(t->ctx, path, RHOST_PATH_FOLLOW, LARGEST, &t->ca.len, &st);
    if (!t->ca.bytes)
        return rhost_fail_path(t->ctx, "cannot read '%s'", path);
    if (geteuid() == 0 && (st.st_uid != 0 || st.st_mode & (S_IWGRP | S_IWOTH)))
        return rhost_fail(t->ctx,
                          "cannot use '%s': as root, it must belong to root, and nobody else may write to it",
                          path);
    if (rhost_path_trusted(t->ctx, path) < 0)
        return rhost_fail_path(t->ctx, "cannot use '%s'", path);
    return t->ca.len ? 0 : rhost_fail(t->ctx, "'%s' is empty: it must have certificates in PEM form", path);
}
