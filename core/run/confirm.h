/* SPDX-License-Identifier: Apache-2.0 */
/* confirm - runs that are rolled back unless somebody confirms them in time.
 *
 * confirm.json in the state directory says which run waits, until when, and how it is rolled back. It is on
 * disk before the run changes anything, and goes when the run is confirmed or rolled back. Whoever changes it
 * has the lock of the state directory or, during the rollback, that of struct rh_rollback_lock.
 *
 *     RUNNING ──end of the run──▶ WAITING ──confirm──▶ (none)
 *        └───────── deadline, --abort ┴──▶ ROLLING_BACK ──▶ (none), or FAILED
 *
 * The deadline is a time of CLOCK_BOOTTIME, which nobody sets and which goes on while the machine sleeps. It
 * belongs to one boot: after a reboot it has passed. */
#ifndef RH_RUN_CONFIRM_H
#define RH_RUN_CONFIRM_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_value;

/* What a run is asked for that is to be confirmed. */
struct rh_confirm_request {
    unsigned within;            /* seconds, from its end */
    const char *const *options; /* of the command that rolls it back, with absolute paths */
    size_t n_options;
};

enum rh_confirm_phase {
    RH_CONFIRM_RUNNING, /* it goes on, or was killed: the deadline counts from its start */
    RH_CONFIRM_WAITING,
    RH_CONFIRM_ROLLING_BACK, /* or was, when the machine went down */
    RH_CONFIRM_FAILED,       /* the rollback */
};

enum rh_confirm_end { RH_CONFIRMED, RH_CONFIRMED_UNCHANGED, RH_ROLLED_BACK, RH_ROLLBACK_KEPT };

struct rh_confirm {
    struct rh_arena *arena;
    const char *run; /* NULL: none waits */
    enum rh_confirm_phase phase;
    unsigned within;
    long long deadline;             /* milliseconds */
    const char *boot;               /* to which it belongs */
    const char *timer;              /* the unit that was started, or NULL */
    const struct rh_value *options; /* texts */
};

/* 0, also where none waits. */
RH_CHECKED int rh_confirm_read(const char *state_dir, struct rh_confirm *c, struct rh_error *err);
RH_CHECKED int rh_confirm_save(const char *state_dir, const struct rh_confirm *c, struct rh_error *err);
void rh_confirm_clear(struct rh_confirm *c);

/* Whether the machine was started again since. */
bool rh_confirm_is_of_other_boot(const struct rh_confirm *c);

/* Seconds until the deadline; negative when it has passed. */
double rh_confirm_left(const struct rh_confirm *c);

/* Before the first change of a run: says that it waits, and starts what rolls it back. Nothing waits when
 * this fails. */
RH_CHECKED int rh_confirm_arm(const char *state_dir, const char *run,
                              const struct rh_confirm_request *request, struct rh_error *err);

/* The run has not begun after all. */
void rh_confirm_disarm(const char *state_dir, const char *run);

/* The run has ended: the deadline counts from now. One that has changed nothing does not wait. */
RH_CHECKED int rh_confirm_end(const char *state_dir, const char *run, bool changed, struct rh_error *err);

/* It does not wait any more. Repeated, it does the same. */
RH_CHECKED int rh_confirm_close(const char *state_dir, const struct rh_confirm *c, enum rh_confirm_end end,
                                struct rh_error *err);

/* A hash of runs: "unconfirmed", "rolling_back", "rollback_failed" of the one that waits; "confirmed",
 * "unchanged", "rolled_back", "rolled_back_in_part" of those that did. NULL with an error. */
RH_CHECKED const struct rh_value *rh_confirm_states(struct rh_arena *a, const char *state_dir,
                                                    struct rh_error *err);

/* Refuses while a run waits, and says what to do. `undoes`: the run that the next one undoes, or NULL: that
 * is the rollback itself. The caller has the lock. */
RH_CHECKED int rh_confirm_refuse(const char *state_dir, const char *undoes, struct rh_error *err);

/* confirm-history.c: what became of runs that were to be confirmed. */

/* A hash of runs, of which each is a hash with `state` and `time`; NULL with an error. */
RH_CHECKED const struct rh_value *rh_confirm_history(struct rh_arena *a, const char *state_dir,
                                                     struct rh_error *err);

RH_CHECKED int rh_confirm_note_end(const char *state_dir, const struct rh_confirm *c, enum rh_confirm_end end,
                                   struct rh_error *err);

/* "rolled back in part" of such a word. */
const char *rh_confirm_state_text(const char *state);

/* arm.c: what rolls back without anybody's doing. */

/* Starts what waits and rolls back: a timer of systemd where that runs, else a process that nobody waits for.
 */
RH_CHECKED int rh_confirm_start(const char *state_dir, const struct rh_confirm *c, struct rh_error *err);
void rh_confirm_stop(const struct rh_confirm *c); /* it would find nothing to do */

/* The timer's name, or NULL where it will be a process. The arena's. */
const char *rh_confirm_timer(struct rh_arena *a, const char *run);

/* Why a reboot would not roll back runs of this state directory; NULL when it would. The caller's. */
char *rh_confirm_reboot_problem(const char *state_dir);

/* Whether systemd manages this machine. */
bool rh_systemd_runs(void);

/* rollback.c: rolling back. */

/* Only one does so at a time, and a run is not confirmed meanwhile. Waits up to so many seconds for another
 * one to end; -1 with RH_ELOCKED when it goes on. */
RH_CHECKED int rh_rollback_lock(const char *state_dir, unsigned wait, struct rh_error *err);

/* Rolls back the run that waits, with `rhost undo`, whose exit status is returned; -1 when it could not
 * begin. `lock` is of rh_rollback_lock. The caller has had the lock of the state directory while it set the
 * phase, and has given it up. `aside`: what the command prints goes to standard error. */
RH_CHECKED int rh_rollback_run(const char *state_dir, const struct rh_confirm *c, bool aside,
                               struct rh_error *err);

/* Waits until it is time, and rolls back then; the same status. 0 at once where nothing waits. */
RH_CHECKED int rh_rollback_watch(const char *state_dir, struct rh_error *err);

#endif
