/* SPDX-License-Identifier: Apache-2.0 */
/* report-text - a run as people read it. */
#include "config.h"

#include "run/report-parts.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/standard.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "provider/log-record.h"
#include "run/change.h"
#include "run/event-json.h"

#include <stdlib.h>
#include <string.h>

enum { FLUSH_AT = 4096 };

static const char bold[] = "\033[1m", red[] = "\033[31m", green[] = "\033[32m";
static const char yellow[] = "\033[33m", dim[] = "\033[2m", plain[] = "\033[0m";

struct rh_report_text {
    struct rh_report_text_options o;
    struct rh_buf out;
    bool noop;
    bool journal;    /* it is written to the system's journal, where lines have a priority */
    bool has_output; /* about something beside unchanged resources */
};

static const char *
paint(const struct rh_report_text *r, const char *colour)
{
    return r->o.colour ? colour : "";
}

static void
flush(struct rh_report_text *r)
{
    /* Where it can't be written, the machine is brought to its state all the same. */
    rh_standard_write(r->o.fd, rh_buf_text(&r->out), r->out.n);
    rh_buf_truncate(&r->out, 0);
}

/* Gives the lines that were added since `start` their priority in the journal. */
static void
prioritize(struct rh_report_text *r, size_t start, enum rh_level level)
{
    rh_autofree char *lines = r->journal && r->out.n > start ? rh_xstrdup(r->out.s + start) : NULL;
    size_t n;

    if (!lines)
        return;
    rh_buf_truncate(&r->out, start);
    for (const char *at = lines; *at; at += n) {
        n = strcspn(at, "\n");
        n += at[n] == '\n';
        rh_buf_add(&r->out, rh_level_prefix(level));
        rh_buf_addn(&r->out, at, n);
    }
}

/* "  refreshed: restart, notified by file[/etc/nginx.conf]" */
static void
add_notified(struct rh_report_text *r, const struct rh_event *event, const char *word)
{
    rh_buf_addf(&r->out, "  %s: %s, notified by ", word, event->action);
    rh_buf_add_safe(&r->out, event->by, strlen(event->by), false);
    if (event->since)
        rh_buf_addf(&r->out, " in run %s", event->since);
    rh_buf_addc(&r->out, '\n');
}

static void
add_reason(struct rh_report_text *r, const struct rh_event *event, const char *word)
{
    rh_autofree char *reason = rh_event_reason(event);
    const char *line = reason ? reason : "no reason given";
    unsigned code = event->outcome->status == RH_FAILED ? rh_event_code(event) : 0;

    if (code == rh_provider_words_code()) /* where it is always the same, it is in the way */
        code = 0;
    rh_buf_addf(&r->out, "  %s: ", word);
    for (;;) {
        size_t n = strcspn(line, "\n");

        rh_buf_add_message(&r->out, line, n);
        rh_message_add_code(&r->out, code, r->o.colour);
        code = 0;
        rh_buf_addc(&r->out, '\n');
        if (!line[n])
            break;
        line += n + 1;
        rh_buf_add(&r->out, "    ");
    }
}

/* The line of the manifest that has the attribute at fault, as validation shows it. */
static void
add_fault(struct rh_report_text *r, const struct rh_event *event)
{
    struct rh_place at = rh_event_fault(event);
    struct rh_place place = event->resource->place;

    if (!event->quoted)
        return;
    if (at.file != place.file) {
        rh_autofree char *where = rh_place_text(r->o.sources, at, true);

        rh_buf_addf(&r->out, "    %s\n", where);
    }
    rh_sources_add_quote(r->o.sources, at, &r->out, r->o.colour);
}

static void
add_findings(struct rh_report_text *r, const struct rh_event *event)
{
    for (size_t i = 0; i < event->n_findings; i++) {
        const struct rh_difference *f = &event->findings[i];

        if (!f->since && !r->o.verbose)
            continue;
        rh_buf_addf(&r->out, "  audit: %s %s ", f->attribute, f->since ? "changed from" : "is");
        if (f->since) {
            rh_report_value(&r->out, f->from);
            rh_buf_add(&r->out, " to ");
        }
        rh_report_value(&r->out, f->to);
        if (f->since)
            rh_buf_addf(&r->out, " since %s\n", f->since);
        else
            rh_buf_add(&r->out, ", recorded\n");
    }
}

