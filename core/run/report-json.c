/* SPDX-License-Identifier: Apache-2.0 */
/* report-json - a run as programs read it: one JSON object, written as the run goes; and the same within a
 * page for browsers. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "run/event-json.h"
#include "run/event.h"
#include "run/report-format.h"

static void
begin(struct rh_report *r)
{
    rh_buf_addc(&r->out, '{');
    rh_json_text(&r->out, "rhost", PACKAGE_VERSION);
    rh_json_text(&r->out, "run", r->run);
    rh_json_boolean(&r->out, "noop", r->noop);
    rh_json_text(&r->out, "started", r->started);
    rh_buf_add(&r->out, ",\n \"resources\": [");
}

static void
add_created(struct rh_report *r, const struct rh_event *event)
{
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_entry e;

    rh_json_key(&r->out, "created");
    rh_buf_addc(&r->out, '{');
    for (size_t at = 0; rh_event_next_created(event, r->sources, a, &at, &e);)
        rh_json_value(&r->out, e.key, e.value);
    rh_buf_addc(&r->out, '}');
    rh_arena_free(a);
}

static void
add_event(struct rh_report *r, const struct rh_event *event, const char *log)
{
    rh_autofree char *list = *log ? rh_printf("[%s]", log) : NULL;

    rh_buf_add(&r->out, r->n ? ",\n  {" : "\n  {");
    rh_event_to_json(&r->out, event, r->sources, list);
    if (rh_event_creates(event))
        add_created(r, event);
    if (r->format->page) {
        rh_autobuf struct rh_buf quote = { 0 };

        rh_report_add_quote(r, event, &quote);
        if (quote.n)
            rh_json_text(&r->out, "quote", rh_buf_text(&quote));
    }
    rh_buf_addc(&r->out, '}');
}

static void
add_line(struct rh_report *r, struct rh_buf *to, const struct rh_log_record *record, bool resources)
{
    (void)r;
    rh_buf_addc(to, '{');
    rh_log_to_json(to, record, resources);
    rh_buf_addc(to, '}');
}

static void
end(struct rh_report *r, const struct rh_run_end *end)
{
    rh_buf_addf(&r->out, "%s],\n \"log\": [%s],\n \"seconds\": %.3f", r->n ? "\n " : "", rh_buf_text(&r->log),
                end->seconds);
    rh_json_number(&r->out, "exit", end->exit);
    if (end->interrupted)
        rh_json_text(&r->out, "interrupted", end->interrupted);
    rh_counts_to_json(&r->out, &end->counts);
    if (end->confirm_within)
        rh_json_number(&r->out, "confirm_within", end->confirm_within);
    if (end->rollback && end->rollback->report) {
        rh_json_key(&r->out, "rollback");
        rh_buf_addn(&r->out, end->rollback->report, end->rollback->n);
    }
    rh_buf_add(&r->out, "}\n");
}

const struct rh_report_format rh_report_as_json = {
    .name = "json",
    .mode = 0600,
    .between = ", ",
    .begin = begin,
    .event = add_event,
    .line = add_line,
    .end = end,
};

const struct rh_report_format rh_report_as_html = {
    .name = "html",
    .mode = 0600,
    .between = ", ",
    .page = true,
    .begin = begin,
    .event = add_event,
    .line = add_line,
    .end = end,
};
