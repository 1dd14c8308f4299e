/* SPDX-License-Identifier: Apache-2.0 */
/* load - a plugin into this process, of either kind. */
#include "config.h"

#include "plugin/load.h"

const struct rhost_plugin *
rh_plugin_load(const char *path, struct rh_error *err)
{
    return rh_bridge_is_file(path) ? rh_bridge_load(path, err) : rh_shared_object_load(path, err);
}
