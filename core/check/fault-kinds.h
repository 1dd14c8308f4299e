/* SPDX-License-Identifier: Apache-2.0 */
/* fault-kinds - what can go wrong with the files, programs and sockets that a provider uses. One fault at one
 * of these uses is planned, and happens there: in a system call, by whoever supervises the process, or in a
 * command, by what starts it. */
#ifndef RH_CHECK_FAULT_KINDS_H
#define RH_CHECK_FAULT_KINDS_H

#include "check/supervise.h"

#include <rhost/exec.h>

#include <stdbool.h>
#include <stddef.h>

struct rh_exec_watch;

/* What becomes of a command. */
enum rh_fault_how {
    RH_FAULT_ERRNO,       /* it cannot be started; a system call fails */
    RH_FAULT_REFUSES,     /* it does nothing, and says that it failed */
    RH_FAULT_STATUS,      /* it does nothing, prints nothing, and ends with an unknown status */
    RH_FAULT_KILLED,      /* it is killed before it does anything */
    RH_FAULT_CUT,         /* it crashes half way through its output */
    RH_FAULT_LATE_STATUS, /* it does its work, and says that it failed */
    RH_FAULT_LATE_KILL,   /* it does its work, and is killed then */
    RH_FAULT_TIMEOUT,     /* its time is up before it does anything */
    RH_FAULT_ANSWER,      /* a call receives what `number` says, of enum rh_use_answer */
    RH_FAULT_INVALID,     /* it does its work and prints invalid output; or a call receives invalid data */
};

struct rh_check_fault {
    enum rh_check_use use;
    enum rh_fault_how how;
    int number;       /* an errno or an answer (enum rh_use_answer), or 0 */
    const char *text; /* a sentence with %s for what it happens to: "'%s' is missing" */
};

enum { RH_FAULT_KINDS = 46 };
extern const struct rh_check_fault rh_faults[RH_FAULT_KINDS];

/* In memory that the supervised process shares. */
struct rh_fault_plan {
    const struct rh_check_fault *fault; /* NULL: none */
    unsigned at;                        /* at which use of this kind, from 1 on */
    unsigned uses[RH_USES];             /* that have been, of each kind */
    bool paused;                        /* what is used now does not count */
    bool happened;
    char what[160]; /* it happened to */
};

/* The fault of a use that is about to be, or NULL. */
const struct rh_check_fault *rh_fault_next(struct rh_fault_plan *plan, enum rh_check_use use,
                                           const char *value);

/* Runs a command as rh_exec_run() does, with the fault of the plan that was given last where it is due. */
void rh_fault_exec_by(struct rh_fault_plan *plan);
int32_t rh_fault_exec(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output,
                      const struct rh_exec_watch *watch, bool *stopped);

/* What has happened, as a sentence: "'crontab' is missing". */
void rh_fault_text(const struct rh_fault_plan *plan, char *text, size_t size);

#endif
