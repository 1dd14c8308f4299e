/* SPDX-License-Identifier: Apache-2.0 */
/* pointer - JSON pointers (RFC 6901): "/server/ports/0". */
#ifndef JSON_SETTING_POINTER_H
#define JSON_SETTING_POINTER_H

#include <rhost/provider.h>

#define POINTER_TYPE "Pattern[/\\A(\\/([^~\\x00-\\x1f]|~[01])*)?\\z/]"

/* The keys of a pointer, decoded, in memory of the call; how many. */
size_t pointer_keys(rhost_ctx *ctx, const char *pointer, const char ***keys);

#endif
