/* SPDX-License-Identifier: Apache-2.0 */
/* lock - one run at a time per state directory.
 *
 * What is locked is the directory, which nobody can remove as long as there is something in it. The
 * file `lock` says who holds it, and is locked as well for where directories can't be. The lock
 * belongs to all copies of the descriptor: those of workers, and of the keepers of commands
 * (provider/exec-child.h), so that a command that outlives its run still holds it. */
#ifndef RH_RUN_LOCK_H
#define RH_RUN_LOCK_H

#include "base/cleanup.h"

struct rh_error;
struct rh_lock;

/* Takes the lock of this directory, which is `dir` (opened by rh_state_dir_open, and the caller's),
 * waiting up to so many seconds. The lock is given up when the process and all that it started end,
 * however they end. NULL with the kind RH_ELOCKED, and who holds it, when it can't be had. */
RH_CHECKED struct rh_lock *rh_lock_take(const char *state_dir, int dir, unsigned wait, struct rh_error *err);

/* Whether the directory's name still leads to it: another run could take the lock of another one. */
RH_CHECKED int rh_lock_check(const struct rh_lock *lock, struct rh_error *err);

void rh_lock_free(struct rh_lock *lock);

#endif
