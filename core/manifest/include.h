/* SPDX-License-Identifier: Apache-2.0 */
/* include - entries of other files, read where they are named:
 *
 *   - include: roles/web.yaml
 *   - include: [base.yaml, "conf.d/?.yaml"]
 *
 * Paths are relative to the file in which they stand. A file counts once, however often it is
 * included. Names with '*', '?' or '[' stand for the files that match, in the order of their
 * bytes. */
#ifndef RH_MANIFEST_INCLUDE_H
#define RH_MANIFEST_INCLUDE_H

#include <stdbool.h>
#include <stddef.h>

struct rh_file;
struct rh_load;
struct rh_value;

/* Reads the files that entry `entry` names by its key number `at`. -1 after a complaint. */
int rh_include_read(struct rh_load *load, struct rh_value *entry, size_t at);

/* The same for a path or a list of paths alone. */
int rh_include_paths(struct rh_load *load, struct rh_value *paths);

/* What is included whatever happens: calls `one` for each file that can be read. Complains only of
 * what is wrong inside of these files. */
void rh_include_fixed(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
                      void (*one)(void *to, struct rh_file *included, const struct rh_value *path),
                      void *to);

#endif
