/* SPDX-License-Identifier: Apache-2.0 */
/* child - programs that rhost runs for itself: from a list of arguments, never by a shell. */
#ifndef RH_BASE_CHILD_H
#define RH_BASE_CHILD_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rh_error;

struct rh_child {
    pid_t pid;        /* 0: none, or it has been reaped */
    int in, out, err; /* our ends, non-blocking; -1: closed */
    int status;       /* once it has been reaped, as of waitpid() */
    bool group;       /* of RH_CHILD_GROUP */
    bool spared;      /* it is not killed: it ends by itself after its pipes were closed */
};

enum rh_child_flag {
    RH_CHILD_SESSION = 1, /* in a session of its own: signals of our terminal do not reach it */
    RH_CHILD_DIES = 4,    /* it gets SIGTERM when we end, however that happens */
    RH_CHILD_GROUP = 8,   /* with a session: all of its processes get the signals that end it */
    RH_CHILD_PIPE_3 = 2,  /* descriptor 3 is a pipe as well, whose other end is `more` */
};

struct rh_child_options {
    char *const *argv; /* looked up in PATH */
    const char *cwd;   /* NULL: ours */
    char *const *envp; /* NULL: ours */
    unsigned flags;
    int more; /* out: the other end of descriptor 3, or -1 */
};

/* -1 with an error when it can't be started. All other descriptors are closed in it. */
RH_CHECKED int rh_child_start(struct rh_child *c, struct rh_child_options *options, struct rh_error *err);

/* Reaps it when it has ended: true then. Never waits. */
bool rh_child_has_ended(struct rh_child *c);

/* The same, after waiting for it for up to so many milliseconds. */
bool rh_child_await(struct rh_child *c, int milliseconds);

/* Sends a signal to one that was not reaped. */
void rh_child_signal(const struct rh_child *c, int signal);

/* Closes its pipes; ends it, if it still runs after so many milliseconds, and reaps it. One that is spared is
 * left. */
void rh_child_end(struct rh_child *c, int grace);

/* What a program prints, with a NUL behind it, the caller's; NULL with an error when it fails, prints more
 * than `limit` bytes, or takes longer than so many seconds. Its standard error is ours. */
RH_CHECKED char *rh_child_output(char *const *argv, size_t limit, unsigned seconds, size_t *n,
                                 struct rh_error *err);

/* Non-blocking i/o: bytes, 0 when there is nothing now, -1 at the end or on an error. */
RH_CHECKED ssize_t rh_child_read(int fd, void *to, size_t n);
RH_CHECKED ssize_t rh_child_write(int fd, const void *from, size_t n);

#endif
