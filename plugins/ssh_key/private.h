/* SPDX-License-Identifier: Apache-2.0 */
/* private - what a private key in the format of OpenSSH says without being decrypted. */
#ifndef RH_SSH_KEY_PRIVATE_H
#define RH_SSH_KEY_PRIVATE_H

#include <rhost/provider.h>

struct private_key {
    int encrypted;
    const char *algorithm; /* ed25519, rsa, ecdsa; NULL: another one */
    int64_t bits;          /* of rsa and ecdsa; 0 otherwise */
    const char *type;      /* of the public key, as ssh writes it */
    const char *blob;      /* the public key, in base64 */
};

/* Takes a key apart; what it has is in memory of the call. NULL, or why it can't be read: a text for
 * messages. */
const char *private_parse(rhost_ctx *ctx, const char *text, size_t len, struct private_key *k);

#endif
