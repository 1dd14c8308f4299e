/* SPDX-License-Identifier: Apache-2.0 */
/* host-talk - what is sent to the receiver of a target, and what it answers. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "reach/chroot.h"
#include "reach/push-parts.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_SKEW = 60,
    LARGEST_OUTPUT = 1 << 20,
    LONGEST_LINE = 1 << 20,
    LONGEST_NAME = 256, /* of what a target calls something */
    LONGEST_MESSAGE = 2000,
    MOST_EARLIER = 20,
};

/* A text of the target, fit to be shown and not too long; the caller's. */
static char *
short_text(const char *text, size_t most)
{
    rh_autofree char *cut = rh_xstrndup(text, strnlen(text, most));

    return rh_safe_text(cut);
}

static const char *
own_name(struct rh_arena *a)
{
    char name[256] = "";

    if (gethostname(name, sizeof name - 1) < 0)
        return "unknown";
    return rh_arena_strdup(a, name);
}

void
rh_host_prepare(struct rh_host *h)
{
    const struct rh_push_options *o = h->options;
    struct rh_arena *a = h->arena;
    struct rh_value *v = rh_value_new(a, RH_HASH), *command = rh_value_new(a, RH_ARRAY),
                    *program = rh_value_new(a, RH_ARRAY), *options = rh_value_new(a, RH_ARRAY);
    rh_autobuf struct rh_buf attributes = { 0 };
    const char *state = rh_chroot_state(h);
    uint64_t bytes = o->site_bytes + h->plan.text.n;

    rh_value_append(command, rh_value_string(a, o->command[0]));
    if (state)
        rh_value_append(command, rh_value_string(a, rh_arena_printf(a, "--state-dir=%s", state)));
    if (o->attributes)
        bytes += rh_host_add_attributes(h, &attributes, options);
    if (rh_host_plan_prepare(h, v, command, options, &attributes) < 0)
        return;
    for (size_t i = 1; i < o->n_command; i++)
        rh_value_append(command, rh_value_string(a, o->command[i]));
    if (h->rhost)
        rh_value_append(program, rh_value_string(a, h->rhost));
    rh_value_put(v, "protocol", rh_value_integer(a, RH_WIRE_PROTOCOL));
    rh_value_put(v, "push", rh_value_string(a, o->push));
    rh_value_put(v, "from", rh_value_string(a, own_name(a)));
    rh_value_put(v, "target", rh_value_string(a, h->target->name));
    rh_value_put(v, "command", command);
    rh_value_put(v, "program", h->program ? h->program : program);
    rh_value_put(v, "detach", rh_value_boolean(a, o->detach));
    rh_value_put(v, "changes", rh_value_boolean(a, o->changes));
    rh_value_put(v, "bytes", rh_value_integer(a, (int64_t)bytes));
    if (o->report)
        rh_value_put(v, "report", rh_value_string(a, o->report));
    rh_wire_add_value(&h->head, RH_WIRE_REQUEST, v);
    rh_buf_addn(&h->head, rh_buf_text(&attributes), attributes.n);
    rh_wire_add(&h->tail, RH_WIRE_GO, "", 0);
}

/* What became of a push whose controller did not hear its end. */
static void
report_earlier(struct rh_host *h, const struct rh_value *v)
{
    const struct rh_value *status = rh_value_get(v, "status"), *detached = rh_value_get(v, "detached");
    const struct rh_value *cut_off = rh_value_get(v, "lost");
    rh_autofree char *push = short_text(rh_value_get_str(v, "push", "?"), LONGEST_NAME);
    rh_autofree char *from = short_text(rh_value_get_str(v, "from", "?"), LONGEST_NAME);
    rh_autofree char *line = NULL;

    if (rh_value_get(v, "running"))
        line = rh_printf("warning: push %s from %s is still running on this target", push, from);
    else if (!rh_value_is(status, RH_INTEGER))
        line = rh_printf("warning: push %s from %s was killed on this target before its end", push, from);
    else if (rh_value_is(cut_off, RH_BOOLEAN) && !cut_off->u.integer)
        line = rh_printf(
            "push %s from %s ended with exit status %lld, and its controller did not take note of that", push,
            from, (long long)status->u.integer);
    else
        line = rh_printf("warning: push %s from %s lost its connection; its run %s with exit status %lld",
                         push, from,
                         rh_value_is(detached, RH_BOOLEAN) && detached->u.integer ? "went on, and ended"
                                                                                  : "was stopped, and ended",
                         (long long)status->u.integer);
    rh_push_show_line(h, line, true);
    if (!rh_value_get(v, "running"))
        h->earlier_unsaved |= rh_push_keep_earlier(h, v) < 0;
}

static const int64_t LATEST = (int64_t)1 << 40; /* seconds: what is later is no time */

