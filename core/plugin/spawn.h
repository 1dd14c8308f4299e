/* SPDX-License-Identifier: Apache-2.0 */
/* spawn - starting a worker process, and finding out how it ended.
 *
 * Two processes are started: the broker (core/worker-main.c), which is the child of the host, and the worker,
 * which the broker forks and which loads the plugin. The broker ends as the worker ends, with its exit status
 * or by the same signal, and the worker ends when the broker does. */
#ifndef RH_PLUGIN_SPAWN_H
#define RH_PLUGIN_SPAWN_H

#include "base/cleanup.h"
#include "plugin/server.h"

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

struct rh_error;
struct rh_privileges;

/* What host and worker share in memory: what is under way, and answers that were not sent yet, so
 * that nothing that happened is lost when the worker dies. */
struct rh_shared {
    struct rh_doing doing;
    uint32_t confines;             /* it is going to be confined */
    uint32_t ready;                /* the list of what it may do is complete; a futex */
    volatile uint32_t interrupted; /* the run is to end: base/interrupt.h */
    volatile uint64_t at;          /* how many bytes the worker had sent before those in `answers` */
    volatile uint32_t unsent;      /* bytes in `answers` */
    char misuse[200];              /* why the worker ended itself, with RH_WORKER_MISUSED */
    char answers[64 << 10];
};

/* Descriptors in the broker and the worker; that of control in the broker alone. The list of privileges is
 * read by both, when it is complete. */
enum { RH_WORKER_CHANNEL = 3, RH_WORKER_SHARED, RH_WORKER_CONTROL, RH_WORKER_PRIVILEGES, RH_WORKER_HELD };
/* The signal that has the broker kill the worker, and end as if it were killed itself. */
enum { RH_WORKER_END = SIGUSR1 };
/* Messages on the control socket, in bytes: from the host the name of a provider that the worker serves, from
 * the broker a command that it is about to start, as it is shown. */
enum { RH_CONTROL_LARGEST = 4096 };
enum { RH_WORKER_MISUSED = 68, RH_WORKER_LOST, RH_WORKER_NO_MEMORY }; /* what its exit status says */

struct rh_process {
    pid_t pid;   /* of the broker; 0: none */
    int ended;   /* a descriptor that can be read once it has, or -1 */
    int control; /* to and from the broker: messages */
    int channel; /* frames, both ways */
    int output;  /* what the plugin prints, by mistake */
    int list;    /* of what it may do, while the process waits for it; or -1 */
    struct rh_shared *shared;
};

/* What workers that are started from now on get as RH_WORKER_HELD, for their commands to hold
 * (provider/exec-child.h); -1: nothing. */
void rh_process_share(int fd);

/* Starts processes that are going to be confined to something, while it is found out to what: the next ones
 * to start are these. Where that fails, they are started when they are needed. Those that no worker needs are
 * ended.
 */
void rh_process_prepare(void);
void rh_process_discard(void);

/* `privileges` (privileges.h): what it confines itself to; NULL: it is not confined. */
RH_CHECKED int rh_process_start(struct rh_process *p, const struct rh_privileges *privileges,
                                struct rh_error *err);

/* Tells the broker that the worker serves this provider. */
void rh_process_serves(const struct rh_process *p, const char *provider);

/* Ends it, if it still runs after so many milliseconds, with all that it started itself, and says
 * how it ended: "crashed: Segmentation fault", "ended its process (exit status 3)". The text is the
 * caller's. The control socket stays open, for what is still to be read from it: the caller closes it. */
char *rh_process_end(struct rh_process *p, int grace);

/* environment.c: the environment variables that a worker gets. */

/* NULL-terminated; the array is the caller's, the strings stay those of the environment. */
char **rh_worker_environment(void);

#endif
