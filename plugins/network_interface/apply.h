/* SPDX-License-Identifier: Apache-2.0 */
/* apply - have systemd-networkd apply a file that was written, and wait until it has. */
#ifndef NETWORK_INTERFACE_APPLY_H
#define NETWORK_INTERFACE_APPLY_H

#include <rhost/provider.h>

#include <sys/stat.h>

struct apply {
    const char *path;
    const rhost_value *config; /* what the file says; NULL: it is removed */
    const char *old;           /* its text before; NULL: it was not there */
    size_t old_len;
    struct stat old_stat; /* of what is removed */
    int runs;             /* networkd does, and is to apply it */
};

/* Finds out whether networkd is to apply it, before anything is written. -1 after the reason was given. */
int apply_open(rhost_ctx *ctx, const rhost_value *should, struct apply *a);

/* After the file was written, or found to say all that is wanted. Where networkd can't read it, the file is
 * put back as it was. -1 after the reason was given. */
int apply_file(rhost_ctx *ctx, struct apply *a, int written);

/* The same after it was removed. */
int apply_removal(rhost_ctx *ctx, struct apply *a);

/* What the interfaces that the file is for lack of these attributes (RUNNING_...), as a text in *what; NULL:
 * nothing, or networkd does not run. -1 after the reason was given. */
int apply_lacks(rhost_ctx *ctx, const char *path, const rhost_value *config, int which, const char **what);

#endif
