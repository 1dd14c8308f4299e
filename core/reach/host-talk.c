/* SPDX-License-Identifier: Apache-2.0 */
/* host-talk - what is sent to the receiver of a target, and what it answers. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "reach/push-parts.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_SKEW = 60, LARGEST_REPORT = 64 << 20, LARGEST_OUTPUT = 1 << 20, LONGEST_LINE = 1 << 20 };

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
                    *program = rh_value_new(a, RH_ARRAY);
    rh_autobuf struct rh_buf attributes = { 0 };
    uint64_t bytes = o->site_bytes;

    rh_value_append(command, rh_value_string(a, o->command[0]));
    if (o->attributes)
        bytes += rh_host_add_attributes(h, &attributes, command);
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

/* What became of a push whose end nobody was told. */
static void
tell_earlier(struct rh_host *h, const struct rh_value *v)
{
    const struct rh_value *status = rh_value_get(v, "status"), *detached = rh_value_get(v, "detached");
    const char *push = rh_value_get_str(v, "push", "?"), *from = rh_value_get_str(v, "from", "?");
    rh_autofree char *line = NULL;

    if (rh_value_get(v, "running"))
        line = rh_printf("warning: push %s from %s is still running on this target", push, from);
    else if (!rh_value_is(status, RH_INTEGER))
        line = rh_printf("warning: push %s from %s was killed on this target before its end", push, from);
    else
        line = rh_printf("warning: push %s from %s lost its connection; its run %s with exit status %lld",
                         push, from,
                         rh_value_is(detached, RH_BOOLEAN) && detached->u.integer ? "went on, and ended"
                                                                                  : "was stopped, and ended",
                         (long long)status->u.integer);
    rh_push_show_line(h, line, true);
    if (!rh_value_get(v, "running"))
        rh_push_keep_earlier(h, v);
}

static int
take_hello(struct rh_host *h, const struct rh_value *v, struct rh_error *err)
{
    const struct rh_value *protocol = rh_value_get(v, "protocol"), *at = rh_value_get(v, "time");
    const struct rh_value *earlier = rh_value_get(v, "earlier");
    int64_t skew = rh_value_is(at, RH_INTEGER) ? at->u.integer - (int64_t)time(NULL) : 0;

    if (!rh_value_is(protocol, RH_INTEGER) || protocol->u.integer != RH_WIRE_PROTOCOL)
        return rh_error_set(err, RH_EINPUT,
                            "the target has version %s of rhost, which speaks another protocol",
                            rh_value_get_str(v, "version", "?"));
    h->hello = v;
    h->step = RH_HOST_RUN;
    if (skew > MOST_SKEW || skew < -MOST_SKEW) {
        rh_autofree char *line =
            rh_printf("warning: the clock of this target is %lld seconds %s",
                      (long long)(skew < 0 ? -skew : skew), skew < 0 ? "behind" : "ahead");

        rh_push_show_line(h, line, true);
    }
    for (size_t i = 0; i < rh_value_count(earlier); i++)
        if (rh_value_is(rh_value_at(earlier, i), RH_HASH))
            tell_earlier(h, rh_value_at(earlier, i));
    return 0;
}

static size_t
number_of(const struct rh_value *v, const char *key)
{
    const struct rh_value *n = rh_value_get(v, key);

    return rh_value_is(n, RH_INTEGER) && n->u.integer > 0 ? (size_t)n->u.integer : 0;
}

static void
take_event(struct rh_host *h, const struct rh_value *v)
{
    const char *event = rh_value_get_str(v, "event", "");
    const char *resource = rh_value_get_str(v, "resource", NULL);

    if (strcmp(event, "begin") == 0) {
        h->total = number_of(v, "total");
        free(h->run);
        h->run = rh_safe_text(rh_value_get_str(v, "run", ""));
    } else if (strcmp(event, "resource") == 0) {
        h->done++;
    } else if (strcmp(event, "end") == 0) {
        rh_autobuf struct rh_buf text = { 0 };
        rh_autoerror struct rh_error err = { 0 };

        rh_value_to_json(&text, rh_value_get(v, "counts"), false);
        h->counts = rh_value_from_json(h->arena, rh_buf_text(&text), text.n, &err);
    }
    if (resource && (strcmp(event, "running") == 0 || strcmp(event, "progress") == 0)) {
        free(h->at);
        h->at = rh_safe_text(resource);
    }
}

