/* SPDX-License-Identifier: Apache-2.0 */
/* recipe - a file in Lua that makes the entries that YAML could have said.
 *
 *   file("/etc/motd") { content = "hello\n", mode = "0644" }
 *   edit("service", "apache2") { restart_command = "sv restart apache2" }
 *   trigger("service", "mysql"):to("start")
 *
 * What a recipe says goes the way of any entry (manifest/entry/entry.h), at the place where it is said: so
 * every word of a manifest works in both, and one catalog comes out. */
#ifndef RH_MANIFEST_RECIPE_RECIPE_H
#define RH_MANIFEST_RECIPE_RECIPE_H

#include <stddef.h>

struct rh_load;

/* Runs the text, number `file` of the sources. What is wrong becomes a complaint. */
void rh_recipe_read(struct rh_load *load, const char *text, size_t n, unsigned file);

#endif
