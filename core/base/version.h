/* SPDX-License-Identifier: Apache-2.0 */
/* version - versions as dpkg orders them, and what is required of one. */
#ifndef RH_BASE_VERSION_H
#define RH_BASE_VERSION_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_error;

/* -1, 0 or 1. "2:1.0-3" has an epoch and a revision; '~' comes before the end, letters before others. */
int rh_version_compare(const char *a, const char *b);

/* Whether a requirement is well formed: comparisons with blanks or commas between them, all of which have to
 * hold, as in ">= 1.2, < 2". A version alone means that one. -1 with the reason. */
RH_CHECKED int rh_version_check(const char *wanted, struct rh_error *err);

/* Whether a version meets a requirement that is well formed. */
bool rh_version_meets(const char *version, const char *wanted);

#endif
