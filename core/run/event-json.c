/* SPDX-License-Identifier: Apache-2.0 */
/* event-json - events as JSON. */
#include "config.h"

#include "run/event-json.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/json-writer.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "provider/log-record.h"
#include "run/change.h"
#include "run/event.h"
#include "run/locate.h"
#include "run/stamp.h"

#include <stdint.h>
#include <string.h>

/* Behind a message. */
static void
add_code(struct rh_buf *b, unsigned code)
{
    char name[RH_CODE_NAME];

    if (code)
        rh_json_text(b, "code", rh_message_code_name(code, name));
}

/* To the microsecond. In integers: printing a float takes as long as all the rest. */
static void
add_seconds(struct rh_buf *b, double seconds)
{
    uint64_t us = seconds > 0 && seconds < 4e9 ? (uint64_t)(seconds * 1e6 + 0.5) : 0;

    rh_json_key(b, "seconds");
    rh_buf_add_padded(b, us / 1000000, 1);
    rh_buf_addc(b, '.');
    rh_buf_add_padded(b, us % 1000000, 6);
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
    bool has_code = o->status == RH_FAILED || o->status == RH_SKIPPED || o->status == RH_STATUS_UNKNOWN;

    if (!has_code || o->code)
        return has_code ? o->code : 0;
    if (o->reason)
        return rh_message_code(o->reason);
    return event->blamed ? rh_message_code(RH_WORDING("depends on %s, which %s")) : 0;
}

struct rh_place
rh_event_fault(const struct rh_event *event)
{
    return rh_locate(event->resource, event->outcome->attribute);
}

/* "file[/etc/motd]" */
static void
add_reference(struct rh_buf *b, const char *key, const char *type, const char *title)
{
    rh_autofree char *text = rh_printf("%s[%s]", type, title);

    if (key)
        rh_json_key(b, key);
    else
        rh_json_element(b);
    rh_json_string(b, text, strlen(text));
}

static void
add_location(struct rh_buf *b, const char *key, struct rh_place place, const struct rh_sources *sources)
{
    const char *file = rh_sources_name(sources, place.file);

    rh_json_key(b, key);
    if (!file) {
        rh_buf_add(b, "null");
        return;
    }
    rh_buf_addc(b, '{');
    rh_json_text(b, "file", file);
    rh_json_number(b, "line", place.line);
    rh_json_number(b, "column", place.column);
    rh_buf_addc(b, '}');
}

void
rh_resource_to_json(struct rh_buf *b, const struct rh_resource *r, const struct rh_sources *sources)
{
    add_reference(b, "resource", r->type->type, r->title);
    add_location(b, "location", r->place, sources);
}

void
rh_host_to_json(struct rh_buf *b, const char *id, const char *name)
{
    rh_json_key(b, "host");
    rh_buf_addc(b, '{');
    rh_json_text(b, "id", id);
    rh_json_text(b, "name", name);
    rh_buf_addc(b, '}');
}

void
rh_run_begin_to_json(struct rh_buf *b, const struct rh_run_begin *begin)
{
    rh_json_text(b, "rhost", PACKAGE_VERSION);
    if (begin->name)
        rh_host_to_json(b, begin->host, begin->name);
    rh_json_text(b, "run", begin->run);
    if (begin->seq)
        rh_json_number(b, "seq", (int64_t)begin->seq);
    if (begin->revision)
        rh_json_text(b, "revision", begin->revision);
    if (begin->undoes)
        rh_json_text(b, "undoes", begin->undoes);
    rh_json_boolean(b, "noop", begin->noop);
    rh_json_text(b, "started", begin->started);
}

void
rh_event_to_json(struct rh_buf *b, const struct rh_event *event, const struct rh_sources *sources,
                 const char *log)
{
    const struct rh_resource *r = event->resource;
    const struct rh_outcome *o = event->outcome;
    rh_autofree char *reason = rh_event_reason(event);

    rh_json_text(b, "type", r->type->type);
    rh_json_text(b, "title", r->title);
    rh_json_text(b, "provider", r->type->provider);
    add_location(b, "location", r->place, sources);
    rh_json_text(b, "action", event->action);
    if (event->notified) {
        rh_json_text(b, "notified_by", event->by);
        rh_json_text(b, "timing", event->notified);
        rh_json_text(b, "notified_in_run", event->since);
    }
    rh_json_text(b, "status", rh_status_name(o->status));
    if (event->cause)
        rh_json_text(b, "cause", rh_cause_name(event->cause));
    add_seconds(b, o->seconds);
    rh_changes_to_json(b, "changes", RH_CHANGE_DIFFERENCE, o->differences, o->n_differences);
    if (r->meta && r->meta->level_specified)
        rh_json_text(b, "loglevel", r->meta->loglevel);
    if (event->n_findings)
        rh_changes_to_json(b, "audit", RH_CHANGE_FINDING, event->findings, event->n_findings);
    if (o->attribute) {
        rh_autofree char *name = rh_xstrndup(o->attribute, strcspn(o->attribute, ".["));

        rh_json_text(b, "attribute", name);
        add_location(b, "attribute_location", rh_event_fault(event), sources);
    }
    rh_json_text(b, "reason", reason);
    add_code(b, rh_event_code(event));
    if (event->ignored)
        rh_json_boolean(b, "ignored", true);
    if (o->guarded)
        rh_json_boolean(b, "guarded", true);
    rh_json_key(b, "log");
    rh_buf_add(b, log ? log : "[]");
}

