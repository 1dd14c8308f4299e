/* SPDX-License-Identifier: Apache-2.0 */
/* report-otlp - a run as a trace of OpenTelemetry, in the JSON form of its protocol (OTLP): a span for the
 * run, and below it one for each resource that was not in sync already, as in the journal. */
#include "config.h"

#include "base/cleanup.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"
#include "run/event-json.h"
#include "run/event.h"
#include "run/report-format.h"

#include <inttypes.h>
#include <rhost/sha256.h>
#include <string.h>
#include <unistd.h>

enum { SPANS }; /* parts: those of resources, which stand behind the run's */

enum { KIND_INTERNAL = 1, STATUS_ERROR = 2, TRACE_ID = 16, SPAN_ID = 8 };

static void
host_name(char name[256])
{
    name[0] = name[255] = '\0';
    if (gethostname(name, 255) < 0)
        name[0] = '\0';
}

/* Made from the run, so that it is the same whenever it is reported. `span` 0: the trace's. */
static void
add_id(struct rh_buf *b, const char *key, const struct rh_report *r, size_t span, int bytes)
{
    struct rhost_sha256 sum;
    char host[256], hex[65];

    host_name(host);
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, r->run, strlen(r->run) + 1);
    rhost_sha256_add(&sum, host, strlen(host) + 1);
    rhost_sha256_add(&sum, &span, sizeof span);
    rhost_sha256_hex(&sum, hex);
    rh_json_key(b, key);
    rh_buf_addf(b, "\"%.*s\"", 2 * bytes, hex);
}

/* 64-bit numbers are texts in this form of the protocol. They end in the year 2554; a journal may say
 * anything. */
static void
add_time(struct rh_buf *b, const char *key, double seconds)
{
    rh_json_key(b, key);
    rh_buf_addf(b, "\"%" PRIu64 "\"", seconds > 0 && seconds < 1.8e10 ? (uint64_t)(seconds * 1e9) : 0);
}

static void
begin_list(struct rh_buf *b, const char *key)
{
    rh_json_key(b, key);
    rh_buf_addc(b, '[');
}

/* Attributes, as {"key": ..., "value": {...}}. */

static void
begin_attribute(struct rh_buf *b, const char *key, const char *kind)
{
    rh_json_element(b);
    rh_buf_addf(b, "{\"key\": \"%s\", \"value\": {\"%s\": ", key, kind);
}

static void
add_textn(struct rh_buf *b, const char *key, const char *text, size_t n)
{
    begin_attribute(b, key, "stringValue");
    rh_json_string(b, text, n);
    rh_buf_add(b, "}}");
}

static void
add_text(struct rh_buf *b, const char *key, const char *text)
{
    if (text)
        add_textn(b, key, text, strlen(text));
}

static void
add_number(struct rh_buf *b, const char *key, int64_t number)
{
    begin_attribute(b, key, "intValue");
    rh_buf_addf(b, "\"%" PRId64 "\"}}", number);
}

static void
add_boolean(struct rh_buf *b, const char *key, bool yes)
{
    begin_attribute(b, key, "boolValue");
    rh_buf_add(b, yes ? "true}}" : "false}}");
}

/* A text as it is, all else as JSON; without what is sensitive. */
static void
add_value(struct rh_buf *b, const char *key, const struct rh_value *v)
{
    rh_autobuf struct rh_buf text = { 0 };

    if (!v)
        return;
    if (rh_value_is(v, RH_STRING) && !rh_value_sensitive(v)) {
        add_textn(b, key, v->u.string, v->count);
        return;
    }
    rh_value_to_json(&text, v, false);
    add_textn(b, key, rh_buf_text(&text), text.n);
}

static void
add_code(struct rh_buf *b, unsigned code)
{
    char name[RH_CODE_NAME];

    if (code)
        add_text(b, "rhost.code", rh_message_code_name(code, name));
}

/* Events of a span. */

static void
begin_span_event(struct rh_buf *b, const char *name, double when)
{
    rh_buf_addc(b, '{');
    add_time(b, "timeUnixNano", when);
    rh_json_text(b, "name", name);
    begin_list(b, "attributes");
}

static void
add_changes(struct rh_report *r, struct rh_buf *b, const struct rh_outcome *o)
{
    for (size_t i = 0; i < o->n_differences; i++) {
        const struct rh_difference *d = &o->differences[i];

        rh_json_element(b);
        begin_span_event(b, "change", r->now);
        add_text(b, "rhost.attribute", d->attribute);
        add_value(b, "rhost.from", d->from);
        add_value(b, "rhost.to", d->to);
        add_text(b, "rhost.message", d->message);
        rh_buf_add(b, "]}");
    }
}

static void
add_line(struct rh_report *r, struct rh_buf *to, const struct rh_log_record *record, bool resources)
{
    rh_autobuf struct rh_buf about = { 0 };

    begin_span_event(to, "log", r->now);
    add_text(to, "rhost.level", rh_level_name(record->level));
    add_text(to, "rhost.label", record->label);
    add_text(to, "rhost.message", record->message);
    add_code(to, record->code);
    for (size_t i = 0; resources && i < record->n; i++) {
        rh_buf_addf(&about, "%s%s[", i ? ", " : "", record->type);
        rh_buf_add_safe(&about, record->about[i].title, strlen(record->about[i].title), false);
        rh_buf_addc(&about, ']');
    }
    if (about.n)
        add_text(to, "rhost.resources", rh_buf_text(&about));
    rh_buf_add(to, "]}");
}

