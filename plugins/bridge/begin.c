/* SPDX-License-Identifier: Apache-2.0 */
/* begin - how a question begins: with the process, which is started, greets, and is connected. */

#include "json.h"
#include "parts.h"
#include "talk.h"

#include <rhost/bridge.h>

#include <string.h>

static void
add_types(struct text *hello, const struct description *of)
{
    text_adds(hello, ",\"types\":[");
    for (size_t i = 0; of->plugin.providers[i]; i++) {
        const char *type = of->plugin.providers[i]->type;

        text_adds(hello, i ? "," : "");
        json_string(hello, type, strlen(type));
    }
    text_adds(hello, "]");
}

/* How the host was started, where it tells. */
static void
add_run(struct text *hello, rhost_ctx *ctx)
{
    const struct rhost_run *run = ctx->host->extension(ctx, RHOST_RUN_ID);

    if (!run)
        return;
    text_adds(hello, ",\"strict\":");
    json_string(hello, run->strict, strlen(run->strict));
    text_addf(hello, ",\"noop\":%s,\"debug\":%s", run->noop ? "true" : "false",
              run->debug ? "true" : "false");
}

/* Both sides say which protocol they speak; whatever else is in it is for later versions to use. */
static int
greet(struct talk *talk)
{
    const struct rhost_provider *p = talk->of->plugin.providers[0];
    const char *verb = talk->verb;
    const rhost_value *says;
    struct text hello = { 0 };
    int rc;

    text_adds(&hello, "{\"hello\":{\"protocol\":1,\"rhost\":");
    json_string(&hello, talk->ctx->host->version, strlen(talk->ctx->host->version));
    if (talk->of->several) {
        add_types(&hello, talk->of);
    } else if (p) {
        text_adds(&hello, ",\"type\":");
        json_string(&hello, p->type, strlen(p->type));
        text_adds(&hello, ",\"provider\":");
        json_string(&hello, p->name, strlen(p->name));
    }
    add_run(&hello, talk->ctx);
    text_adds(&hello, "}}");
    talk->verb = "hello";
    rc = talk->programs->say(talk->ctx, talk->program, hello.s, hello.n);
    if (rc == 0)
        rc = talk_next(talk, 1U << ANSWER_HELLO, &says) < 0 ? -1 : 0;
    if (rc == 0 && rhost_int(says, "protocol", 0) != 1)
        rc = talk_refuse(talk, "this rhost speaks protocol 1, and it does not say so");
    talk->verb = verb;
    text_clear(&hello);
    return rc;
}

static int
start(struct talk *talk)
{
    struct process *p = talk->seat->process;
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = talk->of->argv,
        .env = talk->of->env,
        .cwd = talk->of->folder,
        .timeout = talk->of->timeout,
        .umask = -1,
    };
    int rc = talk->programs->start(talk->ctx, &command, &p->program);

    talk->program = p->program;
    if (p->program && talk->of->shared && process_can_share(talk->programs))
        talk->programs->share(talk->ctx, p->program);
    if (rc == 0)
        return greet(talk);
    if (p->program)
        seat_lose(talk->seat, p->program);
    return -1;
}

static int
begin(struct talk *talk)
{
    struct seat *seat = talk->seat;

    if (!talk->of || !talk->programs || !seat)
        return rhost_fail(talk->ctx, "this host cannot run programs (" RHOST_PROGRAM_ID ")");
    talk->program = seat->ended ? seat->ended : seat->process->program;
    if (!talk->program && start(talk) < 0)
        return -1;
    text_addf(&talk->question, "{\"%s\":", talk->verb);
    return 0;
}

static int
refuse_connection(struct talk *talk)
{
    struct text why = { 0 };

    text_addf(&why, "type '%s' needs a transport of its own program '%s'", talk->served->provider.type,
              talk->of->program);
    (void)talk->ctx->host->fail(talk->ctx, 0, NULL, why.s);
    text_clear(&why);
    return -1;
}

int
talk_connect(struct talk *talk)
{
    struct process *p = talk->seat->process;
    int rc = talk_ask(talk);

    if (rc == 0)
        rc = talk_finish(talk, 0);
    if (rc < 0 || talk->failed)
        return -1;
    p->linked = true;
    return 0;
}

/* The process that was connected has ended while another type was asked: connects the new one. */
static int
connect_again(struct talk *talk)
{
    struct process *p = talk->seat->process;
    struct talk again = {
        .ctx = talk->ctx, .of = talk->of, .programs = talk->programs, .seat = talk->seat, .verb = "connect"
    };
    int rc;

    if (talk->seat->ended || p->linked)
        return 0;
    rc = begin(&again);
    text_clear(&again.question);
    text_add(&again.question, p->connect.s, p->connect.n);
    if (rc == 0)
        rc = talk_connect(&again);
    talk_end(&again);
    return rc;
}

int
talk_begin(struct talk *talk, rhost_ctx *ctx, const char *verb)
{
    const struct served *served = ctx->host->extension(ctx, RHOST_SERVED_ID);
    const struct seat *connection;

    *talk = (struct talk){
        .ctx = ctx,
        .served = served,
        .of = served ? served->of : NULL,
        .programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID),
        .verb = verb,
    };
    talk->seat = served ? seat_of(ctx, served->of, false) : NULL;
    if (!talk->seat || !(served->provider.features & RHOST_REMOTE_RESOURCE))
        return begin(talk);
    connection = ctx->host->transport(ctx, CONNECTION_ID);
    if (!connection) /* not connected yet: attributes are canonicalized before */
        return begin(talk);
    if (strcmp(connection->of->folder, served->of->folder) != 0)
        return refuse_connection(talk);
    seat_join(ctx, talk->seat, connection);
    return connect_again(talk) < 0 ? -1 : begin(talk);
}

int
talk_begin_transport(struct talk *talk, rhost_ctx *ctx, const char *verb, struct seat *seat)
{
    *talk = (struct talk){
        .ctx = ctx,
        .of = seat->of,
        .programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID),
        .seat = seat,
        .verb = verb,
    };
    return begin(talk);
}

int
talk_begin_source(struct talk *talk, rhost_ctx *ctx, const char *verb, const struct description *of)
{
    *talk = (struct talk){
        .ctx = ctx,
        .of = of,
        .programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID),
        .seat = seat_of(ctx, of, true),
        .verb = verb,
    };
    return begin(talk);
}
