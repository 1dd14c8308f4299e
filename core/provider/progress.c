/* SPDX-License-Identifier: Apache-2.0 */
/* progress - what a provider says during long work, and asks about it: that it goes on, how far it is,
 * whether the run is to end, and how long the host waits. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/interrupt.h"
#include "provider/call.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"

enum {
    MOST_SENT = 50, /* in a second */
    LONGEST = 200,  /* bytes of a text that is shown in a line of status */
    LONGEST_UNIT = 20,
    NO_LIMIT = 1000000000, /* seconds */
};

static const double between = 0.1; /* seconds from one count to the next */

/* Whoever calls in a loop must not fill the channel; what gives more time always goes. */
static bool
is_due(struct rh_runtime *rt, double now, double until)
{
    struct rh_pace *p = &rt->pace;

    if (now - p->second >= 1) {
        p->second = now;
        p->sent = 0;
    }
    return p->sent++ < MOST_SENT || until > p->until + 1;
}

/* Of the resource that is meant, or, while none is being changed, of nobody. */
static uint32_t
id_of(struct rh_call *call, const char *title)
{
    const struct rh_job *job = call->n_jobs ? rh_scope_job(call, title) : NULL;

    return job ? job->want->id : RH_NOBODY;
}

static void
send(struct rh_call *call, const struct rh_progress *p, double now)
{
    struct rh_runtime *rt = call->rt;
    double until = now + rt->options.time_limit + p->silence / 1000.0;

    if (!is_due(rt, now, rt->options.time_limit ? until : 0))
        return;
    if (rt->options.time_limit)
        rt->pace.until = until;
    if (rt->sink.progress)
        rt->sink.progress(rt->sink.data, p);
}

static const char *
shown(struct rh_call *call, struct rh_arena *a, const char *text, size_t longest)
{
    return text && *text ? rh_outgoing_text(call->rt, a, text, longest, false) : NULL;
}

void
rh_table_busy(rhost_ctx *ctx, double seconds, const char *text)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_call *call = rh_call_of(ctx);
    double most = RH_MOST_BUSY / 1000.0;

    seconds = seconds > 0 ? seconds < most ? seconds : most : 0; /* not a number: 0 */
    send(call,
         &(struct rh_progress){ .id = id_of(call, NULL),
                                .text = shown(call, a, text, LONGEST),
                                .silence = (uint32_t)(seconds * 1000) },
         rh_now());
}

void
rh_table_progress(rhost_ctx *ctx, const char *title, uint64_t done, uint64_t total, const char *unit)
{
    struct rh_call *call = rh_call_of(ctx);
    uint32_t id = id_of(call, title);
    double now = rh_now();

    if (now - call->rt->pace.shown < between && (!total || done < total))
        return;
    call->rt->pace.shown = now;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    send(call,
         &(struct rh_progress){ .id = id,
                                .counted = true,
                                .done = done,
                                .total = total,
                                .unit = shown(call, a, unit, LONGEST_UNIT) },
         now);
}

void
rh_call_show_output(rhost_ctx *ctx, const char *line, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_call *call = rh_call_of(ctx);

    send(call,
         &(struct rh_progress){ .id = id_of(call, NULL),
                                .text = shown(call, a, rh_arena_strndup(a, line, n), LONGEST),
                                .silence = RH_MOST_SILENCE },
         rh_now());
}

int32_t
rh_table_stopping(rhost_ctx *ctx)
{
    (void)ctx;
    return rh_interrupted() != 0;
}

double
rh_table_deadline(rhost_ctx *ctx)
{
    const struct rh_pace *p = &rh_call_of(ctx)->rt->pace;
    double until = p->end > 0 && (p->until <= 0 || p->end < p->until) ? p->end : p->until;
    double left = until - rh_now();

    if (until <= 0)
        return NO_LIMIT;
    return left > 0 ? left : 0;
}