static void
add_errors(struct rh_report *r, const struct rh_value *errors)
{
    for (size_t i = 0; i < rh_value_count(errors); i++) {
        const struct rh_value *e = rh_value_at(errors, i);

        rh_json_element(&r->out);
        begin_span_event(&r->out, "error", r->now);
        add_text(&r->out, "rhost.message", rh_value_get_str(e, "message", NULL));
        add_text(&r->out, "rhost.code", rh_value_get_str(e, "code", NULL));
        add_text(&r->out, "rhost.hint", rh_value_get_str(e, "hint", NULL));
        add_value(&r->out, "rhost.location", rh_value_get(e, "location"));
        rh_buf_add(&r->out, "]}");
    }
}

/* Spans. */

static void
begin_span(struct rh_report *r, struct rh_buf *b, size_t number, const char *name, double from, double to)
{
    rh_json_element(b);
    rh_buf_addc(b, '{');
    add_id(b, "traceId", r, 0, TRACE_ID);
    add_id(b, "spanId", r, number, SPAN_ID);
    if (number > 1)
        add_id(b, "parentSpanId", r, 1, SPAN_ID);
    rh_json_text(b, "name", name);
    rh_json_number(b, "kind", KIND_INTERNAL);
    add_time(b, "startTimeUnixNano", from < to ? from : to);
    add_time(b, "endTimeUnixNano", to);
    begin_list(b, "attributes");
}

static void
end_span(struct rh_buf *b, bool failed, const char *reason)
{
    rh_json_key(b, "status");
    rh_buf_addc(b, '{');
    if (failed) {
        rh_json_number(b, "code", STATUS_ERROR);
        rh_json_text(b, "message", reason ? reason : "");
    }
    rh_buf_add(b, "}}");
}

static void
add_event(struct rh_report *r, const struct rh_event *event, const char *log)
{
    struct rh_buf *b = &r->parts[SPANS];
    const struct rh_outcome *o = event->outcome;
    rh_autofree char *name = NULL, *place = NULL, *reason = NULL;

    if (o->status == RH_EXCLUDED || (o->status == RH_UNCHANGED && !o->guarded && !*log))
        return;
    name = rh_resource_text(event->resource);
    place = rh_place_text(r->sources, event->resource->place, true);
    reason = rh_event_reason(event);
    begin_span(r, b, r->n + 2, name, r->now - o->seconds, r->now);
    add_text(b, "rhost.type", event->resource->type->type);
    add_text(b, "rhost.title", event->resource->title);
    add_text(b, "rhost.provider", event->resource->type->provider);
    add_text(b, "rhost.action", event->action);
    add_text(b, "rhost.status", rh_status_name(o->status));
    add_text(b, "rhost.cause", rh_cause_name(event->cause));
    add_text(b, "rhost.location", *place ? place : NULL);
    add_text(b, "rhost.reason", reason);
    add_code(b, rh_event_code(event));
    if (event->ignored)
        add_boolean(b, "rhost.ignored", true);
    if (event->notified)
        add_text(b, "rhost.notified_by", event->by);
    rh_buf_addc(b, ']');
    begin_list(b, "events");
    add_changes(r, b, o);
    if (*log) {
        rh_json_element(b);
        rh_buf_add(b, log);
    }
    rh_buf_addc(b, ']');
    end_span(b, o->status == RH_FAILED && !event->ignored, reason);
}

static void
add_run(struct rh_report *r, const struct rh_run_end *end)
{
    struct rh_buf *b = &r->out;
    bool failed = end->interrupted || end->unended || end->exit & ~2;

    begin_span(r, b, 1, "rhost run", r->begin, r->now);
    add_text(b, "rhost.run", r->run);
    add_boolean(b, "rhost.noop", r->noop);
    add_number(b, "rhost.exit", end->exit);
    add_text(b, "rhost.interrupted", end->interrupted);
    if (end->rollback) {
        add_text(b, "rhost.rollback.run", end->rollback->run);
        add_number(b, "rhost.rollback.exit", end->rollback->exit);
    }
    for (int i = 0; i < RH_STATUSES; i++) {
        rh_autobuf struct rh_buf key = { 0 };

        rh_buf_addf(&key, "rhost.resources.%s", rh_status_name((enum rh_status)i));
        add_number(b, rh_buf_text(&key), (int64_t)end->counts.by_status[i]);
    }
    rh_buf_addc(b, ']');
    begin_list(b, "events");
    rh_buf_add(b, rh_buf_text(&r->log));
    add_errors(r, end->errors);
    rh_buf_addc(b, ']');
    end_span(b, failed,
             end->errors        ? "refused"
             : end->interrupted ? "interrupted"
             : end->unended     ? "did not end"
                                : "something failed");
}

static void
end_all(struct rh_report *r, const struct rh_run_end *end)
{
    struct rh_buf *b = &r->out;
    char host[256];

    host_name(host);
    rh_buf_add(b, "{\"resourceSpans\": [{\"resource\": {\"attributes\": [");
    add_text(b, "service.name", "rhost");
    add_text(b, "service.version", PACKAGE_VERSION);
    add_text(b, "host.name", host);
    rh_buf_add(b, "]}, \"scopeSpans\": [{\"scope\": {\"name\": \"rhost\", \"version\": \"" PACKAGE_VERSION
                  "\"}");
    begin_list(b, "spans");
    add_run(r, end);
    if (r->parts[SPANS].n) {
        rh_json_element(b);
        rh_buf_addn(b, r->parts[SPANS].s, r->parts[SPANS].n);
    }
    rh_buf_add(b, "]}]}]}\n");
}

const struct rh_report_format rh_report_as_otlp = {
    .name = "otlp",
    .mode = 0600,
    .between = ", ",
    .sends = true,
    .event = add_event,
    .line = add_line,
    .end = end_all,
};
