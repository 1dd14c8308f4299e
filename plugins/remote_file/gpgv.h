/* SPDX-License-Identifier: Apache-2.0 */
/* gpgv - signatures of OpenPGP, which the program gpgv checks. */
#ifndef REMOTE_FILE_GPGV_H
#define REMOTE_FILE_GPGV_H

#include <rhost/provider.h>

#include <sys/types.h>

struct gpgv {
    const char *keyring, *signature; /* their bytes */
    size_t keyring_len, signature_len;
};

/* The bytes of a keyring without its armor, in memory of the call, and *n how many; NULL: it has no keys. One
 * that has no armor stays. */
const char *gpgv_keyring(rhost_ctx *ctx, const char *text, size_t *n);

/* Whether gpgv is installed: 0; or -1 with the reason given, at `attribute`. */
int32_t gpgv_find(rhost_ctx *ctx, const char *attribute);

/* Whether the signature is one of the file `fd`, of `size` bytes, by a key of the keyring that is neither
 * expired nor revoked. 0, and *why: NULL where it is, or why it is not, in words in memory of the call; -1:
 * that could not be found out, with the reason given. */
int32_t gpgv_check(rhost_ctx *ctx, const struct gpgv *g, int fd, off_t size, const char **why);

#endif
