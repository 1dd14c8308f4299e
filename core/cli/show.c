/* SPDX-License-Identifier: Apache-2.0 */
/* show - rhost show RUN: what a run did, from its journal. */
#include "config.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/plan.h"
#include "cli/print-value.h"
#include "cli/session.h"
#include "run/confirm.h"
#include "run/event-json.h"
#include "run/journal-read.h"
#include "run/plan.h"
#include "run/report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Head and foot. */

static void
print_head(const struct rh_run_journal *j, const char *confirmation)
{
    rh_autofree char *started = rh_safe_text(rh_value_get_str(j->begin, "started", "?"));
    rh_autofree char *version = rh_safe_text(rh_value_get_str(j->begin, "rhost", "?"));
    const struct rh_value *status = rh_value_get(j->end, "exit");

    const char *plan = rh_value_get_str(j->begin, "plan", NULL);

    (void)printf("run %s, started %s, rhost %s\n", j->run, started, version);
    if (rh_value_get(j->begin, "revision")) {
        rh_autofree char *revision = rh_safe_text(rh_value_get_str(j->begin, "revision", "?"));

        (void)printf("revision %s\n", revision);
    }
    if (plan) {
        rh_autofree char *name = rh_safe_text(plan);
        rh_autofree char *digest = rh_safe_text(rh_value_get_str(j->begin, "plan_digest", ""));

        (void)printf("applied the plan '%s', digest %.16s\n", name, digest);
    }
    if (rh_value_get(j->begin, "undoes")) {
        rh_autofree char *undone = rh_safe_text(rh_value_get_str(j->begin, "undoes", "?"));

        (void)printf("undoes run %s\n", undone);
    }
    if (rh_confirm_state_text(confirmation))
        (void)printf("%s\n", rh_confirm_state_text(confirmation));
    if (rh_value_is(status, RH_INTEGER))
        (void)printf("ended with exit status %lld\n\n", (long long)status->u.integer);
    else if (j->end)
        (void)puts("ended\n");
    else if (j->goes_on)
        (void)puts("under way\n");
    else
        (void)puts("did not end: it was killed, or the machine went down\n");
}

/* What `rhost confirm` has made of it, or NULL. The arena's. */
static const char *
confirmation_of(const char *state_dir, const struct rh_run_journal *j)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *states = rh_confirm_states(j->arena, state_dir, &err);

    if (!states)
        rh_log_error(RH_WARNING, &err);
    return rh_value_get_str(states, j->run, NULL);
}

/* What was begun and not done: all that is known is where it began. */
static void
print_under_way(const struct rh_run_journal *j)
{
    const struct rh_value *u = j->under_way, *place = rh_value_get(u, "location");
    const struct rh_value *line = rh_value_get(place, "line");
    rh_autofree char *name = rh_safe_text(rh_value_get_str(u, "resource", "?"));
    rh_autofree char *file = rh_safe_text(rh_value_get_str(place, "file", ""));
    rh_autofree char *provider = rh_safe_text(rh_value_get_str(u, "batch", ""));
    rh_autofree char *action = rh_safe_text(rh_value_get_str(u, "action", ""));
    rh_autofree char *time = rh_replay_time(u);

    if (!u)
        return;
    (void)printf("%s%s", name, *file ? "  " : "");
    if (*file && rh_value_is(line, RH_INTEGER))
        (void)printf("%s:%lld", file, (long long)line->u.integer);
    (void)printf("%s%s\n  %s: ", *time ? "  " : "", time,
                 j->goes_on ? "under way" : "under way when the run was cut off");
    if (rh_value_get(u, "guard"))
        (void)puts("its guards were asked");
    else if (rh_value_get(u, "compare_only"))
        (void)puts("it was only compared");
    else if (rh_value_get(u, "single"))
        (void)printf("%s, by provider '%s'\n", action, provider);
    else
        (void)printf("provider '%s' was applying it and the entries after it; those that are not listed "
                     "above may be applied or not\n",
                     provider);
}

