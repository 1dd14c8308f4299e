/* SPDX-License-Identifier: Apache-2.0 */
/* lock - one run at a time per state directory. */
#ifndef RH_RUN_LOCK_H
#define RH_RUN_LOCK_H

struct rh_error;

/* Takes the lock in this directory (made if missing), waiting up to so many seconds. Returns the
 * descriptor that holds it, close-on-exec: it is given up when the process ends, however it ends.
 * -1 with the kind RH_ELOCKED, and who holds it, when it can't be had. */
int rh_lock_take(const char *state_dir, unsigned wait, struct rh_error *err);

#endif