/* A failure is always told; a change at the level that the resource asks for. */
static bool
is_shown(const struct rh_report_text *r, const struct rh_event *event)
{
    enum rh_status status = event->outcome->status;
    enum rh_level level = rh_resource_level(event->resource);

    if (status == RH_FAILED || status == RH_SKIPPED)
        return true;
    if ((status == RH_UNCHANGED && !rh_findings_any_change(event->findings, event->n_findings))
        || status == RH_EXCLUDED)
        return r->o.verbose && !r->o.quiet;
    return rh_log_enabled(level) && (!r->o.quiet || level >= RH_WARNING);
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct rh_report_text *r = data;
    const struct rh_outcome *o = event->outcome;
    rh_autofree char *name = NULL, *place = NULL;
    size_t start = r->out.n;
    const char *colour;

    if (!is_shown(r, event))
        return;
    r->has_output |= o->status != RH_UNCHANGED;
    name = rh_resource_text(event->resource);
    place = rh_place_text(r->o.sources, event->resource->place, false);
    colour = o->status == RH_FAILED ? red : o->status == RH_SKIPPED ? yellow : green;
    if (o->status == RH_UNCHANGED || o->status == RH_EXCLUDED)
        colour = dim;
    rh_buf_addf(&r->out, "%s%s%s%s%s%s%s%s", paint(r, colour),
                o->status == RH_UNCHANGED ? "" : paint(r, bold), name, paint(r, plain), *place ? "  " : "",
                paint(r, dim), place, paint(r, plain));
    if (r->o.causes && event->cause == RH_CAUSE_MANIFEST)
        rh_buf_add(&r->out, "  manifest changed");
    if (r->o.verbose && event->cause == RH_CAUSE_DRIFT)
        rh_buf_addf(&r->out, "  %sdrift%s", paint(r, yellow), paint(r, plain));
    if (event->when && *event->when)
        rh_buf_addf(&r->out, "  %s%s%s", paint(r, dim), event->when, paint(r, plain));
    switch (o->status) {
    case RH_UNCHANGED:
        if (o->guarded)
            add_reason(r, event, "not applied");
        else
            rh_buf_add(&r->out, "  unchanged\n");
        break;
    case RH_STATUS_UNKNOWN:
        rh_buf_addc(&r->out, '\n');
        if (o->reason || !o->n_differences)
            add_reason(r, event, "unknown");
        rh_report_differences(&r->out, &r->o, r->noop, event);
        break;
    case RH_EXCLUDED:
        rh_buf_addf(&r->out, "  %s\n", o->reason);
        break;
    case RH_WOULD_CHANGE:
        if (o->reason)
            add_reason(r, event, "would change");
        else
            rh_buf_add(&r->out, "  would change\n");
        rh_report_differences(&r->out, &r->o, r->noop, event);
        if (event->purged_by)
            rh_buf_add(&r->out, "  would be purged: no manifest has it\n");
        break;
    case RH_REFRESHED:
    case RH_WOULD_REFRESH:
        rh_buf_addc(&r->out, '\n');
        add_notified(r, event, o->status == RH_REFRESHED ? "refreshed" : "would refresh");
        rh_report_differences(&r->out, &r->o, r->noop, event);
        break;
    case RH_FAILED:
        rh_buf_addc(&r->out, '\n');
        add_reason(r, event, event->ignored ? "failed, which is ignored" : "failed");
        add_fault(r, event);
        break;
    case RH_SKIPPED:
        rh_buf_addc(&r->out, '\n');
        add_reason(r, event, "skipped");
        break;
    default:
        rh_buf_addc(&r->out, '\n');
        if (o->reason && !event->purged_by)
            add_reason(r, event, "changed");
        rh_report_differences(&r->out, &r->o, r->noop, event);
        if (event->purged_by)
            rh_buf_add(&r->out, "  purged: no manifest has it\n");
    }
    add_findings(r, event);
    prioritize(r, start,
               o->status == RH_FAILED && !event->ignored ? RH_ERR
               : o->status == RH_SKIPPED                 ? RH_WARNING
                                                         : RH_INFO);
    if (r->out.n > FLUSH_AT)
        flush(r);
}

static void
on_begin(void *data, const struct rh_run_begin *begin)
{
    ((struct rh_report_text *)data)->noop = begin->noop;
}

/* What was said comes between the resources that it was said about. */
static void
on_log(void *data, const struct rh_log_record *record)
{
    struct rh_report_text *r = data;
    enum rh_level level = record->level;

    if (r->o.replayed) {
        rh_autobuf struct rh_buf text = { 0 };

        r->has_output = true;
        rh_log_record_add_text(&text, record);
        rh_buf_addf(&r->out, "%s: ", rh_level_name(level));
        rh_buf_add_safe(&r->out, rh_buf_text(&text), text.n, false);
        rh_message_add_code(&r->out, level >= RH_WARNING ? record->code : 0, r->o.colour);
        rh_buf_addc(&r->out, '\n');
        return;
    }
    if (record->repeated || r->o.no_log)
        return;
    if (record->generated && level == RH_ERR && !rh_log_enabled(RH_DEBUG))
        return; /* the failure itself is reported, with the same words */
    if (record->generated && level == RH_NOTICE && !rh_log_enabled(RH_INFO))
        return; /* and so is the change */
    if (!rh_log_enabled(level) || (r->o.quiet && level < RH_WARNING))
        return;
    flush(r);
    rh_log_record_print(NULL, record);
}

