/* SPDX-License-Identifier: Apache-2.0 */
/* hint - "look now". What a hint says is not read: that it came is all. */
#include "config.h"

#include "broker/broker.h"

#include "agent/fetch-wire.h"
#include "broker/connection.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TICK = 500, FIRST_PAUSE = 1000, LONGEST_PAUSE = 60000 /* ms */, LIMIT = 100, FLUSH = 5000 };

/* Whether the agent is still there: it says nothing more, so what can be read is the end. */
static bool
agent_is_gone(int ms)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

    return poll(&p, 1, ms) != 0;
}

/* Until the connection is lost; false: the agent is gone. */
static bool
hand_on(natsConnection *c)
{
    natsSubscription *sub = NULL;
    natsStatus s = natsConnection_SubscribeSync(&sub, c, RH_BROKER_HINT);
    bool there = true;

    /* Many hints are one. */
    if (s == NATS_OK)
        s = natsSubscription_SetPendingLimits(sub, LIMIT, -1);
    while ((s == NATS_OK || s == NATS_TIMEOUT || s == NATS_SLOW_CONSUMER) && there) {
        natsMsg *m = NULL;

        s = natsSubscription_NextMsg(&m, sub, TICK);
        natsMsg_Destroy(m);
        there = !agent_is_gone(0) && (s != NATS_OK || rh_fetch_send(STDIN_FILENO, RH_FETCH_BODY, "", 0));
        if (s == NATS_TIMEOUT && natsConnection_IsClosed(c))
            s = NATS_CONNECTION_CLOSED;
    }
    natsSubscription_Destroy(sub);
    return there;
}

int
rh_broker_listen(const struct rh_fetch_parts *r)
{
    const char *said = NULL;
    int pause = FIRST_PAUSE;

    for (;;) {
        const char *why = NULL;
        natsConnection *c = rh_connection_of_agent(r, NULL, &why);

        if (!c && why != said && !rh_fetch_send(STDIN_FILENO, RH_FETCH_REASON, why, strlen(why)))
            return 0;
        said = c ? NULL : why;
        if (c && !hand_on(c))
            return 0;
        pause = c ? FIRST_PAUSE : pause * 2 < LONGEST_PAUSE ? pause * 2 : LONGEST_PAUSE;
        rh_connection_close(c);
        /* Not all machines at once, after the broker was away. */
        if (agent_is_gone(pause / 2 + (int)(nats_Now() * 7919 % (pause / 2))))
            return 0;
    }
}

int
rh_broker_hint(const struct rh_broker_address *b)
{
    const char *why = NULL;
    natsConnection *c = rh_connection_open(b, &why);
    natsStatus s = c ? natsConnection_Publish(c, RH_BROKER_HINT, "", 0) : NATS_ERR;

    if (s == NATS_OK)
        s = natsConnection_FlushTimeout(c, FLUSH);
    if (s != NATS_OK)
        (void)fprintf(stderr, "rhost-nats: cannot send a hint: %s\n", c ? natsStatus_GetText(s) : why);
    rh_connection_close(c);
    return s == NATS_OK ? 0 : -1;
}
