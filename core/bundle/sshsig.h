/* SPDX-License-Identifier: Apache-2.0 */
/* sshsig - signatures of files by keys of SSH, as "ssh-keygen -Y sign" writes them (PROTOCOL.sshsig of
 * OpenSSH). */
#ifndef RH_BUNDLE_SSHSIG_H
#define RH_BUNDLE_SSHSIG_H

#include "base/cleanup.h"
#include "bundle/blob.h"

struct rh_error;

struct rh_sshsig {
    unsigned char *bytes; /* what the others are parts of */
    struct rh_blob key, name_space, reserved, hash, signature;
};

#define rh_autosshsig __attribute__((cleanup(rh_sshsig_clear)))

/* Reads a signature with its BEGIN and END lines. */
RH_CHECKED int rh_sshsig_read(struct rh_sshsig *s, const char *text, size_t n, struct rh_error *err);
void rh_sshsig_clear(struct rh_sshsig *s);

/* Whether it is a signature of this file, made for this purpose (its namespace). Whether the key may sign is
 * another question: signers.h. */
RH_CHECKED int rh_sshsig_verify(const struct rh_sshsig *s, const char *name_space, const char *file, size_t n,
                                struct rh_error *err);

#endif
