/* SPDX-License-Identifier: Apache-2.0 */
/* message-answer - what comes back: outcomes, log lines, progress; and what is asked and told during a call.
 */
#include "config.h"

#include "plugin/message.h"
#include "provider/log-record.h"

#include "base/arena.h"
#include "base/value.h"

#include <string.h>

enum { LARGEST_ANSWER = 64 << 20 };
enum { HAS_FROM = 1, HAS_TO = 2, UNKNOWN = 4, HAS_MESSAGE = 8 };
enum {
    HAS_WAS = 1,
    HAS_NOW = 2,
    IS_NOW = 4, /* still what it was */
    HAS_CURRENT = 8,
    HAS_RESULT = 16
};
enum { HAS_REASON = 1, TOUCHED = 2, HAS_ATTRIBUTE = 4, AS_DESIRED = 8 };

uint32_t
rh_message_largest(uint32_t answer)
{
    return answer == RH_BACKUP ? RH_FRAME_LARGEST_BACKUP : RH_FRAME_LARGEST_ANSWER;
}

void
rh_message_backup(struct rh_buf *b, const struct rh_backup_state *state, bool wait)
{
    size_t frame = rh_frame_begin(b, RH_BACKUP);

    rh_put_u32(b, state->id);
    rh_put_u8(b, (unsigned)state->stage);
    rh_put_u8(b, wait);
    rh_put_text(b, state->file);
    rh_put_value(b, state->state);
    rh_frame_end(b, frame);
}

bool
rh_message_take_backup(struct rh_in *in, struct rh_arena *a, struct rh_backup_state *state, bool *wait)
{
    unsigned stage;

    *state = (struct rh_backup_state){ .id = rh_take_u32(in) };
    stage = rh_take_u8(in);
    state->stage = (enum rh_backup_stage)stage;
    *wait = rh_take_u8(in);
    state->file = rh_take_text(in);
    if (!in->bad && !*state->file)
        state->file = NULL;
    state->state = rh_take_value(in, a);
    if (in->bad || stage > RH_BACKUP_AFTER || !state->state
        || (state->state->kind != RH_HASH && state->state->kind != RH_UNDEF
            && state->state->kind != RH_UNKNOWN))
        return !(in->bad = true);
    if (state->state->kind == RH_UNDEF)
        state->state = NULL;
    return true;
}

void
rh_message_question(struct rh_buf *b, const struct rh_question *question)
{
    size_t frame = rh_frame_begin(b, RH_ASK);

    rh_put_text(b, question->type);
    rh_put_u8(b, question->title != NULL);
    rh_put_text(b, question->title);
    rh_frame_end(b, frame);
}

bool
rh_message_take_question(struct rh_in *in, struct rh_question *question)
{
    bool one;

    question->type = rh_take_text(in);
    one = rh_take_u8(in);
    question->title = rh_take_text(in);
    if (!one)
        question->title = NULL;
    return !in->bad && in->at == in->end;
}

void
rh_message_answer(struct rh_buf *b, const struct rh_value *answer)
{
    size_t frame = rh_frame_begin(b, RH_ANSWER), body = b->n;
    bool fits = !answer || !rh_frame_is_deep(answer);

    rh_put_u8(b, fits);
    if (fits)
        rh_put_value(b, answer);
    if (b->n - body > LARGEST_ANSWER) {
        rh_buf_truncate(b, body);
        rh_put_u8(b, false);
    }
    rh_frame_end(b, frame);
}

bool
rh_message_take_answer(struct rh_in *in, struct rh_arena *a, const struct rh_value **answer, bool *fits)
{
    const struct rh_value *v;

    *answer = NULL;
    *fits = rh_take_u8(in);
    if (!*fits)
        return !in->bad;
    v = rh_take_value(in, a);
    if (v && v->kind != RH_UNDEF)
        *answer = v;
    return !in->bad;
}

