/* SPDX-License-Identifier: Apache-2.0 */
/* state-dir - the directory in which runs keep what they must know of each other. */
#ifndef RH_RUN_STATE_DIR_H
#define RH_RUN_STATE_DIR_H

#include <stdbool.h>

struct rh_error;

/* Opens it, close-on-exec, when only root and this user can change what is in it; `make`: with its
 * parents where it is missing. -1 on error; without `make` also, with errno ENOENT and no error, when
 * there is none. */
int rh_state_dir_open(const char *path, bool make, struct rh_error *err);

#endif
