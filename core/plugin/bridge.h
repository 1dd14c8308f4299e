/* SPDX-License-Identifier: Apache-2.0 */
/* bridge - plugins that are a folder with a file type.yaml (or type.json) and a program, served by a
 * plugin of ours whose interface is <rhost/bridge.h>. To all others such a plugin is its file. */
#ifndef RH_PLUGIN_BRIDGE_H
#define RH_PLUGIN_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rhost_plugin;

/* Whether this path is such a file's. */
bool rh_bridge_is_file(const char *path);

/* The name of the file in a folder: "type.yaml", or NULL when there is none. With both it is the first
 * of them, and opening it says that there are two. */
const char *rh_bridge_file_in(const char *folder);

/* The plugin that the file describes, as rh_plugin_load() returns one. */
const struct rhost_plugin *rh_bridge_load(const char *path, struct rh_error *err);

#endif
