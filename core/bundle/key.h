/* SPDX-License-Identifier: Apache-2.0 */
/* key - public keys of SSH, and what they verify, through libcrypto. */
#ifndef RH_BUNDLE_KEY_H
#define RH_BUNDLE_KEY_H

#include "base/cleanup.h"
#include "bundle/blob.h"

struct rh_error;

/* Whether the signature, in the format of SSH (RFC 4253, section 6.6; PROTOCOL.u2f of OpenSSH for keys in
 * hardware), is that of the key over these bytes. Types of keys: ed25519, RSA of 2048 bits or more with
 * SHA-2, ECDSA with the three curves of NIST, and ed25519 and ECDSA in hardware, which must say that somebody
 * was present. -1 with an error where it is not, or where the key is of another type. */
RH_CHECKED int rh_key_verify(const struct rh_blob *key, const struct rh_blob *signature,
                             const struct rh_blob *bytes, struct rh_error *err);

/* "SHA256:" and the fingerprint, as ssh-keygen -l prints it. The caller's. */
char *rh_key_fingerprint(const struct rh_blob *key);

#endif
