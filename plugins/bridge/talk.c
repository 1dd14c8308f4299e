/* SPDX-License-Identifier: Apache-2.0 */
/* talk - one question to the program, and its answers. */

#include "talk.h"

#include "interim.h"
#include "json.h"

#include <rhost/bridge.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const answers[N_ANSWERS] = {
    [ANSWER_ANSWER] = "answer",     [ANSWER_BEGIN] = "begin",       [ANSWER_BUSY] = "busy",
    [ANSWER_CATALOG] = "catalog",   [ANSWER_CHANGED] = "changed",   [ANSWER_DONE] = "done",
    [ANSWER_END] = "end",           [ANSWER_EXECUTED] = "executed", [ANSWER_EXECUTING] = "executing",
    [ANSWER_FACTS] = "facts",       [ANSWER_FAILED] = "failed",     [ANSWER_HELLO] = "hello",
    [ANSWER_INSYNC] = "insync",     [ANSWER_LOG] = "log",           [ANSWER_PROGRESS] = "progress",
    [ANSWER_RESOURCE] = "resource", [ANSWER_STOPPING] = "stopping", [ANSWER_SUITS] = "suits",
};

int
talk_refuse(struct talk *talk, const char *fmt, ...)
{
    struct text why = { 0 };
    va_list ap;

    text_addf(&why,
              "the program '%s' was asked '%s', and line %llu of its output is wrong: ", talk->of->program,
              talk->verb, (unsigned long long)talk->line);
    va_start(ap, fmt);
    text_addv(&why, fmt, ap);
    va_end(ap);
    talk->programs->end(talk->ctx, talk->program, why.s);
    (void)talk->ctx->host->fail(talk->ctx, 0, NULL, why.s);
    text_clear(&why);
    return -1;
}

/* Which of our words it is; -1 after refusing. */
static int
find_answer(struct talk *talk, const char *word, unsigned allowed)
{
    struct near near = { .wanted = word };
    struct text more = { 0 };

    for (int i = 0; i < N_ANSWERS; i++) {
        if (!(allowed & 1U << i))
            continue;
        if (strcmp(word, answers[i]) == 0)
            return i;
        near_try(&near, answers[i]);
    }
    for (int i = 0; i < N_ANSWERS; i++)
        if (strcmp(word, answers[i]) == 0)
            return talk_refuse(talk, "'%s' is not an answer to that", word);
    text_addf(&more, "there is no '%.*s'", 60, word);
    near_add(&near, &more);
    (void)talk_refuse(talk, "%s", more.s);
    text_clear(&more);
    return -1;
}

int
talk_check_keys(struct talk *talk, const rhost_value *says, const char *const *keys, size_t needed)
{
    const struct rhost_host *h = talk->ctx->host;

    if (h->kind(says) != RHOST_HASH)
        return talk_refuse(talk, "what it says must be an object");
    for (size_t i = 0; i < h->count(says); i++) {
        struct near near = { .wanted = "" };
        struct text more = { 0 };
        bool known = false;

        (void)h->at(says, i, &near.wanted);
        for (size_t k = 0; keys[k]; k++) {
            known |= strcmp(near.wanted, keys[k]) == 0;
            near_try(&near, keys[k]);
        }
        if (known)
            continue;
        text_addf(&more, "there is no key '%.*s' in it", 60, near.wanted);
        near_add(&near, &more);
        (void)talk_refuse(talk, "%s", more.s);
        text_clear(&more);
        return -1;
    }
    for (size_t k = 0; k < needed; k++)
        if (!rhost_has(says, keys[k]))
            return talk_refuse(talk, "there is no '%s' in it", keys[k]);
    return 0;
}

