/* SPDX-License-Identifier: Apache-2.0 */
/* supervise - what a process uses of the machine: each file that it opens or changes, each program that it
 * starts, each socket that it connects to. A filter of system calls has the kernel ask another process about
 * each such call, which notes it, and lets it go on or fail. That is no protection: the process can change a
 * path after it was read. */
#ifndef RH_CHECK_SUPERVISE_H
#define RH_CHECK_SUPERVISE_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_error;

enum rh_check_use {
    RH_USE_READ,    /* an absolute path */
    RH_USE_WRITE,   /* likewise */
    RH_USE_RUN,     /* the path of a program */
    RH_USE_SOCKET,  /* the path of a socket that it connects to */
    RH_USE_NETWORK, /* "tcp:443" or "udp:53", likewise */
    /* Where all calls are asked for: */
    RH_USE_DATA,       /* the path of a file that is written to, cut, or brought to disk */
    RH_USE_LOCK,       /* the path of a file that is locked */
    RH_USE_NEW_SOCKET, /* "a socket", which is made */
    RH_USE_SEND,       /* "a socket", which is sent to */
    RH_USE_RECEIVE,    /* "a socket", which is received from */
    RH_USE_CHANGE,     /* a system call that changes the machine: "mount" */
    RH_USES,
};

/* What becomes of a call, other than 0, that it goes on, and an errno, which it fails with. */
enum rh_use_answer {
    RH_USE_END = -1,     /* of RH_USE_RECEIVE: the other end has closed the connection */
    RH_USE_HALF = -2,    /* the same, half way through what it has sent */
    RH_USE_INVALID = -3, /* the same, and what has come before is not what was sent */
};

/* `value` is valid until the function returns. */
typedef int rh_use_fn(void *data, enum rh_check_use use, const char *value);

/* How much is asked about. */
enum rh_use_depth { RH_USE_NEEDS, RH_USE_ALL };

/* Calls body(data) in a process of its own, and `use` in this one. What the programs that it starts do is not
 * noted. Looking whether something exists is no use of it, and neither is opening what does not exist.
 * *status says how it ended, as waitpid(2) does: 0 when it came to its end. -1 where a process cannot be
 * supervised here, with the reason. */
RH_CHECKED int rh_supervise(void (*body)(void *data), void *data, enum rh_use_depth depth, rh_use_fn *use,
                            void *use_data, int *status, struct rh_error *err);

#endif
