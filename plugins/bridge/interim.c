/* SPDX-License-Identifier: Apache-2.0 */
/* interim - what a program may send before its answer is done. */

#include "interim.h"

#include "json.h"

#include <rhost/overlap.h>
#include <rhost/progress.h>
#include <string.h>

unsigned
interim_allowed(const struct talk *talk)
{
    const unsigned always = 1U << ANSWER_LOG | 1U << ANSWER_EXECUTING | 1U << ANSWER_EXECUTED
                            | 1U << ANSWER_PROGRESS | 1U << ANSWER_CATALOG | 1U << ANSWER_BUSY
                            | 1U << ANSWER_STOPPING | 1U << ANSWER_DEADLINE
                            | (talk->served ? 1U << ANSWER_PRIVATE : 0);

    if (strcmp(talk->verb, "hello") == 0)
        return 1U << ANSWER_LOG;
    return talk->takes_blocks ? always | 1U << ANSWER_BEGIN | 1U << ANSWER_END : always;
}

/* {"log":{"level":"info","text":"...","title":"..."}} */
static int
take_log(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "text", "level", "title", NULL };
    static const char *const levels[] = { "debug", "info", "notice", "warning", "err" };
    const struct rhost_change *about = NULL;
    const char *text, *level;
    int32_t l = RHOST_DEBUG;

    if (talk_check_keys(talk, says, keys, 1) < 0 || talk_text(talk, says, "text", false, &text) < 0
        || talk_text(talk, says, "level", true, &level) < 0
        || (rhost_has(says, "title") && !(about = talk_change(talk, says))))
        return -1;
    while (level && l <= RHOST_ERR && strcmp(levels[l], level) != 0)
        l++;
    if (l > RHOST_ERR)
        return talk_refuse(talk, "'level' is one of debug, info, notice, warning and err");
    talk->ctx->host->log(talk->ctx, level ? l : RHOST_INFO, about ? &about->title : NULL, about ? 1 : 0,
                         text);
    return 0;
}

/* The titles of a block: "title", "titles", or those of all changes. */
static int
take_titles(struct talk *talk, const rhost_value *says, const char ***titles, size_t *n,
            const struct rhost_change **only)
{
    const struct rhost_host *h = talk->ctx->host;
    const rhost_value *list = rhost_get(says, "titles");
    const struct rhost_change *change = NULL;
    size_t len;

    *only = NULL;
    if (list && rhost_has(says, "title"))
        return talk_refuse(talk, "a block has 'title' or 'titles', not both");
    if (list && (h->kind(list) != RHOST_ARRAY || !h->count(list)))
        return talk_refuse(talk, "'titles' must be a list of texts");
    *n = list ? h->count(list) : rhost_has(says, "title") ? 1 : talk->n_changes;
    *titles = h->alloc(talk->ctx, *n * sizeof **titles);
    for (size_t i = 0; i < *n; i++) {
        const rhost_value *item = list ? h->at(list, i, NULL) : NULL;
        const char *text = h->kind(item) == RHOST_STRING ? h->string(item, &len) : NULL;

        if (list && (!text || strlen(text) != len))
            return talk_refuse(talk, "'titles' must be a list of texts");
        change = list                       ? talk_titled(talk, text)
                 : rhost_has(says, "title") ? talk_change(talk, says)
                                            : talk->changes[i];
        if (!change)
            return -1;
        (*titles)[i] = change->title;
    }
    *only = *n == 1 ? change : NULL;
    return 0;
}

/* {"begin":{"doing":"updating","title":"...","overlap":true}}: others may be open, too. */
static int
begin_overlap(struct talk *talk, const rhost_value *says, int32_t doing, const char *message)
{
    const struct rhost_overlap *overlap = rhost_overlap_extension(talk->ctx);
    const struct rhost_change *about;
    const char *title;

    if (talk_text(talk, says, "title", false, &title) < 0 || !(about = talk_titled(talk, title)))
        return -1;
    if (strcmp(talk->verb, "set") != 0)
        return talk_refuse(talk, "blocks that overlap are for 'set'");
    if (rhost_has(says, "is") || rhost_has(says, "should") || doing > RHOST_DELETING)
        return talk_refuse(talk, "a block that overlaps is creating, updating or deleting, without states");
    if (!overlap)
        return talk_refuse(talk, "this host has no blocks that overlap (" RHOST_OVERLAP_ID ")");
    if (!talk->overlapping)
        talk->overlapping = talk->ctx->host->alloc(talk->ctx, talk->n_changes * sizeof *talk->overlapping);
    if (talk->overlapping[talk->last])
        return talk_refuse(talk, "a block of '%s' is open already", about->title);
    talk->overlapping[talk->last] = overlap->begin(talk->ctx, doing, about->title, message);
    talk->n_overlapping++;
    return 0;
}

