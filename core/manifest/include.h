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

#include <stddef.h>

struct rh_load;
struct rh_value;

/* Reads the files that entry `entry` names by its key number `at`. -1 after a complaint. */
int rh_include_read(struct rh_load *load, struct rh_value *entry, size_t at);

/* The same for a path or a list of paths alone. */
int rh_include_paths(struct rh_load *load, struct rh_value *paths);

#endif
