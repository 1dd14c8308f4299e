/* SPDX-License-Identifier: Apache-2.0 */
/* record - what came of a turn, to everybody who has to know: the counts, the journal, reports, and
 * what is remembered from run to run. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "provider/log-record.h"
#include "run/audit.h"
#include "run/backup.h"
#include "run/change.h"
#include "run/delivery.h"
#include "run/desired.h"
#include "run/event-json.h"
#include "run/journal.h"
#include "run/pool.h"
#include "run/timetable.h"
#include "run/transaction-parts.h"

void
rh_transaction_event(struct rh_transaction *t, const struct rh_event *event)
{
    enum rh_status status = event->outcome->status;

    if (event->ignored)
        t->end.counts.ignored++;
    else
        t->end.counts.by_status[status]++;
    if (event->notified && !event->ignored) {
        t->end.counts.refresh_failed += status == RH_FAILED;
        t->end.counts.refresh_skipped += status == RH_SKIPPED;
    }
    if (!event->notified && status != RH_EXCLUDED)
        t->end.counts.total++;
    t->changed |= status == RH_CHANGED || status == RH_REFRESHED;
    t->would_change |= status == RH_WOULD_CHANGE;
    t->eventful |= status != RH_UNCHANGED && status != RH_EXCLUDED;
    if (t->journal)
        rh_journal_event(t->journal, event);
    t->reporter->event(t->reporter->data, event);
}

static void
note_status(struct rh_transaction *t, const struct rh_resource *r, uint8_t status)
{
    if (t->resource_status[r->index] != RH_FAILED)
        t->resource_status[r->index] = status;
}

/* What is remembered of it: when it had its turn, and what its watched attributes were. */
static void
remember(struct rh_transaction *t, struct rh_event *event)
{
    const struct rh_outcome *o = event->outcome;
    bool noop = rh_transaction_is_noop(t, event->resource);

    if (!noop && !event->notified
        && (o->status == RH_UNCHANGED || o->status == RH_CHANGED || o->status == RH_REFRESHED)) {
        enum rh_cause cause = rh_desired_note(t->desired, event->resource);

        rh_timetable_note_run(t->timetable, event->resource);
        if (o->status == RH_CHANGED)
            event->cause = cause;
    }
    event->n_findings = rh_audit_compare(t->audit, event->resource, o, !noop, &event->findings);
    t->end.counts.audited += rh_findings_any_change(event->findings, event->n_findings);
}

/* Whether the line that has the attribute at fault can be quoted: it has no secret of this run in it. */
static bool
may_quote(const struct rh_transaction *t, const struct rh_event *event)
{
    struct rh_place at = rh_event_fault(event);
    rh_autobuf struct rh_buf line = { 0 };

    if (!at.line || rh_sources_hidden(t->c->sources, at))
        return false;
    rh_sources_add_quote(t->c->sources, at, &line, false);
    return line.n > 0;
}

static void
record(struct rh_transaction *t, const struct rh_task *task, const struct rh_outcome *outcome,
       const struct rh_resource *blamed)
{
    const struct rh_resource *due_to = outcome->status == RH_SKIPPED ? blamed : task->resource;
    struct rh_event event = {
        .resource = task->resource,
        .action = task->action,
        .outcome = outcome,
        .blamed = blamed,
        .blamed_failed = blamed && t->resource_status[blamed->index] == RH_FAILED,
        .notified = task->notified,
        .by = task->by,
        .since = task->since,
    };
    const struct rh_resource *ignoring = NULL;

    if (due_to && rh_is_failure((uint8_t)outcome->status))
        ignoring = rh_transaction_ignoring(task->resource, due_to);
    event.ignored = ignoring && outcome->status == RH_FAILED;
    t->forgiven += ignoring && outcome->status == RH_SKIPPED;
    if (task->entry != RH_NO_ENTRY)
        t->n_done++, t->status[task->entry] = (uint8_t)outcome->status;
    /* When it is an instance around it that ignores it, it is lost for the others there. */
    if (ignoring && ignoring == task->resource)
        note_status(t, task->resource, RH_FORGIVEN);
    else if (outcome->status == RH_FAILED || task->entry != RH_NO_ENTRY)
        note_status(t, task->resource, (uint8_t)outcome->status);
    if (outcome->status == RH_FAILED && outcome->touched)
        rh_deliveries_mark_uncertain(t, task->resource);
    if (outcome->status == RH_FAILED && !event.ignored && t->options->fail_fast && !t->stopped) {
        t->failed_first = task->resource;
        t->stopped = true;
    }
    rh_transaction_note_result(t, task->resource, outcome);
    event.quoted = outcome->status == RH_FAILED && may_quote(t, &event);
    remember(t, &event);
    event.as_desired = rh_backups_is_as_desired(t->backups, task->resource, outcome);
    rh_transaction_event(t, &event);
}

