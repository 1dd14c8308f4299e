/* SPDX-License-Identifier: Apache-2.0 */
/* system - which accounts and groups belong to the system. */

#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { USUAL = 1000, NOBODY = 65534 };

uint32_t
system_first(const char *setting)
{
    FILE *f = fopen("/etc/login.defs", "re");
    uint32_t first = USUAL;
    size_t len = strlen(setting);
    char line[256];

    while (f && fgets(line, sizeof line, f)) {
        const char *at = line + strspn(line, " \t");
        unsigned long n;
        char *end;

        if (strncmp(at, setting, len) != 0 || (at[len] != ' ' && at[len] != '\t'))
            continue;
        n = strtoul(at + len, &end, 0);
        if (end > at + len + 1 && n <= UINT32_MAX && end[strspn(end, " \t\r\n")] == '\0')
            first = (uint32_t)n; /* the last one counts */
    }
    if (f)
        (void)fclose(f);
    return first;
}

int
system_has(uint32_t id, uint32_t first)
{
    return id < first || id == NOBODY;
}
