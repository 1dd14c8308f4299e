/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/program.h - the extension rhost.program/1: a program that runs beside a provider, and talks
 * with it line by line.
 *
 * It is started as commands are (rhost/exec.h): no shell, a clean environment, a session of its own,
 * no descriptor but 0, 1 and 2. It lives until it is stopped, at most as long as the transaction, and
 * when the process of the provider ends in any way, so does every process below the program. What it
 * writes to its standard error is logged at info, a line each. */
#ifndef RHOST_PROGRAM_H
#define RHOST_PROGRAM_H

#include <rhost/exec.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_PROGRAM_ID "rhost.program/1"

struct rhost_program; /* one that was started; the host's */

struct rhost_programs {
    size_t struct_size;
    /* Of the command count argv, env, cwd, user, group and umask; also `timeout`, for how long it may
     * be silent when something is to be heard, and `output_limit`, the longest line (0: 8 MiB).
     * A program that can't be executed is found out by the first hear(). */
    int32_t (*start)(rhost_ctx *ctx, const struct rhost_command *command,
                     struct rhost_program **program);
    /* A line, to which the end is added. It does not wait: what the program does not take yet is
     * kept. */
    int32_t (*say)(rhost_ctx *ctx, struct rhost_program *program, const char *text, size_t n);
    /* The next line, without its end, and its number; it may hold anything, and lives until the next
     * of these calls. -1, with the reason given to fail(), when there will be none: the program ended,
     * was silent for too long, or the line is too long. `doing` tells what it was asked ("get"). */
    int32_t (*hear)(rhost_ctx *ctx, struct rhost_program *program, const char *doing,
                    const char **line, size_t *n, uint64_t *number);
    /* 1: there is something that was not heard yet. */
    int32_t (*waits)(rhost_ctx *ctx, struct rhost_program *program);
    /* Ends it with all that it started, since it can't go on. What is asked of it later fails with
     * `why`. It still has to be stopped. */
    void (*end)(rhost_ctx *ctx, struct rhost_program *program, const char *why);
    /* Closes its standard input, gives it five seconds to end, and ends it then. */
    void (*stop)(rhost_ctx *ctx, struct rhost_program *program);
    /* The program may be silent for so long, in milliseconds, until its next line. */
    void (*wait)(rhost_ctx *ctx, struct rhost_program *program, uint32_t milliseconds);
    /* From now on all providers and transports of the plugin in this process may use the program, one at a
     * time. It lives until it is stopped, at most until the last of them is closed. With RHOST_ONE_WORKER
     * those are all of a run; rhost_keep_shared() is where they find it. */
    void (*share)(rhost_ctx *ctx, struct rhost_program *program);
};

#ifdef __cplusplus
}
#endif

#endif