void
rh_message_outcome(struct rh_buf *b, const struct rh_outcome *o)
{
    size_t frame = rh_frame_begin(b, RH_OUTCOME);

    rh_put_u32(b, o->id);
    rh_put_u8(b, o->status);
    rh_put_u32(b, o->blame);
    rh_put_real(b, o->seconds);
    rh_put_u8(b, (o->reason ? HAS_REASON : 0U) | (o->touched ? TOUCHED : 0U)
                     | (o->attribute ? HAS_ATTRIBUTE : 0U) | (o->as_desired ? AS_DESIRED : 0U));
    if (o->reason) {
        rh_put_text(b, o->reason);
        rh_put_u32(b, o->code);
    }
    if (o->attribute)
        rh_put_text(b, o->attribute);
    rh_put_u32(b, (uint32_t)o->n_differences);
    for (size_t i = 0; i < o->n_differences; i++) {
        const struct rh_difference *d = &o->differences[i];

        rh_put_text(b, d->attribute);
        rh_put_u8(b, (d->from ? HAS_FROM : 0U) | (d->to ? HAS_TO : 0U) | (d->unknown ? UNKNOWN : 0U)
                         | (d->message ? HAS_MESSAGE : 0U));
        if (d->from)
            rh_put_value(b, d->from);
        if (d->to)
            rh_put_value(b, d->to);
        if (d->message)
            rh_put_text(b, d->message);
    }
    rh_put_u8(b, (o->was ? HAS_WAS : 0U) | (o->now && o->now == o->was ? IS_NOW : 0U)
                     | (o->now && o->now != o->was ? HAS_NOW : 0U) | (o->current ? HAS_CURRENT : 0U)
                     | (o->result ? HAS_RESULT : 0U));
    if (o->was)
        rh_put_value(b, o->was);
    if (o->now && o->now != o->was)
        rh_put_value(b, o->now);
    if (o->current)
        rh_put_value(b, o->current);
    if (o->result)
        rh_put_value(b, o->result);
    rh_frame_end(b, frame);
}

/* Hashes of hashes, or nothing. */
static void
take_watched(struct rh_in *in, struct rh_arena *a, struct rh_outcome *o)
{
    unsigned flags = rh_take_u8(in);

    o->was = flags & HAS_WAS ? rh_take_value(in, a) : NULL;
    o->now = flags & HAS_NOW ? rh_take_value(in, a) : flags & IS_NOW ? o->was : NULL;
    o->current = flags & HAS_CURRENT ? rh_take_value(in, a) : NULL;
    o->result = flags & HAS_RESULT ? rh_take_value(in, a) : NULL;
    if ((o->was && o->was->kind != RH_HASH) || (o->now && o->now->kind != RH_HASH)
        || (o->current && o->current->kind != RH_HASH) || (o->result && o->result->kind != RH_HASH))
        in->bad = true;
}

bool
rh_message_take_outcome(struct rh_in *in, struct rh_arena *a, struct rh_outcome *o)
{
    struct rh_difference *list;
    unsigned bits;
    uint32_t n;

    *o = (struct rh_outcome){ .id = rh_take_u32(in) };
    o->status = (enum rh_status)rh_take_u8(in);
    o->blame = rh_take_u32(in);
    o->seconds = rh_take_real(in);
    bits = rh_take_u8(in);
    o->touched = bits & TOUCHED;
    o->as_desired = bits & AS_DESIRED;
    if (bits & HAS_REASON) {
        o->reason = rh_take_text(in);
        o->code = rh_take_code(in);
    }
    if (bits & HAS_ATTRIBUTE)
        o->attribute = rh_take_text(in);
    n = rh_take_u32(in);
    if (in->bad || o->status > RH_EXCLUDED || n > (size_t)(in->end - in->at) / 5)
        return !(in->bad = true);
    list = rh_arena_alloc(a, n * sizeof *list);
    for (uint32_t i = 0; i < n && !in->bad; i++) {
        unsigned flags;

        list[i].attribute = rh_take_text(in);
        flags = rh_take_u8(in);
        list[i].from = flags & HAS_FROM ? rh_take_value(in, a) : NULL;
        list[i].to = flags & HAS_TO ? rh_take_value(in, a) : NULL;
        list[i].unknown = flags & UNKNOWN;
        list[i].message = flags & HAS_MESSAGE ? rh_take_text(in) : NULL;
    }
    o->differences = list;
    o->n_differences = n;
    take_watched(in, a, o);
    return !in->bad;
}

