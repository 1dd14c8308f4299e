/* SPDX-License-Identifier: Apache-2.0 */
/* secret - files that have a token or a key. Lookups that need one share it. */
#ifndef HTTP_SECRET_H
#define HTTP_SECRET_H

#include <rhost/provider.h>

enum { SECRET_LARGEST = 64 << 10 }; /* bytes of such a file */

/* The text of a regular file, in memory of the call. The file must belong to root or to the user that rhost
 * runs as, and neither its group nor others may write to it. As root, nobody else may be able to put another
 * file in its place. NULL, with the reason given. */
const char *secret_read_file(rhost_ctx *ctx, const char *path, size_t *len);

/* The same for one line of printable characters without blanks, which is returned without its end. */
const char *secret_read_word(rhost_ctx *ctx, const char *path);

/* Whether what is sent to this URL can be read on the way: http, and not to this machine by its name
 * localhost or its address. */
int secret_would_be_seen(const char *url);

#endif
