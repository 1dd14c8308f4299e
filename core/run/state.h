/* SPDX-License-Identifier: Apache-2.0 */
/* state - the state directory and the files in it. */
#ifndef RH_RUN_STATE_H
#define RH_RUN_STATE_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_arena;
struct rh_error;
struct rh_resource;
struct rh_value;

/* state-dir.c: the directory in which runs keep what they must know of each other. */

/* Opens it, close-on-exec, when only root and this user can change what is in it; `make`: with its
 * parents where it is missing. -1 on error; without `make` also, with errno ENOENT and no error, when
 * there is none. */
RH_CHECKED int rh_state_dir_open(const char *path, bool make, struct rh_error *err);

/* state-file.c: what is remembered of resources from one run to the next: a file of JSON for each idea,
 * in the state directory, for its owner only. */

/* The hash that the file holds, NULL with an error; an empty one when there is no file yet. */
RH_CHECKED struct rh_value *rh_state_load(struct rh_arena *a, const char *state_dir, const char *name,
                                          struct rh_error *err);

/* Replaces the file. It is on disk when this returns 0; whatever happens, there is the one or the
 * other. */
RH_CHECKED int rh_state_save(const char *state_dir, const char *name, const struct rh_value *v,
                             struct rh_error *err);

/* Removes the temporary files that killed runs left in the state directory. Another process that is just
 * writing the descriptions of plugins, which takes no lock, fails to keep them, and goes on. */
void rh_state_remove_leftovers(const char *state_dir);

/* "type[title]", by which a resource is known there. */
const char *rh_state_key(struct rh_arena *a, const struct rh_resource *r);

/* Times, as "2026-11-21T02:00:00Z"; 0 for what is none. */
const char *rh_state_time(struct rh_arena *a, long long when);
long long rh_state_read_time(const char *text);

#endif
