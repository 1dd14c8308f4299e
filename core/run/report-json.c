/* SPDX-License-Identifier: Apache-2.0 */
/* report-json - a run as programs read it: one JSON object, written as the run goes; and the same within a
 * page for browsers. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/json-writer.h"
#include "base/text.h"
#include "run/event-json.h"
#include "run/event.h"
#include "run/report-format.h"

static void
begin(struct rh_report *r, const struct rh_run_begin *begin)
{
    rh_buf_addc(&r->out, '{');
    rh_json_number(&r->out, "rhost_report", RH_REPORT_FORMAT);
    rh_run_begin_to_json(&r->out, begin);
    rh_buf_add(&r->out, ",\n \"resources\": [");
}

static void
add_event(struct rh_report *r, const struct rh_event *event, const char *log)
{
    rh_autofree char *list = *log ? rh_printf("[%s]", log) : NULL;

    rh_buf_add(&r->out, r->n ? ",\n  {" : "\n  {");
    rh_event_to_json(&r->out, event, r->sources, list);
    rh_created_to_json(&r->out, event, r->sources);
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
    rh_buf_addf(&r->out, "%s],\n \"log\": [%s]", r->n ? "\n " : "", rh_buf_text(&r->log));
    rh_run_end_to_json(&r->out, end);
    if (end->errors)
        rh_json_value(&r->out, "errors", end->errors);
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