static struct rh_run_end
end_of(const struct rh_run_journal *j)
{
    const struct rh_value *seconds = rh_value_get(j->end, "seconds"), *status = rh_value_get(j->end, "exit");

    return (struct rh_run_end){
        .run = j->run,
        .counts = j->counts,
        .seconds = rh_value_is(seconds, RH_FLOAT)     ? seconds->u.real
                   : rh_value_is(seconds, RH_INTEGER) ? (double)seconds->u.integer
                                                      : 0,
        .exit = rh_value_is(status, RH_INTEGER) ? (int)status->u.integer : 0,
        .ended = (time_t)rh_replay_seconds(j->end),
        .unended = !j->end,
        .interrupted = rh_value_get_str(j->end, "interrupted", NULL),
    };
}

/* In one of the formats that a run is reported in while it goes on. */
static int
print_report(const struct rh_run_journal *j, enum rh_report_kind kind)
{
    struct rh_sources sources = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    struct rh_report_writer *w =
        rh_report_new(&(struct rh_report_options){ .kind = kind, .sources = &sources }, &err);
    const struct rh_reporter reporter = rh_report_reporter(w);
    rh_autofree char *started = rh_safe_text(rh_value_get_str(j->begin, "started", ""));
    const struct rh_run_end end = end_of(j);
    int status = RH_EXIT_OK;

    reporter.time(reporter.data, rh_replay_seconds(j->begin));
    reporter.begin(reporter.data, &(struct rh_run_begin){
                                      .run = j->run, .started = started }); /* a dry run has no journal */
    rh_replay(j, &sources, &reporter);
    if (j->end)
        reporter.time(reporter.data, rh_replay_seconds(j->end));
    reporter.end(reporter.data, &end);
    if (rh_report_close(w, &err) < 0) {
        rh_log_error(RH_ERR, &err);
        status = RH_EXIT_FAILED;
    }
    rh_sources_clear(&sources);
    return status;
}

static void
print_text(const struct rh_run_journal *j, const struct rh_settings *o, const char *confirmation)
{
    struct rh_sources sources = { 0 };
    struct rh_report_text *text = rh_report_text_new(&(struct rh_report_text_options){
        .sources = &sources,
        .fd = STDOUT_FILENO,
        .colour = rh_session_colour(o, STDOUT_FILENO),
        .diff = o->diff,
        .verbose = true,
        .quiet = o->quiet,
        .replayed = true,
    });
    const struct rh_reporter reporter = rh_report_text_reporter(text);
    const struct rh_run_end end = end_of(j);

    if (!o->quiet)
        print_head(j, confirmation);
    (void)fflush(stdout);
    rh_replay(j, &sources, &reporter);
    rh_report_text_flush(text);
    print_under_way(j);
    if (j->under_way && !rh_value_count(j->lines))
        (void)putchar('\n'); /* the report has one when it has said something */
    (void)fflush(stdout);
    reporter.end(reporter.data, &end);
    rh_report_text_free(text);
    rh_sources_clear(&sources);
}

