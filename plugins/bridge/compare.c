/* SPDX-License-Identifier: Apache-2.0 */
/* compare - the callbacks for values: canonicalize() and insync(), one resource at a time or many at once. */

#include "json.h"
#include "parts.h"

#include <rhost/bridge.h>

#include <stdlib.h>
#include <string.h>

static const struct rhost_upcoming *
upcoming(rhost_ctx *ctx)
{
    return ctx->host->extension(ctx, RHOST_UPCOMING_ID);
}

/* The program's answer replaces the attributes: one that is not in it is not managed, one that it adds is. */
static int
put_canonical(struct talk *talk, rhost_value *resource, const rhost_value *says)
{
    const struct rhost_host *h = talk->ctx->host;
    const char *key;

    if (take_resource(talk, says) < 0)
        return -1;
    for (size_t i = 0; i < h->count(says); i++) {
        (void)h->at(says, i, &key);
        if (!h->get(resource, key) && talk_check_attribute(talk, key) < 0)
            return -1;
    }
    for (size_t i = 0; i < h->count(resource); i++) {
        const rhost_value *now;

        (void)h->at(resource, i, &key);
        now = h->get(says, key);
        if (!now)
            h->put_undef(resource, key);
        else if (!h->equal(now, h->get(resource, key)))
            h->put_copy(resource, key, now);
    }
    for (size_t i = 0; i < h->count(says); i++) {
        const rhost_value *added = h->at(says, i, &key);

        if (!h->get(resource, key))
            h->put_copy(resource, key, added);
    }
    return 0;
}

/* What the program answered before, for the part of a question whose text is `key`. */
static const rhost_value *
recall(struct talk *talk, const struct text *key, enum answer *word)
{
    rhost_value *root = talk->ctx->host->new_hash(talk->ctx);
    struct text why = { 0 };
    const char *answer;
    size_t n;

    *word = batch_take(talk, key->s, &answer, &n);
    if (*word == N_ANSWERS)
        return NULL;
    if (json_read(talk->ctx, root, "answer", answer, n, &why) < 0) /* we wrote it */
        *word = N_ANSWERS;
    text_clear(&why);
    return talk->ctx->host->get(root, "answer");
}

/* {"canonicalize":{"resources":[...]}}: this one, and those that the host is going to ask about. */
static int
canonicalize_all(struct talk *talk, const struct text *first, const rhost_value *resource)
{
    const struct rhost_upcoming *next = upcoming(talk->ctx);
    const rhost_value *all = next ? next->resources(talk->ctx) : NULL;
    const struct rhost_host *h = talk->ctx->host;
    struct batch *b = batch_new(talk->ctx);
    bool more = b && batch_add(b, first, &(struct asked){ .resource = resource });

    if (!b)
        return rhost_fail(talk->ctx, "this host cannot keep answers (rhost.keep/1)");
    talk_object(talk, true);
    text_addf(&talk->question, "\"resources\":[%s", first->s);
    for (size_t i = 0; more && i < h->count(all); i++) {
        const struct asked about = { .resource = h->at(all, i, NULL) };
        struct text key = { 0 };

        json_write(&key, about.resource);
        if (strcmp(key.s, first->s) != 0 && (more = batch_add(b, &key, &about)))
            text_addf(&talk->question, ",%s", key.s);
        text_clear(&key);
    }
    text_adds(&talk->question, "]}");
    return talk_ask(talk) < 0 ? -1 : batch_hear(talk, b, ANSWER_RESOURCE);
}

/* What was asked for has failed, by what the program says or by saying it wrongly. */
static int
fail_asked(struct talk *talk, const rhost_value *says)
{
    (void)take_failed(talk, says, false);
    return -1;
}

static int
canonicalize_batch(struct talk *talk, rhost_value *resource)
{
    struct text key = { 0 };
    const rhost_value *says;
    enum answer word;
    int rc = 0;

    json_write(&key, resource);
    says = recall(talk, &key, &word);
    if (word == N_ANSWERS) {
        rc = canonicalize_all(talk, &key, resource);
        if (rc == 0)
            says = recall(talk, &key, &word);
    }
    text_clear(&key);
    if (rc < 0)
        return -1;
    return word == ANSWER_FAILED ? fail_asked(talk, says) : put_canonical(talk, resource, says);
}

