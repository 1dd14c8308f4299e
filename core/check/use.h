/* SPDX-License-Identifier: Apache-2.0 */
/* use - which system calls are uses of the machine, and of what. Part of supervise.c. */
#ifndef RH_CHECK_USE_H
#define RH_CHECK_USE_H

#include "check/supervise.h"

#include <stdint.h>
#include <sys/types.h>

struct seccomp_notif; /* of libseccomp */

/* Has the kernel ask about each of these calls, by a filter (scmp_filter_ctx): 0, or a negative errno. */
RH_CHECKED int rh_use_add_rules(void *filter, enum rh_use_depth depth);

/* Calls `use` for what one of these calls, by the process `main` or by one that it has started, is a use of.
 * The errno that the call is to fail with; or 0, with *received below 0 where it is to go on, and else with
 * how many bytes it has received. */
int rh_use_note(const struct seccomp_notif *asked, pid_t main, rh_use_fn *use, void *data, int64_t *received);

#endif
