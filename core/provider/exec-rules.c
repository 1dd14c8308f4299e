/* SPDX-License-Identifier: Apache-2.0 */
/* exec-rules - which programs the providers of a worker may have started. */
#include "config.h"

#include "provider/exec-rules.h"

#include <stdlib.h>
#include <string.h>

/* Whether a path is that of a program with this name in one of the directories of PATH, which is the host's:
 * the provider has no say in it. */
static bool
is_on_path(const char *program, const char *name)
{
    const char *slash = strrchr(program, '/'), *path = getenv("PATH");
    size_t n = slash ? (size_t)(slash - program) : 0;

    if (!slash || strcmp(slash + 1, name) != 0)
        return false;
    for (const char *dir = path ? path : "/usr/sbin:/usr/bin:/sbin:/bin", *end;; dir = end + 1) {
        end = dir + strcspn(dir, ":");
        if ((size_t)(end - dir) == n && strncmp(dir, program, n) == 0)
            return true;
        if (!*end)
            return false;
    }
}

bool
rh_exec_allows(const struct rh_exec_rules *rules, const char *program)
{
    if (!rules->programs)
        return true;
    for (const char *const *p = rules->programs; *p; p++)
        if (strchr(*p, '/') ? strcmp(*p, program) == 0 : is_on_path(program, *p))
            return true;
    return false;
}
