/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* rhost/exec.h - the extension rhost.exec/1: run a command from an argument vector.
 *
 * Never through a shell. The command gets a process group of its own, /dev/null as input (or what
 * is given), a clean environment, default signals and no descriptor but 0, 1 and 2; when its time is
 * up the whole tree of processes is ended. What it ran is logged at debug: Executing '...',
 * Successfully executed '...' (S110). Under noop it refuses, unless the command only reads. */
#ifndef RHOST_EXEC_H
#define RHOST_EXEC_H

#include <rhost/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RHOST_EXEC_ID "rhost.exec/1"

#define RHOST_EXEC_READS UINT64_C(1) /* changes nothing: allowed under noop */
#define RHOST_EXEC_MERGE UINT64_C(2) /* error output goes into `out` as well, in order */
#define RHOST_EXEC_TAIL UINT64_C(4)  /* beyond output_limit, keep the end instead of the start */
#define RHOST_EXEC_UMASK_0 UINT64_C(8) /* umask 0 is meant: what is created is open to all */
/* It may be ended, with all that it has started, when the run is to end while it goes on (Ctrl-C, SIGTERM): SIGTERM,
 * and SIGKILL five seconds later. So may what only reads. Other commands come to their end: a package manager that is
 * killed leaves packages half configured. */
#define RHOST_EXEC_STOPPABLE UINT64_C(16)
#define RHOST_EXEC_SHOW_OUTPUT UINT64_C(32) /* whoever watches the run may see its output, line by line */
/* What the command is kept from; it takes root, and a failure where it is not possible. */
#define RHOST_EXEC_NO_NETWORK UINT64_C(64)         /* it has a loopback interface of its own, and no other */
#define RHOST_EXEC_PRIVATE_TMP UINT64_C(128)       /* its /tmp and /var/tmp are empty, in memory, and gone with it */
#define RHOST_EXEC_NO_NEW_PRIVILEGES UINT64_C(256) /* set-user-ID programs have no effect; takes no root */

/* The PATH of the clean environment. */
#define RHOST_EXEC_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

struct rhost_command {
    size_t struct_size;
    const char *const *argv; /* NULL-terminated; argv[0] without '/' is looked up in PATH */
    const char *const *env;  /* NULL-terminated "NAME=value" over the clean environment, or NULL */
    const char *cwd;         /* NULL: "/" */
    const char *user;        /* name or number, with its groups; NULL: as we are */
    const char *group;       /* name or number; NULL: the user's own, or as we are */
    const void *input;       /* NULL: none */
    size_t input_len;
    size_t output_limit;        /* bytes kept of each stream; 0: 1 MiB; the rest is read and dropped */
    uint32_t timeout;           /* milliseconds; 0: 300,000 */
    int32_t umask;              /* -1 or 0: 022, but see RHOST_EXEC_UMASK_0 */
    uint64_t flags;             /* RHOST_EXEC_...; one that the host does not know is refused */
    const uint8_t *secret_args; /* one for each of argv, nonzero: shown as [redacted]; or NULL */
    const char *const *read_only;  /* NULL-terminated absolute paths that it can't change, with all below them, or
                                    * NULL; takes root */
    const char *const *read_write; /* and paths below those that it can */
};

struct rhost_output {
    size_t struct_size;
    int32_t status;    /* exit status; 128 + signal when a signal ended it */
    int32_t signal;    /* 0, or that signal */
    int32_t truncated; /* 1: there was more output than the limit */
    int32_t reserved;
    const char *out, *err; /* with a NUL behind them; live as long as the call */
    size_t out_len, err_len;
};

struct rhost_exec {
    size_t struct_size;
    /* 0 when the command ran, whatever its status; -1, with the reason given to fail(), when it
     * could not be started or its time was up. */
    int32_t (*run)(rhost_ctx *ctx, const struct rhost_command *command,
                   struct rhost_output *output);
};

static inline int32_t
rhost_run(rhost_ctx *ctx, const struct rhost_command *command, struct rhost_output *output)
{
    const struct rhost_exec *exec =
        (const struct rhost_exec *)ctx->host->extension(ctx, RHOST_EXEC_ID);

    if (!exec)
        return ctx->host->fail(ctx, 0, NULL, "this host cannot run commands (" RHOST_EXEC_ID ")");
    output->struct_size = sizeof *output;
    return exec->run(ctx, command, output);
}

#ifdef __cplusplus
}
#endif

#endif