static int
take_hello(struct rh_host *h, const struct rh_value *v, struct rh_error *err)
{
    const struct rh_value *protocol = rh_value_get(v, "protocol"), *at = rh_value_get(v, "time");
    const struct rh_value *earlier = rh_value_get(v, "earlier");
    const char *name;
    int64_t skew = 0;

    if (!rh_value_is(protocol, RH_INTEGER) || protocol->u.integer != RH_WIRE_PROTOCOL) {
        rh_autofree char *version = short_text(rh_value_get_str(v, "version", "?"), LONGEST_NAME);

        return rh_error_set(err, RH_EINPUT,
                            "the target has version %s of rhost, which speaks another protocol", version);
    }
    if (rh_value_is(at, RH_INTEGER) && at->u.integer >= 0 && at->u.integer <= LATEST)
        skew = at->u.integer - (int64_t)time(NULL);
    name = rh_value_get_str(v, "host", "");
    h->name = rh_xstrndup(name, strnlen(name, LONGEST_NAME));
    h->step = RH_HOST_RUN;
    /* Here the run is among the processes of the connector: a signal would cut a change in two. The receiver
     * ends it as soon as it has lost its connection. */
    h->child.spared = h->target->at.connector == RH_CONNECT_CHROOT
                      || h->target->at.connector == RH_CONNECT_LOCAL
                      || h->target->at.connector == RH_CONNECT_MACHINE;
    if (skew > MOST_SKEW || skew < -MOST_SKEW) {
        rh_autofree char *line =
            rh_printf("warning: the clock of this target is %lld seconds %s",
                      (long long)(skew < 0 ? -skew : skew), skew < 0 ? "behind" : "ahead");

        rh_push_show_line(h, line, true);
    }
    for (size_t i = 0; i < rh_value_count(earlier) && i < MOST_EARLIER; i++)
        if (rh_value_is(rh_value_at(earlier, i), RH_HASH))
            report_earlier(h, rh_value_at(earlier, i));
    return 0;
}

static size_t
number_of(const struct rh_value *v, const char *key)
{
    const struct rh_value *n = rh_value_get(v, key);

    return rh_value_is(n, RH_INTEGER) && n->u.integer > 0 && n->u.integer <= INT32_MAX ? (size_t)n->u.integer
                                                                                       : 0;
}

void
rh_host_take_counts(struct rh_host *h, const struct rh_value *counts)
{
    for (int i = 0; i < RH_HOST_COUNTS; i++) {
        const char *name = rh_host_count_name((enum rh_host_count)i);

        h->counts.each[i].reported = rh_value_is(rh_value_get(counts, name), RH_INTEGER);
        h->counts.each[i].n = (int64_t)number_of(counts, name);
    }
    h->counts.known = true;
}

static void
take_event(struct rh_host *h, const struct rh_value *v)
{
    const char *event = rh_value_get_str(v, "event", "");
    const char *resource = rh_value_get_str(v, "resource", NULL);

    if (strcmp(event, "begin") == 0) {
        h->total = number_of(v, "total");
        free(h->run);
        h->run = short_text(rh_value_get_str(v, "run", ""), LONGEST_NAME);
    } else if (strcmp(event, "running") == 0) {
        h->done = number_of(v, "done"); /* events of what is in sync do not come */
    } else if (strcmp(event, "end") == 0 && !h->counts.known) {
        rh_host_take_counts(h, rh_value_get(v, "counts"));
    }
    if (resource && (strcmp(event, "running") == 0 || strcmp(event, "progress") == 0)) {
        free(h->at);
        h->at = short_text(resource, LONGEST_NAME);
    }
}

static void
take_event_line(struct rh_host *h, const char *line, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_from_json(a, line, n, &err);

    if (rh_value_is(v, RH_HASH))
        take_event(h, v);
}

/* Lines of JSON; what is none is left out: they are only shown. */
static void
take_progress(struct rh_host *h, const char *text, size_t n)
{
    size_t at = 0;
    const char *end;

    rh_buf_addn(&h->progress, text, n);
    while (at < h->progress.n && (end = memchr(h->progress.s + at, '\n', h->progress.n - at))) {
        const char *line = h->progress.s + at;
        size_t length = (size_t)(end - line);

        at += length + 1;
        if (length && rh_wire_is_small(line, length, RH_WIRE_MOST_PARTS))
            take_event_line(h, line, length);
    }
    if (at) {
        memmove(h->progress.s, h->progress.s + at, h->progress.n - at);
        rh_buf_truncate(&h->progress, h->progress.n - at);
    }
    if (h->progress.n > LONGEST_LINE)
        rh_buf_truncate(&h->progress, 0);
}

static void
take_output(struct rh_host *h, const char *text, size_t n, bool error)
{
    if (!error && h->options->json && !h->options->report && h->output.n < LARGEST_OUTPUT)
        rh_buf_addn(&h->output, text, n);
    rh_push_show_output(h, error ? &h->err : &h->out, text, n, error);
}

static void
drop_report(struct rh_host *h)
{
    if (h->report_cut)
        return;
    h->report_cut = true;
    rh_buf_clear(&h->report);
    rh_push_show_line(h, "warning: the report of this target has more than 8 MiB: it is not kept", true);
}