int
talk_text(struct talk *talk, const rhost_value *says, const char *key, bool optional, const char **text)
{
    const struct rhost_host *h = talk->ctx->host;
    const rhost_value *v = rhost_get(says, key);
    size_t n;

    *text = NULL;
    if (optional && (!v || h->kind(v) == RHOST_UNDEF))
        return 0;
    if (!v || h->kind(v) != RHOST_STRING)
        return talk_refuse(talk, "'%s' must be text", key);
    *text = h->string(v, &n);
    if (strlen(*text) != n)
        return talk_refuse(talk, "'%s' has a NUL in it", key);
    return 0;
}

int
talk_check_attribute(struct talk *talk, const char *name)
{
    const struct rhost_provider *p = talk->served ? &talk->served->provider : NULL;
    struct near near = { .wanted = name };
    struct text more = { 0 };

    if (!p)
        return talk_refuse(talk, "there are no attributes here that can fail");
    for (size_t i = 0; i < p->n_attrs; i++) {
        if (strcmp(p->attrs[i].name, name) == 0)
            return 0;
        near_try(&near, p->attrs[i].name);
    }
    text_addf(&more, "unknown attribute '%.*s' for type '%s'", 60, name, p->type);
    near_add(&near, &more);
    (void)talk_refuse(talk, "%s", more.s);
    text_clear(&more);
    return -1;
}

int
talk_check_path(struct talk *talk, const char *path)
{
    struct text name = { 0 };
    int rc;

    text_add(&name, path, strcspn(path, ".["));
    rc = talk_check_attribute(talk, name.s);
    text_clear(&name);
    return rc;
}

const struct rhost_change *
talk_change(struct talk *talk, const rhost_value *says)
{
    const struct rhost_change *only = talk->n_blocks ? talk->only[talk->n_blocks - 1] : NULL;
    const char *title;

    if (talk_text(talk, says, "title", only != NULL, &title) < 0)
        return NULL;
    return title ? talk_titled(talk, title) : only;
}

const struct rhost_change *
talk_titled(struct talk *talk, const char *title)
{
    struct near near = { 0 };
    struct text more = { 0 };

    /* In the order in which they were given, most likely. */
    for (size_t i = 0; i < talk->n_changes; i++) {
        size_t at = (talk->last + i) % talk->n_changes;

        if (strcmp(talk->changes[at]->title, title) == 0) {
            talk->last = at;
            return talk->changes[at];
        }
    }
    near.wanted = title;
    for (size_t i = 0; i < talk->n_changes; i++)
        near_try(&near, talk->changes[i]->title);
    text_addf(&more, "nothing was asked about '%.*s'", 200, title);
    near_add(&near, &more);
    (void)talk_refuse(talk, "%s", more.s);
    text_clear(&more);
    return NULL;
}

static int
hear(struct talk *talk, unsigned allowed, const rhost_value **says)
{
    const struct rhost_host *h = talk->ctx->host;
    rhost_value *root = h->new_hash(talk->ctx);
    const rhost_value *whole;
    struct text why = { 0 };
    const char *line, *word;
    size_t n;

    if (talk->programs->hear(talk->ctx, talk->program, talk->verb, &line, &n, &talk->line) < 0)
        return -1;
    if (json_read(talk->ctx, root, "line", line, n, &why) < 0) {
        (void)talk_refuse(talk, "%s", why.s);
        text_clear(&why);
        return -1;
    }
    whole = h->get(root, "line");
    if (h->kind(whole) != RHOST_HASH || h->count(whole) != 1)
        return talk_refuse(talk, "it must be an object with one key, such as {\"done\":true}");
    *says = h->at(whole, 0, &word);
    return find_answer(talk, word, allowed);
}

