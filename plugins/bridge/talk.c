/* SPDX-License-Identifier: Apache-2.0 */
/* talk - one question to the program, and its answers. */

#include "talk.h"

#include "interim.h"
#include "json.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const answers[N_ANSWERS + 1] = {
    [ANSWER_ANSWER] = "answer",     [ANSWER_BEGIN] = "begin",         [ANSWER_BUSY] = "busy",
    [ANSWER_CATALOG] = "catalog",   [ANSWER_CHANGED] = "changed",     [ANSWER_DONE] = "done",
    [ANSWER_DEADLINE] = "deadline", [ANSWER_PRIVATE] = "private",     [ANSWER_END] = "end",
    [ANSWER_EXECUTED] = "executed", [ANSWER_EXECUTING] = "executing", [ANSWER_FACTS] = "facts",
    [ANSWER_FAILED] = "failed",     [ANSWER_HELLO] = "hello",         [ANSWER_INSYNC] = "insync",
    [ANSWER_LOG] = "log",           [ANSWER_PROGRESS] = "progress",   [ANSWER_RESOURCE] = "resource",
    [ANSWER_STOPPING] = "stopping", [ANSWER_SUITS] = "suits",
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
    seat_lose(talk->seat, talk->program);
    (void)talk->ctx->host->fail(talk->ctx, 0, NULL, why.s);
    text_clear(&why);
    return -1;
}

/* `why` begins to say that a word is none of those that may be there; -1. */
static int
refuse_word(struct talk *talk, const struct near *near, struct text *why)
{
    int refused;

    near_add(near, why);
    refused = talk_refuse(talk, "%s", why->s);
    text_clear(why);
    return refused;
}

/* Which of our words it is; -1 after refusing. */
static int
find_answer(struct talk *talk, const char *word, unsigned allowed)
{
    struct near near = { .wanted = word };
    struct text more = { 0 };

    for (int i = 0; answers[i]; i++) {
        bool is_allowed = allowed & 1U << i;

        if (strcmp(word, answers[i]) == 0)
            return is_allowed ? i : talk_refuse(talk, "'%s' is not an answer to that", word);
        if (is_allowed)
            near_try(&near, answers[i]);
    }
    text_addf(&more, "unknown answer '%.*s'", 60, word);
    return refuse_word(talk, &near, &more);
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
        text_addf(&more, "unknown key '%.*s' in it", 60, near.wanted);
        return refuse_word(talk, &near, &more);
    }
    for (size_t k = 0; k < needed; k++)
        if (!rhost_has(says, keys[k]))
            return talk_refuse(talk, "missing '%s' in it", keys[k]);
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
        return talk_refuse(talk, "no attribute can fail here");
    for (size_t i = 0; i < p->n_attrs; i++) {
        if (strcmp(p->attrs[i].name, name) == 0)
            return 0;
        near_try(&near, p->attrs[i].name);
    }
    text_addf(&more, "unknown attribute '%.*s' for type '%s'", 60, name, p->type);
    return refuse_word(talk, &near, &more);
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

    if (talk->programs->hear(talk->ctx, talk->program, talk->verb, &line, &n, &talk->line) < 0) {
        seat_lose(talk->seat, talk->program);
        return -1;
    }
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

    for (;;) {
        which = hear(talk, allowed | interim_allowed(talk), says);
        if (which < 0)
            return -1;
        if (allowed & 1U << which)
            break;
        if (interim_take(talk, which, *says) < 0)
            return -1;
    }
    if (which == ANSWER_DONE && !talk->ctx->host->boolean(*says, 0))
        return talk_refuse(talk, "what is done is said with {\"done\":true}");
    if (which == ANSWER_DONE)
        talk->answering = false;
    if (which == ANSWER_DONE && (talk->n_blocks || talk->n_overlapping))
        return talk_refuse(talk, "a block is still open: 'begin' needs an 'end' before 'done'");
    return which;
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
    talk->answering = true;
    return talk->programs->say(talk->ctx, talk->program, talk->question.s, talk->question.n);
}

/* The host did not take an answer. What the program has still to say belongs to it, and not to the next
 * question, which may be about another type. */
static void
hear_the_rest(struct talk *talk)
{
    const unsigned all = 1U << ANSWER_ANSWER | 1U << ANSWER_CHANGED | 1U << ANSWER_DONE | 1U << ANSWER_FACTS
                         | 1U << ANSWER_FAILED | 1U << ANSWER_INSYNC | 1U << ANSWER_RESOURCE
                         | 1U << ANSWER_SUITS;
    const rhost_value *says;

    while (talk->answering && !talk->seat->ended && talk_next(talk, all, &says) >= 0)
        continue;
}

void
talk_end(struct talk *talk)
{
    hear_the_rest(talk);
    /* The program is gone: what it had begun is not done. */
    for (bool innermost = true; talk->n_blocks; innermost = false) {
        if (!innermost)
            (void)talk->ctx->host->fail(talk->ctx, 0, NULL, "the program failed before the end of the block");
        talk->ctx->host->scope_end(talk->ctx, talk->blocks[--talk->n_blocks]);
    }
    text_clear(&talk->question);
    text_clear(&talk->command);
}