/* Lines of JSON; what is none is left out: they are only shown. */
static void
take_progress(struct rh_host *h, const char *text, size_t n)
{
    const char *end;

    rh_buf_addn(&h->progress, text, n);
    while (h->progress.n && (end = memchr(h->progress.s, '\n', h->progress.n))) {
        size_t length = (size_t)(end - h->progress.s);
        rh_autoerror struct rh_error err = { 0 };
        rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
        struct rh_value *v = rh_value_from_json(a, h->progress.s, length, &err);

        if (rh_value_is(v, RH_HASH))
            take_event(h, v);
        memmove(h->progress.s, end + 1, h->progress.n - length - 1);
        rh_buf_truncate(&h->progress, h->progress.n - length - 1);
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
take_exit(struct rh_host *h, const struct rh_value *v)
{
    const struct rh_value *status = rh_value_get(v, "status");
    size_t changed = number_of(h->counts, "changed") + number_of(h->counts, "refreshed")
                     + number_of(h->counts, "would_change") + number_of(h->counts, "would_refresh");
    rh_autofree char *why = rh_safe_text(rh_buf_text(&h->last_error));
    enum rh_push_outcome outcome = RH_PUSH_FAILED;

    rh_push_show_output(h, &h->out, "", 0, false);
    rh_push_show_output(h, &h->err, "", 0, true);
    h->status = rh_value_is(status, RH_INTEGER) ? (int)status->u.integer : -1;
    if (h->status == 0 || h->status == 2)
        outcome = changed || h->status == 2 ? RH_PUSH_CHANGED : RH_PUSH_OK;
    else if (h->status == 1)
        outcome = RH_PUSH_REFUSED;
    /* The receiver waits for this before it forgets how the run has ended. */
    if (h->child.in >= 0) {
        rh_autobuf struct rh_buf ack = { 0 };

        rh_wire_add(&ack, RH_WIRE_ACK, "", 0);
        if (rh_child_write(h->child.in, ack.s, ack.n) != (ssize_t)ack.n)
            rh_buf_truncate(&ack, 0);
    }
    if (h->status >= 128)
        rh_host_end(h, outcome, NULL, "ended by signal %d", h->status - 128);
    else if (outcome == RH_PUSH_REFUSED)
        rh_host_end(h, outcome, NULL, "%s", *why ? why : "the command was refused");
    else
        rh_host_end(h, outcome, NULL, NULL);
}

int
rh_host_frame(struct rh_host *h, enum rh_wire_kind kind, const char *content, size_t n, struct rh_error *err)
{
    struct rh_value *v = NULL;

    if (kind == RH_WIRE_HELLO || kind == RH_WIRE_EXIT || kind == RH_WIRE_REFUSAL)
        if (!(v = rh_wire_value(h->arena, content, n, err)))
            return -1;
    if (kind == RH_WIRE_HELLO && h->step == RH_HOST_SEND)
        return take_hello(h, v, err);
    if (kind == RH_WIRE_REFUSAL) {
        rh_autofree char *text = rh_safe_text(rh_value_get_str(v, "message", "refused without a reason"));

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
        if (h->report.n + n <= LARGEST_REPORT)
            rh_buf_addn(&h->report, content, n);
        return 0;
    case RH_WIRE_EXIT:
        take_exit(h, v);
        return 0;
    default:
        return rh_error_set(err, RH_EINPUT, "unexpected data on the channel");
    }
}
