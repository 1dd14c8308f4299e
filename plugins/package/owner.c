/* SPDX-License-Identifier: Apache-2.0 */
/* owner - which distribution this machine has. */

#include "owner.h"

#include <stdio.h>
#include <string.h>

static int
has_word(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = text; *at; at += strcspn(at, " \"'\n")) {
        at += strspn(at, " \"'\n");
        if (strncmp(at, word, n) == 0 && strchr(" \"'\n-", at[n]))
            return 1;
    }
    return 0;
}

int
owner_is_like(const char *word)
{
    FILE *f = fopen("/etc/os-release", "re");
    char line[512];
    int found = 0;

    if (!f)
        f = fopen("/usr/lib/os-release", "re");
    while (f && !found && fgets(line, sizeof line, f)) {
        const char *value = strncmp(line, "ID=", 3) == 0        ? line + 3
                            : strncmp(line, "ID_LIKE=", 8) == 0 ? line + 8
                                                                : NULL;

        found = value && has_word(value, word);
    }
    if (f)
        (void)fclose(f);
    return found;
}
