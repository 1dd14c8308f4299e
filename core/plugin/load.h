/* SPDX-License-Identifier: Apache-2.0 */
/* load - a plugin into this process: a shared object, by libltdl, or what plugin/bridge.h makes of a
 * file. Happens in workers, and in the host only when it is told to do without them. */
#ifndef RH_PLUGIN_LOAD_H
#define RH_PLUGIN_LOAD_H

struct rh_error;
struct rhost_plugin;

/* Refuses what must not be loaded: a path that is not absolute, no regular file, and, while we are
 * root, a file or folder that others can write to. */
int rh_plugin_check_file(const char *path, struct rh_error *err);

/* Loads, finds the entry and calls it. The plugin stays loaded until the process ends: its data may
 * be referred to. NULL with the reason. */
const struct rhost_plugin *rh_plugin_load(const char *path, struct rh_error *err);

#endif