/* {"end":{"title":"..."}} */
static int
end_overlap(struct talk *talk, const rhost_value *says, const char *why)
{
    const struct rhost_overlap *overlap = rhost_overlap_extension(talk->ctx);
    const struct rhost_change *about;
    const char *title;

    if (talk_text(talk, says, "title", false, &title) < 0 || !(about = talk_titled(talk, title)))
        return -1;
    if (!overlap || !talk->overlapping || !talk->overlapping[talk->last])
        return talk_refuse(talk,
                           "no block of '%s' is open: 'end' with a 'title' needs a 'begin' with 'overlap'",
                           about->title);
    overlap->end(talk->ctx, talk->overlapping[talk->last], why);
    talk->overlapping[talk->last] = 0;
    talk->n_overlapping--;
    return 0;
}

/* {"begin":{"doing":"updating","title":"...","message":"..."}} */
static int
take_begin(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = {
        "doing", "is", "message", "overlap", "should", "title", "titles", NULL
    };
    static const char *const verbs[] = { "creating", "updating", "deleting", "processing", "failing" };
    static const char *const states[] = { "is", "should" };
    const struct rhost_host *h = talk->ctx->host;
    const struct rhost_change *only;
    const char *doing, *message, **titles = NULL;
    int32_t which = 0;
    size_t n = 0;

    if (talk_check_keys(talk, says, keys, 1) < 0 || talk_text(talk, says, "doing", false, &doing) < 0
        || talk_text(talk, says, "message", true, &message) < 0)
        return -1;
    while (which <= RHOST_FAILING && strcmp(verbs[which], doing) != 0)
        which++;
    if (which > RHOST_FAILING)
        return talk_refuse(talk, "'doing' is one of creating, updating, deleting, processing and failing");
    for (int i = 0; i < 2; i++) {
        const rhost_value *state = h->get(says, states[i]);

        if (state && h->kind(state) != RHOST_HASH && h->kind(state) != RHOST_UNDEF)
            return talk_refuse(talk, "'%s' must be an object with attributes", states[i]);
    }
    if (h->boolean(rhost_get(says, "overlap"), 0))
        return begin_overlap(talk, says, which, message);
    if (talk->n_blocks == MOST_BLOCKS)
        return talk_refuse(talk, "more than %d blocks are open", MOST_BLOCKS);
    if (take_titles(talk, says, &titles, &n, &only) < 0)
        return -1;
    talk->only[talk->n_blocks] = only;
    talk->blocks[talk->n_blocks++] =
        h->scope_begin(talk->ctx, which, titles, n, h->get(says, "is"), h->get(says, "should"), message);
    return 0;
}

/* {"end":{}} or {"end":{"failed":"why"}}, of the innermost block */
static int
take_end(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "attribute", "failed", "title", NULL };
    const char *why, *attribute;

    if (talk_check_keys(talk, says, keys, 0) < 0 || talk_text(talk, says, "failed", true, &why) < 0
        || talk_text(talk, says, "attribute", true, &attribute) < 0
        || (attribute && talk_check_attribute(talk, attribute) < 0))
        return -1;
    if (rhost_has(says, "title"))
        return attribute ? talk_refuse(talk, "'end' has 'title' or 'attribute', not both")
                         : end_overlap(talk, says, why);
    if (!talk->n_blocks)
        return talk_refuse(talk, "no block is open: 'end' needs a 'begin' before it");
    if (why)
        (void)talk->ctx->host->fail(talk->ctx, 0, attribute, why);
    talk->ctx->host->scope_end(talk->ctx, talk->blocks[--talk->n_blocks]);
    return 0;
}

static void
log_command(struct talk *talk, const char *before, const char *after)
{
    struct text line = { 0 };

    text_addf(&line, "%s '%s'%s", before, talk->command.s ? talk->command.s : "", after);
    talk->ctx->host->log(talk->ctx, RHOST_DEBUG, NULL, 0, line.s);
    text_clear(&line);
}

/* {"executing":{"command":["apt-get","update"]}} */
static int
take_executing(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "command", NULL };
    const struct rhost_host *h = talk->ctx->host;
    const rhost_value *list = rhost_get(says, "command");

    if (talk_check_keys(talk, says, keys, 1) < 0)
        return -1;
    if (h->kind(list) != RHOST_ARRAY || !h->count(list))
        return talk_refuse(talk, "'command' must be a list of the command and its arguments");
    text_clear(&talk->command);
    for (size_t i = 0; i < h->count(list); i++) {
        const rhost_value *v = h->at(list, i, NULL);
        size_t n;
        const char *s = h->string(v, &n);

        if (h->kind(v) != RHOST_STRING)
            return talk_refuse(talk, "'command' must be a list of the command and its arguments");
        text_adds(&talk->command, i ? " " : "");
        if (h->sensitive(v))
            text_adds(&talk->command, "[redacted]");
        else
            text_add(&talk->command, s, n);
    }
    log_command(talk, "Executing", "");
    return 0;
}

