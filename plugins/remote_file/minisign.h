/* SPDX-License-Identifier: Apache-2.0 */
/* minisign - signatures of minisign(1): Ed25519 over the BLAKE2b-512 hash of a file, or, as older versions
 * made them, over the file itself. libcrypto computes both, so the program need not be installed. */
#ifndef REMOTE_FILE_MINISIGN_H
#define REMOTE_FILE_MINISIGN_H

#include <rhost/provider.h>

#include <sys/types.h>

enum { MINISIGN_ID = 8, MINISIGN_KEY = 32 };

struct minisign_key {
    unsigned char id[MINISIGN_ID], key[MINISIGN_KEY];
};

/* Reads a public key: the line of base64, or the file that minisign writes. 0; -1: it is none. */
int minisign_read_key(rhost_ctx *ctx, const char *text, struct minisign_key *k);

/* Whether the `n` bytes of the signature are one of the file `fd`, of `size` bytes, by this key: NULL: it is
 * a good one; or why not, in words in memory of the call. */
const char *minisign_check(rhost_ctx *ctx, const struct minisign_key *k, const char *signature, size_t n,
                           int fd, off_t size);

#endif
