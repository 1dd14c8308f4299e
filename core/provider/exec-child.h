/* SPDX-License-Identifier: Apache-2.0 */
/* exec-child - the two processes of a command: a keeper, and under it the command itself.
 *
 * "We" are the process that starts it: the broker of a worker (exec-broker.h), or whoever runs a command for
 * itself.
 *
 *     we ──fork──▶ keeper ──fork──▶ command ──▶ whatever it starts
 *      ◀──────── reports ─┴──────────┘
 *
 * The keeper adopts every process below it that loses its parent (PR_SET_CHILD_SUBREAPER), so that
 * a daemon that forked twice is still found when the time is up. It has no other task, and goes
 * with the command: what the command left running on purpose then belongs to init. That we don't
 * adopt it ourselves keeps waitpid() of the host and of plugins undisturbed.
 *
 * A command outlives us, unless it is bound: what is half done is worse than what is done. Its keeper
 * then reads what the command says, so that it is not ended for having no reader, and holds what was to
 * be held: the lock of the run, so that no other run begins meanwhile. */
#ifndef RH_PROVIDER_EXEC_CHILD_H
#define RH_PROVIDER_EXEC_CHILD_H

#include "base/cleanup.h"
#include "sandbox/command.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct rh_arena;
struct rh_error;
struct rhost_command;

/* All that the child needs, prepared before the fork: after it nothing is looked up. */
struct rh_exec_plan {
    char *const *candidates; /* paths to try in order */
    char *const *argv, *const *envp;
    const char *cwd;
    bool change_groups, change_user;
    uid_t uid;
    gid_t gid;
    const gid_t *groups;
    size_t n_groups;
    mode_t umask;
    int in, out, err;                /* what becomes 0, 1, 2; all above 2 */
    int report;                      /* where struct rh_exec_report goes */
    int hear_out, hear_err;          /* the other ends of `out` and `err`, -1: none */
    bool bound;                      /* it ends when we do, however that happens, with all below it */
    struct rh_command_limits limits; /* what it is kept from, as root, before it becomes its user */
    /* Confines the process of the command, which has become its user; -1 with errno: it is not executed.
     * NULL: it is not confined. */
    int (*confine)(const void *data, char *const *candidates);
    const void *confine_data;
};

enum rh_exec_stage {
    RH_EXEC_ENDED, /* `number` is a status as of waitpid() */
    RH_EXEC_FORK,
    RH_EXEC_PREPARE,
    RH_EXEC_GROUPS,
    RH_EXEC_GROUP,
    RH_EXEC_USER,
    RH_EXEC_CWD,
    RH_EXEC_EXEC,
    RH_EXEC_CONFINE,
    RH_EXEC_LIMIT,
    RH_EXEC_WAIT, /* it was started; how it ended is not known, and what was left of it was killed */
};

struct rh_exec_report {
    int stage;  /* enum rh_exec_stage */
    int number; /* an errno, but see RH_EXEC_ENDED */
};

/* Notes what limits this process has, before it lowers its own: commands get them back. A daemon
 * that a command starts would otherwise live with a worker's limits. */
void rh_exec_note_limits(void);

/* A descriptor that the keepers of commands hold from now on, and the commands don't; -1: none. */
void rh_exec_hold(int fd);
int rh_exec_held(void); /* the state directory, or -1 */

/* The keeper's process id, or -1 with errno. */
pid_t rh_exec_start(const struct rh_exec_plan *plan);

/* Ends every process below the keeper: asks them first, kills them after `grace` milliseconds.
 * The keeper reports and goes by itself then. False: some can't be ended. */
bool rh_exec_end_tree(pid_t keeper, int grace);

/* The same for a caller that has something else to watch meanwhile: `pause` waits so many milliseconds, and
 * returns false when all is to be left as it is; so does this function then. */
struct rh_exec_pause {
    bool (*pause)(void *data, int milliseconds);
    void *data;
};
bool rh_exec_end_tree_watching(pid_t keeper, int grace, const struct rh_exec_pause *watch);

/* Kills every process below this one, at once. */
void rh_exec_kill_below(void);

/* exec-pipe.c: the pipes between us and what we run, and its input. */

/* Both ends above 2, whatever of 0, 1 and 2 was closed when we were started. -1 with errno. */
int rh_exec_pipe(int ends[2]);

/* A descriptor above 2 that the command reads all of it from, also when we are killed meanwhile: of a pipe it
 * would take what had been written by then for all there is. With n 0 that is /dev/null. -1 with errno. */
RH_CHECKED int rh_exec_input(const void *bytes, size_t n);

void rh_exec_close(int *fd); /* leaves -1, which is fine to be given */

/* exec-setup.c: a command as asked for, turned into a plan that needs no look-ups any more. */

/* Environment, user, groups, and where the program may lie. Everything lives in `arena`. */
RH_CHECKED int rh_exec_plan(const struct rhost_command *command, struct rh_arena *arena,
                            struct rh_exec_plan *plan, struct rh_error *err);

/* The command as it is shown: secrets redacted, long arguments cut, control characters escaped. */
char *rh_exec_shown(const struct rhost_command *command);

#endif
