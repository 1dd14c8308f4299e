/* SPDX-License-Identifier: Apache-2.0 */
/* login - who has logged in and runs this, also where sudo or su made him root. */

#include "login.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEEPEST = 64 /* ancestors */ };

int
login_has(const uint32_t *logins, size_t n, uint32_t uid)
{
    for (size_t i = 0; i < n; i++)
        if (logins[i] == uid)
            return 1;
    return 0;
}

static void
add(uint32_t *logins, size_t *n, unsigned long uid)
{
    if (*n < LOGINS && uid < UINT32_MAX && !login_has(logins, *n, (uint32_t)uid))
        logins[(*n)++] = (uint32_t)uid;
}

/* The real number of the user who runs the process, and its parent; 0: it is not shown. */
static int
read_process(long pid, unsigned long *uid, long *parent)
{
    char path[48], line[256];
    int found = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%ld/status", pid);
    f = fopen(path, "re");
    while (f && found != 3 && fgets(line, sizeof line, f)) {
        if (strncmp(line, "PPid:", 5) == 0) {
            *parent = strtol(line + 5, NULL, 10);
            found |= 1;
        } else if (strncmp(line, "Uid:", 4) == 0) {
            *uid = strtoul(line + 4, NULL, 10);
            found |= 2;
        }
    }
    if (f)
        (void)fclose(f);
    return found == 3;
}

size_t
login_find(uint32_t logins[LOGINS])
{
    FILE *f = fopen("/proc/self/loginuid", "re");
    char line[32];
    unsigned long uid = UINT32_MAX;
    long pid = (long)getpid(), parent = 0;
    size_t n = 0;

    if (f && fgets(line, sizeof line, f))
        add(logins, &n, strtoul(line, NULL, 10));
    if (f)
        (void)fclose(f);
    for (int i = 0; i < DEEPEST && pid > 0 && read_process(pid, &uid, &parent); i++, pid = parent)
        add(logins, &n, uid);
    return n;
}
