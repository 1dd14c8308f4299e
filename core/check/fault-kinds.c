/* SPDX-License-Identifier: Apache-2.0 */
/* fault-kinds - what can go wrong with what a provider uses, and the commands that it goes wrong with. */
#include "config.h"

#include "check/fault-kinds.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "provider/extensions.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { UNKNOWN_STATUS = 77 };

static const char refusal[] = "rhost check: this fault was made for a test\n";
static const char invalid_output[] =
    "\x01\xff\xfe invalid: \x80 {[(<\"'\\\t\t= =:;,|\n\n\xc3\x28\n%s%n\n-1\n";

const struct rh_check_fault rh_faults[RH_FAULT_KINDS] = {
    { RH_USE_RUN, RH_FAULT_ERRNO, ENOENT, "'%s' is missing" },
    { RH_USE_RUN, RH_FAULT_REFUSES, 0, "'%s' does nothing and fails" },
    { RH_USE_RUN, RH_FAULT_KILLED, 0, "'%s' is killed before it does anything" },
    { RH_USE_RUN, RH_FAULT_LATE_KILL, 0, "'%s' is killed when it has done its work" },
    { RH_USE_RUN, RH_FAULT_CUT, 0, "'%s' crashes half way through its output" },
    { RH_USE_RUN, RH_FAULT_TIMEOUT, 0, "'%s' takes too long" },
    { RH_USE_RUN, RH_FAULT_ERRNO, EACCES, "'%s' cannot be executed: permission denied" },
    { RH_USE_RUN, RH_FAULT_STATUS, 0, "'%s' does nothing and ends with an unknown status" },
    { RH_USE_RUN, RH_FAULT_LATE_STATUS, 0, "'%s' does its work and says that it failed" },
    { RH_USE_RUN, RH_FAULT_ERRNO, EAGAIN, "no process can be started for '%s'" },
    { RH_USE_RUN, RH_FAULT_INVALID, 0, "'%s' prints invalid output" },
    { RH_USE_READ, RH_FAULT_ERRNO, EACCES, "reading '%s' is denied" },
    { RH_USE_READ, RH_FAULT_ERRNO, EIO, "'%s' cannot be read: input/output error" },
    { RH_USE_READ, RH_FAULT_ERRNO, EMFILE, "'%s' cannot be opened: too many open files" },
    { RH_USE_READ, RH_FAULT_ERRNO, ESTALE, "'%s' is gone from its file server" },
    { RH_USE_WRITE, RH_FAULT_ERRNO, EACCES, "changing '%s' is denied" },
    { RH_USE_WRITE, RH_FAULT_ERRNO, ENOSPC, "the disk is full when '%s' is changed" },
    { RH_USE_WRITE, RH_FAULT_ERRNO, EROFS, "'%s' is in a read-only file system" },
    { RH_USE_WRITE, RH_FAULT_ERRNO, EIO, "'%s' cannot be changed: input/output error" },
    { RH_USE_WRITE, RH_FAULT_ERRNO, EPERM, "'%s' is immutable" },
    { RH_USE_WRITE, RH_FAULT_ERRNO, EDQUOT, "the quota is used up when '%s' is changed" },
    { RH_USE_WRITE, RH_FAULT_ERRNO, EBUSY, "'%s' is busy" },
    { RH_USE_DATA, RH_FAULT_ERRNO, ENOSPC, "the disk is full when '%s' is written to" },
    { RH_USE_DATA, RH_FAULT_ERRNO, EIO, "what is written to '%s' is lost: input/output error" },
    { RH_USE_DATA, RH_FAULT_ERRNO, EDQUOT, "the quota is used up when '%s' is written to" },
    { RH_USE_LOCK, RH_FAULT_ERRNO, EWOULDBLOCK, "'%s' is locked" },
    { RH_USE_LOCK, RH_FAULT_ERRNO, ENOLCK, "'%s' cannot be locked" },
    { RH_USE_SOCKET, RH_FAULT_ERRNO, ENOENT, "the socket '%s' does not exist" },
    { RH_USE_SOCKET, RH_FAULT_ERRNO, ECONNREFUSED, "the socket '%s' refuses the connection" },
    { RH_USE_SOCKET, RH_FAULT_ERRNO, EACCES, "the socket '%s' is denied" },
    { RH_USE_SOCKET, RH_FAULT_ERRNO, EAGAIN, "the queue of the socket '%s' is full" },
    { RH_USE_NETWORK, RH_FAULT_ERRNO, ECONNREFUSED, "%s refuses the connection" },
    { RH_USE_NETWORK, RH_FAULT_ERRNO, ENETUNREACH, "%s cannot be reached" },
    { RH_USE_NETWORK, RH_FAULT_ERRNO, ETIMEDOUT, "%s does not answer" },
    { RH_USE_NEW_SOCKET, RH_FAULT_ERRNO, EMFILE, "%s cannot be opened: too many open files" },
    { RH_USE_NEW_SOCKET, RH_FAULT_ERRNO, ENOBUFS, "%s cannot be opened: no memory" },
    { RH_USE_SEND, RH_FAULT_ERRNO, ECONNRESET, "%s is reset while it is sent to" },
    { RH_USE_SEND, RH_FAULT_ERRNO, EPIPE, "%s is closed at the other end" },
    { RH_USE_RECEIVE, RH_FAULT_ERRNO, ECONNRESET, "%s is reset" },
    { RH_USE_RECEIVE, RH_FAULT_ERRNO, ETIMEDOUT, "%s receives no answer" },
    { RH_USE_RECEIVE, RH_FAULT_ANSWER, RH_USE_END, "%s is closed before the answer" },
    { RH_USE_RECEIVE, RH_FAULT_ANSWER, RH_USE_HALF, "%s is closed in the middle of the answer" },
    { RH_USE_RECEIVE, RH_FAULT_INVALID, RH_USE_INVALID, "%s receives invalid data and is closed" },
    { RH_USE_CHANGE, RH_FAULT_ERRNO, EPERM, "%s is denied" },
    { RH_USE_CHANGE, RH_FAULT_ERRNO, EBUSY, "%s finds what it changes busy" },
    { RH_USE_CHANGE, RH_FAULT_ERRNO, ENOMEM, "%s gets no memory" },
};

