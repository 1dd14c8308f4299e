/* SPDX-License-Identifier: Apache-2.0 */
/* tree - what a directory has in it, as text that is the same as long as nothing is touched. */
#ifndef RH_CHECK_TREE_H
#define RH_CHECK_TREE_H

struct rh_buf;
struct rh_error;

/* Adds a line for each entry: kind, mode, owner, time of change, what is in it, path. */
int rh_tree_list(struct rh_buf *b, const char *dir, struct rh_error *err);

#endif
