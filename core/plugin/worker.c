/* SPDX-License-Identifier: Apache-2.0 */
/* worker - a provider at work, as the host sees it. */
#include "config.h"

#include "plugin/worker.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/message-code.h"
#include "base/secrets.h"
#include "base/value-json.h"
#include "base/value.h"
#include "plugin/incoming.h"
#include "plugin/talk.h"
#include "provider/call.h"
#include "provider/log-record.h"
#include "schema/type.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PART_BYTES = 64 << 10, /* in a frame, or RH_MOST_WANTS */
    AHEAD = 256 << 10,     /* bytes that wait to be sent */
    TEXTS_AHEAD = 4,       /* and large texts */
    DESCRIBE_LIMIT = 10,   /* seconds */
    SUITS_LIMIT = 10,      /* it may only look */
    FACT_LIMIT = 10,
};

struct rh_worker *
rh_worker_start(const struct rh_type *type, const struct rh_worker_options *options,
                const struct rh_worker *beside)
{
    struct rh_worker *w = rh_xalloc(sizeof *w);
    rh_autoerror struct rh_error err = { 0 };

    w->type = type;
    w->options = *options;
    w->secrets = options->secrets ? options->secrets : &w->own;
    w->arena = rh_arena_new(&rh_host_table);
    if (!rh_seat_take(w, beside) && rh_restart_connect(w, &err) < 0) {
        w->link->dead = true;
        w->gone = rh_printf(rh_worker_unavailable, type->provider, type->version, err.message);
        w->gone_code = rh_error_code(&err);
    }
    return w;
}

bool
rh_worker_is_gone(const struct rh_worker *w)
{
    return w->gone || w->link->dead;
}

void
rh_worker_limit(struct rh_worker *w, double seconds)
{
    w->limit = seconds;
}

uint32_t
rh_worker_at(const struct rh_worker *w)
{
    return rh_link_doing(w->link)->id;
}

char *
rh_worker_verb(const struct rh_worker *w)
{
    const struct rh_doing doing = *rh_link_doing(w->link); /* the plugin can write there, at any time */
    const struct rh_intake intake = { .secrets = w->secrets, .arena = w->arena, .type = w->type };
    rh_autofree char *shown = rh_incoming_text(&intake, doing.verb, strnlen(doing.verb, sizeof doing.verb));

    return strcmp(shown, "waiting") == 0 ? rh_xstrdup("") : rh_safe_text(shown);
}

static bool
has_room(const struct rh_link *l)
{
    return l->out.n - l->sent < AHEAD && l->n_attached < TEXTS_AHEAD;
}

/* Fills frames with wants as long as there is room; false when there are no more. */
static bool
feed(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    struct rh_buf *out = &w->link->out;
    const struct rh_text_way way = rh_worker_text_way(w);
    struct rh_want want;
    bool more = true;

    while (more && has_room(w->link) && !w->link->dead) {
        size_t frame = rh_seat_begin(w, RH_WANTS);
        size_t last = out->n;

        rh_put_u8(out, 0);
        for (int i = 0; i < RH_MOST_WANTS && out->n - frame < PART_BYTES && has_room(w->link); i++) {
            more = t->wants->next(t->wants->data, &want);
            if (!more)
                break;
            rh_message_want(out, &want, &way);
            rh_secrets_learn(w->secrets, want.should, false);
            if (!w->n_waiting++) {
                w->lowest = want.id;
                w->highest = want.id;
            }
            rh_ids_add(&w->waiting, want.id);
            w->sent = rh_xgrow(w->sent, &w->cap_sent, w->n_sent, sizeof *w->sent);
            w->sent[w->n_sent++] = want.id;
            w->lowest = want.id < w->lowest ? want.id : w->lowest;
            w->highest = want.id > w->highest ? want.id : w->highest;
        }
        out->s[last] = more ? 0 : 1;
        rh_frame_end(out, frame);
        rh_large_texts_trim(&w->texts, w->link);
        if (w->link->server)
            break; /* inline nothing runs meanwhile: a part at a time keeps memory small */
    }
    return more;
}

/* Nobody is there to do it. */
static void
refuse_rest(struct rh_talk *t)
{
    static const char early[] = RH_WORDING("the provider ended its batch early");
    struct rh_worker *w = t->w;
    struct rh_want want;

    while (t->wants->next(t->wants->data, &want)) {
        struct rh_outcome o = {
            .id = want.id,
            .status = RH_FAILED,
            .reason = w->gone ? w->gone : early,
            .code = w->gone ? w->gone_code : rh_message_code(early),
            .blame = RH_NOBODY,
        };

        t->sink->outcome(t->sink->data, &o);
    }
}

/* Inline the worker's code waits for us further up, and we for it: it has asked something. */
static void
serve_inline(void *data)
{
    rh_talk_listen(data);
}

