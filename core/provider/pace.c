/* SPDX-License-Identifier: Apache-2.0 */
/* pace - how long the host waits for the next sign of life of a provider. */
#include "config.h"

#include "base/clock.h"
#include "provider/runtime-parts.h"

enum {
    ALIVE = 10,          /* seconds: how often the host is told at most that the call goes on */
    SLOWEST_DISK = 3600, /* seconds that a sync may take; nothing can be said meanwhile */
};

/* A short time limit is not to pass between two signs. */
static double
interval(const struct rh_runtime *rt)
{
    double quarter = rt->options.time_limit / 4.0;

    return quarter > 0 && quarter < ALIVE ? quarter : ALIVE;
}

static void
tell(struct rh_runtime *rt, double now, uint32_t silence)
{
    rt->last_alive = now;
    if (rt->options.time_limit)
        rt->pace.until = now + rt->options.time_limit + silence / 1000.0;
    rt->sink.busy(rt->sink.data, silence);
}

void
rh_runtime_limit(struct rh_runtime *rt, double seconds)
{
    rt->pace.end = seconds > 0 ? rh_now() + seconds : 0;
}

void
rh_runtime_heard(struct rh_runtime *rt)
{
    rt->pace.heard = rh_now_coarse();
    if (rt->options.time_limit)
        rt->pace.until = rt->pace.heard + rt->options.time_limit;
}

void
rh_runtime_alive(struct rh_runtime *rt)
{
    double now = rh_now_coarse();

    if (!rt->last_alive || now - rt->last_alive >= interval(rt))
        tell(rt, now, RH_MOST_SILENCE);
}

void
rh_runtime_moved(struct rh_runtime *rt)
{
    double now = rh_now_coarse(), last = rt->last_alive > rt->pace.heard ? rt->last_alive : rt->pace.heard;
    double granted = rt->pace.until - rt->options.time_limit - now;

    if (!rt->options.time_limit || now - last < interval(rt) || granted > RH_MOST_SILENCE / 1000.0)
        return;
    tell(rt, now, granted > 0 ? (uint32_t)(granted * 1000) : 0);
}

void
rh_runtime_waits_for_disk(struct rh_runtime *rt)
{
    const struct rh_progress p = { .id = RH_NOBODY, .silence = SLOWEST_DISK * 1000 };

    if (!rt->options.time_limit || !rt->sink.progress)
        return;
    rt->pace.until = rh_now() + rt->options.time_limit + SLOWEST_DISK;
    rt->sink.progress(rt->sink.data, &p);
}
