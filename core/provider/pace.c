/* SPDX-License-Identifier: Apache-2.0 */
/* pace - how long the host waits for the next sign of life of a provider. */
#include "config.h"

#include "base/clock.h"
#include "provider/runtime-parts.h"

enum { ALIVE = 10 }; /* seconds: how often the host is told at most that the call goes on */

void
rh_runtime_limit(struct rh_runtime *rt, double seconds)
{
    rt->pace.end = seconds > 0 ? rh_now() + seconds : 0;
}

void
rh_runtime_heard(struct rh_runtime *rt)
{
    if (rt->options.time_limit)
        rt->pace.until = rh_now() + rt->options.time_limit;
}

void
rh_runtime_alive(struct rh_runtime *rt)
{
    double now = rh_now();

    if (rt->last_alive && now - rt->last_alive < ALIVE)
        return;
    rt->last_alive = now;
    if (rt->options.time_limit)
        rt->pace.until = now + rt->options.time_limit + RH_MOST_SILENCE / 1000.0;
    rt->sink.busy(rt->sink.data, RH_MOST_SILENCE);
}