static int
canonicalize_one(struct talk *talk, rhost_value *resource)
{
    const unsigned all = 1U << ANSWER_RESOURCE | 1U << ANSWER_DONE | 1U << ANSWER_FAILED;
    bool answered = false, failed = false;
    const rhost_value *says;
    int which;

    talk_object(talk, true);
    text_adds(&talk->question, "\"resource\":");
    json_write(&talk->question, resource);
    text_adds(&talk->question, "}");
    if (talk_ask(talk) < 0)
        return -1;
    while ((which = talk_next(talk, all, &says)) != ANSWER_DONE) {
        if (which == ANSWER_RESOURCE && answered)
            return talk_refuse(talk, "one resource was asked for, and this is the second");
        if (which < 0 || (which == ANSWER_FAILED && take_failed(talk, says, false) < 0))
            return -1;
        if (which == ANSWER_RESOURCE && put_canonical(talk, resource, says) < 0)
            return -1;
        answered |= which == ANSWER_RESOURCE;
        failed |= which == ANSWER_FAILED;
    }
    if (failed)
        return -1;
    return answered ? 0 : talk_refuse(talk, "there was no resource before it");
}

int32_t
compare_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    struct talk talk;
    int rc = talk_begin(&talk, ctx, "canonicalize");

    if (rc == 0)
        rc = talk.served->batch ? canonicalize_batch(&talk, resource) : canonicalize_one(&talk, resource);
    talk_end(&talk);
    return rc;
}

/* {"validate":{"resource":{...}}}: one "failed" for each mistake. */
int32_t
compare_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    struct talk talk;
    int rc = talk_begin(&talk, ctx, "validate");

    if (rc == 0) {
        talk_object(&talk, true);
        text_adds(&talk.question, "\"resource\":");
        json_write(&talk.question, resource);
        text_adds(&talk.question, "}");
    }
    rc = talk_complete(&talk, rc, 0);
    return talk.failed ? -1 : rc;
}

/* A number or truth value and the same as text are equal, as with Puppet: 22 and "22". */
static bool
loosely_equal(const rhost_value *is, const rhost_value *should)
{
    const struct rhost_host *h = is ? is->host : NULL;
    const rhost_value *text, *other;
    struct text t = { 0 };
    const char *s;
    char *end;
    bool equal;
    size_t n;

    if (!is || !should || (h->kind(is) == RHOST_STRING) == (h->kind(should) == RHOST_STRING))
        return false;
    text = h->kind(is) == RHOST_STRING ? is : should;
    other = text == is ? should : is;
    if (h->kind(other) != RHOST_INTEGER && h->kind(other) != RHOST_BOOLEAN && h->kind(other) != RHOST_FLOAT)
        return false;
    s = h->string(text, &n);
    if (h->kind(other) == RHOST_FLOAT) {
        double d = strtod(s, &end);

        return n && end == s + n && strchr("-0123456789", *s) && !(d < h->real(other, 0))
               && !(d > h->real(other, 0));
    }
    if (h->kind(other) == RHOST_BOOLEAN)
        text_adds(&t, h->boolean(other, 0) ? "true" : "false");
    else
        text_addf(&t, "%lld", (long long)h->integer(other, 0));
    equal = n == t.n && memcmp(s, t.s, n) == 0;
    text_clear(&t);
    return equal;
}

/* Where the program has no opinion. */
static int
usual_comparison(const struct served *served, const struct rhost_change *change, const char *attribute)
{
    return served->loose_equality && *attribute
                   && loosely_equal(rhost_get(change->is, attribute), rhost_get(change->should, attribute))
               ? 0
               : RHOST_DEFAULT_COMPARISON;
}

/* {"insync":{"result":true,"message":"..."}}; null for the host's own comparison. -1 after refusing. */
static int
take_insync(struct talk *talk, const rhost_value *says)
{
    static const char *const keys[] = { "message", "result", "attribute", "title", NULL };
    const struct rhost_host *h = talk->ctx->host;
    const rhost_value *result;
    const char *message;

    if (talk_check_keys(talk, says, keys, 0) < 0 || talk_text(talk, says, "message", true, &message) < 0)
        return -1;
    result = h->get(says, "result");
    if (!result || (h->kind(result) != RHOST_BOOLEAN && h->kind(result) != RHOST_UNDEF))
        return talk_refuse(talk, "'result' is true, false, or null for the usual comparison");
    if (message)
        (void)h->explain(talk->ctx, message);
    return h->kind(result) == RHOST_UNDEF ? RHOST_DEFAULT_COMPARISON
           : h->boolean(result, 0)        ? 0
                                          : RHOST_DIFFERS;
}

static int
insync_one(struct talk *talk, const struct rhost_change *change, const char *attribute)
{
    const rhost_value *says;
    int which, answer;

    talk_object(talk, true);
    text_adds(&talk->question, "\"attribute\":");
    if (*attribute)
        json_string(&talk->question, attribute, strlen(attribute));
    else
        text_adds(&talk->question, "null");
    text_adds(&talk->question, ",\"change\":");
    ask_change(talk, change);
    text_adds(&talk->question, "}");
    if (talk_ask(talk) < 0)
        return -1;
    which = talk_next(talk, 1U << ANSWER_INSYNC | 1U << ANSWER_FAILED, &says);
    if (which < 0)
        return -1;
    if (which == ANSWER_FAILED) {
        if (take_failed(talk, says, false) == 0)
            (void)talk_finish(talk, 0);
        return -1;
    }
    answer = take_insync(talk, says);
    return answer < 0 || talk_finish(talk, 0) < 0 ? -1 : answer;
}

