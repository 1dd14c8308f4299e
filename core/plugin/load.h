/* SPDX-License-Identifier: Apache-2.0 */
/* load - a plugin into this process: a shared object, by libltdl, or what plugin/load.h makes of a
 * file. Happens in workers, and in the host only when it is told to do without them. */
#ifndef RH_PLUGIN_LOAD_H
#define RH_PLUGIN_LOAD_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rhost_plugin;

/* The plugin stays loaded until the process ends: its data may
 * be referred to. NULL with the reason. */
RH_CHECKED const struct rhost_plugin *rh_plugin_load(const char *path, struct rh_error *err);

/* shared-object.c: a shared object into this process, by libltdl; and which files may be loaded. */

/* Refuses what must not be loaded: a path that is not absolute, no regular file, and, while we are
 * root, a file or folder that others can write to. */
RH_CHECKED int rh_plugin_check_file(const char *path, struct rh_error *err);

/* The same for a file in a folder of which rh_plugin_check_file() has just found another one good; the path
 * of the folder has no links. */
RH_CHECKED int rh_plugin_check_neighbour(const char *path, struct rh_error *err);

/* The same for all that is in a folder, also where links in it lead: a program may load any of it. */
RH_CHECKED int rh_plugin_check_folder(const char *folder, struct rh_error *err);

/* Loads, finds the entry and calls it. The plugin stays loaded until the process ends: its data may
 * be referred to. NULL with the reason. */
RH_CHECKED const struct rhost_plugin *rh_shared_object_load(const char *path, struct rh_error *err);

/* bridge.c: plugins that are a folder with a file type.yaml (or type.json) and a program, served by a
 * plugin of ours whose interface is <rhost/bridge.h>. To all others such a plugin is its file. */

/* Whether this path is such a file's. */
bool rh_bridge_is_file(const char *path);

/* The name of the file in a folder: "type.yaml", or NULL when there is none. With both it is the first
 * of them, and opening it says that there are two. */
const char *rh_bridge_file_in(const char *folder);

/* Our plugin that serves such files, the caller's: among the plugins that are installed, and in the build
 * tree among those that were built, never where somebody else could have put one. */
char *rh_bridge_path(void);

/* The plugin that the file describes, as rh_plugin_load() returns one. */
RH_CHECKED const struct rhost_plugin *rh_bridge_load(const char *path, struct rh_error *err);

#endif
