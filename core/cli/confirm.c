/* SPDX-License-Identifier: Apache-2.0 */
/* confirm - rhost confirm: keeps the run that waits to be confirmed, or rolls it back. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "run/confirm.h"
#include "run/lock.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What became of it, as text or JSON. */
static void
print_end(const struct rh_settings *o, const char *run, const char *state, const char *text)
{
    rh_autobuf struct rh_buf json = { 0 };

    if (o->format == RH_FORMAT_JSON) {
        rh_buf_addc(&json, '{');
        rh_json_text(&json, "run", run);
        rh_json_text(&json, "confirmation", state);
        (void)printf("%s}\n", rh_buf_text(&json));
    } else if (!o->quiet) {
        (void)printf("%s\n", text);
    }
}

/* Nobody else may decide about the runs of a state directory. */
static bool
is_own(const char *state_dir)
{
    struct stat st;

    if (stat(state_dir, &st) < 0 || st.st_uid == geteuid())
        return true;
    if (st.st_uid == 0)
        rh_refuse_hint("run 'rhost confirm' as root", "the state directory '%s' belongs to root", state_dir);
    else
        rh_refuse_hint("run 'rhost confirm' as that user", "the state directory '%s' belongs to user %u",
                       state_dir, (unsigned)st.st_uid);
    return false;
}

/* Nothing waits: the status tells whether what was asked for is so already. */
static int
report_decided(const struct rh_settings *o, const char *state_dir)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *ended = rh_confirm_history(a, state_dir, &err);
    size_t n = rh_value_count(ended);
    const struct rh_entry *last = n ? rh_value_entry(ended, n - 1) : NULL;
    const char *state = last ? rh_value_get_str(last->value, "state", "") : "";
    const char *time = last ? rh_value_get_str(last->value, "time", "") : "";
    const char *run = last ? last->key : NULL;
    rh_autofree char *text = NULL;
    bool unchanged = strcmp(state, "unchanged") == 0, kept = strcmp(state, "confirmed") == 0;

    if (!ended) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    if (!run) {
        bool others = geteuid() != 0 && !o->state_dir && access(rh_installation_state(), F_OK) == 0;

        if (o->abort) {
            rh_refuse("no run waits to be confirmed");
            return RH_EXIT_REFUSED;
        }
        print_end(o, NULL, "none",
                  others ? "no run of this user waits to be confirmed; root confirms those of root"
                         : "no run waits to be confirmed");
        return RH_EXIT_OK;
    }
    if (unchanged || kept == !o->abort) {
        text = unchanged ? rh_printf("no run waits to be confirmed: run %s changed nothing", run)
                         : rh_printf("run %s was %s already, at %s", run, rh_confirm_state_text(state), time);
        print_end(o, run, state, text);
        return RH_EXIT_OK;
    }
    if (kept)
        rh_refuse("too late: run %s was confirmed at %s; 'rhost undo %s' undoes it", run, time, run);
    else
        rh_refuse("too late: run %s was %s at %s", run, rh_confirm_state_text(state), time);
    return RH_EXIT_REFUSED;
}

