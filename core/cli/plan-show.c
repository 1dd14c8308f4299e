/* SPDX-License-Identifier: Apache-2.0 */
/* plan-show - rhost show PLAN: a plan as text, JSON, Markdown, or a page for browsers. */
#include "config.h"

#include "cli/plan.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/print-value.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "run/journal-read.h"
#include "run/plan.h"
#include "run/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "cannot be undone: exec[build], exec[migrate]" */
static void
print_irreversible(const struct rh_plan *plan)
{
    const struct rh_value *all = rh_value_get(plan->v, "resources");
    rh_autobuf struct rh_buf names = { 0 };

    for (size_t i = 0; i < rh_value_count(all); i++) {
        const struct rh_value *r = rh_value_at(all, i);
        rh_autofree char *name =
            rh_printf("%s[%s]", rh_value_get_str(r, "type", "?"), rh_value_get_str(r, "title", "?"));

        if (!rh_value_get(r, "irreversible"))
            continue;
        rh_buf_add(&names, names.n ? ", " : "");
        rh_buf_add_safe(&names, name, strlen(name), false);
    }
    if (names.n)
        (void)printf("cannot be undone: %s\n", rh_buf_text(&names));
}

static void
print_text(const struct rh_plan *plan, const struct rh_settings *o)
{
    struct rh_sources sources = { 0 };
    struct rh_report_text *text = rh_report_text_new(&(struct rh_report_text_options){
        .sources = &sources,
        .fd = STDOUT_FILENO,
        .colour = rh_session_colour(o, STDOUT_FILENO),
        .diff = o->diff,
        .verbose = o->verbose > 0,
        .quiet = o->quiet,
        .replayed = true,
    });
    const struct rh_reporter reporter = rh_report_text_reporter(text);
    rh_autofree char *created = rh_safe_text(rh_value_get_str(plan->v, "created", "?"));
    rh_autofree char *version = rh_safe_text(rh_value_get_str(plan->v, "rhost", "?"));
    rh_autofree char *machine = rh_safe_text(rh_value_get_str(rh_value_get(plan->v, "machine"), "name", "?"));
    rh_autobuf struct rh_buf counts = { 0 };

    (void)printf("plan for %s, made %s by rhost %s, digest %.16s\n\n", machine, created, version,
                 rh_plan_digest_of(plan));
    (void)fflush(stdout);
    reporter.begin(reporter.data, &(struct rh_run_begin){ .run = "", .started = "", .noop = true });
    rh_replay_lines(rh_value_get(plan->v, "resources"), &sources, &reporter);
    rh_report_text_flush(text);
    rh_plan_add_counts(plan, &counts);
    (void)printf("\n%s\n", rh_buf_text(&counts));
    print_irreversible(plan);
    rh_report_text_free(text);
    rh_sources_clear(&sources);
}

/* As a report of a dry run has it. */
static void
print_page(const struct rh_plan *plan, const char *path)
{
    rh_autobuf struct rh_buf json = { 0 };

    rh_buf_addc(&json, '{');
    rh_json_text(&json, "plan", path);
    rh_json_value(&json, "rhost", rh_value_get(plan->v, "rhost"));
    rh_json_value(&json, "started", rh_value_get(plan->v, "created"));
    rh_json_value(&json, "machine", rh_value_get(plan->v, "machine"));
    rh_json_value(&json, "resources", rh_value_get(plan->v, "resources"));
    rh_json_value(&json, "counts", rh_value_get(plan->v, "counts"));
    rh_buf_add(&json, "}\n");
    rh_print_json(RH_FORMAT_HTML, &json);
}

/* Who reviews a plan elsewhere has no key, and can't tell. */
static void
warn_of_changes(const struct rh_plan *plan, const struct rh_settings *o, const char *path)
{
    rh_autofree char *dir = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_plan_key key;

    if (!o->state_dir && geteuid() != 0 && !getenv("HOME"))
        return;
    dir = rh_session_safe_state_dir(o);
    if (dir && rh_plan_key_read(dir, &key, &err) == 0 && !rh_plan_is_genuine(plan, &key))
        rh_log(
            RH_WARNING,
            "the plan '%s' was changed after it was made, or was made elsewhere: it cannot be applied here",
            path);
}

int
rh_plan_show(const struct rh_settings *settings, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autobuf struct rh_buf page = { 0 };
    struct rh_plan plan;

    if (rh_plan_read(path, &plan, &err) < 0) {
        rh_refuse_error(NULL, &err);
        return RH_EXIT_REFUSED;
    }
    switch (settings->format) {
    case RH_FORMAT_JSON:
        (void)fwrite(plan.text, 1, plan.n, stdout);
        break;
    case RH_FORMAT_MARKDOWN:
        rh_plan_markdown(&plan, &page);
        (void)fwrite(rh_buf_text(&page), 1, page.n, stdout);
        break;
    case RH_FORMAT_HTML:
        print_page(&plan, path);
        break;
    default:
        print_text(&plan, settings);
    }
    warn_of_changes(&plan, settings, path);
    rh_plan_clear(&plan);
    return RH_EXIT_OK;
}