void
rh_transaction_record(struct rh_transaction *t, const struct rh_task *task, const struct rh_outcome *outcome,
                      const struct rh_resource *blamed)
{
    struct rh_outcome all = *outcome;

    record(t, task, rh_transaction_add_unknown(t, task, &all) ? &all : outcome, blamed);
}

void
rh_transaction_refuse_unwritten(struct rh_transaction *t, const struct rh_task *task, const char *why)
{
    static const char wording[] = RH_WORDING("nothing was changed: its notifications cannot be recorded: %s");
    rh_autofree char *reason = rh_printf(wording, why);
    const struct rh_outcome outcome = {
        .id = task->entry,
        .status = RH_FAILED,
        .reason = reason,
        .code = rh_message_code(wording),
        .blame = RH_NOBODY,
    };

    rh_transaction_record(t, task, &outcome, NULL);
}

void
rh_transaction_skip(struct rh_transaction *t, const struct rh_task *task, const char *reason)
{
    const struct rh_outcome outcome = { .status = RH_SKIPPED, .reason = reason, .blame = RH_NOBODY };

    rh_transaction_record(t, task, &outcome, NULL);
}

bool
rh_transaction_is_time(struct rh_transaction *t, const struct rh_task *task)
{
    struct rh_outcome outcome = { .id = task->entry, .status = RH_EXCLUDED, .blame = RH_NOBODY };
    const struct rh_resource *r = task->resource;
    rh_autofree char *reason = NULL;

    while (r && rh_timetable_allows(t->timetable, r)) /* nor that of what it is part of */
        r = r->container;
    if (!r)
        return true;
    reason = r->meta->schedule->name ? rh_printf("outside schedule '%s'", r->meta->schedule->name)
                                     : rh_xstrdup("outside its schedule");
    outcome.reason = reason;
    rh_transaction_record(t, task, &outcome, NULL);
    return false;
}

void
rh_transaction_message(struct rh_transaction *t, enum rh_level level, unsigned code, const char *text)
{
    const struct rh_log_record record = { .level = level, .message = text, .code = code };

    if (t->journal)
        rh_journal_log(t->journal, &record);
    t->reporter->log(t->reporter->data, &record);
}

/* What it tells is for who watches: nothing of it is kept. */
void
rh_transaction_progress(const struct rh_transaction *t, const struct rh_resource *resource,
                        const struct rh_progress *progress)
{
    if (t->reporter->progress)
        t->reporter->progress(t->reporter->data, resource, progress);
}

void
rh_transaction_log(struct rh_transaction *t, const struct rh_log_record *record)
{
    bool is_event = record->generated && record->level != RH_WARNING;
    struct rh_log_record line = *record;

    if (t->journal && record->level > RH_DEBUG && !is_event)
        rh_journal_log(t->journal, record);
    line.repeated = record->level >= RH_NOTICE && rh_pool_has_warned(t->pool, record);
    t->reporter->log(t->reporter->data, &line);
}

void
rh_transaction_trouble(struct rh_transaction *t, struct rh_error *err)
{
    if (!err->message)
        return;
    rh_transaction_message(t, RH_ERR, rh_error_code(err), err->message);
    t->end.exit |= 4;
    rh_error_clear(err);
}
