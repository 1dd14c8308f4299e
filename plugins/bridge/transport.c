/* SPDX-License-Identifier: Apache-2.0 */
/* transport - a way to a device that a program has: it connects, and then serves the device's resources. */

#include "json.h"
#include "parts.h"

#include <rhost/bridge.h>
#include <rhost/keep.h>

#include <stdlib.h>
#include <string.h>

static struct connection *
connection_of(rhost_ctx *ctx)
{
    const struct route *route = ctx->host->extension(ctx, RHOST_SERVED_ID);
    void **word = rhost_keep_word(ctx, "rhost.bridge.connection", free);
    struct connection *c;

    if (!route || !word)
        return NULL;
    if (!*word) {
        c = need(sizeof *c);
        c->of = route->of;
        *word = c;
    }
    return *word;
}

/* Asks with the name of the transport, and what else there is to say. */
static int
begin(struct talk *talk, rhost_ctx *ctx, const char *verb)
{
    const struct route *route = ctx->host->extension(ctx, RHOST_SERVED_ID);
    struct connection *connection = connection_of(ctx);

    *talk = (struct talk){ .ctx = ctx };
    if (!connection)
        return rhost_fail(ctx, "this host has no transports for programs (" RHOST_SERVED_ID ")");
    if (talk_begin_transport(talk, ctx, verb, connection) < 0)
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
    return talk_complete(&talk, rc, 0);
}

static int32_t
transport_open(rhost_ctx *ctx, const rhost_value *info)
{
    struct talk talk;
    int rc = begin(&talk, ctx, "connect");

    if (rc == 0) {
        text_adds(&talk.question, ",\"info\":");
        json_write(&talk.question, info);
        text_adds(&talk.question, "}");
    }
    return talk_complete(&talk, rc, 0);
}

static void
transport_close(rhost_ctx *ctx)
{
    const struct rhost_programs *programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID);
    struct connection *connection = connection_of(ctx);

    (void)simply(ctx, "disconnect");
    if (connection && connection->program && programs)
        programs->stop(ctx, connection->program);
    if (connection)
        connection->program = NULL;
}

static int32_t
transport_verify(rhost_ctx *ctx)
{
    return simply(ctx, "verify");
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
    return strcmp(id, CONNECTION_ID) == 0 ? connection_of(ctx) : NULL;
}

const struct rhost_transport bridge_transport = {
    .struct_size = sizeof bridge_transport,
    .open = transport_open,
    .close = transport_close,
    .verify = transport_verify,
    .facts = transport_facts,
    .api = transport_api,
};
