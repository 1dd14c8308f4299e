/* SPDX-License-Identifier: Apache-2.0 */
/* event-json - events as JSON. */
#include "config.h"

#include "run/event-json.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "provider/log-record.h"
#include "run/audit.h"
#include "run/event.h"

#include <stdint.h>
#include <string.h>

static void
add_text(struct rh_buf *b, const char *key, const char *s)
{
    rh_buf_addc(b, '"');
    rh_buf_add(b, key);
    rh_buf_add(b, "\": ");
    if (s)
        rh_json_string(b, s, strlen(s));
    else
        rh_buf_add(b, "null");
}

/* Behind a message. */
static void
add_code(struct rh_buf *b, unsigned code)
{
    char name[RH_CODE_NAME];

    if (code)
        rh_buf_addf(b, ", \"code\": \"%s\"", rh_message_code_name(code, name));
}

/* To the microsecond. In integers: printing a float takes as long as all the rest. */
static void
add_seconds(struct rh_buf *b, double seconds)
{
    uint64_t us = seconds > 0 ? (uint64_t)(seconds * 1e6 + 0.5) : 0;

    rh_buf_addf(b, "\"seconds\": %u.%06u, ", (unsigned)(us / 1000000), (unsigned)(us % 1000000));
}

static void
add_differences(struct rh_buf *b, const struct rh_outcome *o)
{
    rh_buf_add(b, "\"changes\": [");
    for (size_t i = 0; i < o->n_differences; i++) {
        const struct rh_difference *d = &o->differences[i];

        rh_buf_add(b, i ? ", {" : "{");
        add_text(b, "attribute", d->attribute);
        rh_buf_add(b, ", \"from\": ");
        rh_value_to_json(b, d->from, false);
        rh_buf_add(b, ", \"to\": ");
        rh_value_to_json(b, d->to, false);
        if (d->unknown)
            rh_buf_add(b, ", \"unknown\": true");
        rh_buf_add(b, ", ");
        add_text(b, "message", d->message);
        rh_buf_addc(b, '}');
    }
    rh_buf_addc(b, ']');
}

static void
add_findings(struct rh_buf *b, const struct rh_event *event)
{
    rh_buf_add(b, "\"audit\": [");
    for (size_t i = 0; i < event->n_findings; i++) {
        const struct rh_finding *f = &event->findings[i];

        rh_buf_add(b, i ? ", {" : "{");
        add_text(b, "attribute", f->attribute);
        rh_buf_addf(b, ", \"event\": \"%s\", \"from\": ", f->since ? "changed" : "recorded");
        rh_value_to_json(b, f->from, false);
        rh_buf_add(b, ", \"to\": ");
        rh_value_to_json(b, f->to, false);
        rh_buf_add(b, ", ");
        add_text(b, "since", f->since);
        rh_buf_addc(b, '}');
    }
    rh_buf_add(b, "], ");
}

char *
rh_event_reason(const struct rh_event *event)
{
    if (event->outcome->reason)
        return rh_xstrdup(event->outcome->reason);
    if (event->blamed) {
        rh_autofree char *text = rh_resource_text(event->blamed);

        return rh_printf("depends on %s, which %s", text, event->blamed_failed ? "failed" : "was skipped");
    }
    if (event->purged_by)
        return rh_xstrdup("purged");
    return NULL;
}

unsigned
rh_event_code(const struct rh_event *event)
{
    const struct rh_outcome *o = event->outcome;
    bool told = o->status == RH_FAILED || o->status == RH_SKIPPED || o->status == RH_STATUS_UNKNOWN;

    if (!told || o->code)
        return told ? o->code : 0;
    if (o->reason)
        return rh_message_code(o->reason);
    return event->blamed ? rh_message_code(RH_WORDING("depends on %s, which %s")) : 0;
}

struct rh_place
rh_event_fault(const struct rh_event *event)
{
    const char *attribute = event->outcome->attribute;
    const struct rh_resource *r = event->resource;
    const struct rh_value *v = attribute && r->should ? rh_value_get(r->should, attribute) : NULL;

    return v ? rh_value_place(v) : (struct rh_place){ 0 };
}

void
rh_reference_to_json(struct rh_buf *b, const struct rh_resource *r)
{
    rh_autofree char *text = rh_printf("%s[%s]", r->type->type, r->title);

    rh_json_string(b, text, strlen(text));
}

void
rh_place_to_json(struct rh_buf *b, struct rh_place place, const struct rh_sources *sources)
{
    const char *file = rh_sources_name(sources, place.file);

    if (!file) {
        rh_buf_add(b, "null");
        return;
    }
    rh_buf_addc(b, '{');
    add_text(b, "file", file);
    rh_buf_addf(b, ", \"line\": %u, \"column\": %u}", place.line, place.column);
}

