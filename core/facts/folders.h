/* SPDX-License-Identifier: Apache-2.0 */
/* folders - where facts of one's own are when nobody says. */
#ifndef RH_FACTS_FOLDERS_H
#define RH_FACTS_FOLDERS_H

#include <stddef.h>

struct rh_arena;

/* Those of the machine, and for others than root those of the user; then the extra ones, which
 * count most. `*n` is how many. */
const char *const *rh_facts_folders(struct rh_arena *a, const char *const *extra, size_t n_extra, size_t *n);

#endif
