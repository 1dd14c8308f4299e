/* SPDX-License-Identifier: Apache-2.0 */
/* ext-program - a program to talk with: what the files of rhost.program/1 share. */
#ifndef RH_PROVIDER_EXT_PROGRAM_H
#define RH_PROVIDER_EXT_PROGRAM_H

#include "base/text.h"
#include "provider/exec-child.h"

#include <rhost/program.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct rhost_program {
    struct rhost_program *next;       /* of the runtime, or of those that are shared */
    const struct rhost_plugin *owner; /* whose providers share it */
    pid_t keeper;
    int in, out, err, report;
    char *shown;
    uint32_t silence;
    uint32_t longer; /* than that, until the next line; 0: not */
    size_t longest;
    struct rh_buf to_write; /* not written yet, from `taken` on */
    size_t taken;
    struct rh_buf heard; /* from `consumed` on it has no reader yet */
    size_t consumed, searched;
    uint64_t lines;
    struct rh_buf words; /* of its standard error: a line that is not whole */
    struct rh_buf last;  /* lines, each with its end */
    bool ended, keeper_gone;
    int deaf; /* an errno: we can't wait for it any more */
    struct rh_exec_report how;
    char *why; /* nothing can be asked of it any more */
};

/* ext-program-pipes.c: what goes through its pipes. Times are milliseconds. */

int64_t rh_program_now(void);

/* Descriptors that programs have open. */
extern int rh_program_descriptors;

/* Overwrites and forgets what has not been written to it, which may be a secret. */
void rh_program_drop_input(struct rhost_program *p);

void rh_program_close(int *fd); /* leaves -1, which is fine to be given */

/* Moves what can be moved, and waits for that up to so long; whether anything came from it. */
bool rh_program_move(rhost_ctx *ctx, struct rhost_program *p, int64_t milliseconds);

/* Reads what it left in its pipes. */
void rh_program_drain(rhost_ctx *ctx, struct rhost_program *p);

/* A line that is there in whole; false: there is none yet. It stays until the next move. */
bool rh_program_take_line(struct rhost_program *p, const char **line, size_t *n, uint64_t *number);

#endif
