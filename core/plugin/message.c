/* SPDX-License-Identifier: Apache-2.0 */
/* message - the requests and answers that frames carry. */
#include "config.h"

#include "plugin/message.h"
#include "provider/log-record.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/value.h"
#include "schema/type.h"

#include <string.h>

enum { LARGEST_TOLD = 64 << 20 };
enum {
    NOOP = 1,
    STALE = 2,
    HAS_SHOULD = 4,
    TRIAL = 8,
    WATCHED = 16,
    BEGUN = 32,
    VERIFY = 64,
    LIMITED = 128,
    REPLACE = 256,
    EXPECTED = 512,
    RESULT = 1024,
    BACKUP = 2048,
};
enum { LEFT = 1, ANY = 2, UNCHANGED = 4 }; /* of what is expected */
enum { HAS_FROM = 1, HAS_TO = 2, UNKNOWN = 4, HAS_MESSAGE = 8 };
enum {
    HAS_WAS = 1,
    HAS_NOW = 2,
    IS_NOW = 4,
    HAS_CURRENT = 8,
    HAS_RESULT = 16
}; /* IS_NOW: still what it was */
enum { HAS_REASON = 1, TOUCHED = 2, HAS_ATTRIBUTE = 4 };

void
rh_message_hello(struct rh_buf *b, const struct rh_hello *hello)
{
    size_t frame = rh_frame_begin(b, RH_HELLO);

    rh_put_text(b, hello->path);
    rh_put_text(b, hello->type);
    rh_put_text(b, hello->provider);
    rh_put_u8(b, hello->strict);
    rh_put_u8(b, hello->debug);
    rh_put_u8(b, hello->diff);
    rh_put_u8(b, hello->tell);
    rh_put_u8(b, hello->noop);
    rh_put_u8(b, hello->sole);
    rh_put_u32(b, hello->time_limit);
    rh_put_u8(b, hello->live);
    rh_put_u8(b, hello->tail);
    rh_put_u8(b, hello->facts);
    rh_put_u8(b, hello->source);
    rh_put_u8(b, hello->target != NULL);
    if (hello->target) {
        rh_put_text(b, hello->target->path);
        rh_put_text(b, hello->target->transport);
        rh_put_value(b, hello->target->info);
    }
    rh_frame_end(b, frame);
}

bool
rh_message_take_hello(struct rh_in *in, struct rh_arena *a, struct rh_hello *hello, struct rh_target *taken)
{
    hello->path = rh_take_text(in);
    hello->type = rh_take_text(in);
    hello->provider = rh_take_text(in);
    hello->strict = (enum rh_strict)rh_take_u8(in);
    in->bad |= hello->strict > RH_STRICT_OFF;
    hello->debug = rh_take_u8(in) != 0;
    hello->diff = rh_take_u8(in) != 0;
    hello->tell = rh_take_u8(in) != 0;
    hello->noop = rh_take_u8(in) != 0;
    hello->sole = rh_take_u8(in) != 0;
    hello->time_limit = rh_take_u32(in);
    hello->live = rh_take_u8(in) != 0;
    hello->tail = rh_take_u8(in) != 0;
    hello->facts = rh_take_u8(in) != 0;
    hello->source = rh_take_u8(in) != 0;
    hello->target = rh_take_u8(in) ? taken : NULL;
    if (hello->target) {
        taken->path = rh_take_text(in);
        taken->transport = rh_take_text(in);
        taken->info = rh_take_value(in, a);
        in->bad |= !rh_value_is(taken->info, RH_HASH);
    }
    return !in->bad;
}

static void
put_watch(struct rh_buf *b, const struct rh_watch *w)
{
    rh_put_text(b, w->salt);
    rh_put_u8(b, w->only);
    rh_put_u32(b, (uint32_t)w->n);
    for (size_t i = 0; i < w->n; i++) {
        rh_put_text(b, w->names[i]);
        rh_put_u8(b, w->secret[i]);
    }
}

/* Attributes that the type has not are nonsense. */
static const struct rh_watch *
take_watch(struct rh_in *in, struct rh_arena *a, const struct rh_type *t)
{
    struct rh_watch *w = rh_arena_alloc(a, sizeof *w);
    const char **names;
    bool *secret;
    uint32_t n;

    w->salt = rh_take_text(in);
    w->only = rh_take_u8(in);
    n = rh_take_u32(in);
    if (n > t->n_attrs)
        in->bad = true;
    if (in->bad)
        return NULL;
    names = rh_arena_alloc(a, n * sizeof *names);
    secret = rh_arena_alloc(a, n * sizeof *secret);
    for (uint32_t i = 0; i < n; i++) {
        const struct rh_attr *attr = rh_type_attr(t, rh_take_text(in));

        secret[i] = rh_take_u8(in);
        if (!attr || in->bad) {
            in->bad = true;
            return NULL;
        }
        names[i] = attr->name;
    }
    w->names = names;
    w->secret = secret;
    w->n = n;
    return w;
}

static void
put_expected(struct rh_buf *b, const struct rh_expected *p)
{
    rh_put_text(b, p->key);
    rh_put_u8(b, (p->left ? LEFT : 0U) | (p->any ? ANY : 0U) | (p->unchanged ? UNCHANGED : 0U));
    rh_put_u8(b, p->state != NULL);
    if (p->state)
        rh_put_value(b, p->state);
}

