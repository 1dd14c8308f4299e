/* SPDX-License-Identifier: Apache-2.0 */
/* key - the key that a repository is signed with, as it is given and as it is stored. */
#ifndef APT_REPOSITORY_KEY_H
#define APT_REPOSITORY_KEY_H

#include <rhost/file.h>
#include <rhost/provider.h>

struct key {
    const char *bytes;
    size_t len;
    const char *suffix; /* ".asc" or ".gpg": apt goes by that */
};

/* Whether it looks like a key as text. */
int key_is_armored(const char *text);

/* Why this is no public key; NULL: it is one, and *suffix is set. */
const char *key_complaint(const char *bytes, size_t len, const char **suffix);

/* The key that an attribute gives: armored text, or the path of a file. In memory of the call.
 * NULL, or why not. */
const char *key_of(rhost_ctx *ctx, const rhost_value *v, struct key *key);

/* How the file differs from the key, in words; NULL: it does not. */
const char *key_difference(rhost_ctx *ctx, const char *path, const struct key *key);

/* Stores it for everybody to read, with its folder where that is missing. -1 after the reason was given. */
int key_store(rhost_ctx *ctx, const char *path, const struct key *key);

#endif