static struct rh_fault_plan *of_commands;

void
rh_fault_exec_by(struct rh_fault_plan *plan)
{
    of_commands = plan;
}

const struct rh_check_fault *
rh_fault_next(struct rh_fault_plan *plan, enum rh_check_use use, const char *value)
{
    if (plan->paused || ++plan->uses[use] != plan->at || !plan->fault || plan->fault->use != use)
        return NULL;
    (void)snprintf(plan->what, sizeof plan->what, "%s", value);
    plan->happened = true;
    return plan->fault;
}

void
rh_fault_text(const struct rh_fault_plan *plan, char *text, size_t size)
{
    const char *at = strstr(plan->fault->text, "%s");

    (void)snprintf(text, size, "%.*s%s%s", (int)(at - plan->fault->text), plan->fault->text, plan->what,
                   at + 2);
}

/* It runs, and the half of what it printed is there. */
static int32_t
cut(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output,
    const struct rh_exec_watch *watch, bool *stopped)
{
    int32_t rc = rh_exec_run(ctx, command, output, watch, stopped);
    char *half;

    if (rc < 0)
        return rc;
    half = ctx->host->alloc(ctx, output->out_len / 2 + 1);
    memcpy(half, output->out, output->out_len / 2);
    half[output->out_len / 2] = '\0';
    output->out = half;
    output->out_len /= 2;
    return 0;
}

static int32_t
end_with(struct rhost_output *output, int status, int number)
{
    output->status = status;
    output->signal = number;
    if (status && !number && status != UNKNOWN_STATUS) {
        output->err = refusal;
        output->err_len = sizeof refusal - 1;
    }
    return 0;
}

/* Without having run. */
static int32_t
end_at_once(struct rhost_output *output, int status, int number)
{
    output->truncated = 0;
    output->out = output->err = "";
    output->out_len = output->err_len = 0;
    return end_with(output, status, number);
}

static int32_t
fail(rhost_ctx *ctx, const struct rhost_command *command, const struct rh_check_fault *f)
{
    rh_autofree char *text = f->how == RH_FAULT_TIMEOUT
                                 ? rh_printf("'%s' took longer than 1 s and was killed", command->argv[0])
                                 : rh_printf("cannot execute '%s'", command->argv[0]);

    return ctx->host->fail(ctx, f->number, NULL, text);
}

int32_t
rh_fault_exec(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output,
              const struct rh_exec_watch *watch, bool *stopped)
{
    bool refused = ctx->host->noop(ctx) && !(command->flags & RHOST_EXEC_READS);
    const struct rh_check_fault *f =
        refused ? NULL : rh_fault_next(of_commands, RH_USE_RUN, command->argv[0]);
    int32_t rc;

    switch (f ? f->how : RH_FAULT_INVALID) {
    case RH_FAULT_ERRNO:
    case RH_FAULT_TIMEOUT:
        return fail(ctx, command, f);
    case RH_FAULT_REFUSES:
        return end_at_once(output, 1, 0);
    case RH_FAULT_STATUS:
        return end_at_once(output, UNKNOWN_STATUS, 0);
    case RH_FAULT_KILLED:
        return end_at_once(output, 128 + SIGKILL, SIGKILL);
    case RH_FAULT_CUT:
        rc = cut(ctx, command, output, watch, stopped);
        return rc < 0 ? rc : end_with(output, 128 + SIGSEGV, SIGSEGV);
    case RH_FAULT_LATE_KILL:
        rc = rh_exec_run(ctx, command, output, watch, stopped);
        return rc < 0 ? rc : end_with(output, 128 + SIGKILL, SIGKILL);
    case RH_FAULT_LATE_STATUS:
        rc = rh_exec_run(ctx, command, output, watch, stopped);
        return rc < 0 ? rc : end_with(output, 1, 0);
    case RH_FAULT_ANSWER:
    case RH_FAULT_INVALID:
        break;
    }
    rc = rh_exec_run(ctx, command, output, watch, stopped);
    if (f && rc == 0) {
        output->out = invalid_output;
        output->out_len = sizeof invalid_output - 1;
    }
    return rc;
}
