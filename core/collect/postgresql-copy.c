/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql-copy - records as rows for COPY, in its text format. */
#include "config.h"

#include "collect/postgresql.h"

#include "collect/record.h"

#include <string.h>

const char rh_postgresql_report_columns[] = "k, host, run, day, seq, machine_id, name, rhost, revision, "
                                            "undoes, rolls_back, noop, status, exit, started, "
                                            "ended, seconds, interrupted, events, total, unchanged, changed, "
                                            "refreshed, failed, skipped, would_change, "
                                            "would_refresh, unknown, ignored, excluded, not_reached";

const char rh_postgresql_event_columns[] =
    "k, n, kind, status, type, title, action, provider, cause, code, message, changes, file, line, seconds";

static void
text(struct rh_buf *b, const char *value)
{
    rh_buf_addc(b, '\t');
    if (!value) {
        rh_buf_add(b, "\\N");
        return;
    }
    while (*value) {
        size_t n = strcspn(value, "\t\n\r\\");

        rh_buf_addn(b, value, n);
        value += n;
        if (!*value)
            break;
        rh_buf_addc(b, '\\');
        rh_buf_addc(b, *value == '\t' ? 't' : *value == '\n' ? 'n' : *value == '\r' ? 'r' : '\\');
        value++;
    }
}

static void
number(struct rh_buf *b, int64_t value)
{
    rh_buf_addc(b, '\t');
    rh_buf_add_decimal(b, value);
}

static void
number_or_null(struct rh_buf *b, int64_t value)
{
    if (value)
        number(b, value);
    else
        text(b, NULL);
}

static void
seconds(struct rh_buf *b, double value)
{
    if (value < 0)
        text(b, NULL);
    else
        rh_buf_addf(b, "\t%.6f", value);
}

static void
add_event(struct rh_buf *b, size_t k, size_t n, const struct rh_record_event *e)
{
    rh_buf_add_decimal(b, (int64_t)k);
    number(b, (int64_t)n);
    text(b, e->kind);
    text(b, e->status);
    text(b, e->type);
    text(b, e->title);
    text(b, e->action);
    text(b, e->provider);
    text(b, e->cause);
    text(b, e->code);
    text(b, e->message);
    text(b, e->changes);
    text(b, e->file);
    number_or_null(b, e->line);
    seconds(b, e->seconds);
    rh_buf_addc(b, '\n');
}

static void
add_report(struct rh_buf *b, size_t k, const struct rh_record *r)
{
    rh_buf_add_decimal(b, (int64_t)k);
    text(b, r->host);
    text(b, r->run);
    text(b, r->day);
    number_or_null(b, r->seq);
    text(b, r->machine_id);
    text(b, r->name);
    text(b, r->rhost);
    text(b, r->revision);
    text(b, r->undoes);
    text(b, r->rolls_back);
    text(b, r->noop ? "t" : "f");
    text(b, r->status);
    number(b, r->exit);
    text(b, r->started);
    text(b, r->ended);
    seconds(b, r->seconds);
    text(b, r->interrupted);
    number(b, (int64_t)r->n_events);
    for (size_t i = 0; i < RH_COUNTS; i++)
        number(b, r->counts[i]);
    rh_buf_addc(b, '\n');
}

void
rh_postgresql_rows(struct rh_postgresql *s, const struct rh_record *const *records, size_t n)
{
    rh_buf_truncate(&s->reports, 0);
    rh_buf_truncate(&s->events, 0);
    for (size_t k = 0; k < n; k++) {
        add_report(&s->reports, k, records[k]);
        for (size_t i = 0; i < records[k]->n_events; i++)
            add_event(&s->events, k, i, &records[k]->events[i]);
    }
}