int
talk_next(struct talk *talk, unsigned allowed, const rhost_value **says)
{
    int which;

    do
        which = hear(talk, allowed | interim_allowed(talk), says);
    while (which >= 0 && !(allowed & 1U << which) && interim_take(talk, which, *says) == 0);
    if (which < 0 || !(allowed & 1U << which))
        return -1;
    if (which == ANSWER_DONE && !talk->ctx->host->boolean(*says, 0))
        return talk_refuse(talk, "what is done is said with {\"done\":true}");
    if (which == ANSWER_DONE && talk->n_blocks)
        return talk_refuse(talk, "a block is still open: 'begin' needs an 'end' before 'done'");
    return which;
}

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
start(struct talk *talk, struct rhost_program **program)
{
    const struct rhost_command command = {
        .struct_size = sizeof command,
        .argv = talk->of->argv,
        .env = talk->of->env,
        .cwd = talk->of->folder,
        .timeout = talk->of->timeout,
        .umask = -1,
    };

    if (talk->programs->start(talk->ctx, &command, program) < 0)
        return -1;
    talk->program = *program;
    return greet(talk);
}

static int
begin(struct talk *talk, struct rhost_program **program)
{
    if (!talk->of || !talk->programs)
        return rhost_fail(talk->ctx, "this host cannot run programs (" RHOST_PROGRAM_ID ")");
    talk->program = *program;
    if (!talk->program && start(talk, program) < 0)
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
talk_begin(struct talk *talk, rhost_ctx *ctx, const char *verb)
{
    const struct served *served = ctx->host->extension(ctx, RHOST_SERVED_ID);
    struct rhost_program **own = (struct rhost_program **)ctx->host->state(ctx);
    const struct connection *connection;

    *talk = (struct talk){
        .ctx = ctx,
        .served = served,
        .of = served ? served->of : NULL,
        .programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID),
        .verb = verb,
    };
    if (!served || !(served->provider.features & RHOST_REMOTE_RESOURCE))
        return begin(talk, own);
    connection = ctx->host->transport(ctx, CONNECTION_ID);
    if (!connection) /* not connected yet: attributes are canonicalized before */
        return begin(talk, own);
    if (strcmp(connection->of->folder, served->of->folder) != 0)
        return refuse_connection(talk);
    if (*own && talk->programs)
        talk->programs->stop(ctx, *own);
    *own = NULL;
    talk->program = connection->program;
    text_addf(&talk->question, "{\"%s\":", talk->verb);
    return 0;
}

int
talk_begin_transport(struct talk *talk, rhost_ctx *ctx, const char *verb, struct connection *connection)
{
    *talk = (struct talk){
        .ctx = ctx,
        .of = connection->of,
        .programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID),
        .verb = verb,
    };
    return begin(talk, &connection->program);
}

int
talk_begin_source(struct talk *talk, rhost_ctx *ctx, const char *verb, const struct description *of)
{
    *talk = (struct talk){
        .ctx = ctx,
        .of = of,
        .programs = ctx->host->extension(ctx, RHOST_PROGRAM_ID),
        .verb = verb,
    };
    return begin(talk, (struct rhost_program **)ctx->host->state(ctx));
}

void
talk_object(struct talk *talk, bool more)
{
    text_adds(&talk->question, "{");
    if (!talk->served || !talk->of->several)
        return;
    text_adds(&talk->question, "\"type\":");
    json_string(&talk->question, talk->served->provider.type, strlen(talk->served->provider.type));
    text_adds(&talk->question, more ? "," : "");
}

int
talk_ask(struct talk *talk)
{
    const char *line;
    size_t n;

    if (talk->programs->waits(talk->ctx, talk->program)
        && talk->programs->hear(talk->ctx, talk->program, talk->verb, &line, &n, &talk->line) == 0)
        return talk_refuse(talk, "it was said before anything was asked");
    text_adds(&talk->question, "}");
    return talk->programs->say(talk->ctx, talk->program, talk->question.s, talk->question.n);
}

void
talk_end(struct talk *talk)
{
    /* The program is gone: what it had begun is not done. */
    for (bool innermost = true; talk->n_blocks; innermost = false) {
        if (!innermost)
            (void)talk->ctx->host->fail(talk->ctx, 0, NULL, "the program failed before the end of the block");
        talk->ctx->host->scope_end(talk->ctx, talk->blocks[--talk->n_blocks]);
    }
    text_clear(&talk->question);
    text_clear(&talk->command);
}
