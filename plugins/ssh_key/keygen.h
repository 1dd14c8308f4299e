/* SPDX-License-Identifier: Apache-2.0 */
/* keygen - ssh-keygen, which gets passphrases on its standard input. */
#ifndef RH_SSH_KEY_KEYGEN_H
#define RH_SSH_KEY_KEYGEN_H

#include <rhost/exec.h>
#include <rhost/provider.h>

#include <sys/types.h>

/* Runs it as this user, with `lines` lines of the passphrase (NULL: empty) as input. It has no terminal, so
 * it reads them there. -1 after the reason was given: it did not run. */
int32_t keygen_run(rhost_ctx *ctx, uid_t user, const char *const *argv, const char *passphrase, int lines,
                   uint64_t flags, struct rhost_output *output);

/* The last thing that it said, without its prompts, in memory of the call. */
const char *keygen_complaint(rhost_ctx *ctx, const struct rhost_output *output);

#endif
