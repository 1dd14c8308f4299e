/* SPDX-License-Identifier: Apache-2.0 */
/* use-calls - the system calls that are uses of the machine. Part of supervise.c. */
#ifndef RH_CHECK_USE_CALLS_H
#define RH_CHECK_USE_CALLS_H

#include <stddef.h>

enum rh_use_how {
    RH_CALL_OPENS,       /* by the flags in the argument behind the path */
    RH_CALL_OPENS_HOW,   /* by the flags that the argument behind the path leads to */
    RH_CALL_WRITES,      /* the path is made, changed or removed */
    RH_CALL_WRITES_FILE, /* likewise an open file */
    RH_CALL_RUNS,
    RH_CALL_CONNECTS,
    /* Of no interest to who asks for needs: */
    RH_CALL_WRITES_DATA, /* into an open file, or brings it to disk */
    RH_CALL_LOCKS,
    RH_CALL_SOCKETS,
    RH_CALL_SENDS,
    RH_CALL_RECEIVES,
    RH_CALL_CHANGES,
};

/* A call, and the arguments with the path (or the open file) and with the directory that it begins at, -1:
 * the working directory. A call with two paths has two entries. */
struct rh_use_call {
    const char *name;
    enum rh_use_how how;
    signed char path, directory;
    int number; /* on this architecture; below 0: it does without it */
};

/* NULL behind the last one. */
const struct rh_use_call *rh_use_call(size_t i);

#endif
