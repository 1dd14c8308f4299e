/* SPDX-License-Identifier: Apache-2.0 */
/* scratch - folders of this machine that a fixture has for itself: in a mount namespace of the
 * check's process, what is written there goes to memory and ends with the process. */
#ifndef RH_CHECK_SCRATCH_H
#define RH_CHECK_SCRATCH_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_arena;
struct rh_buf;
struct rh_error;
struct rh_fixture;
struct rh_value;
struct stat;

/* Whether the fixture can be used here at all: 0, or -1 with what is missing. */
RH_CHECKED int rh_scratch_possible(const struct rh_fixture *f, struct rh_error *err);

/* Gives this process, which must be one of a check, the fixture's folders and network, writes the
 * files that belong there, and runs what prepares it. -1 with the reason. */
RH_CHECKED int rh_scratch_enter(const struct rh_fixture *f, struct rh_error *err);

/* In such a process: all below ${dir} as it was at first, once more; the private folders keep what was
 * written to them. -1 with the reason. */
RH_CHECKED int rh_scratch_renew(const struct rh_fixture *f, struct rh_error *err);

/* serve.c: the commands of 'serve', which run until rh_serve_stop() or the end of this process. */
RH_CHECKED int rh_serve_start(const struct rh_fixture *f, struct rh_error *err);
void rh_serve_stop(void);

/* Words as arguments. */
char **rh_scratch_argv(const struct rh_value *words, struct rh_arena *a);

/* What is there of the fixture's, as text: the whole directory, and what was written in the folders. */
RH_CHECKED int rh_scratch_list(struct rh_buf *b, const struct rh_fixture *f, struct rh_error *err);

/* Calls `one` for each regular file below ${dir}, and for those that were written in the private folders, but
 * not for 'system_files': where it is, and what it is called there. */
void rh_scratch_each_file(const struct rh_fixture *f,
                          void (*one)(void *data, const char *path, const char *shown, const struct stat *st),
                          void *data);

/* Whether it is one of 'system_files'; whether it is below ${dir} or a private folder; and what it was on the
 * machine, where it is in a private folder. */
bool rh_scratch_is_of_system(const struct rh_fixture *f, const char *path);
bool rh_scratch_has(const struct rh_fixture *f, const char *path);
bool rh_scratch_was(const struct rh_fixture *f, const char *path, struct stat *st);

/* tree.c: what a directory has in it, as text that is the same as long as nothing is touched. */

/* Adds a line for each entry: kind, mode, owner, time of change, what is in it, path. `shown` is what
 * the directory is called in the paths, or NULL; what is the same in the directory `old`, which may be
 * NULL, is left out. */
RH_CHECKED int rh_tree_list(struct rh_buf *b, const char *dir, const char *shown, const char *old,
                            struct rh_error *err);

#endif
