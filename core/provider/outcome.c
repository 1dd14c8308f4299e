/* SPDX-License-Identifier: Apache-2.0 */
/* outcome - the names of what came of a resource. */
#include "config.h"

#include "provider/outcome.h"

#include "base/message-code.h"

#include <string.h>

static const char *const names[] = { "unchanged", "changed", "would_change", "refreshed", "would_refresh",
                                     "failed",    "skipped", "unknown",      "excluded" };

unsigned
rh_provider_words_code(void)
{
    return rh_message_code(RH_WORDING("the provider reports a failure"));
}

const char *
rh_status_name(enum rh_status status)
{
    return (unsigned)status < sizeof names / sizeof names[0] ? names[status] : "unknown";
}

bool
rh_status_read(const char *name, enum rh_status *status)
{
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) {
            *status = (enum rh_status)i;
            return true;
        }
    return false;
}