static void
add_json(struct rh_buf *b, const struct rh_run_journal *j, const char *confirmation)
{
    size_t n = rh_value_count(j->lines);

    rh_buf_addc(b, '{');
    rh_json_text(b, "run", j->run);
    if (rh_value_get(j->begin, "host"))
        rh_json_value(b, "host", rh_value_get(j->begin, "host"));
    if (rh_value_get(j->begin, "run_seq"))
        rh_json_value(b, "seq", rh_value_get(j->begin, "run_seq"));
    if (rh_value_get(j->begin, "revision"))
        rh_json_value(b, "revision", rh_value_get(j->begin, "revision"));
    rh_json_value(b, "rhost", rh_value_get(j->begin, "rhost"));
    rh_json_value(b, "started", rh_value_get(j->begin, "started"));
    rh_json_value(b, "pid", rh_value_get(j->begin, "pid"));
    if (rh_value_get(j->begin, "plan")) {
        rh_json_value(b, "plan", rh_value_get(j->begin, "plan"));
        rh_json_value(b, "plan_digest", rh_value_get(j->begin, "plan_digest"));
    }
    if (rh_value_get(j->begin, "undoes"))
        rh_json_value(b, "undoes", rh_value_get(j->begin, "undoes"));
    if (confirmation)
        rh_json_text(b, "confirmation", confirmation);
    rh_buf_add(b, ",\n \"events\": [");
    for (size_t i = 0; i < n; i++) {
        rh_buf_add(b, i ? ",\n  " : "\n  ");
        rh_value_to_json(b, rh_value_at(j->lines, i), false);
    }
    rh_buf_add(b, n ? "\n ]" : "]");
    rh_json_boolean(b, "ended", j->end);
    rh_json_value(b, "exit", rh_value_get(j->end, "exit"));
    rh_json_value(b, "seconds", rh_value_get(j->end, "seconds"));
    rh_counts_to_json(b, &j->counts);
    rh_json_value(b, "current", j->under_way);
    rh_json_value(b, "problems", j->problems);
    rh_buf_add(b, "}\n");
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autofree char *state_dir = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names = { 0 };
    struct rh_run_journal j;
    const char *name = NULL;
    int rc = -1, status = RH_EXIT_OK;

    if (argc != 1)
        return rh_usage_error(&rh_command_show,
                              argc ? "expected one RUN or PLAN" : "no RUN given; 'last' is the last one");
    if (rh_plan_is(argv[0])) {
        if (settings->format == RH_FORMAT_JUNIT || settings->format == RH_FORMAT_PROMETHEUS
            || settings->format == RH_FORMAT_OTLP)
            return rh_usage_error(&rh_command_show, "this format is for runs, and '%s' is a plan", argv[0]);
        return rh_plan_show(settings, argv[0]);
    }
    if (settings->format == RH_FORMAT_MARKDOWN)
        return rh_usage_error(&rh_command_show, "--format=markdown is for plans, and '%s' is none", argv[0]);
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir)
        return RH_EXIT_REFUSED;
    if (rh_run_names_read(state_dir, &names, &err) == 0)
        name = rh_run_names_find(&names, argv[0], &err);
    if (name)
        rc = rh_run_journal_read(state_dir, name, &j, &err);
    rh_run_names_clear(&names);
    if (rc < 0) {
        rh_log_error(RH_ERR, &err);
        return RH_EXIT_REFUSED;
    }
    if (settings->format == RH_FORMAT_TEXT) {
        print_text(&j, settings, confirmation_of(state_dir, &j));
    } else if (settings->format == RH_FORMAT_JSON || settings->format == RH_FORMAT_HTML) {
        rh_autobuf struct rh_buf json = { 0 };

        add_json(&json, &j, confirmation_of(state_dir, &j));
        rh_print_json(settings->format, &json);
    } else {
        status = print_report(&j, settings->format == RH_FORMAT_JUNIT        ? RH_REPORT_JUNIT
                                  : settings->format == RH_FORMAT_PROMETHEUS ? RH_REPORT_PROMETHEUS
                                                                             : RH_REPORT_OTLP);
    }
    for (size_t i = 0; i < rh_value_count(j.problems); i++)
        rh_log(RH_WARNING, "%s", rh_value_at(j.problems, i)->u.string);
    rh_run_journal_clear(&j);
    return status;
}

const struct rh_command rh_command_show = {
    .name = "show",
    .arguments = "RUN | PLAN",
    .summary = "show what an earlier run did, or a plan",
    .text =
        "RUN is the name of a run, as 'rhost runs' lists it, or its beginning; 'last' is the last one.\n"
        "Shows what was changed, failed and was skipped, in that order, each with its time (UTC), and\n"
        "the resource at which an interrupted run stopped. --format=html makes one page that needs no\n"
        "other file and no network: 'rhost show --format=html last >run.html'. --format=junit, prometheus\n"
        "and otlp are the formats that 'rhost apply' has with --report-junit and so on.\n"
        "A PLAN is a file of 'rhost plan': shows what applying it would change; --format=markdown is for\n"
        "a review.",
    .options = RH_OPT_COMMON | RH_OPT_SHOW | RH_OPT_DIFF,
    .run = run,
};
