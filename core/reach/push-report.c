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

#include <ctype.h>
#include <string.h>
#include <unistd.h>

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
    if (h->hello)
        rh_value_put(v, "host", rh_value_string(a, rh_value_get_str(h->hello, "host", "")));
    if (h->run)
        rh_value_put(v, "run", rh_value_string(a, h->run));
    if (h->counts)
        rh_value_put(v, "counts", rh_value_copy(a, h->counts));
    if (report)
        rh_value_put(v, "report", report);
    if (output && !h->options->report)
        rh_value_put(v, "output", rh_value_stringn(a, rh_buf_text(&h->output), h->output.n));
    return v;
}

/* The name of a target as that of a file: what is no letter or digit of a URI becomes '_'. */
static char *
file_of(const struct rh_host *h, const char *ending)
{
    char *path = rh_printf("%s/%s%s", h->options->reports_dir, h->target->name, ending);

    for (char *s = path + strlen(h->options->reports_dir) + 1; *s; s++)
        if (!isalnum((unsigned char)*s) && !strchr(".-_", *s))
            *s = '_';
    if (path[strlen(h->options->reports_dir) + 1] == '.')
        path[strlen(h->options->reports_dir) + 1] = '_';
    return path;
}

static void
keep(const struct rh_host *h, const struct rh_value *v, const char *ending)
{
    rh_autobuf struct rh_buf text = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *path = NULL;

    if (!h->options->reports_dir)
        return;
    path = file_of(h, ending);
    rh_value_to_json(&text, v, false);
    rh_buf_addc(&text, '\n');
    if (rh_replace_file(path, text.s, text.n, 0600, &err) < 0)
        rh_log(RH_WARNING, "cannot keep the report of '%s': %s", h->target->name, err.message);
}

void
rh_push_keep_report(const struct rh_host *h)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

    keep(h, host_value(a, h, false), ".json");
}

void
rh_push_keep_earlier(const struct rh_host *h, const struct rh_value *earlier)
{
    rh_autofree char *ending = rh_printf(".earlier-%s", rh_value_get_str(earlier, "file", "push.json"));

    keep(h, earlier, ending);
}

void
rh_push_print_json(struct rh_host *hosts, size_t n, const struct rh_push_result *result,
                   const struct rh_push_options *o, double seconds)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *all = rh_value_new(a, RH_HASH), *targets = rh_value_new(a, RH_ARRAY),
                    *counts = rh_value_new(a, RH_HASH);
    rh_autobuf struct rh_buf text = { 0 };

    for (size_t i = 0; i < n; i++)
        rh_value_append(targets, host_value(a, &hosts[i], true));
    rh_value_put(counts, "total", rh_value_integer(a, (int64_t)n));
    for (int i = 0; i < RH_PUSH_OUTCOMES; i++)
        rh_value_put(counts, rh_push_outcome_name((enum rh_push_outcome)i),
                     rh_value_integer(a, (int64_t)result->by_outcome[i]));
    rh_value_put(all, "push", rh_value_string(a, o->push));
    rh_value_put(all, "seconds", rh_value_float(a, seconds));
    rh_value_put(all, "counts", counts);
    rh_value_put(all, "targets", targets);
    rh_value_to_json_pretty(&text, all, false);
    rh_buf_addc(&text, '\n');
    rh_standard_write(STDOUT_FILENO, text.s, text.n);
}
