/* SPDX-License-Identifier: Apache-2.0 */
/* report-junit - a run as a JUnit report, which systems of continuous integration read: each resource is a
 * test case of its type. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"
#include "run/event-json.h"
#include "run/event.h"
#include "run/report-format.h"
#include "run/report-parts.h"
#include "run/transaction-parts.h"

#include <string.h>
#include <unistd.h>

enum { CASES };             /* parts: the cases, which stand behind how many there are */
enum { FAILURES, SKIPPED }; /* counts */

/* ` name="value"` */
static void
add_attribute(struct rh_buf *b, const char *name, const char *value)
{
    rh_buf_addf(b, " %s=\"", name);
    rh_buf_add_markup(b, value, strlen(value), false);
    rh_buf_addc(b, '"');
}

static void
add_text(struct rh_buf *b, const char *text)
{
    rh_buf_add_markup(b, text, strlen(text), true);
}

/* `<failure message="..." type="RH5900">the same, with the lines of the manifest</failure>` */
static void
add_failure(struct rh_report *r, const struct rh_event *event, const char *reason)
{
    struct rh_buf *b = &r->parts[CASES];
    rh_autobuf struct rh_buf quote = { 0 };
    char code[RH_CODE_NAME] = "failed";

    if (rh_event_code(event))
        (void)rh_message_code_name(rh_event_code(event), code);
    rh_report_add_quote(r, event, &quote);
    r->count[FAILURES]++;
    rh_buf_add(b, "      <failure");
    add_attribute(b, "message", reason);
    add_attribute(b, "type", code);
    rh_buf_addc(b, '>');
    add_text(b, reason);
    if (quote.n) {
        rh_buf_addc(b, '\n');
        add_text(b, rh_buf_text(&quote));
    }
    rh_buf_add(b, "</failure>\n");
}

static void
add_skipped(struct rh_report *r, const char *what, const char *reason)
{
    struct rh_buf *b = &r->parts[CASES];
    rh_autobuf struct rh_buf message = { 0 };

    rh_buf_addf(&message, "%s%s%s", what, *what && *reason ? ": " : "", reason);
    r->count[SKIPPED]++;
    rh_buf_add(b, "      <skipped");
    add_attribute(b, "message", rh_buf_text(&message));
    rh_buf_add(b, "/>\n");
}

/* What was done, and what was said. */
static void
add_output(struct rh_report *r, const struct rh_event *event, const char *log)
{
    const struct rh_report_text_options options = { .sources = r->sources, .verbose = true };
    rh_autobuf struct rh_buf text = { 0 };

    if (rh_is_change((uint8_t)event->outcome->status)) {
        rh_buf_add(&text, rh_status_name(event->outcome->status));
        rh_buf_add(&text, event->cause == RH_CAUSE_DRIFT ? ": drift\n" : "\n");
        rh_report_differences(&text, &options, r->noop, event);
    }
    rh_buf_add(&text, log);
    if (!text.n)
        return;
    rh_buf_add(&r->parts[CASES], "      <system-out>");
    add_text(&r->parts[CASES], rh_buf_text(&text));
    rh_buf_add(&r->parts[CASES], "</system-out>\n");
}

static void
add_event(struct rh_report *r, const struct rh_event *event, const char *log)
{
    struct rh_buf *b = &r->parts[CASES];
    const struct rh_resource *resource = event->resource;
    const char *file = rh_sources_name(r->sources, resource->place.file);
    rh_autofree char *own_reason = rh_event_reason(event);
    const char *reason = own_reason ? own_reason : "";
    rh_autobuf struct rh_buf name = { 0 };

    rh_buf_add(&name, resource->title);
    if (event->notified) /* it is a second case for the same resource */
        rh_buf_addf(&name, " (%s)", event->action);
    rh_buf_add(b, "    <testcase");
    add_attribute(b, "classname", resource->type->type);
    add_attribute(b, "name", rh_buf_text(&name));
    rh_buf_addf(b, " time=\"%.6f\"", event->outcome->seconds > 0 ? event->outcome->seconds : 0);
    if (file) {
        add_attribute(b, "file", file);
        rh_buf_addf(b, " line=\"%u\"", resource->place.line);
    }
    rh_buf_add(b, ">\n");
    if (event->outcome->status == RH_FAILED && event->ignored)
        add_skipped(r, "failed, which is ignored", reason);
    else if (event->outcome->status == RH_FAILED)
        add_failure(r, event, reason);
    else if (event->outcome->status == RH_STATUS_UNKNOWN)
        add_skipped(r, "unknown", reason);
    else if (event->outcome->status == RH_SKIPPED || event->outcome->status == RH_EXCLUDED)
        add_skipped(r, "", reason);
    add_output(r, event, log);
    rh_buf_add(b, "    </testcase>\n");
}

/* "warning: updating: the mode is odd", and a newline. */
static void
add_line(struct rh_report *r, struct rh_buf *to, const struct rh_log_record *record, bool resources)
{
    (void)r;
    rh_buf_addf(to, "%s: ", rh_level_name(record->level));
    if (resources) {
        rh_log_record_add_text(to, record);
    } else {
        if (record->label)
            rh_buf_addf(to, "%s: ", record->label);
        rh_buf_add(to, record->message);
    }
    rh_buf_addc(to, '\n');
}

/* The attributes that both the suite and all suites have. */
static void
add_counts(struct rh_report *r, const struct rh_run_end *end, size_t errors)
{
    size_t more = errors + (end->rollback && !end->rollback->exit);

    rh_buf_addf(&r->out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
                r->n + more, r->count[FAILURES], errors, r->count[SKIPPED], end->seconds);
}

