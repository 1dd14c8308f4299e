/* SPDX-License-Identifier: Apache-2.0 */
/* uuid - UUIDs of file systems and swap areas. */
#ifndef FILESYSTEM_UUID_H
#define FILESYSTEM_UUID_H

#include <rhost/provider.h>

/* A random one as libblkid shows it, in memory of the call; NULL after the reason was given. */
const char *uuid_new(rhost_ctx *ctx);

/* Of vfat: 8 digits, "1234-ABCD". */
const char *uuid_new_short(rhost_ctx *ctx);

/* Brings the attribute `uuid` into the form that libblkid shows: a short one in upper case, others in lower
 * case. */
void uuid_tidy(rhost_ctx *ctx, rhost_value *resource);

#endif
