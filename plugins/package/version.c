/* SPDX-License-Identifier: Apache-2.0 */
/* version - what is wanted of a version. */

#include "version.h"

#include <fnmatch.h>

int
version_is_pattern(const char *wanted)
{
    return strpbrk(wanted, "*?[") != NULL;
}

int
version_fits(const char *wanted, const char *version)
{
    if (!version)
        return 0;
    return version_is_pattern(wanted) ? fnmatch(wanted, version, 0) == 0 : strcmp(wanted, version) == 0;
}

int32_t
version_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *latest)
{
    const char *wants = rhost_str(change->should, "version"), *is = rhost_str(change->is, "version");

    if (!wants || !is)
        return RHOST_DEFAULT_COMPARISON;
    if (strcmp(wants, "latest") != 0)
        return version_fits(wants, is) ? 0 : RHOST_DEFAULT_COMPARISON;
    if (!latest || strcmp(latest, is) == 0 || strcmp(is, "latest") == 0)
        return 0;
    return rhost_differs(ctx, "%s → %s, the latest", is, latest);
}