int
rh_worker_converge(struct rh_worker *w, const struct rh_wants *wants, const struct rh_sink *sink,
                   struct rh_error *err)
{
    struct rh_talk t = { .w = w, .sink = sink, .wants = wants, .err = err, .more = true };

    w->n_sent = 0;
    rh_talk_alive(w);
    w->until = rh_now() + w->limit;
    w->link->serve = serve_inline;
    w->link->serve_data = &t;
    if (w->link->process.shared)
        rh_interrupt_share(&w->link->process.shared->interrupted);
    while (!w->gone && !t.done) {
        (void)rh_interrupted(); /* somebody may want to be told, and see to it that there are no more */
        if (t.more)
            t.more = feed(&t);
        if (t.more && !w->link->server && has_room(w->link))
            (void)rh_link_move(w->link, 0);
        else
            rh_talk_wait(&t);
        rh_talk_listen(&t);
        if (!t.done && w->link->dead) {
            rh_talk_worker_ended(&t);
            rh_restart(&t);
        }
    }
    if (w->link->process.shared)
        rh_interrupt_unshare(&w->link->process.shared->interrupted);
    w->link->serve = NULL;
    refuse_rest(&t);
    (void)rh_talk_end(&t);
    return err && err->message ? -1 : 0;
}

int
rh_worker_read(struct rh_worker *w, const struct rh_value *names, const struct rh_sink *sink,
               struct rh_error *err)
{
    size_t frame = rh_seat_begin(w, RH_READ);

    rh_put_u8(&w->link->out, names ? RH_READ_NAMED : RH_READ_ALL);
    if (names)
        rh_put_value(&w->link->out, names);
    rh_frame_end(&w->link->out, frame);
    return rh_talk_run(w, sink, err);
}

int
rh_worker_list(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err)
{
    size_t frame = rh_seat_begin(w, RH_READ);

    rh_put_u8(&w->link->out, RH_READ_KNOWN);
    rh_frame_end(&w->link->out, frame);
    return rh_talk_run(w, sink, err);
}

int
rh_worker_facts(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err)
{
    rh_frame_end(&w->link->out, rh_seat_begin(w, RH_FACTS));
    return rh_talk_run(w, sink, err);
}

int
rh_worker_lookup(struct rh_worker *w, const char *name, const struct rh_value *parameters,
                 const struct rh_sink *sink, struct rh_error *err)
{
    size_t frame = rh_seat_begin(w, RH_LOOKUP);
    rh_autoarena struct rh_arena *a = parameters ? NULL : rh_arena_new(NULL);
    unsigned limit = w->options.time_limit;
    int rc;

    rh_put_u8(&w->link->out, !parameters);
    rh_put_text(&w->link->out, name);
    rh_put_value(&w->link->out, parameters ? parameters : rh_value_new(a, RH_HASH));
    rh_frame_end(&w->link->out, frame);
    rh_secrets_learn(w->secrets, parameters, false);
    if (!parameters && (!limit || limit > FACT_LIMIT))
        w->options.time_limit = FACT_LIMIT;
    rc = rh_talk_run(w, sink, err);
    w->options.time_limit = limit;
    return rc;
}

int
rh_worker_validate(struct rh_worker *w, const struct rh_value *resources, const bool *names,
                   const struct rh_sink *sink, struct rh_error *err)
{
    const struct rh_text_way way = rh_worker_text_way(w);
    struct rh_buf *out = &w->link->out;
    size_t n = rh_value_count(resources), i = 0;

    do { /* in parts: the worker starts with the first while we write the next */
        size_t frame = rh_seat_begin(w, RH_VALIDATE);
        size_t last = out->n;

        rh_put_u8(out, 0);
        while (i < n && out->n - frame < PART_BYTES) {
            rh_secrets_learn(w->secrets, rh_value_at(resources, i), false);
            rh_put_u8(out, names && !names[i]);
            rh_put_value_by(out, rh_value_at(resources, i++), &way);
        }
        out->s[last] = i == n;
        rh_frame_end(out, frame);
        rh_large_texts_trim(&w->texts, w->link);
        if (!w->gone)
            (void)rh_link_move(w->link, 0);
    } while (i < n);
    return rh_talk_run(w, sink, err);
}

static unsigned
code_at(const struct rh_value *item, size_t i)
{
    const struct rh_value *v = rh_value_at(item, i);

    return rh_value_is(v, RH_INTEGER) && v->u.integer > 0 && v->u.integer <= 9999 ? (unsigned)v->u.integer
                                                                                  : 0;
}

unsigned
rh_worker_refusal_code(const struct rh_value *item)
{
    return code_at(item, 5);
}

struct answer {
    int how_well;
    struct rh_error *why;
};

