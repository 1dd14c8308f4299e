/* SPDX-License-Identifier: Apache-2.0 */
/* load - a plugin into this process: a shared object, by libltdl, or what plugin/bridge.h makes of a
 * file. Happens in workers, and in the host only when it is told to do without them. */
#ifndef RH_PLUGIN_LOAD_H
#define RH_PLUGIN_LOAD_H

struct rh_error;
struct rhost_plugin;

/* The plugin stays loaded until the process ends: its data may
 * be referred to. NULL with the reason. */
const struct rhost_plugin *rh_plugin_load(const char *path, struct rh_error *err);

#endif
