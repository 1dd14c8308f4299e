/* SPDX-License-Identifier: Apache-2.0 */
/* output - refuses to write where something must stay. */
#include "config.h"

#include "cli/plan.h"

#include "cli/refusal.h"
#include "run/plan.h"

#include <sys/stat.h>

int
rh_output_check(const char *path, const char *const *files, size_t n, bool plan)
{
    struct stat out, in;

    if (!path || stat(path, &out) < 0 || !S_ISREG(out.st_mode))
        return 0; /* a device or a FIFO is written to, and keeps nothing */
    for (size_t i = 0; i < n; i++)
        if (stat(files[i], &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
            rh_refuse("cannot write to '%s': the manifests are read from it; nothing was changed", path);
            return -1;
        }
    if (!plan || !out.st_size || rh_plan_is(path))
        return 0;
    rh_refuse("cannot write the plan to '%s': the file exists, and is not a plan", path);
    return -1;
}
