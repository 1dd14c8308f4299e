/* SPDX-License-Identifier: Apache-2.0 */
/* outcome - the names of what came of a resource. */
#include "config.h"

#include "provider/outcome.h"

const char *
rh_status_name(enum rh_status status)
{
    static const char *const names[] = { "unchanged", "changed",       "would_change", "refreshed",
                                         "would_refresh", "failed", "skipped",     "unknown",
                                         "left_out" };

    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown";
}
