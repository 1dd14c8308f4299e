/* SPDX-License-Identifier: Apache-2.0 */
/* folders - where facts of one's own are when nobody says. */
#include "config.h"

#include "facts/folders.h"

#include "base/arena.h"

#include <stdlib.h>
#include <unistd.h>

#define OF_THE_MACHINE "/etc/rhost/facts.d"

const char *const *
rh_facts_folders(struct rh_arena *a, const char *const *extra, size_t n_extra, size_t *n)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    const char **folders = rh_arena_alloc(a, (n_extra + 2) * sizeof *folders);

    *n = 0;
    folders[(*n)++] = OF_THE_MACHINE;
    if (geteuid() != 0 && config && config[0] == '/')
        folders[(*n)++] = rh_arena_printf(a, "%s/rhost/facts.d", config);
    else if (geteuid() != 0 && home && home[0] == '/')
        folders[(*n)++] = rh_arena_printf(a, "%s/.config/rhost/facts.d", home);
    for (size_t i = 0; i < n_extra; i++)
        folders[(*n)++] = extra[i];
    return folders;
}
