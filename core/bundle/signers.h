/* SPDX-License-Identifier: Apache-2.0 */
/* signers - whose signatures count: a file of allowed signers, as ssh-keygen(1) describes it under ALLOWED
 * SIGNERS. */
#ifndef RH_BUNDLE_SIGNERS_H
#define RH_BUNDLE_SIGNERS_H

#include "base/cleanup.h"
#include "bundle/blob.h"

#include <time.h>

struct rh_error;

/* The principals of the first line that allows the key to sign for this purpose (namespace) at this time: the
 * caller's. NULL with an error where none does, which says why the line of the key does not count, or where a
 * line of the file cannot be read. `path` is for messages.
 *
 * A line of the file: PRINCIPALS [OPTIONS] TYPE KEY [COMMENT]. Options: namespaces="PATTERN,...",
 * valid-after="TIME", valid-before="TIME" (YYYYMMDD[HHMM[SS]][Z]; in this machine's time zone without Z).
 * Lines with cert-authority are for certificates, and allow no key. */
RH_CHECKED char *rh_signers_find(const char *text, const char *path, const struct rh_blob *key,
                                 const char *name_space, time_t now, struct rh_error *err);

#endif