/* The text of a change, which is moved out of the question. */
static struct text
text_of(struct talk *talk, const struct rhost_change *change)
{
    struct text question = talk->question, text;

    talk->question = (struct text){ 0 };
    ask_change(talk, change);
    text = talk->question;
    talk->question = question;
    return text;
}

static struct text
key_of(const struct text *change, const char *attribute)
{
    struct text key = { 0 };

    text_addf(&key, "%s\n%s", attribute, change->s);
    return key;
}

/* Adds a change to the question, with each attribute that the host is going to ask about. */
static bool
add_change(struct talk *talk, struct batch *b, const struct rhost_change *change, const char *between)
{
    const struct rhost_provider *p = &talk->served->provider;
    const uint64_t others = RHOST_NAMEVAR | RHOST_PARAMETER | RHOST_READ_ONLY;
    struct text text = text_of(talk, change), attributes = { 0 };
    bool any = false, more = true;

    for (size_t i = 0; more && i <= p->n_attrs; i++) {
        const char *name = i < p->n_attrs ? p->attrs[i].name : "";
        struct text key = { 0 };

        if (i < p->n_attrs && ((p->attrs[i].behaviour & others) || !rhost_has(change->should, name)))
            continue;
        if (i == p->n_attrs && any)
            break;
        any |= i < p->n_attrs && strcmp(name, "ensure") != 0;
        key = key_of(&text, name);
        more = batch_add(b, &key, &(struct asked){ .change = change, .attribute = name });
        text_clear(&key);
        if (!more)
            break;
        text_adds(&attributes, attributes.n ? "," : "");
        if (*name)
            json_string(&attributes, name, strlen(name));
        else
            text_adds(&attributes, "null");
    }
    if (attributes.n) {
        text_adds(&talk->question, between);
        text_add(&talk->question, text.s, text.n - 1); /* without its last brace */
        text_addf(&talk->question, ",\"attributes\":[%s]}", attributes.s);
    }
    text_clear(&text);
    text_clear(&attributes);
    return more;
}

/* {"insync":{"changes":[{...,"attributes":["text"]}]}}: this one, and those that the host is going to
 * compare. */
static int
insync_all(struct talk *talk, const struct rhost_change *first)
{
    const struct rhost_upcoming *next = upcoming(talk->ctx);
    struct batch *b = batch_new(talk->ctx);
    const struct rhost_change *const *all = NULL;
    size_t n = 0;
    bool more;

    if (!b)
        return rhost_fail(talk->ctx, "this host cannot keep answers (rhost.keep/1)");
    if (next)
        all = next->changes(talk->ctx, &n);
    talk_object(talk, true);
    text_adds(&talk->question, "\"changes\":[");
    more = add_change(talk, b, first, "");
    for (size_t i = 0; more && i < n; i++)
        if (all[i] != first)
            more = add_change(talk, b, all[i], ",");
    text_adds(&talk->question, "]}");
    return talk_ask(talk) < 0 ? -1 : batch_hear(talk, b, ANSWER_INSYNC);
}

static int
insync_batch(struct talk *talk, const struct rhost_change *change, const char *attribute)
{
    struct text text = text_of(talk, change), key = key_of(&text, attribute);
    const rhost_value *says;
    enum answer word;
    int rc = 0;

    says = recall(talk, &key, &word);
    if (word == N_ANSWERS) {
        rc = insync_all(talk, change);
        if (rc == 0)
            says = recall(talk, &key, &word);
    }
    text_clear(&text);
    text_clear(&key);
    if (rc < 0)
        return -1;
    if (word == N_ANSWERS)
        return RHOST_DEFAULT_COMPARISON;
    return word == ANSWER_FAILED ? fail_asked(talk, says) : take_insync(talk, says);
}

int32_t
compare_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    const struct served *served = ctx->host->extension(ctx, RHOST_SERVED_ID);
    int rc = RHOST_DEFAULT_COMPARISON;
    struct talk talk;

    if (served && served->custom_insync) {
        rc = talk_begin(&talk, ctx, "insync");
        if (rc == 0)
            rc =
                served->batch ? insync_batch(&talk, change, attribute) : insync_one(&talk, change, attribute);
        talk_end(&talk);
    }
    return rc == RHOST_DEFAULT_COMPARISON && served ? usual_comparison(served, change, attribute) : rc;
}
