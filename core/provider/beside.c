/* SPDX-License-Identifier: Apache-2.0 */
/* beside - the name that a new file has until it takes its place. */
#include "config.h"

#include "provider/beside.h"

#include "base/safe-path.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* FNV-1a. Nobody gains by a collision: the names are of one directory, and made one after the other. */
static uint64_t
digest(const char *base)
{
    uint64_t h = 14695981039346656037U;

    for (; *base; base++)
        h = (h ^ (unsigned char)*base) * 1099511628211U;
    return h;
}

int
rh_beside(int dir, const char *base, rh_beside_make *make, void *data, char name[NAME_MAX + 1])
{
    uint64_t number = digest(base);
    struct stat st;
    bool ours;

    if (fstat(dir, &st) < 0)
        goto failed;
    ours = rh_safe_directory(&st);
    for (int attempt = 0; attempt < RH_BESIDE_TRIES; attempt++) {
        if ((!ours || attempt > 1) && getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
            break;
        (void)snprintf(name, NAME_MAX + 1, ".%.200s.rhost-%016" PRIx64, base, number);
        if (make(data, dir, name) == 0)
            return 0;
        if (errno != EEXIST)
            break;
        if (ours && attempt == 0 && unlinkat(dir, name, 0) < 0 && errno != EISDIR && errno != ENOENT)
            break;
    }
failed:
    name[0] = '\0';
    return -1;
}
