/* SPDX-License-Identifier: Apache-2.0 */
/* exchange - the sockets of a process that is supervised: what it receives instead of what was sent to it.
 * Part of use.c. */
#ifndef RH_CHECK_EXCHANGE_H
#define RH_CHECK_EXCHANGE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct seccomp_notif; /* of libseccomp */

/* So many bytes of a process' memory, or as many as there are: how many. */
size_t rh_exchange_read(pid_t pid, uint64_t from, void *to, size_t n);

/* A descriptor of ours for the socket that the call is about, or -1; the caller's. */
RH_CHECKED int rh_exchange_socket(const struct seccomp_notif *asked);

/* Its connection is none any more. */
void rh_exchange_break(const struct seccomp_notif *asked);

/* Puts what it is to receive into its memory, as `how` says (enum rh_use_answer), and breaks the connection.
 * `message`: the call is recvmsg(2), otherwise recvfrom(2). How many bytes these are; -1 where that is not
 * possible. */
int64_t rh_exchange_receive(const struct seccomp_notif *asked, bool message, int how);

#endif
