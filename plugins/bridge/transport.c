/* SPDX-License-Identifier: Apache-2.0 */
/* transport - a way to a device that a program has: it connects, and then serves the device's resources. */

#include "json.h"
#include "parts.h"

#include <rhost/bridge.h>

#include <string.h>

static struct seat *
own_seat(rhost_ctx *ctx)
{
    const struct route *route = ctx->host->extension(ctx, RHOST_SERVED_ID);

    return route ? seat_of(ctx, route->of, false) : NULL;
}

/* Asks with the name of the transport, and what else there is to say. */
static int
begin(struct talk *talk, rhost_ctx *ctx, const char *verb)
{
    const struct route *route = ctx->host->extension(ctx, RHOST_SERVED_ID);
    struct seat *seat = own_seat(ctx);

    *talk = (struct talk){ .ctx = ctx };
    if (!seat)
        return rhost_fail(ctx, "this host has no transports for programs (" RHOST_SERVED_ID ")");
    if (talk_begin_transport(talk, ctx, verb, seat) < 0)
        return -1;
    text_adds(&talk->question, "{\"transport\":");
    json_string(&talk->question, route->transport.name, strlen(route->transport.name));
    return 0;
}

static int
simply(rhost_ctx *ctx, const char *verb)
{
    struct talk talk;
    int rc = begin(&talk, ctx, verb);

    if (rc == 0)
        text_adds(&talk.question, "}");
    rc = talk_complete(&talk, rc, 0);
    return talk.failed ? -1 : rc;
}

/* The first of the types to be connected connects all of them. */
static int32_t
transport_open(rhost_ctx *ctx, const rhost_value *info)
{
    struct seat *seat = own_seat(ctx);
    struct talk talk;
    int rc = 0;

    if (!seat || !seat->process->linked) {
        rc = begin(&talk, ctx, "connect");
        if (rc == 0) {
            text_adds(&talk.question, ",\"info\":");
            json_write(&talk.question, info);
            text_adds(&talk.question, "}");
            text_clear(&seat->process->connect);
            text_add(&seat->process->connect, talk.question.s, talk.question.n);
            rc = talk_connect(&talk);
        }
        talk_end(&talk);
    }
    if (rc == 0) {
        seat->connected = true;
        seat->process->connected++;
    } else if (seat) {
        seat_drop(ctx, seat); /* it will not be closed */
    }
    return rc;
}

static void
transport_close(rhost_ctx *ctx)
{
    struct seat *seat = own_seat(ctx);
    struct process *p = seat ? seat->process : NULL;

    if (!p)
        return;
    if (seat->connected && --p->connected == 0 && p->linked && !seat->ended) {
        (void)simply(ctx, "disconnect");
        p->linked = p->verified = false;
    }
    seat->connected = false;
    seat_leave(ctx, seat);
}

static int32_t
transport_verify(rhost_ctx *ctx)
{
    struct seat *seat = own_seat(ctx);
    int rc = seat && seat->process->verified ? 0 : simply(ctx, "verify");

    if (rc == 0)
        seat->process->verified = true;
    return rc;
}

/* {"facts":{...}}, once */
static int
facts(struct talk *talk)
{
    const unsigned all = 1U << ANSWER_FACTS | 1U << ANSWER_FAILED;
    const rhost_value *says;
    int which;

    text_adds(&talk->question, "}");
    if (talk_ask(talk) < 0)
        return -1;
    which = talk_next(talk, all, &says);
    if (which == ANSWER_FAILED)
        return take_failed(talk, says, false) < 0 ? -1 : talk_finish(talk, 0);
    if (which < 0 || take_resource(talk, says) < 0 || talk->ctx->host->emit(talk->ctx, says) < 0)
        return -1;
    return talk_finish(talk, 0);
}

static int32_t
transport_facts(rhost_ctx *ctx)
{
    struct talk talk;
    int rc = begin(&talk, ctx, "facts");

    if (rc == 0)
        rc = facts(&talk);
    talk_end(&talk);
    return rc;
}

static const void *
transport_api(rhost_ctx *ctx, const char *id)
{
    return strcmp(id, CONNECTION_ID) == 0 ? own_seat(ctx) : NULL;
}

const struct rhost_transport bridge_transport = {
    .struct_size = sizeof bridge_transport,
    .open = transport_open,
    .close = transport_close,
    .verify = transport_verify,
    .facts = transport_facts,
    .api = transport_api,
};
