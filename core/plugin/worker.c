/* SPDX-License-Identifier: Apache-2.0 */
/* worker - a provider at work, as the host sees it. */
#include "config.h"

#include "plugin/worker.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "plugin/link.h"
#include "provider/call.h"
#include "provider/ids.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PART = 256,                 /* wants in a frame */
    PART_BYTES = 64 << 10,      /* or so many bytes */
    AHEAD = 256 << 10,          /* bytes that wait to be sent */
    DESCRIBE_LIMIT = 10,        /* seconds */
    LOG_LIMIT = 4 << 20,        /* bytes of log that a provider may send in a run */
};

struct rh_worker {
    const struct rh_type *type;
    struct rh_worker_options options;
    struct rh_link link;
    struct rh_arena *arena; /* of one answer */
    struct rh_ids waiting;  /* ids that are owed an outcome */
    uint32_t lowest, highest; /* of them */
    size_t n_waiting;
    size_t logged;
    char *gone; /* why nothing can be asked of it any more */
    double alive, patience;
    double limit, until; /* of a request; 0: none */
    bool greeted;
};

/* One request while it is under way. */
struct talk {
    struct rh_worker *w;
    const struct rh_sink *sink;
    const struct rh_wants *wants; /* or NULL */
    struct rh_error *err;
    bool more; /* wants are still to come, so it can't be done */
    bool done, failed;
};

static void
sign_of_life(struct rh_worker *w, double more)
{
    w->alive = rh_now();
    w->patience = (w->options.time_limit ? w->options.time_limit : RH_TIME_LIMIT) + more;
}

struct rh_worker *
rh_worker_start(const struct rh_type *type, const struct rh_worker_options *options)
{
    struct rh_worker *w = rh_xalloc(sizeof *w);
    rh_autoerror struct rh_error err = { 0 };

    w->type = type;
    w->options = *options;
    w->arena = rh_arena_new(&rh_host_table);
    if (rh_link_open(&w->link, options->isolation == RH_ISOLATION_WORKER, &err) < 0) {
        w->link.dead = true;
        w->gone = rh_printf("provider '%s' %s is unavailable: %s", type->provider, type->version,
                            err.message);
        return w;
    }
    rh_message_hello(&w->link.out, &(struct rh_hello){
                                       .path = type->path,
                                       .type = type->type,
                                       .provider = type->provider,
                                       .strict = options->strict,
                                       .debug = options->debug,
                                       .diff = options->diff,
                                       .tell = options->tell,
                                   });
    if (options->isolation == RH_ISOLATION_WORKER)
        (void)rh_link_move(&w->link, 0);
    return w;
}

/* What is under way in a dead worker, as words: ", while updating file[/etc/motd]". */
static char *
while_doing(struct talk *t)
{
    const struct rh_doing *doing = &t->w->link.last_doing;
    const char *title = NULL;
    rh_autofree char *verb = rh_safe_text(doing->verb);

    if (doing->id != RH_NOBODY && t->wants && rh_ids_has(&t->w->waiting, doing->id))
        title = t->wants->title_of(t->wants->data, doing->id);
    if (!*verb || strcmp(verb, "waiting") == 0)
        return rh_xstrdup("");
    if (!title)
        return rh_printf(", while %s", verb);
    return rh_printf(", while %s %s[%s]", verb, t->w->type->type, title);
}

static void
give_failed(struct talk *t, uint32_t id, const char *reason)
{
    struct rh_worker *w = t->w;
    struct rh_outcome o = { .id = id, .status = RH_FAILED, .reason = reason, .blame = RH_NOBODY,
                            .touched = true };

    w->waiting.bits[id / 64] &= ~(UINT64_C(1) << id % 64);
    w->n_waiting--;
    t->sink->outcome(t->sink->data, &o);
}

/* The worker is dead: everybody who waits learns of it, and those who still come. */
static void
mourn(struct talk *t)
{
    struct rh_worker *w = t->w;
    rh_autofree char *doing = while_doing(t);
    rh_autofree char *what = rh_printf("provider '%s' %s %s%s", w->type->provider, w->type->version,
                                       w->link.how ? w->link.how : "ended", doing);
    uint32_t at = w->link.last_doing.id;

    if (!w->gone)
        w->gone = rh_printf("provider '%s' %s is unavailable in this run: it %s%s", w->type->provider,
                            w->type->version, w->link.how ? w->link.how : "ended", doing);
    if (w->n_waiting && rh_ids_has(&w->waiting, at))
        give_failed(t, at, what);
    for (uint32_t id = w->lowest; w->n_waiting && id <= w->highest; id++)
        if (rh_ids_has(&w->waiting, id))
            give_failed(t, id, w->gone);
    if (!t->wants)
        rh_error_set(t->err, RH_EPROVIDER, "%s", what);
    t->done = true;
    t->failed = true;
}

