/* SPDX-License-Identifier: Apache-2.0 */
/* data-types - the data types that a plugin declares in the file beside it. */
#include "config.h"

#include "plugin/data-types.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "datatype/alias.h"
#include "plugin/load.h"

#include <string.h>
#include <sys/stat.h>

static char *
file_beside(const char *plugin)
{
    size_t n = strlen(plugin);

    if (n > 3 && strcmp(plugin + n - 3, ".so") == 0)
        n -= 3;
    else if (rh_bridge_is_file(plugin))
        n -= strlen(".yaml"); /* or .json */
    return rh_printf("%.*s.types", (int)n, plugin);
}

bool
rh_plugin_types_stat(const char *plugin, struct stat *st)
{
    rh_autofree char *path = file_beside(plugin);

    return stat(path, st) == 0;
}

int
rh_plugin_types_read(struct rh_arena *a, const char *plugin, struct rh_value **types, struct rh_error *err)
{
    rh_autofree char *path = file_beside(plugin);
    const struct rh_aliases *s;
    struct stat st;

    *types = NULL;
    if (lstat(path, &st) < 0)
        return 0;
    /* It decides what manifests mean, as the plugin does. */
    if (rh_plugin_check_file(path, err) < 0)
        return rh_error_prefix(err, "its data types in '%s' cannot be used", path);
    s = rh_aliases_load(a, path, err);
    if (!s)
        return rh_error_prefix(err, "its data types cannot be read");
    *types = rh_aliases_to_value(a, s);
    return 0;
}
