/* SPDX-License-Identifier: Apache-2.0 */
/* server-answer - what the worker says while it is at work: answers wait for each other, to go out
 * together. */
#include "config.h"

#include "plugin/server-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "plugin/message.h"
#include "provider/outgoing.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    FLUSH_AT = 32 << 10,
    LARGEST_SECRET = 4 << 20,
};

static double
now(void)
{
    struct timespec ts;

    if (clock_gettime(CLOCK_MONOTONIC_COARSE, &ts) < 0)
        return 0;
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

void
rh_server_flush(struct rh_server *s)
{
    if (s->out.n)
        s->io.write(s->io.data, s->out.s, s->out.n);
    rh_buf_truncate(&s->out, 0);
    s->owed = false;
    s->kept = 0;
    s->flushed = now();
}

void
rh_server_keep_owed(struct rh_server *s)
{
    if (!s->owed)
        return;
    if (!s->io.keep || !s->io.keep(s->io.data, s->out.s, s->kept, s->out.n)) {
        rh_server_flush(s);
        return;
    }
    s->owed = false;
    s->kept = s->out.n;
}

void
rh_server_flush_some(struct rh_server *s)
{
    if (s->out.n >= FLUSH_AT || now() - s->flushed > 0.05)
        rh_server_flush(s);
}

void
rh_server_send_text(struct rh_server *s, uint32_t type, const char *text)
{
    size_t frame = rh_frame_begin(&s->out, type);

    rh_put_text(&s->out, text);
    rh_frame_end(&s->out, frame);
}

void
rh_server_send_done(struct rh_server *s, const struct rh_error *trouble)
{
    size_t frame = rh_frame_begin(&s->out, RH_DONE);

    rh_put_text(&s->out, trouble ? trouble->message : NULL);
    rh_put_u32(&s->out, trouble ? rh_error_code(trouble) : 0);
    rh_frame_end(&s->out, frame);
    rh_server_flush(s);
}

/* An answer that the host would refuse for its size is taken back. */
static bool
take_back_large(struct rh_server *s, size_t start)
{
    if (s->out.n - start <= RH_FRAME_LARGEST_ANSWER)
        return false;
    rh_buf_truncate(&s->out, start);
    return true;
}

static void
on_outcome(void *data, const struct rh_outcome *outcome)
{
    struct rh_server *s = data;
    size_t start = s->out.n;

    rh_message_outcome(&s->out, outcome);
    if (take_back_large(s, start)) {
        struct rh_outcome small = *outcome;

        small.was = small.now = small.result = NULL;
        small.n_differences = 0; /* what came of it matters more than what it was */
        rh_message_outcome(&s->out, &small);
    }
    if (outcome->status != RH_UNCHANGED && outcome->status != RH_WOULD_CHANGE)
        s->owed = true;
    if (s->live && s->owed)
        rh_server_flush(s);
    else
        rh_server_flush_some(s);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    struct rh_server *s = data;

    rh_message_log(&s->out, record);
    rh_server_flush_some(s);
}

static void
on_busy(void *data, uint32_t milliseconds)
{
    struct rh_server *s = data;
    size_t frame = rh_frame_begin(&s->out, RH_BUSY);

    rh_put_u32(&s->out, milliseconds);
    rh_frame_end(&s->out, frame);
    rh_server_flush(s);
}

static void
on_progress(void *data, const struct rh_progress *progress)
{
    struct rh_server *s = data;

    rh_message_progress(&s->out, progress);
    rh_server_flush(s);
}

void
rh_server_item(void *data, const struct rh_value *item)
{
    struct rh_server *s = data;
    size_t start = s->out.n, frame;
    bool deep = rh_frame_is_deep(item);

    if (!deep) {
        frame = rh_frame_begin(&s->out, RH_ITEM);
        rh_put_value(&s->out, item);
        rh_frame_end(&s->out, frame);
    }
    if (deep || take_back_large(s, start)) {
        const struct rh_type *t = rh_runtime_type(s->rt);
        rh_autobuf struct rh_buf name = { 0 };

        rh_type_name_text(t, item, &name);
        rh_error_clear(&s->unshown);
        if (deep)
            rh_error_set(&s->unshown, RH_EPROVIDER, "%s[%s] cannot be shown: it is nested deeper than %d",
                         t->type, rh_buf_text(&name), RH_FRAME_DEPTH);
        else
            rh_error_set(&s->unshown, RH_EPROVIDER, "%s[%s] cannot be shown: it is larger than %d MiB",
                         t->type, rh_buf_text(&name), RH_FRAME_LARGEST_ANSWER >> 20);
        rh_outgoing_error(s->rt, &s->unshown);
    }
    rh_server_flush_some(s);
}

/* So that the host knows it, should the plugin print it and die. */
static void
on_secret(void *data, const char *text, size_t n)
{
    struct rh_server *s = data;
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    size_t frame = rh_frame_begin(&s->out, RH_SECRET_MET);

    rh_put_value(&s->out, rh_value_binary(a, text, n < LARGEST_SECRET ? n : (size_t)LARGEST_SECRET));
    rh_frame_end(&s->out, frame);
    s->owed = true;
    rh_server_flush_some(s);
}

void
rh_server_doing(void *data, uint32_t id, const char *verb)
{
    struct rh_server *s = data;
    struct rh_doing *doing = s->io.doing;
    size_t n = strnlen(verb, sizeof doing->verb - 1);

    rh_server_keep_owed(s);
    doing->id = id;
    memcpy(doing->verb, verb, n);
    doing->verb[n] = '\0';
}

static void
free_payload(void *payload)
{
    free(payload);
}

static void
put_off(struct rh_server *s, uint32_t type, char *payload, size_t n)
{
    struct rh_deferred_request *later = rh_xalloc(sizeof *later);

    *later = (struct rh_deferred_request){ .type = type, .payload = payload, .n = n };
    *s->last_later = later;
    s->last_later = &later->next;
}

/* Reads the host's next answer: what else it sends meanwhile has to wait. */
static bool
read_answer(struct rh_server *s, struct rh_arena *a, const struct rh_value **answer)
{
    uint32_t frame;
    char *payload;
    bool fits;
    size_t n;

    *answer = NULL;
    while (s->io.read(s->io.data, &frame, &payload, &n)) {
        struct rh_in in = { .at = payload, .end = payload + n };

        if (frame != RH_ANSWER) {
            put_off(s, frame, payload, n);
            continue;
        }
        rh_arena_defer(a, free_payload, payload); /* the answer points into it */
        return rh_message_take_answer(&in, a, answer, &fits) && fits;
    }
    return false;
}

/* The answer to what was given ahead comes first. */
static void
take_ahead(struct rh_server *s)
{
    rh_autoarena struct rh_arena *a = NULL;
    const struct rh_value *answer;

    if (s->ahead != RH_AHEAD_ASKED)
        return;
    a = rh_arena_new(NULL);
    s->ahead = read_answer(s, a, &answer) && !answer ? RH_AHEAD_GRANTED : RH_AHEAD_REFUSED;
}

static bool
wait_for_answer(struct rh_server *s, struct rh_arena *a, const struct rh_value **answer)
{
    rh_server_flush(s);
    take_ahead(s);
    return read_answer(s, a, answer);
}

static bool
on_ask(void *data, struct rh_arena *a, const char *type, const char *title, const struct rh_value **answer)
{
    struct rh_server *s = data;

    rh_message_question(&s->out, &(struct rh_question){ .type = type, .title = title });
    return wait_for_answer(s, a, answer);
}

static void
put_backup(struct rh_server *s, struct rh_arena *a, const struct rh_backup_state *state, bool wait)
{
    size_t start = s->out.n;
    struct rh_backup_state unknown = *state;

    if (!state->state || !rh_frame_is_deep(state->state)) {
        rh_message_backup(&s->out, state, wait);
        if (s->out.n - start <= RH_FRAME_LARGEST_BACKUP)
            return;
        rh_buf_truncate(&s->out, start);
    }
    unknown.state = rh_value_new(a, RH_UNKNOWN);
    rh_message_backup(&s->out, &unknown, wait);
}

static bool
on_backup(void *data, struct rh_arena *a, const struct rh_backup_state *states, size_t n, bool wait,
          const char **why)
{
    struct rh_server *s = data;
    const struct rh_value *answer;

    for (size_t i = 0; i < n; i++) {
        put_backup(s, a, &states[i], wait && i + 1 == n);
        rh_server_flush_some(s);
    }
    if (!wait)
        return true;
    if (wait_for_answer(s, a, &answer) && !answer)
        return true;
    *why = rh_value_str(answer, "no answer");
    return false;
}

static void
on_backup_ahead(void *data, struct rh_arena *a, const struct rh_backup_state *states, size_t n)
{
    struct rh_server *s = data;

    take_ahead(s);
    for (size_t i = 0; i < n; i++) {
        put_backup(s, a, &states[i], i + 1 == n);
        rh_server_flush_some(s);
    }
    rh_server_flush(s);
    s->ahead = RH_AHEAD_ASKED;
}

static bool
on_backup_granted(void *data)
{
    struct rh_server *s = data;
    bool granted;

    rh_server_flush(s);
    take_ahead(s);
    granted = s->ahead == RH_AHEAD_GRANTED;
    s->ahead = RH_AHEAD_NONE;
    return granted;
}

struct rh_sink
rh_server_sink(struct rh_server *s)
{
    return (struct rh_sink){
        .data = s,
        .outcome = on_outcome,
        .log = on_log,
        .busy = on_busy,
        .progress = on_progress,
        .item = rh_server_item,
        .doing = rh_server_doing,
        .ask = on_ask,
        .backup = on_backup,
        .backup_ahead = on_backup_ahead,
        .backup_granted = on_backup_granted,
        .secret = on_secret,
    };
}