/* What else it sent is not to be believed either. */
static void
kill_for_nonsense(struct rh_worker *w)
{
    rh_link_kill(&w->link, "sent an answer that makes no sense, and was ended");
    w->link.taken = w->link.in.n;
}

static void
take_outcome(struct talk *t, struct rh_in *in)
{
    struct rh_worker *w = t->w;
    struct rh_outcome o;

    if (!rh_message_take_outcome(in, w->arena, &o)) {
        kill_for_nonsense(w);
        return;
    }
    sign_of_life(w, 0);
    if (!w->n_waiting || !rh_ids_has(&w->waiting, o.id))
        return; /* told already: it was both sent and still in the worker's memory */
    w->waiting.bits[o.id / 64] &= ~(UINT64_C(1) << o.id % 64);
    w->n_waiting--;
    t->sink->outcome(t->sink->data, &o);
}

static void
take_log(struct talk *t, struct rh_in *in)
{
    struct rh_worker *w = t->w;
    enum rh_level level = (enum rh_level)rh_take_u8(in);
    bool generated = rh_take_u8(in);
    const char *text = rh_take_text(in);
    size_t n = strlen(text);

    if (in->bad || level > RH_ERR) {
        kill_for_nonsense(w);
        return;
    }
    if (w->logged > LOG_LIMIT && !w->options.debug)
        return;
    w->logged += n;
    if (w->logged > LOG_LIMIT && !w->options.debug) {
        rh_autofree char *enough =
            rh_printf("provider '%s' %s logged more than %d MiB in this run; the rest is dropped",
                      w->type->provider, w->type->version, LOG_LIMIT >> 20);

        t->sink->log(t->sink->data, RH_WARNING, true, enough);
        return;
    }
    t->sink->log(t->sink->data, level, generated, text);
}

static void
take_ready(struct talk *t, struct rh_in *in)
{
    struct rh_worker *w = t->w;
    const char *text = rh_take_text(in);

    if (in->bad || w->greeted) {
        kill_for_nonsense(w);
        return;
    }
    w->greeted = true;
    sign_of_life(w, 0);
    /* The host worked with a description; this is what the plugin says of itself now. */
    if (w->type->description && strcmp(text, w->type->description) != 0)
        rh_link_kill(&w->link, "is not what it was when it was last described (its file was changed "
                               "meanwhile), and was not used");
}

static void
take_answer(struct talk *t, uint32_t type, char *payload, size_t n)
{
    struct rh_worker *w = t->w;
    struct rh_in in = { .at = payload, .end = payload + n };
    const char *text;
    struct rh_value *v;
    uint32_t silence;

    if (!w->greeted && (type == RH_OUTCOME || type == RH_ITEM || type == RH_DONE)) {
        kill_for_nonsense(w); /* it must say first what it is */
        return;
    }
    switch (type) {
    case RH_READY:
        take_ready(t, &in);
        break;
    case RH_REFUSED:
        text = rh_take_text(&in);
        if (!w->gone)
            w->gone = rh_printf("provider '%s' %s is unavailable: %s", w->type->provider,
                                w->type->version, text);
        rh_link_kill(&w->link, text);
        break;
    case RH_OUTCOME:
        take_outcome(t, &in);
        break;
    case RH_LOG:
        take_log(t, &in);
        break;
    case RH_BUSY:
        silence = rh_take_u32(&in);
        sign_of_life(w, silence / 1000.0);
        if (t->sink->busy)
            t->sink->busy(t->sink->data, silence);
        break;
    case RH_ITEM:
        v = rh_take_value(&in, w->arena);
        sign_of_life(w, 0);
        if (!v || !t->sink->item)
            kill_for_nonsense(w);
        else
            t->sink->item(t->sink->data, v);
        break;
    case RH_DONE:
        text = rh_take_text(&in);
        if (in.bad || w->n_waiting || t->more) {
            kill_for_nonsense(w);
            break;
        }
        if (*text) {
            rh_error_set(t->err, RH_EPROVIDER, "%s", text);
            t->failed = true;
        }
        t->done = true;
        break;
    default:
        kill_for_nonsense(w);
    }
}

