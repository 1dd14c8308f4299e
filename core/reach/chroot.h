/* SPDX-License-Identifier: Apache-2.0 */
/* chroot - the way into a directory that is the root of an image or of another system. */
#ifndef RH_REACH_CHROOT_H
#define RH_REACH_CHROOT_H

#include "base/cleanup.h"

struct rh_error;
struct rh_host;

/* The words of a program that enters the directory of a target and runs there what follows; the arena's. NULL
 * with an error. */
RH_CHECKED const char *const *rh_chroot_words(const struct rh_host *h, struct rh_error *err);

/* The state directory of rhost in there, which is a directory of this machine, and the directory for kits,
 * which is in memory: an image keeps neither. The arena's. NULL: the usual ones, for targets that are no
 * directory and for directories that have neither run/ nor dev/. */
const char *rh_chroot_state(const struct rh_host *h);
const char *rh_chroot_cache(const struct rh_host *h);

#endif
