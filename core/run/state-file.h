/* SPDX-License-Identifier: Apache-2.0 */
/* state-file - what is remembered of resources from one run to the next: a file of JSON for each idea,
 * in the state directory, for its owner only. */
#ifndef RH_RUN_STATE_FILE_H
#define RH_RUN_STATE_FILE_H

struct rh_arena;
struct rh_error;
struct rh_resource;
struct rh_value;

/* The hash that the file holds, NULL with an error; an empty one when there is no file yet. */
struct rh_value *rh_state_load(struct rh_arena *a, const char *state_dir, const char *name,
                               struct rh_error *err);

/* Replaces the file. It is on disk when this returns 0; whatever happens, there is the one or the
 * other. */
int rh_state_save(const char *state_dir, const char *name, const struct rh_value *v,
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