static void
take_answers(struct talk *t)
{
    uint32_t type;
    char *payload;
    size_t n;

    while (!t->done && rh_link_next(&t->w->link, &type, &payload, &n)) {
        take_answer(t, type, payload, n);
        rh_arena_reset(t->w->arena);
    }
}

bool
rh_worker_is_gone(const struct rh_worker *w)
{
    return w->gone || w->link.dead;
}

void
rh_worker_limit(struct rh_worker *w, double seconds)
{
    w->limit = seconds;
}

/* Waits a while for something to happen; a worker that shows no sign of life is ended. */
static void
wait_some(struct talk *t)
{
    struct rh_worker *w = t->w;
    double left = w->alive + w->patience - rh_now();
    double own = w->limit > 0 ? w->until - rh_now() : left;

    if (own < left) {
        left = own;
        if (left <= 0) {
            rh_autofree char *late = rh_printf("took longer than %g s, and was ended", w->limit);

            rh_link_kill(&w->link, late);
            return;
        }
    }
    if (left <= 0) {
        /* It may have answered while we were kept from listening. */
        if (rh_link_move(&w->link, 0) && (w->link.dead || w->link.in.n > w->link.taken))
            return;
        rh_autofree char *why =
            rh_printf("gave no sign of life for %.0f second%s, and was ended", w->patience,
                      w->patience < 1.5 ? "" : "s");

        rh_link_kill(&w->link, why);
        return;
    }
    (void)rh_link_move(&w->link, left > 3600 ? 3600000 : (int)(left * 1000) + 1);
}

/* What the plugin printed although it shouldn't. */
static void
tell_printed(struct talk *t)
{
    struct rh_worker *w = t->w;
    rh_autofree char *text = NULL;

    if (!w->link.printed.n)
        return;
    text = rh_printf("provider '%s' %s printed on a standard stream, which is not its to use: '%s'%s",
                     w->type->provider, w->type->version, rh_buf_text(&w->link.printed),
                     w->link.printed_more ? " and more" : "");
    t->sink->log(t->sink->data, RH_WARNING, false, text);
    rh_buf_truncate(&w->link.printed, 0);
    w->link.printed_more = 0;
}

static int
end_talk(struct talk *t)
{
    (void)rh_link_move(&t->w->link, 0); /* what was printed last may not have been looked at */
    tell_printed(t);
    return t->failed ? -1 : 0;
}

/* Runs a request whose frame is in l->out. */
static int
run_request(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err)
{
    struct talk t = { .w = w, .sink = sink, .err = err };

    if (w->gone) {
        rh_buf_truncate(&w->link.out, 0);
        return rh_error_set(err, RH_EPROVIDER, "%s", w->gone);
    }
    sign_of_life(w, 0);
    /* What there is comes first: all of the answer may have arrived while the request was written. */
    for (take_answers(&t); !t.done; take_answers(&t)) {
        if (w->link.dead)
            mourn(&t);
        else
            wait_some(&t);
    }
    return end_talk(&t);
}

/* Fills frames with wants as long as there is room; false when there are no more. */
static bool
feed(struct talk *t)
{
    struct rh_worker *w = t->w;
    struct rh_buf *out = &w->link.out;
    struct rh_want want;
    bool more = true;

    while (more && out->n - w->link.sent < AHEAD && !w->link.dead) {
        size_t frame = rh_frame_begin(out, RH_WANTS);
        size_t last = out->n;

        rh_put_u8(out, 0);
        for (int i = 0; i < PART && out->n - frame < PART_BYTES; i++) {
            more = t->wants->next(t->wants->data, &want);
            if (!more)
                break;
            rh_message_want(out, &want);
            if (!w->n_waiting++) {
                w->lowest = want.id;
                w->highest = want.id;
            }
            rh_ids_add(&w->waiting, want.id);
            w->lowest = want.id < w->lowest ? want.id : w->lowest;
            w->highest = want.id > w->highest ? want.id : w->highest;
        }
        out->s[last] = more ? 0 : 1;
        rh_frame_end(out, frame);
        if (w->link.server)
            break; /* inline nothing runs meanwhile: a part at a time keeps memory small */
    }
    return more;
}

