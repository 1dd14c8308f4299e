/* SPDX-License-Identifier: Apache-2.0 */
/* sums - files that list digests, such as SHA256SUMS. */
#ifndef REMOTE_FILE_SUMS_H
#define REMOTE_FILE_SUMS_H

#include "fetch.h"

/* The digest that a list has for what a URL names, "ALGORITHM:HEX" in memory of the call; NULL, and *why in
 * words. Lines are "HEX  NAME" or "SHA256 (NAME) = HEX"; a list may also be one digest alone. */
const char *sums_find(rhost_ctx *ctx, const char *text, const char *url, const char **why);

/* Fetches `checksum_source`, and finds the digest for the first source in it; or NULL with the reason given.
 */
const char *sums_fetch(struct fetch *f);

#endif
