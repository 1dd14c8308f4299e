/* SPDX-License-Identifier: Apache-2.0 */
/* mounted - whether something is mounted where a walk is about to go on. */
#ifndef RH_BASE_MOUNTED_H
#define RH_BASE_MOUNTED_H

#include <stdbool.h>

/* Whether something is mounted on this path from `dir` on, or on `dir` itself (""): another file system or a
 * bind mount, which has the number of the same device. Links are not followed, nothing is mounted by looking.
 */
bool rh_is_mounted(int dir, const char *name);

#endif