void
rh_event_to_json(struct rh_buf *b, const struct rh_event *event, const struct rh_sources *sources,
                 const char *log)
{
    const struct rh_resource *r = event->resource;
    const struct rh_outcome *o = event->outcome;
    rh_autofree char *reason = rh_event_reason(event);

    rh_buf_addc(b, '{');
    add_text(b, "type", r->type->type);
    rh_buf_add(b, ", ");
    add_text(b, "title", r->title);
    rh_buf_add(b, ", ");
    add_text(b, "provider", r->type->provider);
    rh_buf_add(b, ", \"location\": ");
    rh_place_to_json(b, r->place, sources);
    rh_buf_add(b, ", ");
    add_text(b, "action", event->action);
    if (event->notified) {
        rh_buf_add(b, ", ");
        add_text(b, "notified_by", event->by);
        rh_buf_add(b, ", ");
        add_text(b, "timing", event->notified);
        rh_buf_add(b, ", ");
        add_text(b, "notified_in_run", event->since);
    }
    rh_buf_add(b, ", ");
    add_text(b, "status", rh_status_name(o->status));
    rh_buf_add(b, ", ");
    add_seconds(b, o->seconds);
    add_differences(b, o);
    rh_buf_add(b, ", ");
    if (r->meta && r->meta->level_given) {
        add_text(b, "loglevel", r->meta->loglevel);
        rh_buf_add(b, ", ");
    }
    if (event->n_findings)
        add_findings(b, event);
    if (o->attribute) {
        add_text(b, "attribute", o->attribute);
        rh_buf_add(b, ", \"attribute_location\": ");
        rh_place_to_json(b, rh_event_fault(event), sources);
        rh_buf_add(b, ", ");
    }
    add_text(b, "reason", reason);
    add_code(b, rh_event_code(event));
    if (event->ignored)
        rh_buf_add(b, ", \"ignored\": true");
    if (o->guarded)
        rh_buf_add(b, ", \"guarded\": true");
    rh_buf_add(b, ", \"log\": ");
    rh_buf_add(b, log ? log : "[]");
    rh_buf_addc(b, '}');
}

void
rh_log_to_json(struct rh_buf *b, const struct rh_log_record *record, bool resources)
{
    rh_buf_addf(b, "\"level\": \"%s\", ", rh_level_name(record->level));
    if (resources && record->total) {
        for (size_t i = 0; i < record->n; i++) {
            rh_autofree char *text = rh_printf("%s[%s]", record->type, record->about[i].title);

            rh_buf_add(b, i ? ", " : "\"resources\": [");
            rh_json_string(b, text, strlen(text));
        }
        rh_buf_add(b, record->n ? "], " : "\"resources\": [], ");
        if (record->total > record->n)
            rh_buf_addf(b, "\"more_resources\": %zu, ", record->total - record->n);
    }
    if (record->type && !record->total) {
        add_text(b, "resource_type", record->type);
        rh_buf_add(b, ", ");
    }
    if (record->label) {
        add_text(b, "label", record->label);
        rh_buf_add(b, ", ");
    }
    add_text(b, "message", record->message);
    add_code(b, record->code);
}

void
rh_counts_to_json(struct rh_buf *b, const struct rh_counts *counts)
{
    static const enum rh_status always[] = { RH_UNCHANGED, RH_CHANGED, RH_REFRESHED, RH_FAILED, RH_SKIPPED };
    static const enum rh_status others[] = { RH_WOULD_CHANGE, RH_WOULD_REFRESH, RH_STATUS_UNKNOWN };

    rh_buf_addf(b, "{\"total\": %zu", counts->total);
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        rh_buf_addf(b, ", \"%s\": %zu", rh_status_name(always[i]), counts->by_status[always[i]]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (counts->by_status[others[i]])
            rh_buf_addf(b, ", \"%s\": %zu", rh_status_name(others[i]), counts->by_status[others[i]]);
    if (counts->ignored)
        rh_buf_addf(b, ", \"ignored\": %zu", counts->ignored);
    if (counts->audited)
        rh_buf_addf(b, ", \"audited\": %zu", counts->audited);
    if (counts->by_status[RH_EXCLUDED])
        rh_buf_addf(b, ", \"%s\": %zu", rh_status_name(RH_EXCLUDED), counts->by_status[RH_EXCLUDED]);
    if (counts->not_reached)
        rh_buf_addf(b, ", \"not_reached\": %zu", counts->not_reached);
    rh_buf_addc(b, '}');
}
