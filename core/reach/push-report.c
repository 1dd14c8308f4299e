/* SPDX-License-Identifier: Apache-2.0 */
/* push-report - a push for programs: the JSON of --format=json, and the report of each target that is kept.
 */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/standard.h"
#include "base/value-json.h"
#include "base/value.h"
#include "reach/push-parts.h"

#include <string.h>
#include <unistd.h>

enum { MOST_PARTS = 256 << 10 /* arrays and hashes of a report */ };

static struct rh_value *
counts_value(struct rh_arena *a, const struct rh_host_counts *counts)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    for (int i = 0; i < RH_HOST_COUNTS; i++)
        if (counts->each[i].reported)
            rh_value_put(v, rh_host_count_name((enum rh_host_count)i),
                         rh_value_integer(a, counts->each[i].n));
    return v;
}

static struct rh_value *
host_value(struct rh_arena *a, const struct rh_host *h, bool output)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *report =
        h->report.n ? rh_value_from_json(a, rh_buf_text(&h->report), h->report.n, &err) : NULL;

    rh_value_put(v, "target", rh_value_string(a, h->target->name));
    rh_value_put(v, "connect", rh_value_string(a, h->target->at.text));
    rh_value_put(v, "outcome", rh_value_string(a, rh_push_outcome_name(h->outcome)));
    if (h->message)
        rh_value_put(v, "message", rh_value_string(a, h->message));
    if (h->hint)
        rh_value_put(v, "hint", rh_value_string(a, h->hint));
    if (h->began > 0)
        rh_value_put(v, "seconds", rh_value_float(a, h->ended - h->began));
    if (h->status >= 0)
        rh_value_put(v, "status", rh_value_integer(a, h->status));
    if (h->name)
        rh_value_put(v, "host", rh_value_string(a, h->name));
    if (h->run)
        rh_value_put(v, "run", rh_value_string(a, h->run));
    if (h->planned) {
        rh_autofree char *name = rh_plans_name(h->target->name);
        rh_autofree char *path = rh_printf("%s/%s", h->options->plans->dir, name);

        rh_value_put(v, "plan", rh_value_string(a, path));
    }
    if (h->counts.known)
        rh_value_put(v, "counts", counts_value(a, &h->counts));
    if (report)
        rh_value_put(v, "report", report);
    if (output && !h->options->report)
        rh_value_put(v, "output", rh_value_stringn(a, rh_buf_text(&h->output), h->output.n));
    return v;
}

static int
keep(const struct rh_host *h, const struct rh_value *v, const char *earlier)
{
    rh_autobuf struct rh_buf text = { 0 }, path = { 0 };
    rh_autoerror struct rh_error err = { 0 };

    if (!h->options->reports_dir)
        return 0;
    rh_buf_addf(&path, "%s/", h->options->reports_dir);
    rh_push_add_file_name(&path, h->target->name);
    rh_buf_add(&path, earlier ? ".earlier-" : ".json");
    if (earlier)
        rh_push_add_file_name(&path, earlier);
    rh_value_to_json(&text, v, false);
    rh_buf_addc(&text, '\n');
    if (rh_replace_file(path.s, text.s, text.n, 0600, &err) == 0)
        return 0;
    rh_log(RH_WARNING, "cannot keep the report of '%s': %s", h->target->name, err.message);
    return -1;
}

/* A few bytes of text can become a lot of memory. */
static void
check_report(struct rh_host *h)
{
    if (rh_wire_is_small(rh_buf_text(&h->report), h->report.n, MOST_PARTS))
        return;
    h->report_cut = true;
    rh_buf_clear(&h->report);
    rh_push_show_line(h, "warning: the report of this target has too many values: it is not kept", true);
}

int
rh_push_keep_report(struct rh_host *h)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    int rc;

    if (h->kept)
        return 0;
    h->kept = true;
    check_report(h);
    rc = keep(h, host_value(a, h, false), NULL);
    if (!h->options->json)
        rh_buf_clear(&h->report);
    return rc;
}

int
rh_push_keep_earlier(const struct rh_host *h, const struct rh_value *earlier)
{
    return keep(h, earlier, rh_value_get_str(earlier, "file", "push.json"));
}

/* Adds pretty JSON that is `depth` blanks deeper than it thinks: no text of JSON has a newline in it. */
static void
add_deeper(struct rh_buf *b, const struct rh_buf *json, int depth)
{
    for (size_t i = 0; i < json->n; i++) {
        rh_buf_addc(b, json->s[i]);
        if (json->s[i] == '\n')
            rh_buf_addf(b, "%*s", depth, "");
    }
}

/* One target after the other: the reports of all of them at once would be too large. */
static void
print_targets(const struct rh_host *hosts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
        rh_autobuf struct rh_buf text = { 0 }, one = { 0 };

        const struct rh_value *v = host_value(a, &hosts[i], true);

        rh_value_to_json_pretty(&one, v, false);
        rh_buf_add(&text, i ? ",\n    " : "\n    ");
        add_deeper(&text, &one, 4);
        rh_standard_write(STDOUT_FILENO, text.s, text.n);
    }
}

void
rh_push_print_json(struct rh_host *hosts, size_t n, const struct rh_push_result *result,
                   const struct rh_push_options *o, double seconds)
{
    static const char end[] = "\n  ]\n}\n";
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *all = rh_value_new(a, RH_HASH), *counts = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf text = { 0 };

    rh_value_put(counts, "total", rh_value_integer(a, (int64_t)n));
    for (int i = 0; i < RH_PUSH_OUTCOMES; i++)
        rh_value_put(counts, rh_push_outcome_name((enum rh_push_outcome)i),
                     rh_value_integer(a, (int64_t)result->by_outcome[i]));
    rh_value_put(all, "push", rh_value_string(a, o->push));
    rh_value_put(all, "seconds", rh_value_float(a, seconds));
    rh_value_put(all, "counts", counts);
    rh_value_to_json_pretty(&text, all, false);
    rh_buf_truncate(&text, text.n - 2); /* the brace at its end, and the newline before it */
    rh_buf_add(&text, ",\n  \"targets\": [");
    rh_standard_write(STDOUT_FILENO, text.s, text.n);
    print_targets(hosts, n);
    rh_standard_write(STDOUT_FILENO, end, sizeof end - 1);
}
