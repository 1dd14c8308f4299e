/* SPDX-License-Identifier: Apache-2.0 */
/* leftover - what a process that was killed has left beside a file that it was about to replace. */
#ifndef RH_PROVIDER_LEFTOVER_H
#define RH_PROVIDER_LEFTOVER_H

#include <stdbool.h>

/* Removes the new file that stands beside this absolute path, under the name that a replacement has until it
 * is complete, unless its maker still has it. True: there was one, and it is gone. Where other users can make
 * entries in the directory these names are random, and nothing is removed. */
bool rh_leftover_remove(const char *path);

#endif
