/* SPDX-License-Identifier: Apache-2.0 */
/* hint - hears of a broker that there may be something new. */
#include "config.h"

#include "agent/hint.h"

#include "agent/agent.h"
#include "agent/fetch-wire.h"
#include "agent/fetch.h"
#include "agent/signals.h"
#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/wait.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FIRST_PAUSE = 1,
    LONGEST_PAUSE = 300 /* seconds, until it is started again */,
    APART = 10,
    PIECE = 512
};

static void
end(struct rh_agent_hints *h)
{
    if (!h->pid)
        return;
    (void)close(h->fd);
    (void)kill(-h->pid, SIGKILL);
    (void)kill(h->pid, SIGKILL);
    rh_discard(rh_wait_child(h->pid, NULL));
    h->pid = 0;
}

static void
start_later(struct rh_agent_hints *h)
{
    h->pause = h->pause ? h->pause * 2 : FIRST_PAUSE;
    if (h->pause > LONGEST_PAUSE)
        h->pause = LONGEST_PAUSE;
    h->again_at = rh_now() + h->pause;
}

static void
start(struct rh_agent *agent)
{
    struct rh_agent_hints *h = &agent->hints;
    rh_autoerror struct rh_error err = { 0 };

    if (h->pid || !agent->settings.hints || rh_now() < h->again_at)
        return;
    if (rh_fetch_listen(&agent->settings, agent->settings.hints, &h->fd, &h->pid, &err) == 0)
        return;
    if (!h->warned)
        rh_log_error(RH_WARNING, &err);
    h->warned = true;
    start_later(h);
}

/* Why none come, said once until one comes. */
static void
say_reason(struct rh_agent *agent, const char *text, size_t n)
{
    rh_autofree char *reason = rh_xstrndup(text, n), *shown = rh_safe_text(reason);

    if (!agent->hints.warned)
        rh_log(RH_WARNING, "no hints come from '%s': %s", agent->settings.hints, shown);
    agent->hints.warned = true;
}

/* Whether a hint came. rhost-nats reads what strangers send: nothing of it is believed but that it came. */
static bool
drain(struct rh_agent *agent)
{
    struct rh_agent_hints *h = &agent->hints;
    unsigned char piece[PIECE];
    ssize_t n = recv(h->fd, piece, sizeof piece, MSG_DONTWAIT);
    size_t length = 0;
    char type = '\0';

    if (n >= RH_FETCH_HEAD && rh_fetch_read_head(piece, &type, &length) && type == RH_FETCH_REASON) {
        size_t got = (size_t)n - RH_FETCH_HEAD;

        say_reason(agent, (const char *)piece + RH_FETCH_HEAD, length < got ? length : got);
        return false;
    }
    if (n > 0) {
        h->pause = 0;
        h->warned = false;
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    end(h);
    start_later(h);
    return false;
}

bool
rh_hint_wait(struct rh_agent *agent, double seconds)
{
    struct rh_agent_hints *h = &agent->hints;
    double until = rh_now() + seconds, left;

    do {
        start(agent);
        left = until - rh_now();
        /* Woken to start rhost-nats again. */
        if (agent->settings.hints && !h->pid && left > h->again_at - rh_now())
            left = h->again_at - rh_now();
        switch (rh_agent_wait_for(h->pid ? h->fd : -1, left)) {
        case RH_WAIT_READY:
            if (drain(agent))
                return true;
            break;
        case RH_WAIT_SIGNAL:
            return false;
        case RH_WAIT_TIME:
            break;
        }
    } while (rh_now() < until);
    return false;
}

double
rh_hint_due(struct rh_agent *agent)
{
    struct rh_agent_hints *h = &agent->hints;
    double now = rh_now(), earliest = h->due + APART > now && h->due > 0 ? h->due + APART : now;
    uint32_t random = 0;

    if (getrandom(&random, sizeof random, 0) < 0)
        random = UINT32_MAX / 2;
    h->due = earliest + (double)agent->settings.hint_spread * random / UINT32_MAX;
    return h->due;
}

void
rh_hint_close(struct rh_agent *agent)
{
    end(&agent->hints);
    agent->hints = (struct rh_agent_hints){ .due = agent->hints.due };
}