static const struct rh_expected *
take_expected(struct rh_in *in, struct rh_arena *a)
{
    struct rh_expected *p = rh_arena_alloc(a, sizeof *p);
    unsigned flags;

    p->key = rh_take_text(in);
    flags = rh_take_u8(in);
    p->left = flags & LEFT;
    p->any = flags & ANY;
    p->unchanged = flags & UNCHANGED;
    p->state = rh_take_u8(in) ? rh_take_value(in, a) : NULL;
    in->bad |= p->state && p->state->kind != RH_HASH && p->state->kind != RH_UNDEF;
    return p;
}

static void
put_backup(struct rh_buf *b, const struct rh_backup *backup)
{
    rh_put_text(b, backup->key);
    rh_put_u8(b, backup->required);
}

static const struct rh_backup *
take_backup(struct rh_in *in, struct rh_arena *a)
{
    struct rh_backup *backup = rh_arena_alloc(a, sizeof *backup);

    backup->key = rh_take_text(in);
    backup->required = rh_take_u8(in);
    return backup;
}

void
rh_message_want(struct rh_buf *b, const struct rh_want *want, const struct rh_text_way *way)
{
    rh_put_u32(b, want->id);
    rh_put_u32(b, (want->noop ? NOOP : 0U) | (want->stale ? STALE : 0U) | (want->trial ? TRIAL : 0U)
                      | (want->begun ? BEGUN : 0U) | (want->should ? HAS_SHOULD : 0U)
                      | (want->watch ? WATCHED : 0U) | (want->verify ? VERIFY : 0U)
                      | (want->limit > 0 ? LIMITED : 0U) | (want->replace ? REPLACE : 0U)
                      | (want->expected ? EXPECTED : 0U) | (want->result ? RESULT : 0U)
                      | (want->backup ? BACKUP : 0U));
    rh_put_text(b, want->title);
    rh_put_text(b, want->action);
    rh_put_value_by(b, want->should ? want->should : want->name, way);
    rh_put_u32(b, (uint32_t)want->n_after);
    rh_buf_addn(b, want->after, want->n_after * sizeof *want->after);
    if (want->watch)
        put_watch(b, want->watch);
    if (want->limit > 0)
        rh_put_real(b, want->limit);
    if (want->expected)
        put_expected(b, want->expected);
    if (want->backup)
        put_backup(b, want->backup);
}

/* Attributes go by the type's own text for their names, which everybody then finds at once. */
static void
use_own_names(const struct rh_type *t, struct rh_value *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_attr *attr = rh_type_attr(t, v->u.entries[i].key);

        if (attr)
            rh_draft_set_entry(v, i, attr->name, v->u.entries[i].value);
    }
}

bool
rh_message_take_want(struct rh_in *in, struct rh_arena *a, const struct rh_type *t, struct rh_want *want)
{
    unsigned flags;
    struct rh_value *v;
    uint32_t *after;

    *want = (struct rh_want){ .id = rh_take_u32(in) };
    flags = rh_take_u32(in);
    want->noop = flags & NOOP;
    want->stale = flags & STALE;
    want->trial = flags & TRIAL;
    want->begun = flags & BEGUN;
    want->verify = flags & VERIFY;
    want->replace = flags & REPLACE;
    want->result = flags & RESULT;
    want->title = rh_take_text(in);
    want->action = rh_take_text(in);
    v = rh_take_value(in, a);
    want->n_after = rh_take_u32(in);
    if (in->bad || !rh_value_is(v, RH_HASH) || want->n_after > (size_t)(in->end - in->at) / sizeof *after)
        return !(in->bad = true);
    use_own_names(t, v);
    after = rh_arena_alloc(a, want->n_after * sizeof *after);
    memcpy(after, in->at, want->n_after * sizeof *after);
    in->at += want->n_after * sizeof *after;
    want->after = after;
    want->should = flags & HAS_SHOULD ? v : NULL;
    want->name = rh_resource_name(t, a, v);
    want->watch = flags & WATCHED ? take_watch(in, a, t) : NULL;
    want->limit = flags & LIMITED ? rh_take_real(in) : 0;
    want->expected = flags & EXPECTED ? take_expected(in, a) : NULL;
    want->backup = flags & BACKUP ? take_backup(in, a) : NULL;
    return !in->bad;
}

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
rh_message_told(struct rh_buf *b, const struct rh_value *answer)
{
    size_t frame = rh_frame_begin(b, RH_TOLD), body = b->n;
    bool fits = !answer || !rh_frame_is_deep(answer);

    rh_put_u8(b, fits);
    if (fits)
        rh_put_value(b, answer);
    if (b->n - body > LARGEST_TOLD) {
        rh_buf_truncate(b, body);
        rh_put_u8(b, false);
    }
    rh_frame_end(b, frame);
}

bool
rh_message_take_told(struct rh_in *in, struct rh_arena *a, const struct rh_value **answer, bool *fits)
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
                     | (o->attribute ? HAS_ATTRIBUTE : 0U));
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
    unsigned said;
    uint32_t n;

    *o = (struct rh_outcome){ .id = rh_take_u32(in) };
    o->status = (enum rh_status)rh_take_u8(in);
    o->blame = rh_take_u32(in);
    o->seconds = rh_take_real(in);
    said = rh_take_u8(in);
    o->touched = said & TOUCHED;
    if (said & HAS_REASON) {
        o->reason = rh_take_text(in);
        o->code = rh_take_code(in);
    }
    if (said & HAS_ATTRIBUTE)
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
