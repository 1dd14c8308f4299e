/* SPDX-License-Identifier: Apache-2.0 */
/* confirm-request - the options that a rollback is run with: those of the run that it undoes. */
#include "config.h"

#include "cli/confirm.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "cli/options.h"
#include "run/confirm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OTHERS = 8 };

/* It is run in another directory. */
static const char *
absolute(struct rh_arena *a, const char *path)
{
    rh_autofree char *here = *path == '/' ? NULL : getcwd(NULL, 0);

    return here ? rh_arena_printf(a, "%s/%s", here, path) : rh_arena_strdup(a, path);
}

/* How many directories a list has that colons divide. */
static size_t
count_parts(const char *list)
{
    size_t n = 1;

    while ((list = strchr(list, ':'))) {
        list++;
        n++;
    }
    return n;
}

/* Those that the environment names come after those that were given: so they count less. */
static size_t
add_environment(struct rh_arena *a, const char *list, const char **to)
{
    size_t n = 0;

    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, ":");
        if (end > list)
            to[n++] = rh_arena_printf(a, "--plugin-dir=%s",
                                      absolute(a, rh_arena_strndup(a, list, (size_t)(end - list))));
    }
    return n;
}

void
rh_confirm_request_make(struct rh_arena *a, const struct rh_settings *o, struct rh_confirm_request *to)
{
    static const char *const stricts[] = {
        [RH_STRICT_ERROR] = "error",
        [RH_STRICT_WARNING] = "warning",
        [RH_STRICT_OFF] = "off",
    };
    /* As root nobody believes it: see find_plugins() in session.c. */
    const char *list = geteuid() != 0 && getuid() == geteuid() ? getenv("RHOST_PLUGIN_PATH") : NULL;
    const char **v =
        rh_arena_alloc(a, (o->plugin_dirs.n + (list ? count_parts(list) : 0) + OTHERS) * sizeof *v);
    size_t n = 0;

    for (size_t i = 0; i < o->plugin_dirs.n; i++)
        v[n++] = rh_arena_printf(a, "--plugin-dir=%s", absolute(a, o->plugin_dirs.v[i]));
    if (list)
        n += add_environment(a, list, v + n);
    if (o->policy_file)
        v[n++] = rh_arena_printf(a, "--provider-policy=%s", absolute(a, o->policy_file));
    if (o->no_installed_plugins)
        v[n++] = "--no-installed-plugins";
    if (o->has_isolation)
        v[n++] = o->isolation == RH_ISOLATION_NONE ? "--isolation=none"
                 : o->confined                     ? "--isolation=confined"
                                                   : "--isolation=worker";
    if (o->strict != RH_STRICT_ERROR)
        v[n++] = rh_arena_printf(a, "--strict=%s", stricts[o->strict]);
    if (o->time_limit)
        v[n++] = rh_arena_printf(a, "--time-limit=%u", o->time_limit);
    if (o->backup_key)
        v[n++] = strcmp(o->backup_key, "none") == 0
                     ? "--backup-key=none"
                     : rh_arena_printf(a, "--backup-key=%s", absolute(a, o->backup_key));
    if (o->unsafe_files)
        v[n++] = "--allow-unsafe-files";
    *to = (struct rh_confirm_request){ .within = o->confirm_within, .options = v, .n_options = n };
}