static void
take_suits(void *data, const struct rh_value *item)
{
    struct answer *a = data;
    const struct rh_value *n = rh_value_at(item, 0);

    if (rh_value_is(n, RH_INTEGER) && n->u.integer > 0 && n->u.integer <= INT_MAX)
        a->how_well = (int)n->u.integer;
    else
        rh_error_set_code(a->why, RH_EPROVIDER, code_at(item, 2), "%s",
                          rh_value_str(rh_value_at(item, 1), ""));
}

int
rh_worker_suits(struct rh_worker *w, const struct rh_sink *logs, struct rh_error *why)
{
    struct answer a = { .why = why };
    const struct rh_sink sink = { .data = &a, .item = take_suits, .log = logs->log };
    unsigned limit = w->options.time_limit;

    if (!(w->type->slots & RH_HAS_SUITS))
        return 1;
    rh_frame_end(&w->link->out, rh_seat_begin(w, RH_SUITS));
    if (!limit || limit > SUITS_LIMIT)
        w->options.time_limit = SUITS_LIMIT;
    if (rh_talk_run(w, &sink, why) < 0)
        a.how_well = 0;
    w->options.time_limit = limit;
    if (!a.how_well)
        rh_error_set(why, RH_EPROVIDER, "it did not answer");
    return a.how_well;
}

size_t
rh_worker_was_at(const struct rh_worker *w, size_t otherwise)
{
    return w->link->dead && w->link->last_doing.id != RH_NOBODY ? w->link->last_doing.id : otherwise;
}

void
rh_worker_forget(struct rh_worker *w)
{
    if (!rh_seat_is_known(w))
        return; /* it has read nothing yet */
    rh_frame_end(&w->link->out, rh_seat_begin(w, RH_FORGET));
}

/* What a provider says while it is closed belongs to no run any more. */
static void
last_words(void *data, const struct rh_log_record *r)
{
    if (r->level >= RH_WARNING || (r->level == RH_NOTICE && !r->generated))
        rh_log_record_print(data, r);
}

static void
send_bye(struct rh_worker *w)
{
    if (w->dismissed || w->gone || w->link->dead || !rh_seat_bye(w))
        return;
    w->dismissed = true;
}

void
rh_worker_dismiss(struct rh_worker *w)
{
    if (!w->process->shared) /* its answer would come among those of others */
        send_bye(w);
}

void
rh_worker_stop(struct rh_worker *w)
{
    const struct rh_sink sink = { .log = last_words };

    if (!w)
        return;
    send_bye(w);
    if (!w->gone && w->dismissed) {
        rh_autoerror struct rh_error err = { 0 };

        if (rh_talk_run(w, &sink, &err) < 0)
            rh_log_error(RH_WARNING, &err);
    }
    rh_seat_leave(w);
    rh_large_texts_clear(&w->texts);
    rh_ids_clear(&w->waiting);
    free(w->sent);
    rh_secrets_clear(&w->own);
    rh_arena_free(w->arena);
    free(w->gone);
    free(w);
}

struct rh_value *
rh_worker_describe(struct rh_arena *a, const char *path, enum rh_isolation isolation, struct rh_error *err)
{
    struct rh_link link;
    struct rh_value *v = NULL;
    double until = rh_now() + DESCRIBE_LIMIT;
    uint32_t type = 0;
    char *payload;
    size_t n, frame;
    bool late = false;

    if (rh_link_open(&link, isolation == RH_ISOLATION_WORKER, err) < 0)
        return NULL;
    frame = rh_frame_begin(&link.out, RH_DESCRIBE);
    rh_put_text(&link.out, path);
    rh_frame_end(&link.out, frame);
    while (!rh_link_next(&link, &type, &payload, &n) && !link.dead) {
        late = rh_now() > until;
        if (late)
            rh_link_kill(&link, "did not describe itself in time");
        else
            (void)rh_link_move(&link, 1000);
    }
    if (link.dead && !type) /* what it said before it ended */
        (void)rh_link_next(&link, &type, &payload, &n);
    if (type) {
        const struct rh_intake intake = { .arena = a };
        struct rh_incoming in;
        bool good = rh_incoming_take(&intake, type, payload, n, &in);

        if (good && type == RH_READY)
            v = rh_value_from_json(a, in.text, strlen(in.text), err);
        else if (good && type == RH_REFUSED)
            rh_error_set_code(err, in.passing ? RH_ESYSTEM : RH_EINPUT, in.code, "%s", in.text);
        else
            rh_error_set(err, RH_EPROVIDER, "it sent an invalid answer");
        if (!v && type != RH_REFUSED)
            err->kind = RH_EPROVIDER;
    } else {
        /* A machine that was too busy is not the plugin's fault. */
        rh_error_set(err, late ? RH_ESYSTEM : RH_EPROVIDER, "it %s, while being described",
                     link.how ? link.how : "ended");
    }
    rh_frame_end(&link.out, rh_frame_begin(&link.out, RH_BYE));
    (void)rh_link_move(&link, 0);
    rh_link_close(&link);
    return v;
}
