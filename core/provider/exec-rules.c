/* SPDX-License-Identifier: Apache-2.0 */
/* exec-rules - which programs the providers of a worker may have started. */
#include "config.h"

#include "provider/exec-rules.h"

#include <string.h>

bool
rh_exec_allows(const struct rh_exec_rules *rules, const char *program)
{
    if (!rules->programs)
        return true;
    for (const char *const *p = rules->programs; *p; p++)
        if (strcmp(*p, program) == 0)
            return true;
    return false;
}
