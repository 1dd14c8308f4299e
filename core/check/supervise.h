/* SPDX-License-Identifier: Apache-2.0 */
/* supervise - what a process uses of the machine: each file that it opens or changes, each program that it
 * starts, each socket that it connects to. A filter of system calls has the kernel ask another process about
 * each such call, which notes it and lets it go on. That is no protection: the process can change a path
 * after it was read. */
#ifndef RH_CHECK_SUPERVISE_H
#define RH_CHECK_SUPERVISE_H

#include "base/cleanup.h"
#include "schema/type.h"

#include <stdbool.h>

struct rh_error;

/* RH_NEED_READ and RH_NEED_WRITE with an absolute path, RH_NEED_RUN with that of the program, RH_NEED_SOCKET
 * with that of the socket, RH_NEED_NETWORK with "tcp:443" or "udp:53". `value` is valid until the function
 * returns. */
typedef void rh_use_fn(void *data, enum rh_need_kind kind, const char *value);

/* Calls body(data) in a process of its own, and `use` in this one. What the programs that it starts do is not
 * noted. Looking whether something exists is no use of it, and neither is opening what does not exist. *ended
 * says whether it came to its end. -1 where a process cannot be supervised here, with the reason. */
RH_CHECKED int rh_supervise(void (*body)(void *data), void *data, rh_use_fn *use, void *use_data, bool *ended,
                            struct rh_error *err);

#endif
