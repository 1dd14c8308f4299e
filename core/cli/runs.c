/* SPDX-License-Identifier: Apache-2.0 */
/* runs - rhost runs: the runs that have a journal. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/installation.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/print-value.h"
#include "cli/session.h"
#include "run/confirm.h"
#include "run/event-json.h"
#include "run/journal-read.h"

#include <stdio.h>
#include <unistd.h>

/* What is wrong with a journal, behind its name. */
static void
report_problems(const struct rh_run_journal *j)
{
    for (size_t i = 0; i < rh_value_count(j->problems); i++)
        rh_log(RH_WARNING, "the journal of run %s: %s", j->run, rh_value_at(j->problems, i)->u.string);
}

static void
add_count(struct rh_buf *b, size_t n, const char *what)
{
    if (n)
        rh_buf_addf(b, "%s%zu %s", b->n ? ", " : "", n, what);
}

static void
print_text(const struct rh_run_journal *j, const char *confirmation)
{
    rh_autofree char *started = rh_safe_text(rh_value_get_str(j->begin, "started", "?"));
    rh_autofree char *begun = rh_safe_text(rh_value_get_str(j->under_way, "resource", "?"));
    const struct rh_value *status = rh_value_get(j->end, "exit");
    rh_autobuf struct rh_buf counts = { 0 }, how = { 0 };

    if (rh_value_get(j->end, "interrupted"))
        rh_buf_add(&how, "interrupted");
    else if (rh_value_is(status, RH_INTEGER))
        rh_buf_addf(&how, "exit %lld", (long long)status->u.integer);
    else
        rh_buf_add(&how, j->goes_on ? "under way" : "did not end");
    add_count(&counts, j->counts.by_status[RH_CHANGED], "changed");
    add_count(&counts, j->counts.by_status[RH_REFRESHED], "refreshed");
    add_count(&counts, j->counts.by_status[RH_FAILED] - j->counts.refresh_failed, "failed");
    add_count(&counts, j->counts.ignored, "failed and ignored");
    add_count(&counts, j->counts.by_status[RH_SKIPPED] - j->counts.refresh_skipped, "skipped");
    add_count(&counts, j->counts.refresh_failed, "failed to refresh");
    add_count(&counts, j->counts.refresh_skipped, "not refreshed");
    add_count(&counts, j->end ? j->counts.by_status[RH_UNCHANGED] : 0, "ok");
    add_count(&counts, j->counts.audited, "not as recorded");
    add_count(&counts, j->counts.by_status[RH_EXCLUDED], "excluded");
    add_count(&counts, j->counts.not_reached, "not reached");
    if (!j->end && j->under_way)
        rh_buf_addf(&counts, "%sin the middle of %s", counts.n ? ", " : "", begun);
    if (rh_value_get(j->begin, "undoes")) {
        rh_autofree char *undone = rh_safe_text(rh_value_get_str(j->begin, "undoes", "?"));

        rh_buf_addf(&counts, "%sundoes %s", counts.n ? ", " : "", undone);
    }
    if (!counts.n)
        rh_buf_add(&counts, "nothing was done");
    if (rh_value_get(j->begin, "revision")) {
        rh_autofree char *revision = rh_safe_text(rh_value_get_str(j->begin, "revision", "?"));

        rh_buf_addf(&counts, ", revision %s", revision);
    }
    if (rh_confirm_state_text(confirmation))
        rh_buf_addf(&counts, ", %s", rh_confirm_state_text(confirmation));
    (void)printf("%-32s  %-20s  %-11s  %s\n", j->run, started, rh_buf_text(&how), rh_buf_text(&counts));
}

static void
add_json(struct rh_buf *b, const struct rh_run_journal *j, const char *confirmation)
{
    rh_buf_addc(b, '{');
    rh_json_text(b, "run", j->run);
    if (rh_value_get(j->begin, "run_seq"))
        rh_json_value(b, "seq", rh_value_get(j->begin, "run_seq"));
    if (rh_value_get(j->begin, "revision"))
        rh_json_value(b, "revision", rh_value_get(j->begin, "revision"));
    rh_json_value(b, "started", rh_value_get(j->begin, "started"));
    rh_json_boolean(b, "ended", j->end);
    rh_json_boolean(b, "in_progress", j->goes_on);
    if (rh_value_get(j->begin, "undoes"))
        rh_json_value(b, "undoes", rh_value_get(j->begin, "undoes"));
    rh_json_value(b, "exit", rh_value_get(j->end, "exit"));
    rh_json_value(b, "seconds", rh_value_get(j->end, "seconds"));
    rh_counts_to_json(b, &j->counts);
    if (confirmation)
        rh_json_text(b, "confirmation", confirmation);
    rh_json_value(b, "problems", j->problems);
    rh_buf_addc(b, '}');
}

static int
list(const char *state_dir, const struct rh_run_names *names, size_t n, enum rh_format format,
     bool is_elsewhere)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error why = { 0 };
    const struct rh_value *states = rh_confirm_states(a, state_dir, &why);
    rh_autobuf struct rh_buf json = { 0 };
    int status = RH_EXIT_OK;

    if (!states)
        rh_log_error(RH_WARNING, &why);
    for (size_t i = 0; i < n; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const char *confirmation = rh_value_get_str(states, names->v[i], NULL);
        struct rh_run_journal j;

        if (rh_run_journal_read(state_dir, names->v[i], &j, &err) < 0) {
            rh_log_error(RH_ERR, &err);
            status = RH_EXIT_FAILED;
            continue;
        }
        if (format != RH_FORMAT_TEXT) {
            rh_buf_add(&json, json.n ? ",\n  " : "\n  ");
            add_json(&json, &j, confirmation);
        } else {
            print_text(&j, confirmation);
        }
        report_problems(&j);
        rh_run_journal_clear(&j);
    }
    if (format != RH_FORMAT_TEXT) {
        rh_autobuf struct rh_buf all = { 0 };

        rh_buf_addf(&all, "[%s%s]\n", rh_buf_text(&json), json.n ? "\n" : "");
        rh_print_json(format, &all);
    } else if (!names->n && is_elsewhere) {
        (void)printf(
            "no run of this user is recorded; those of root are in '%s', and only root can read them\n",
            rh_installation_state());
    } else if (!names->n) {
        (void)puts("no run is recorded");
    }
    return status;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autofree char *state_dir = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names;
    size_t n;
    int status;

    if (argc > 0)
        return rh_usage_error(&rh_command_runs, "unexpected argument '%s'", argv[0]);
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir)
        return RH_EXIT_REFUSED;
    if (rh_run_names_read(state_dir, &names, &err) < 0) {
        rh_log_error(RH_ERR, &err);
        return RH_EXIT_REFUSED;
    }
    n = settings->count && settings->count < names.n ? settings->count : names.n;
    status = list(state_dir, &names, n, settings->format,
                  geteuid() != 0 && !settings->state_dir && access(rh_installation_state(), F_OK) == 0);
    rh_run_names_clear(&names);
    return status;
}

const struct rh_command rh_command_runs = {
    .name = "runs",
    .arguments = "",
    .summary = "list earlier runs, newest first",
    .text = "Prints a line for each run: its name, when it started, how it ended, and what it did. The last\n"
            "50 runs are kept, but none under noop. 'rhost show RUN' shows the details of one.\n"
            "--format=html makes a page with a bar for each run.",
    .options = RH_OPT_COMMON | RH_OPT_HTML | RH_OPT_COUNT,
    .run = run,
};
