/* SPDX-License-Identifier: Apache-2.0 */
/* spawn - starting a worker process, and finding out how it ended. */
#ifndef RH_PLUGIN_SPAWN_H
#define RH_PLUGIN_SPAWN_H

#include "base/cleanup.h"
#include "plugin/server.h"

#include <stddef.h>
#include <sys/types.h>

struct rh_error;

/* What host and worker share in memory: what is under way, and answers that were not sent yet, so
 * that nothing that happened is lost when the worker dies. */
struct rh_shared {
    struct rh_doing doing;
    volatile uint32_t interrupted; /* the run is to end: base/interrupt.h */
    volatile uint64_t at;          /* how many bytes the worker had sent before those in `answers` */
    volatile uint32_t unsent;      /* bytes in `answers` */
    char misuse[200];              /* why the worker ended itself, with RH_WORKER_MISUSED */
    char answers[64 << 10];
};

enum { RH_WORKER_CHANNEL = 3, RH_WORKER_SHARED = 4, RH_WORKER_HELD = 5 }; /* descriptors in the worker */
enum { RH_WORKER_MISUSED = 68, RH_WORKER_LOST, RH_WORKER_NO_MEMORY };     /* what its exit status says */

struct rh_process {
    pid_t pid;   /* 0: none */
    int ended;   /* a descriptor that can be read once it has, or -1 */
    int channel; /* frames, both ways */
    int output;  /* what the plugin prints, by mistake */
    struct rh_shared *shared;
};

/* What workers that are started from now on get as RH_WORKER_HELD, for their commands to hold
 * (provider/exec-child.h); -1: nothing. */
void rh_process_share(int fd);

RH_CHECKED int rh_process_start(struct rh_process *p, struct rh_error *err);

/* Ends it, if it still runs after so many milliseconds, with all that it started itself, and says
 * how it ended: "crashed: Segmentation fault", "ended its process (exit status 3)". The text is the
 * caller's. */
char *rh_process_end(struct rh_process *p, int grace);

/* environment.c: the environment variables that a worker gets. */

/* NULL-terminated; the array is the caller's, the strings stay those of the environment. */
char **rh_worker_environment(void);

#endif
