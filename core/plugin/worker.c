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
#include "base/value.h"
#include "plugin/incoming.h"
#include "plugin/talk.h"
#include "provider/call.h"
#include "provider/log-record.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 256 << 10, /* bytes that wait to be sent */
    TEXTS_AHEAD = 4,   /* and large texts */
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
        for (int i = 0; i < RH_MOST_WANTS && out->n - frame < RH_PART_BYTES && has_room(w->link); i++) {
            more = w->deferred || t->wants->next(t->wants->data, &want);
            if (!more)
                break;
            if (w->deferred)
                want = w->next;
            w->deferred = (!w->n_sent && rh_permit_is_outdated(w)) || !rh_permits(w, &want);
            if (w->deferred) {
                w->next = want;
                more = false;
                break;
            }
            rh_permit_note(w, &want);
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

static void
refuse(struct rh_talk *t, const struct rh_want *want)
{
    static const char early[] = RH_WORDING("the provider ended its batch early");
    struct rh_worker *w = t->w;
    struct rh_outcome o = {
        .id = want->id,
        .status = RH_FAILED,
        .reason = w->gone ? w->gone : early,
        .code = w->gone ? w->gone_code : rh_message_code(early),
        .blame = RH_NOBODY,
    };

    t->sink->outcome(t->sink->data, &o);
}

/* The provider is not there to apply them. */
static void
refuse_rest(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    struct rh_want want;

    if (w->deferred)
        refuse(t, &w->next);
    w->deferred = w->retries = false;
    while (t->wants->next(t->wants->data, &want))
        refuse(t, &want);
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

    w->n_sent = w->n_wants = 0;
    rh_talk_alive(w);
    w->until = rh_now() + w->limit;
    w->link->serve = serve_inline;
    w->link->serve_data = &t;
    if (w->link->process.shared)
        rh_interrupt_share(&w->link->process.shared->interrupted);
    while (!w->gone && (!t.done || w->deferred || w->retries)) {
        if (t.done)
            rh_renew_continue(&t);
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
    free(w->wants);
    rh_secrets_clear(&w->own);
    rh_arena_free(w->arena);
    free(w->gone);
    free(w);
}
