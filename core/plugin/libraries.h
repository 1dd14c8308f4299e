/* SPDX-License-Identifier: Apache-2.0 */
/* libraries - what a shared object is linked with outside of the directories of the system. */
#ifndef RH_PLUGIN_LIBRARIES_H
#define RH_PLUGIN_LIBRARIES_H

/* Calls `each` with the path of each library that it, or one of these, needs and that is found along its
 * RPATH or RUNPATH; $ORIGIN is the directory that it is in. Only shared objects are found, lest a plugin
 * named other files so. Nothing is executed. What can't be read or is damaged has none: loading it says why.
 */
void rh_libraries_each(const char *path, void (*each)(void *data, const char *library), void *data);

#endif
