/* SPDX-License-Identifier: Apache-2.0 */
/* stored - the key of one repository where it is stored: compared, brought there, and removed. */
#ifndef APT_REPOSITORY_STORED_H
#define APT_REPOSITORY_STORED_H

#include <rhost/lines.h>

/* Whether a resource gives a key that is to be stored. */
int stored_is_specified(const rhost_value *should);

/* How the key differs from what is wanted, in words; NULL: it does not. */
const char *stored_differs(rhost_ctx *ctx, const char *name, const rhost_value *should,
                           const struct rhost_lines *l);

/* Stores the key that is given, and says where. -1 after the reason was given. */
int stored_bring(rhost_ctx *ctx, const char *name, const rhost_value *should, const char **path);

/* Removes the keys that were stored for this name, but for `kept`, and those that others use. */
int stored_remove(rhost_ctx *ctx, const char *root, const char *name, const char *kept);

#endif
