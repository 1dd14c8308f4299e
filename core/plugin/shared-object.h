/* SPDX-License-Identifier: Apache-2.0 */
/* shared-object - a shared object into this process, by libltdl; and which files may be loaded. */
#ifndef RH_PLUGIN_SHARED_OBJECT_H
#define RH_PLUGIN_SHARED_OBJECT_H

struct rh_error;
struct rhost_plugin;

/* Refuses what must not be loaded: a path that is not absolute, no regular file, and, while we are
 * root, a file or folder that others can write to. */
int rh_plugin_check_file(const char *path, struct rh_error *err);

/* Loads, finds the entry and calls it. The plugin stays loaded until the process ends: its data may
 * be referred to. NULL with the reason. */
const struct rhost_plugin *rh_shared_object_load(const char *path, struct rh_error *err);

#endif