static void
take_report(struct rh_host *h, const char *content, size_t n)
{
    if (!h->report_cut && h->report.n + n <= RH_WIRE_FILE_MOST)
        rh_buf_addn(&h->report, content, n);
    else
        drop_report(h);
}

static int
take_result(struct rh_host *h, const char *content, size_t n, struct rh_error *err)
{
    if (!rh_host_makes_plan(h) || h->result.n + n > RH_WIRE_FILE_MOST)
        return rh_error_set(err, RH_EINPUT, "unexpected data on the channel");
    rh_buf_addn(&h->result, content, n);
    return 0;
}

/* The receiver waits for this before it forgets how this run and earlier ones have ended: it comes when all
 * of that is kept here. */
static void
acknowledge(struct rh_host *h, int in)
{
    rh_autoclose int fd = in;
    rh_autobuf struct rh_buf ack = { 0 };

    if (rh_push_keep_report(h) < 0 || h->earlier_unsaved || fd < 0)
        return;
    rh_wire_add(&ack, RH_WIRE_ACK, "", 0);
    rh_discard(rh_child_write(fd, ack.s, ack.n)); /* the next push tells of it again */
}

static int
take_exit(struct rh_host *h, const struct rh_value *v, struct rh_error *err)
{
    const struct rh_value *status = rh_value_get(v, "status");
    int64_t changed = h->counts.each[RH_COUNT_CHANGED].n + h->counts.each[RH_COUNT_REFRESHED].n
                      + h->counts.each[RH_COUNT_WOULD_CHANGE].n + h->counts.each[RH_COUNT_WOULD_REFRESH].n;
    rh_autofree char *why = short_text(rh_buf_text(&h->last_error), LONGEST_MESSAGE);
    rh_autoerror struct rh_error why_not = { 0 };
    enum rh_push_outcome outcome = RH_PUSH_FAILED;
    int in;

    rh_push_show_output(h, &h->out, "", 0, false);
    rh_push_show_output(h, &h->err, "", 0, true);
    if (!rh_value_is(status, RH_INTEGER) || status->u.integer < 0 || status->u.integer > 255)
        return rh_error_set(err, RH_EINPUT, "the target sent an invalid exit status");
    h->status = (int)status->u.integer;
    if (h->status == 0 || h->status == 2)
        outcome = changed || h->status == 2 ? RH_PUSH_CHANGED : RH_PUSH_OK;
    else if (h->status == 1)
        outcome = RH_PUSH_REFUSED;
    if (rh_value_get(v, "report_bytes"))
        drop_report(h);
    in = rh_take_fd(&h->child.in);
    if (outcome <= RH_PUSH_CHANGED && rh_value_get(v, "result_bytes"))
        rh_host_end(h, RH_PUSH_FAILED, NULL, "the plan of this target has more than 8 MiB: it is not kept");
    else if (outcome <= RH_PUSH_CHANGED && rh_host_plan_keep(h, &why_not) < 0)
        rh_host_end(h, RH_PUSH_FAILED, NULL, "%s", why_not.message);
    else if (h->status >= 128 && h->stopped)
        rh_host_end(h, outcome, NULL, "interrupted");
    else if (h->status >= 128)
        rh_host_end(h, outcome, NULL, "ended by signal %d", h->status - 128);
    else if (outcome == RH_PUSH_REFUSED)
        rh_host_end(h, outcome, NULL, "%s", *why ? why : "the command was refused");
    else
        rh_host_end(h, outcome, NULL, NULL);
    acknowledge(h, in);
    return 0;
}

int
rh_host_frame(struct rh_host *h, enum rh_wire_kind kind, const char *content, size_t n, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = NULL;

    if (kind == RH_WIRE_HELLO || kind == RH_WIRE_EXIT || kind == RH_WIRE_REFUSAL)
        if (!(v = rh_wire_value(a, content, n, err)))
            return -1;
    if (kind == RH_WIRE_HELLO && h->step == RH_HOST_SEND)
        return take_hello(h, v, err);
    if (kind == RH_WIRE_REFUSAL) {
        rh_autofree char *text =
            short_text(rh_value_get_str(v, "message", "refused without a reason"), LONGEST_MESSAGE);

        rh_host_end(h, RH_PUSH_REFUSED, NULL, "%s", text);
        return 0;
    }
    if (h->step != RH_HOST_RUN)
        return rh_error_set(err, RH_EINPUT, "unexpected data on the channel");
    switch (kind) {
    case RH_WIRE_OUTPUT:
    case RH_WIRE_ERROR:
        take_output(h, content, n, kind == RH_WIRE_ERROR);
        return 0;
    case RH_WIRE_PROGRESS:
        take_progress(h, content, n);
        return 0;
    case RH_WIRE_REPORT:
        take_report(h, content, n);
        return 0;
    case RH_WIRE_RESULT:
        return take_result(h, content, n, err);
    case RH_WIRE_EXIT:
        return take_exit(h, v, err);
    default:
        return rh_error_set(err, RH_EINPUT, "unexpected data on the channel");
    }
}
