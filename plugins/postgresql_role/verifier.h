/* SPDX-License-Identifier: Apache-2.0 */
/* verifier - what PostgreSQL keeps of a password: SCRAM-SHA-256 (RFC 5802, RFC 7677). */
#ifndef VERIFIER_H
#define VERIFIER_H

#include <rhost/provider.h>

/* Whether the text is a verifier, and no password. */
int verifier_is(const char *text);

/* One of the password, with a new salt, in memory of the call; NULL with a failure said. */
const char *verifier_make(rhost_ctx *ctx, const char *password);

/* Whether this verifier is one of the password, or, if that is a verifier, the same: 1 or 0; -1 with a
 * failure said. */
int verifier_matches(rhost_ctx *ctx, const char *verifier, const char *password);

#endif
