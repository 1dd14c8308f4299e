/* SPDX-License-Identifier: Apache-2.0 */
/* mounted - whether something is mounted where a walk is about to go on. */
#ifndef RH_BASE_MOUNTED_H
#define RH_BASE_MOUNTED_H

#include <stdbool.h>

/* Whether something is mounted on this path from `dir` on, or on `dir` itself (""): another file system or a
 * bind mount, which has the number of the same device. Links are not followed, nothing is mounted by looking.
 */
bool rh_is_mounted(int dir, const char *name);

/* Keeps the list of mounts of the machine, before this process enters a mount namespace of its own: what is
 * mounted later need not arrive there, and removing what it hides would take it off the machine. */
void rh_mounts_keep(void);

/* Whether something was mounted there on the machine since then, though this process does not see it. False
 * in a process that has kept no list, which sees all. */
bool rh_is_mounted_unseen(int dir, const char *name);

#endif