static void
add_property(struct rh_buf *b, const char *name, const char *value)
{
    rh_buf_add(b, "      <property");
    add_attribute(b, "name", name);
    add_attribute(b, "value", value);
    rh_buf_add(b, "/>\n");
}

static void
add_properties(struct rh_report *r, const struct rh_run_end *end)
{
    rh_autobuf struct rh_buf exit = { 0 }, ok = { 0 };

    rh_buf_addf(&exit, "%d", end->exit);
    rh_buf_addf(&ok, "%zu", end->counts.by_status[RH_UNCHANGED]);
    rh_buf_add(&r->out, "    <properties>\n");
    add_property(&r->out, "rhost.version", PACKAGE_VERSION);
    add_property(&r->out, "rhost.run", r->run);
    add_property(&r->out, "rhost.noop", r->noop ? "true" : "false");
    add_property(&r->out, "rhost.exit", rh_buf_text(&exit));
    add_property(&r->out, "rhost.unchanged", rh_buf_text(&ok));
    rh_buf_add(&r->out, "    </properties>\n");
}

/* A run that did not come to its end is no success, whatever its resources were. */
static void
add_interruption(struct rh_report *r, const struct rh_run_end *end)
{
    rh_autobuf struct rh_buf why = { 0 };

    if (end->interrupted)
        rh_buf_addf(&why, "interrupted by %s; not reached: %zu", end->interrupted, end->counts.not_reached);
    else
        rh_buf_add(&why, "the run did not end");
    rh_buf_add(&r->out, "    <testcase classname=\"rhost\" name=\"run\" time=\"0\">\n      <error");
    add_attribute(&r->out, "message", rh_buf_text(&why));
    add_attribute(&r->out, "type", "interrupted");
    rh_buf_add(&r->out, "/>\n    </testcase>\n");
}

/* A case for each reason why the run did not begin. */
static void
add_refusal(struct rh_report *r, const struct rh_value *errors)
{
    for (size_t i = 0; i < rh_value_count(errors); i++) {
        const struct rh_value *e = rh_value_at(errors, i), *place = rh_value_get(e, "location");
        const struct rh_value *line = rh_value_get(place, "line");

        rh_buf_add(&r->out, "    <testcase classname=\"rhost\" name=\"run\" time=\"0\">\n      <error");
        add_attribute(&r->out, "message", rh_value_get_str(e, "message", ""));
        add_attribute(&r->out, "type", rh_value_get_str(e, "code", "refused"));
        rh_buf_addc(&r->out, '>');
        if (rh_value_is(line, RH_INTEGER)) {
            rh_autofree char *at =
                rh_printf("%s:%lld: ", rh_value_get_str(place, "file", ""), (long long)line->u.integer);

            add_text(&r->out, at);
        }
        add_text(&r->out, rh_value_get_str(e, "message", ""));
        rh_buf_add(&r->out, "</error>\n    </testcase>\n");
    }
}

/* The case of what was undone. */
static void
add_rollback(struct rh_report *r, const struct rh_rollback *rollback)
{
    rh_autofree char *text = rollback->exit ? rh_printf("run %s did not restore everything", rollback->run)
                                            : rh_printf("run %s restored the state before", rollback->run);

    rh_buf_add(&r->out, "    <testcase classname=\"rhost\" name=\"rollback\" time=\"0\">\n      ");
    rh_buf_add(&r->out, rollback->exit ? "<error" : "<system-out>");
    if (rollback->exit) {
        add_attribute(&r->out, "message", text);
        add_attribute(&r->out, "type", "rollback");
        rh_buf_add(&r->out, "/>\n");
    } else {
        add_text(&r->out, text);
        rh_buf_add(&r->out, "</system-out>\n");
    }
    rh_buf_add(&r->out, "    </testcase>\n");
}

static void
end_all(struct rh_report *r, const struct rh_run_end *end)
{
    char host[256] = "";
    bool cut_off = end->interrupted || end->unended;
    size_t errors = (size_t)cut_off + rh_value_count(end->errors) + (end->rollback && end->rollback->exit);
    rh_autofree char *started = NULL;

    if (gethostname(host, sizeof host - 1) < 0)
        host[0] = '\0';
    rh_buf_add(&r->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rhost\"");
    add_counts(r, end, errors);
    rh_buf_add(&r->out, ">\n  <testsuite name=\"rhost\"");
    add_counts(r, end, errors);
    /* Without a zone: the schema has none, and readers take it for UTC. */
    started = rh_xstrdup(r->started);
    started[strcspn(started, "Z")] = '\0';
    add_attribute(&r->out, "timestamp", started);
    add_attribute(&r->out, "hostname", host);
    rh_buf_add(&r->out, ">\n");
    add_properties(r, end);
    rh_buf_addn(&r->out, rh_buf_text(&r->parts[CASES]), r->parts[CASES].n);
    if (cut_off)
        add_interruption(r, end);
    if (end->errors)
        add_refusal(r, end->errors);
    if (end->rollback)
        add_rollback(r, end->rollback);
    if (r->log.n) {
        rh_buf_add(&r->out, "    <system-out>");
        add_text(&r->out, rh_buf_text(&r->log));
        rh_buf_add(&r->out, "</system-out>\n");
    }
    rh_buf_add(&r->out, "  </testsuite>\n</testsuites>\n");
}

const struct rh_report_format rh_report_as_junit = {
    .name = "junit",
    .mode = 0600,
    .between = "",
    .event = add_event,
    .line = add_line,
    .end = end_all,
};