enum { GENERATED = 1, HAS_TYPE = 2, HAS_LABEL = 4 };

void
rh_message_log(struct rh_buf *b, const struct rh_log_record *r)
{
    size_t frame = rh_frame_begin(b, RH_LOG);

    rh_put_u8(b, r->level);
    rh_put_u8(b, (r->generated ? GENERATED : 0U) | (r->type ? HAS_TYPE : 0U) | (r->label ? HAS_LABEL : 0U));
    rh_put_u32(b, (uint32_t)r->total);
    rh_put_u8(b, (uint8_t)r->n);
    for (size_t i = 0; i < r->n; i++) {
        rh_put_u32(b, r->about[i].id);
        rh_put_text(b, r->about[i].title);
    }
    if (r->label)
        rh_put_text(b, r->label);
    rh_put_text(b, r->message);
    rh_put_u32(b, r->code);
    rh_frame_end(b, frame);
}

bool
rh_message_take_log(struct rh_in *in, struct rh_arena *a, const char *type, struct rh_log_record *r)
{
    struct rh_log_about *about;
    unsigned flags;

    *r = (struct rh_log_record){ .level = (enum rh_level)rh_take_u8(in) };
    flags = rh_take_u8(in);
    r->generated = flags & GENERATED;
    r->type = flags & HAS_TYPE ? type : NULL;
    r->total = rh_take_u32(in);
    r->n = rh_take_u8(in);
    if (in->bad || r->level > RH_ERR || r->n > RH_LOG_NAMED || r->n > r->total)
        return !(in->bad = true);
    about = rh_arena_alloc(a, (r->n + 1) * sizeof *about);
    for (size_t i = 0; i < r->n; i++) {
        about[i].id = rh_take_u32(in);
        about[i].title = rh_take_text(in);
    }
    r->about = about;
    r->label = flags & HAS_LABEL ? rh_take_text(in) : NULL;
    r->message = rh_take_text(in);
    r->code = rh_take_code(in);
    return !in->bad;
}

void
rh_message_progress(struct rh_buf *b, const struct rh_progress *p)
{
    size_t frame = rh_frame_begin(b, RH_PROGRESS);

    rh_put_u32(b, p->silence);
    rh_put_u32(b, p->id);
    rh_put_text(b, p->text);
    rh_put_u8(b, p->counted);
    rh_put_real(b, (double)p->done);
    rh_put_real(b, (double)p->total);
    rh_put_text(b, p->unit);
    rh_frame_end(b, frame);
}

/* What is larger than a double can count exactly is only shown; the largest becomes 2 to the 64th. */
static uint64_t
take_count(struct rh_in *in)
{
    static const double beyond = 18446744073709551616.0;
    double n = rh_take_real(in);

    in->bad |= !(n >= 0 && n <= beyond);
    return in->bad ? 0 : n < beyond ? (uint64_t)n : UINT64_MAX;
}

enum { LONGEST_WORDS = 1000 }; /* more than a worker of ours sends, with all of it escaped */

static const char *
take_words(struct rh_in *in)
{
    const char *text = rh_take_text(in);

    in->bad |= strlen(text) > LONGEST_WORDS;
    return *text ? text : NULL;
}

bool
rh_message_take_progress(struct rh_in *in, struct rh_progress *p)
{
    p->silence = rh_take_u32(in);
    p->id = rh_take_u32(in);
    p->text = take_words(in);
    p->counted = rh_take_u8(in) != 0;
    p->done = take_count(in);
    p->total = take_count(in);
    p->unit = take_words(in);
    return !in->bad && p->silence <= RH_MOST_BUSY;
}