static int
keep(const struct rh_settings *o, const char *state_dir, const struct rh_confirm *c)
{
    rh_autoerror struct rh_error err = { 0 };
    double left = rh_confirm_left(c);
    rh_autofree char *text = NULL;
    bool failed = c->phase == RH_CONFIRM_FAILED;

    if (c->phase == RH_CONFIRM_ROLLING_BACK) {
        rh_refuse_hint("'rhost confirm --abort' completes it",
                       "too late: run %s was being rolled back, and that was interrupted", c->run);
        return RH_EXIT_REFUSED;
    }
    if (!failed && left < 0) {
        rh_refuse_hint("'rhost confirm --abort' rolls it back now",
                       "too late: run %s was to be confirmed within %u s, and is rolled back", c->run,
                       c->within);
        return RH_EXIT_REFUSED;
    }
    if (rh_confirm_close(state_dir, c, failed ? RH_ROLLBACK_KEPT : RH_CONFIRMED, &err) < 0) {
        rh_error_prefix(&err, "cannot confirm run %s", c->run);
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    rh_confirm_stop(c);
    text = rh_printf(failed                           ? "run %s stays rolled back in part"
                     : c->phase == RH_CONFIRM_RUNNING ? "run %s, which did not end, is confirmed"
                                                      : "run %s is confirmed",
                     c->run);
    print_end(o, c->run, failed ? "rolled_back_in_part" : "confirmed", text);
    return RH_EXIT_OK;
}

/* The lock has been given up: the command that undoes takes it. */
static int
roll_back(const struct rh_settings *o, const char *state_dir, const struct rh_confirm *c)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = rh_printf("run %s is rolled back", c->run);
    int status;

    (void)fflush(stdout);
    status = rh_rollback_run(state_dir, c, o->format == RH_FORMAT_JSON, &err);
    if (status < 0) {
        rh_error_prefix(&err, "cannot roll back run %s", c->run);
        rh_refuse_error(NULL, &err);
        return RH_EXIT_FAILED;
    }
    if (status == 0)
        print_end(o, c->run, "rolled_back", text);
    else if (status >= 128)
        rh_refuse_hint("'rhost confirm --abort' completes it", "the rollback of run %s was interrupted",
                       c->run);
    else
        rh_refuse_hint(
            "'rhost confirm --abort' tries the rest again, 'rhost confirm' keeps this machine as it is",
            "run %s was rolled back in part only", c->run);
    return status == RH_EXIT_REFUSED ? RH_EXIT_FAILED : status;
}

/* With both locks. -1: it is to be rolled back; else the status. */
static int
decide(const struct rh_settings *o, const char *state_dir, struct rh_confirm *c)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_confirm_read(state_dir, c, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    if (!c->run)
        return report_decided(o, state_dir);
    if (!o->abort)
        return keep(o, state_dir, c);
    c->phase = RH_CONFIRM_ROLLING_BACK;
    if (rh_confirm_save(state_dir, c, &err) == 0)
        return -1;
    rh_error_prefix(&err, "cannot roll back run %s", c->run);
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

static int
run_locked(const struct rh_settings *o, const char *state_dir)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int dir = -1, lock_fd = -1;
    struct rh_confirm c = { 0 };
    struct rh_lock *lock;
    int status;

    lock_fd = rh_rollback_lock(state_dir, o->wait_lock, &err);
    if (lock_fd < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    lock = rh_session_lock(o, state_dir, &dir);
    if (!lock)
        return RH_EXIT_REFUSED;
    status = decide(o, state_dir, &c);
    rh_lock_free(lock);
    if (dir >= 0)
        (void)close(dir);
    dir = -1;
    if (status < 0)
        status = roll_back(o, state_dir, &c);
    rh_confirm_clear(&c);
    return status;
}

static int
watch(const char *state_dir)
{
    rh_autoerror struct rh_error err = { 0 };
    int status = rh_rollback_watch(state_dir, &err);

    if (status < 0)
        rh_refuse_error(NULL, &err);
    return status < 0 ? RH_EXIT_FAILED : status;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autofree char *state_dir = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_confirm c;
    bool waits;

    if (argc > 0)
        return rh_usage_error(&rh_command_confirm, "unexpected argument '%s'", argv[0]);
    if (settings->watch && settings->abort)
        return rh_usage_error(&rh_command_confirm, "--abort and --watch exclude each other");
    if (settings->state_dir && !is_own(settings->state_dir))
        return RH_EXIT_REFUSED;
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir)
        return RH_EXIT_REFUSED;
    if (settings->watch)
        return watch(state_dir);
    /* Where nothing waits, no lock is needed: another run may go on. */
    if (rh_confirm_read(state_dir, &c, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    waits = c.run != NULL;
    rh_confirm_clear(&c);
    return waits ? run_locked(settings, state_dir) : report_decided(settings, state_dir);
}

const struct rh_command rh_command_confirm = {
    .name = "confirm",
    .arguments = "",
    .summary = "keep the run that waits to be confirmed",
    .text =
        "A run of 'rhost apply --confirm-within=SECONDS' is rolled back unless this command is run in time.\n"
        "With --abort it is rolled back at once.\n"
        "Exit status: 0 it is confirmed, or was already (with --abort: rolled back), or no run waits;\n"
        "1 refused: too late, or the run or its rollback still goes on; 4 the rollback failed.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_LOCK | RH_OPT_CONFIRM,
    .run = run,
};
