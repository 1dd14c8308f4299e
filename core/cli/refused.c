/* SPDX-License-Identifier: Apache-2.0 */
/* refused - a run that did not begin is reported as one that did: who asks what became of it gets an answer.
 */
#include "config.h"

#include "cli/refusal.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/refused-run.h"
#include "cli/reports.h"
#include "cli/session.h"
#include "run/event-file.h"
#include "run/identity.h"
#include "run/state.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* A state directory that can't be used may be why the run was refused: then it has no number. */
static void
identify(const struct rh_settings *o, struct rh_identity *identity)
{
    rh_autofree char *state_dir = rh_session_state_dir(o);
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int dir = -1;

    if (identity->seq)
        return;
    rh_identity_of_machine(identity);
    dir = state_dir ? rh_state_dir_open(state_dir, true, &err) : -1;
    if (dir >= 0 && rh_identity_take(state_dir, true, identity, &err) < 0)
        rh_debug("%s", err.message);
}

/* What can't be written here is why the run was refused, or else it is said now. */
static void
print_errors(const struct rh_value *errors, const struct rh_error *err)
{
    for (size_t i = 0; i < rh_value_count(errors); i++)
        if (strncmp(rh_value_get_str(rh_value_at(errors, i), "message", ""), err->message,
                    strlen(err->message))
            == 0)
            return;
    rh_log_error(RH_ERR, err);
}

/* The run, to one who reports. */
static void
report_to(const struct rh_reporter *r, const struct rh_run_begin *begin, const struct rh_run_end *end)
{
    r->begin(r->data, begin);
    r->end(r->data, end);
}

static void
write_reports(const struct rh_settings *o, const struct rh_run_begin *begin, const struct rh_run_end *end)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_reports files = { 0 };

    if (rh_reports_open(&files, o, &rh_refused_run()->sources, &err) < 0)
        print_errors(end->errors, &err);
    for (int i = 0; i <= RH_REPORTS; i++) {
        struct rh_report_writer *w = i < RH_REPORTS ? files.v[i] : files.standard;
        struct rh_reporter r;

        if (!w)
            continue;
        r = rh_report_reporter(w);
        report_to(&r, begin, end);
    }
    rh_discard(rh_reports_close(&files, RH_EXIT_REFUSED));
    rh_reports_send(&files);
}

static void
write_events(struct rh_event_file *to, const struct rh_run_begin *begin, const struct rh_run_end *end)
{
    struct rh_report_events *events = rh_report_events_new(to, &rh_refused_run()->sources, false);
    const struct rh_reporter r = rh_report_events_reporter(events);

    report_to(&r, begin, end);
    rh_report_events_free(events);
    rh_discard(rh_events_close(to, RH_EXIT_REFUSED));
}

static void
report(const struct rh_settings *settings)
{
    rh_autoarena struct rh_arena *a = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_identity *who = &rh_refused_run()->identity;
    struct rh_value *errors;
    struct rh_event_file *events;
    char run[RH_RUN_ID], started[RH_RUN_TIME];
    struct rh_run_begin begin;
    struct rh_run_end end;

    a = rh_arena_new(NULL);
    errors = rh_value_new(a, RH_ARRAY);
    rh_refusals_take(errors);
    identify(settings, who);
    rh_identity_new_run(run, started);
    begin = (struct rh_run_begin){
        .run = run,
        .started = started,
        .noop = settings->noop,
        .host = *who->host ? who->host : NULL,
        .name = who->name,
        .seq = who->seq,
        .revision = settings->revision,
    };
    end = (struct rh_run_end){ .run = run, .exit = RH_EXIT_REFUSED, .ended = time(NULL), .errors = errors };
    events = settings->events ? rh_events_open(settings, &rh_refused_run()->sources, &err) : NULL;
    if (events)
        write_events(events, &begin, &end);
    else if (settings->events)
        print_errors(errors, &err);
    if (settings->progress == RH_PROGRESS_JSON)
        write_events(rh_event_file_of(settings->progress_fd), &begin, &end);
    write_reports(settings, &begin, &end);
}

void
rh_refused_end(const struct rh_settings *settings, bool refused)
{
    const struct rh_refused_run *run = rh_refused_run();

    if (refused && !run->begun && (run->watched || settings->format == RH_FORMAT_JSON))
        report(settings);
    rh_sources_clear(&rh_refused_run()->sources);
}
