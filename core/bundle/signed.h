/* SPDX-License-Identifier: Apache-2.0 */
/* signed - files with a signature beside them, FILE.sig. */
#ifndef RH_BUNDLE_SIGNED_H
#define RH_BUNDLE_SIGNED_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_error;

struct rh_signed {
    char *text; /* of the file, with a NUL behind it */
    size_t n;
    char *signer, *fingerprint; /* who signed it; NULL: that was not asked */
};

#define rh_autosigned __attribute__((cleanup(rh_signed_clear)))

/* Reads a file of at most `limit` bytes, and verifies that PATH.sig is its signature for this purpose
 * (namespace) by a key that the file of allowed signers allows at this time. As root, the file of signers
 * must be one that others cannot change. `signers` NULL: nothing is verified. */
RH_CHECKED int rh_signed_open(struct rh_signed *s, const char *path, size_t limit, const char *name_space,
                              const char *signers, struct rh_error *err);

/* The same with a signature that has another name than PATH.sig. */
RH_CHECKED int rh_signed_open_beside(struct rh_signed *s, const char *path, const char *signature,
                                     size_t limit, const char *name_space, const char *signers,
                                     struct rh_error *err);

void rh_signed_clear(struct rh_signed *s);

#endif
