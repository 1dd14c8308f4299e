/* SPDX-License-Identifier: Apache-2.0 */
/* tree - what a directory has in it, as text that is the same as long as nothing is touched. */
#ifndef RH_CHECK_TREE_H
#define RH_CHECK_TREE_H

struct rh_buf;
struct rh_error;

/* Adds a line for each entry: kind, mode, owner, time of change, what is in it, path. `shown` is what
 * the directory is called in the paths, or NULL; what is the same in the directory `old`, which may be
 * NULL, is left out. */
int rh_tree_list(struct rh_buf *b, const char *dir, const char *shown, const char *old,
                 struct rh_error *err);

#endif
