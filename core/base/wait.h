/* SPDX-License-Identifier: Apache-2.0 */
/* wait - waits that end. A call that fails is tried again, but only for a second: it is then an error, which
 * the caller reports, instead of a wait for ever or a loop without a pause. */
#ifndef RH_BASE_WAIT_H
#define RH_BASE_WAIT_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

/* How often a call has failed in a row; begin with 0. */
struct rh_wait {
    int failures;
};

/* To be called when a wait failed, with errno as it set it. True: try again, after a short pause unless a
 * signal came between. False: it fails for good; errno is kept. */
bool rh_wait_again(struct rh_wait *w);

/* As poll(2); -1 with EINTR when a signal came, with another errno when it fails for good. */
int rh_wait_poll(struct pollfd *fds, nfds_t n, int milliseconds);

/* The same for a wait in which this process has nothing else to do: `watch` is called before it, and again
 * and again while it lasts. */
int rh_wait_idle(struct pollfd *fds, nfds_t n, int milliseconds);

/* Who watches; NULL: nobody. It may not wait itself. */
void rh_wait_watch(void (*watch)(void *data), void *data);

/* Until this child has ended, without reaping it; at once when there is no such child. */
void rh_wait_end(pid_t pid);

/* Waits for this child and reaps it: 0 with its status, or -1 with errno. `status` may be NULL. */
int rh_wait_child(pid_t pid, int *status);

#endif
