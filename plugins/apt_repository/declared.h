/* SPDX-License-Identifier: Apache-2.0 */
/* declared - a repository as a manifest says it, checked, and brought into one form. */
#ifndef APT_REPOSITORY_DECLARED_H
#define APT_REPOSITORY_DECLARED_H

#include <rhost/provider.h>

/* Fills the slot `canonicalize`. */
int32_t declared_canonicalize(rhost_ctx *ctx, rhost_value *resource);

/* What is wrong with what is said of where it is, and *attribute; NULL: nothing. */
const char *declared_complaint(rhost_ctx *ctx, const rhost_value *resource, const char **attribute);

#endif
