/* SPDX-License-Identifier: Apache-2.0 */
/* disk-watch - turns the system calls of a command into what the model of the disk is told. */
#ifndef TESTS_ROBUST_DISK_WATCH_H
#define TESTS_ROBUST_DISK_WATCH_H

#include "tracer.h"

struct disk;

struct disk_watch {
    struct disk *disk;
    const char *top;
    const char *ignore; /* the disk does not hear of this sync, such as "fsync"; NULL: it hears of all */
    void (*power_goes)(void *data); /* before each sync */
    void *data;
    struct disk_watch_call {
        pid_t pid;
        char path[2][4096];
        bool exists; /* something is at the first of them */
    } calls[64];
    size_t n;
};

/* For struct trace_hooks; `data` is the struct disk_watch. */
enum intervention disk_watch_enter(void *data, const struct call *call, int *error);
void disk_watch_leave(void *data, const struct call *call);

#endif