/* What was printed so far is seen while the run waits. */
static void
on_wait(void *data, const struct rh_hand *hand)
{
    struct rh_report_text *r = data;

    (void)hand;
    if (r->out.n)
        flush(r);
}

static void
add_count(struct rh_report_text *r, size_t n, const char *what, bool *any)
{
    if (!n)
        return;
    rh_buf_addf(&r->out, "%s%zu %s", *any ? ", " : "", n, what);
    *any = true;
}

/* Not to be missed, even with --quiet: what was done goes away again. */
static void
print_confirm(struct rh_report_text *r, const struct rh_run_end *end)
{
    if (end->confirm_within)
        rh_buf_addf(&r->out,
                    "run %s is applied; 'rhost confirm' within %u s keeps it, otherwise it is rolled back\n",
                    end->run, end->confirm_within);
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    struct rh_report_text *r = data;
    const size_t *by_status = end->counts.by_status;
    size_t start;
    bool any = false;

    if (r->o.quiet) {
        print_confirm(r, end);
        flush(r);
        return;
    }
    if (r->has_output && !r->journal)
        rh_buf_addc(&r->out, '\n');
    start = r->out.n;
    if (end->unended)
        rh_buf_add(&r->out, "until then: ");
    else
        rh_buf_addf(&r->out, "%zu resource%s: ", end->counts.total, end->counts.total == 1 ? "" : "s");
    add_count(r, by_status[RH_UNCHANGED], "ok", &any);
    add_count(r, by_status[RH_CHANGED], "changed", &any);
    add_count(r, by_status[RH_WOULD_CHANGE], "would change", &any);
    add_count(r, by_status[RH_REFRESHED], "refreshed", &any);
    add_count(r, by_status[RH_WOULD_REFRESH], "would be refreshed", &any);
    add_count(r, by_status[RH_FAILED] - end->counts.refresh_failed, "failed", &any);
    add_count(r, end->counts.ignored, "failed and ignored", &any);
    add_count(r, by_status[RH_SKIPPED] - end->counts.refresh_skipped, "skipped", &any);
    add_count(r, by_status[RH_STATUS_UNKNOWN], "unknown", &any);
    add_count(r, end->counts.refresh_failed, "failed to refresh", &any);
    add_count(r, end->counts.refresh_skipped, "not refreshed", &any);
    add_count(r, end->counts.audited, "not as recorded", &any);
    add_count(r, by_status[RH_EXCLUDED], "excluded", &any);
    add_count(r, end->counts.not_reached, "not reached", &any);
    if (end->unended)
        rh_buf_add(&r->out, any ? "" : "nothing that is known of");
    else
        rh_buf_addf(&r->out, "%s %s %.2f s", any ? "" : "nothing to do", rh_sign_dot(), end->seconds);
    if (end->interrupted)
        rh_buf_addf(&r->out, " %s interrupted", rh_sign_dot());
    if (!end->unended && r->noop)
        rh_buf_addf(&r->out, " %s noop: nothing was changed", rh_sign_dot());
    rh_buf_addc(&r->out, '\n');
    prioritize(r, start, end->exit & 4 && end->exit < 128 ? RH_ERR : end->exit ? RH_WARNING : RH_INFO);
    start = r->out.n;
    print_confirm(r, end);
    prioritize(r, start, RH_WARNING);
    flush(r);
}

struct rh_report_text *
rh_report_text_new(const struct rh_report_text_options *options)
{
    struct rh_report_text *r = rh_xalloc(sizeof *r);

    r->o = *options;
    r->journal = !options->replayed && rh_log_is_journal(options->fd);
    return r;
}

void
rh_report_text_flush(struct rh_report_text *r)
{
    flush(r);
}

void
rh_report_text_free(struct rh_report_text *r)
{
    if (!r)
        return;
    rh_buf_clear(&r->out);
    free(r);
}

struct rh_reporter
rh_report_text_reporter(struct rh_report_text *r)
{
    return (struct rh_reporter){
        .data = r,
        .begin = on_begin,
        .event = on_event,
        .log = on_log,
        .wait = on_wait,
        .end = on_end,
    };
}