void
rh_log_to_json(struct rh_buf *b, const struct rh_log_record *record, bool resources)
{
    rh_json_text(b, "level", rh_level_name(record->level));
    if (resources && record->total) {
        rh_json_key(b, "resources");
        rh_buf_addc(b, '[');
        for (size_t i = 0; i < record->n; i++)
            add_reference(b, NULL, record->type, record->about[i].title);
        rh_buf_addc(b, ']');
        if (record->total > record->n)
            rh_json_number(b, "more_resources", (int64_t)(record->total - record->n));
    }
    if (record->type && !record->total)
        rh_json_text(b, "resource_type", record->type);
    if (record->label)
        rh_json_text(b, "label", record->label);
    rh_json_text(b, "message", record->message);
    add_code(b, record->code);
}

void
rh_counts_to_json(struct rh_buf *b, const struct rh_counts *counts)
{
    static const enum rh_status always[] = { RH_UNCHANGED, RH_CHANGED, RH_REFRESHED, RH_FAILED, RH_SKIPPED };
    static const enum rh_status others[] = { RH_WOULD_CHANGE, RH_WOULD_REFRESH, RH_STATUS_UNKNOWN };
    size_t excluded = counts->by_status[RH_EXCLUDED];

    rh_json_key(b, "counts");
    rh_buf_addc(b, '{');
    rh_json_number(b, "total", (int64_t)counts->total);
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        rh_json_number(b, rh_status_name(always[i]), (int64_t)counts->by_status[always[i]]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (counts->by_status[others[i]])
            rh_json_number(b, rh_status_name(others[i]), (int64_t)counts->by_status[others[i]]);
    if (counts->ignored)
        rh_json_number(b, "ignored", (int64_t)counts->ignored);
    if (counts->refresh_failed)
        rh_json_number(b, "refresh_failed", (int64_t)counts->refresh_failed);
    if (counts->refresh_skipped)
        rh_json_number(b, "refresh_skipped", (int64_t)counts->refresh_skipped);
    if (counts->audited)
        rh_json_number(b, "audited", (int64_t)counts->audited);
    if (excluded)
        rh_json_number(b, rh_status_name(RH_EXCLUDED), (int64_t)excluded);
    if (counts->not_reached)
        rh_json_number(b, "not_reached", (int64_t)counts->not_reached);
    rh_buf_addc(b, '}');
}

static const char *
status_of(const struct rh_run_end *end)
{
    const size_t *by_status = end->counts.by_status;

    if (end->errors)
        return "refused";
    if (end->unended)
        return "unfinished";
    if (end->interrupted || end->exit >= 128)
        return "interrupted";
    if (end->exit & 4)
        return "failed";
    if (by_status[RH_CHANGED] || by_status[RH_REFRESHED])
        return "changed";
    return by_status[RH_WOULD_CHANGE] || by_status[RH_WOULD_REFRESH] || by_status[RH_STATUS_UNKNOWN]
               ? "would_change"
               : "ok";
}

void
rh_run_end_to_json(struct rh_buf *b, const struct rh_run_end *end)
{
    char ended[RH_STAMP_SECOND];

    rh_stamp_second(&(struct timespec){ .tv_sec = end->ended }, ended);
    rh_json_text(b, "ended", end->ended ? ended : NULL);
    rh_json_key(b, "seconds");
    rh_buf_addf(b, "%.3f", end->seconds);
    rh_json_number(b, "exit", end->exit);
    rh_json_text(b, "status", status_of(end));
    if (end->interrupted)
        rh_json_text(b, "interrupted", end->interrupted);
    rh_counts_to_json(b, &end->counts);
    if (end->confirm_within)
        rh_json_number(b, "confirm_within", end->confirm_within);
}
