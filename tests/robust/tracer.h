/* SPDX-License-Identifier: Apache-2.0 */
/* tracer - runs a command, watches the system calls of all its processes, and lets one of them fail. */
#ifndef TESTS_ROBUST_TRACER_H
#define TESTS_ROBUST_TRACER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One system call. `process` counts processes in the order in which they were started, from 0; `image` the
 * programs that it has executed; `of_kind` its calls of this name in that program, from 1. `number` counts
 * those of its calls that can fail (see trace_can_fail), from 1, unless only one kind is watched. */
struct call {
    int process;
    pid_t pid;
    unsigned number, image, of_kind;
    long nr;
    uint64_t args[6];
    int64_t result; /* only after the call */
};

enum intervention {
    LET,     /* the call is made as it is */
    FAIL,    /* the call is not made (close is), and returns the error */
    SHORTEN, /* the call transfers half of what it was asked to */
    KILL_CALLER,
    KILL_FIRST, /* kills the process that the command was started as */
    KILL_ALL,
};

struct trace_hooks {
    void *data;
    const long *only; /* watch calls with this number only, which is much faster; NULL: all */
    /* Before the call. After the first answer that is not LET the command runs untraced. */
    enum intervention (*enter)(void *data, const struct call *call, int *error);
    void (*leave)(void *data, const struct call *call); /* NULL where nobody needs it */
};

struct trace_end {
    int status; /* of the first process, as wait() has it */
    bool timed_out;
};

/* Whether the tracer knows this machine's registers. */
bool trace_is_supported(void);

bool trace_can_fail(long nr);
bool trace_can_lack_space(long nr); /* the kernel may let it fail with ENOSPC */
bool trace_can_shorten(const struct call *call);
const char *trace_name(long nr); /* a name or NULL */

/* Runs argv with output and errors in the file `output`. With hooks NULL it runs untraced. Returns -1,
 * with errno, when it can't be started. All processes have ended when it returns. */
int trace_run(const char *const *argv, const char *output, const struct trace_hooks *hooks, unsigned seconds,
              struct trace_end *end);

/* Copies a text out of the memory of `pid`; false when that can't be read. */
bool trace_text(pid_t pid, uint64_t address, char *text, size_t size);
bool trace_bytes(pid_t pid, uint64_t address, void *bytes, size_t size);

#endif