/* Nobody is there to do it. */
static void
refuse_rest(struct talk *t)
{
    struct rh_worker *w = t->w;
    struct rh_want want;

    while (t->wants->next(t->wants->data, &want)) {
        struct rh_outcome o = {
            .id = want.id,
            .status = RH_FAILED,
            .reason = w->gone ? w->gone : "the provider ended its batch early",
            .blame = RH_NOBODY,
        };

        t->sink->outcome(t->sink->data, &o);
    }
}

int
rh_worker_converge(struct rh_worker *w, const struct rh_wants *wants, const struct rh_sink *sink,
                   struct rh_error *err)
{
    struct talk t = { .w = w, .sink = sink, .wants = wants, .err = err, .more = true };

    sign_of_life(w, 0);
    w->until = rh_now() + w->limit;
    while (!w->gone && !t.done) {
        if (t.more)
            t.more = feed(&t);
        if (t.more && !w->link.server && w->link.out.n - w->link.sent < AHEAD)
            (void)rh_link_move(&w->link, 0);
        else
            wait_some(&t);
        take_answers(&t);
        if (!t.done && w->link.dead)
            mourn(&t);
    }
    refuse_rest(&t);
    (void)end_talk(&t);
    return err && err->message ? -1 : 0;
}

int
rh_worker_read(struct rh_worker *w, const struct rh_value *names, const struct rh_sink *sink,
               struct rh_error *err)
{
    size_t frame = rh_frame_begin(&w->link.out, RH_READ);

    rh_put_u8(&w->link.out, names == NULL);
    if (names)
        rh_put_value(&w->link.out, names);
    rh_frame_end(&w->link.out, frame);
    return run_request(w, sink, err);
}

int
rh_worker_canonicalize(struct rh_worker *w, const struct rh_value *resources,
                       const struct rh_sink *sink, struct rh_error *err)
{
    struct rh_buf *out = &w->link.out;
    size_t n = rh_value_count(resources), i = 0;

    do { /* in parts: the worker starts with the first while we write the next */
        size_t frame = rh_frame_begin(out, RH_CANONICALIZE);
        size_t last = out->n;

        rh_put_u8(out, 0);
        while (i < n && out->n - frame < PART_BYTES)
            rh_put_value(out, rh_value_at(resources, i++));
        out->s[last] = i == n;
        rh_frame_end(out, frame);
        if (!w->gone)
            (void)rh_link_move(&w->link, 0);
    } while (i < n);
    return run_request(w, sink, err);
}

size_t
rh_worker_was_at(const struct rh_worker *w, size_t otherwise)
{
    return w->link.dead && w->link.last_doing.id != RH_NOBODY ? w->link.last_doing.id : otherwise;
}

void
rh_worker_forget(struct rh_worker *w)
{
    rh_frame_end(&w->link.out, rh_frame_begin(&w->link.out, RH_FORGET));
}

static void
ignore_log(void *data, enum rh_level level, bool generated, const char *text)
{
    (void)data;
    (void)generated;
    if (level >= RH_WARNING)
        rh_log(level, "%s", text);
}

void
rh_worker_stop(struct rh_worker *w)
{
    const struct rh_sink sink = { .log = ignore_log };

    if (!w)
        return;
    if (!w->gone && !w->link.dead) {
        rh_autoerror struct rh_error err = { 0 };

        rh_frame_end(&w->link.out, rh_frame_begin(&w->link.out, RH_BYE));
        if (run_request(w, &sink, &err) < 0)
            rh_log(RH_WARNING, "%s", err.message);
    }
    rh_link_close(&w->link);
    rh_ids_clear(&w->waiting);
    rh_arena_free(w->arena);
    free(w->gone);
    free(w);
}

struct rh_value *
rh_worker_describe(struct rh_arena *a, const char *path, enum rh_isolation isolation,
                   struct rh_error *err)
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
        struct rh_in in = { .at = payload, .end = payload + n };
        const char *text = rh_take_text(&in);

        if (!in.bad && type == RH_READY)
            v = rh_value_from_json(a, text, strlen(text), err);
        else
            rh_error_set(err, !in.bad && rh_take_u8(&in) ? RH_ESYSTEM : RH_EINPUT, "%s",
                         in.bad ? "it answered nonsense" : text);
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
