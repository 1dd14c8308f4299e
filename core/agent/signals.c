/* SPDX-License-Identifier: Apache-2.0 */
/* signals - what asks the agent to end or to read its settings again. They are blocked but while it waits,
 * and while a run or rhost-fetch is waited for, so that none is missed between. */
#include "config.h"

#include "agent/signals.h"

#include "agent/notify.h"
#include "base/clock.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static volatile sig_atomic_t stopping, reloading;
static sigset_t waiting; /* what is blocked in a wait */

static void
note(int signal)
{
    if (signal == SIGHUP)
        reloading = 1;
    else
        stopping = 1;
}

void
rh_agent_signals_open(void)
{
    struct sigaction action = { .sa_handler = note };
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
    sigset_t blocked;

    (void)sigemptyset(&blocked);
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)sigaddset(&blocked, signals[i]);
        (void)sigaction(signals[i], &action, NULL);
    }
    (void)sigprocmask(SIG_BLOCK, &blocked, &waiting);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        (void)sigdelset(&waiting, signals[i]);
}

static bool
take_pending(int signal)
{
    sigset_t pending;

    if (sigpending(&pending) == 0 && sigismember(&pending, signal) == 1)
        rh_agent_wait(0);
    return signal == SIGHUP ? reloading : stopping;
}

bool
rh_agent_stopping(void)
{
    return take_pending(SIGTERM) || take_pending(SIGINT);
}

bool
rh_agent_has_signal_to_reload(void)
{
    return take_pending(SIGHUP);
}

bool
rh_agent_reloading(void)
{
    bool was = rh_agent_has_signal_to_reload();

    reloading = 0;
    return was;
}

enum rh_wait_end
rh_agent_wait_for(int fd, double seconds)
{
    const double tick = 5;
    double until = rh_now() + seconds, left;

    do {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        struct timespec ts;
        int n;

        left = until - rh_now();
        if (left < 0)
            left = 0;
        if (left > tick)
            left = tick;
        ts = (struct timespec){ (time_t)left, (long)((left - (double)(time_t)left) * 1e9) };
        rh_notify_alive();
        n = ppoll(&p, fd >= 0, &ts, &waiting);
        if (n)
            return n < 0 ? RH_WAIT_SIGNAL : RH_WAIT_READY;
    } while (rh_now() < until);
    return RH_WAIT_TIME;
}

void
rh_agent_wait(double seconds)
{
    (void)rh_agent_wait_for(-1, seconds);
}
