/* SPDX-License-Identifier: Apache-2.0 */
/* version - what is wanted of a version: this very one, one that fits a pattern, or the latest. */
#ifndef PACKAGE_VERSION_H
#define PACKAGE_VERSION_H

#include <rhost/provider.h>

/* Whether a version is what was asked for, exactly or by a pattern. */
int version_fits(const char *wanted, const char *version);
int version_is_pattern(const char *wanted);

/* Compares `version` for the slot `insync`: exact, a pattern, and "latest" as the newest that is known
 * (NULL: none is, and what is there will do). */
int32_t version_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *latest);

#endif
