/* SPDX-License-Identifier: Apache-2.0 */
/* verify - what systemd would make of unit files, before any of them is in its place. */
#ifndef SYSTEMD_UNIT_VERIFY_H
#define SYSTEMD_UNIT_VERIFY_H

#include <rhost/provider.h>

#include <limits.h>

/* A folder of our own, in which units are looked at together. */
struct verify {
    char folder[PATH_MAX]; /* "" when there is none */
};

/* -1 after the reason was given. */
int verify_open(rhost_ctx *ctx, struct verify *v);
void verify_close(struct verify *v);

/* Puts a unit, or a drop-in of one, into the folder; `dropin` may be NULL. NULL, or why not. */
const char *verify_put(rhost_ctx *ctx, struct verify *v, const char *unit, const char *dropin,
                       const char *text);

/* Has systemd-analyze look at it. NULL, or what it complains of. Where there is no systemd-analyze, or no
 * unit that a drop-in belongs to, only the form of the lines is looked at. */
const char *verify_run(rhost_ctx *ctx, struct verify *v, const char *unit, const char *dropin,
                       const char *text);

#endif
