/* SPDX-License-Identifier: Apache-2.0 */
/* confine - takes from a process what it does not need to speak to the network. */
#ifndef RH_AGENT_CONFINE_H
#define RH_AGENT_CONFINE_H

#include <stdbool.h>
#include <sys/types.h>

/* Becomes this user, for good, where the process is root; then nothing can be gained (no-new-privileges),
 * no file can be written, made or removed (Landlock where the kernel has it, and a limit of 0 bytes), and
 * memory, time and descriptors are limited. It ends when its parent ends. False with `what` failed and
 * errno. */
bool rh_agent_confine(uid_t uid, gid_t gid, const char **what);

#endif