/* {"executed":{"status":0}}, of the command that was announced last */
static int
take_executed(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "status", NULL };
    const rhost_value *status = rhost_get(says, "status");
    struct text after = { 0 };

    if (talk_check_keys(talk, says, keys, 1) < 0)
        return -1;
    if (talk->ctx->host->kind(status) != RHOST_INTEGER)
        return talk_refuse(talk, "'status' must be an integer");
    if (!talk->command.n)
        return talk_refuse(talk, "no command is being executed: 'executed' needs an 'executing' before it");
    text_addf(&after, ": exit status %lld", (long long)talk->ctx->host->integer(status, 0));
    if (talk->ctx->host->integer(status, 0) == 0)
        log_command(talk, "Successfully executed", "");
    else
        log_command(talk, "Failed to execute", after.s);
    text_clear(&after);
    text_clear(&talk->command);
    return 0;
}

/* {"progress":{"done":3,"total":10,"unit":"files","title":"...","text":"..."}}: a sign of life. */
static int
take_progress(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "done", "text", "title", "total", "unit", NULL };
    static const char *const numbers[] = { "done", "total" };
    const struct rhost_host *h = talk->ctx->host;
    const struct rhost_change *about = NULL;
    const char *text, *unit;
    struct text line = { 0 };

    if (talk_check_keys(talk, says, keys, 0) < 0 || talk_text(talk, says, "text", true, &text) < 0
        || talk_text(talk, says, "unit", true, &unit) < 0
        || (rhost_has(says, "title") && !(about = talk_change(talk, says))))
        return -1;
    for (int i = 0; i < 2; i++)
        if (rhost_has(says, numbers[i]) && h->kind(rhost_get(says, numbers[i])) != RHOST_INTEGER)
            return talk_refuse(talk, "'%s' must be an integer", numbers[i]);
    for (int i = 0; i < 2; i++)
        if (rhost_int(says, numbers[i], 0) < 0)
            return talk_refuse(talk, "'%s' must not be negative", numbers[i]);
    if (RHOST_HAS(talk->ctx, progress) && rhost_has(says, "done"))
        h->progress(talk->ctx, about ? about->title : NULL, (uint64_t)rhost_int(says, "done", 0),
                    (uint64_t)rhost_int(says, "total", 0), unit);
    else
        rhost_alive(talk->ctx);
    text_adds(&line, text ? text : "working");
    if (rhost_has(says, "done"))
        text_addf(&line, ": %lld", (long long)rhost_int(says, "done", 0));
    if (rhost_has(says, "done") && rhost_has(says, "total"))
        text_addf(&line, " of %lld", (long long)rhost_int(says, "total", 0));
    if (rhost_has(says, "done") && unit)
        text_addf(&line, " %s", unit);
    h->log(talk->ctx, RHOST_DEBUG, about ? &about->title : NULL, about ? 1 : 0, line.s);
    text_clear(&line);
    return 0;
}

/* {"busy":{"seconds":600,"text":"..."}}: the next line may come that late. */
static int
take_busy(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "seconds", "text", NULL };
    const struct rhost_host *h = talk->ctx->host;
    double seconds = h->real(rhost_get(says, "seconds"), -1);
    const char *text;

    if (talk_check_keys(talk, says, keys, 1) < 0 || talk_text(talk, says, "text", true, &text) < 0)
        return -1;
    if (!(seconds >= 0 && seconds <= 86400))
        return talk_refuse(talk, "'seconds' must be a number between 0 and 86400");
    if (RHOST_HAS(talk->ctx, busy))
        h->busy(talk->ctx, seconds, text);
    if (talk->programs->struct_size > offsetof(struct rhost_programs, wait) && talk->programs->wait)
        talk->programs->wait(talk->ctx, talk->program, (uint32_t)(seconds * 1000));
    return 0;
}

int
interim_take(struct talk *talk, int which, const rhost_value *says)
{
    switch (which) {
    case ANSWER_BEGIN:
        return take_begin(talk, says);
    case ANSWER_BUSY:
        return take_busy(talk, says);
    case ANSWER_CATALOG:
    case ANSWER_DEADLINE:
    case ANSWER_PRIVATE:
    case ANSWER_STOPPING:
        return question_take(talk, which, says);
    case ANSWER_END:
        return take_end(talk, says);
    case ANSWER_EXECUTED:
        return take_executed(talk, says);
    case ANSWER_EXECUTING:
        return take_executing(talk, says);
    case ANSWER_LOG:
        return take_log(talk, says);
    case ANSWER_PROGRESS:
        return take_progress(talk, says);
    default:
        return talk_refuse(talk, "it is not an answer to that");
    }
}
