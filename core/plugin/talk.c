/* SPDX-License-Identifier: Apache-2.0 */
/* talk - a request to a worker while it is under way: what it answers, and waiting for that. */
#include "config.h"

#include "plugin/talk.h"

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
#include "provider/log-record.h"
#include "schema/type.h"

#include <string.h>
#include <time.h>

enum {
    MOST_RESTARTS = 3,         /* of one provider, in a run */
    LOG_LIMIT = 4 << 20,       /* bytes of log that a provider may send in a run */
    LONGEST_WAIT = 1,          /* seconds */
    SECRETS_LIMIT = 256 << 20, /* bytes of secrets that it may tell of */
    MOST_BUSY = 8 * 24 * 3600, /* seconds that it may be busy with one thing; a command has a week */
};

static struct rh_intake
intake_of(const struct rh_worker *w)
{
    return (struct rh_intake){ .secrets = w->secrets, .arena = w->arena, .type = w->type };
}

static void
be_patient(struct rh_worker *w, double more)
{
    w->alive = rh_now();
    w->patience = (w->options.time_limit ? w->options.time_limit : RH_TIME_LIMIT) + more;
}

void
rh_talk_alive(struct rh_worker *w)
{
    be_patient(w, 0);
    w->progress = w->alive;
}

/* What is under way in a dead worker, as words: ", while updating file[/etc/motd]". */
static char *
while_doing(struct rh_talk *t)
{
    const struct rh_doing *doing = &t->w->link->last_doing;
    const struct rh_intake intake = intake_of(t->w);
    const char *title = NULL;
    rh_autofree char *shown = rh_incoming_text(&intake, doing->verb, strlen(doing->verb));
    rh_autofree char *verb = rh_safe_text(shown);

    if (doing->id != RH_NOBODY && t->wants && rh_ids_has(&t->w->waiting, doing->id))
        title = t->wants->title_of(t->wants->data, doing->id);
    if (!*verb || strcmp(verb, "waiting") == 0)
        return rh_xstrdup("");
    if (!title)
        return rh_printf(", while %s", verb);
    return rh_printf(", while %s %s[%s]", verb, t->w->type->type, title);
}

static void
give_failed(struct rh_talk *t, uint32_t id, unsigned code, const char *reason)
{
    struct rh_worker *w = t->w;
    struct rh_outcome o = {
        .id = id, .status = RH_FAILED, .reason = reason, .code = code, .blame = RH_NOBODY, .touched = true
    };

    w->waiting.bits[id / 64] &= ~(UINT64_C(1) << id % 64);
    w->n_waiting--;
    t->sink->outcome(t->sink->data, &o);
}

bool
rh_talk_can_restart(const struct rh_talk *t)
{
    return t->w->timed_out && !t->w->gone && t->wants && t->wants->again && t->w->restarts < MOST_RESTARTS;
}

/* The worker is dead: everybody who waits learns of it, and those who still come. */
void
rh_talk_worker_ended(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    rh_autofree char *doing = while_doing(t);
    static const char ended[] = RH_WORDING("provider '%s' %s %s%s");
    static const char unavailable[] = RH_WORDING("provider '%s' %s is unavailable in this run: it %s%s");
    const char *how = w->link->how ? w->link->how : "ended";
    rh_autofree char *what = rh_printf(ended, w->type->provider, w->type->version, how, doing);
    unsigned code = rh_message_code(ended);
    uint32_t at = w->link->last_doing.id;
    bool ends_silently = !w->n_waiting && !t->more; /* nothing else says that it ended */

    if (rh_talk_can_restart(t) && rh_ids_has(&w->waiting, at)) {
        give_failed(t, at, code, what);
        return;
    }
    w->timed_out = false;
    if (!w->gone) {
        w->gone = rh_printf(unavailable, w->type->provider, w->type->version, how, doing);
        w->gone_code = rh_message_code(unavailable);
    }
    if (w->n_waiting && rh_ids_has(&w->waiting, at))
        give_failed(t, at, code, what);
    for (uint32_t id = w->lowest; w->n_waiting && id <= w->highest; id++)
        if (rh_ids_has(&w->waiting, id))
            give_failed(t, id, w->gone_code, w->gone);
    if (!t->wants || ends_silently)
        rh_error_set_code(t->err, RH_EPROVIDER, code, "%s", what);
    t->done = true;
    t->failed = true;
}

/* What else it sent is not to be believed either. */
static void
kill_for_nonsense(struct rh_worker *w)
{
    rh_link_kill(w->link, "sent an invalid answer and was killed");
    w->link->taken = w->link->in.n;
}

/* An attribute, or a part of its value. */
static bool
names_attribute(const struct rh_type *type, const char *path)
{
    rh_autofree char *name = rh_xstrndup(path, strcspn(path, ".["));

    return rh_type_attr(type, name) != NULL;
}

static void
take_outcome(struct rh_talk *t, struct rh_outcome *o)
{
    struct rh_worker *w = t->w;

    if (o->status == RH_EXCLUDED && !rh_interrupted()) {
        kill_for_nonsense(w);
        return;
    }
    rh_talk_alive(w);
    if (!w->n_waiting || !rh_ids_has(&w->waiting, o->id))
        return; /* told already: it was both sent and still in the worker's memory */
    if (rh_permit_tries_again(t, o))
        return;
    w->waiting.bits[o->id / 64] &= ~(UINT64_C(1) << o->id % 64);
    w->n_waiting--;
    if (o->attribute && !names_attribute(w->type, o->attribute))
        o->attribute = NULL;
    t->sink->outcome(t->sink->data, o);
}

/* A line of the host itself, about the provider. */
void
rh_talk_log(struct rh_talk *t, bool generated, unsigned code, const char *text)
{
    t->sink->log(t->sink->data,
                 &(struct rh_log_record){
                     .level = RH_WARNING, .generated = generated, .code = code, .message = text });
}

/* A resource that a line is about, with the host's own title where the host knows it. */
static struct rh_log_about
with_own_title(const struct rh_talk *t, const struct rh_log_about *about)
{
    const char *title =
        t->wants && about->id != RH_NOBODY ? t->wants->title_of(t->wants->data, about->id) : NULL;

    return (struct rh_log_about){ .id = title ? about->id : RH_NOBODY,
                                  .title = title ? title : about->title };
}

static void
take_log(struct rh_talk *t, const struct rh_log_record *r)
{
    struct rh_worker *w = t->w;
    struct rh_log_about about[RH_LOG_NAMED];
    struct rh_log_record own = *r;

    if (w->logged > LOG_LIMIT && !w->options.debug)
        return;
    w->logged += strlen(r->message);
    if (w->logged > LOG_LIMIT && !w->options.debug) {
        static const char wording[] =
            RH_WORDING("provider '%s' %s logged more than %d MiB in this run; the rest is dropped");
        rh_autofree char *enough = rh_printf(wording, w->type->provider, w->type->version, LOG_LIMIT >> 20);

        rh_talk_log(t, true, rh_message_code(wording), enough);
        return;
    }
    for (size_t i = 0; i < r->n; i++)
        about[i] = with_own_title(t, &r->about[i]);
    own.about = about;
    t->sink->log(t->sink->data, &own);
}

static void
take_secret(struct rh_worker *w, const struct rh_value *v)
{
    w->secret_bytes += v->count;
    if (w->secret_bytes <= SECRETS_LIMIT)
        rh_secrets_add(w->secrets, v->u.string, v->count);
}

/* It may ask one thing after the other, and what it was told last must have gone to it. */
static void
take_question(struct rh_talk *t, const struct rh_question *q)
{
    struct rh_worker *w = t->w;
    struct rh_link *l = w->link;
    const struct rh_value *answer = NULL;

    if (!t->wants || l->transmitted < w->answered) {
        kill_for_nonsense(w);
        return;
    }
    rh_talk_alive(w);
    if (t->wants->visible)
        answer = t->wants->visible(t->wants->data, w->type, w->arena, q->type, q->title);
    rh_message_answer(&l->out, answer);
    w->answered = l->transmitted + (l->out.n - l->sent);
}

/* It waits before it changes anything: what cannot be kept is a reason not to. */
static void
take_backup(struct rh_talk *t, const struct rh_incoming *in)
{
    struct rh_worker *w = t->w;
    struct rh_link *l = w->link;
    const char *why = NULL;

    if (!t->wants || !t->sink->backup || l->transmitted < w->answered
        || (in->backup.stage == RH_BACKUP_AFTER && in->wait)) {
        kill_for_nonsense(w);
        return;
    }
    rh_talk_alive(w);
    (void)t->sink->backup(t->sink->data, w->arena, &in->backup, 1, in->wait, &why);
    if (!in->wait)
        return;
    rh_message_answer(&l->out, why ? rh_value_string(w->arena, why) : NULL);
    w->answered = l->transmitted + (l->out.n - l->sent);
}

static void
take_ready(struct rh_worker *w, const char *text)
{
    if (w->greeted) {
        kill_for_nonsense(w);
        return;
    }
    w->greeted = true;
    rh_talk_alive(w);
    /* The host worked with a description; this is what the plugin says of itself now. */
    if (w->type->description && strcmp(text, w->type->description) != 0)
        rh_link_kill(w->link, "changed since rhost read its descriptor, and was not used");
}

static void
take_done(struct rh_talk *t, unsigned code, const char *trouble)
{
    if ((t->w->n_waiting && !t->w->retries) || t->more) {
        kill_for_nonsense(t->w);
        return;
    }
    if (*trouble) {
        rh_error_set_code(t->err, RH_EPROVIDER, code, "%s", trouble);
        t->failed = true;
    }
    t->done = true;
}

static void
take_busy(struct rh_talk *t, uint32_t silence)
{
    struct rh_worker *w = t->w;

    if (rh_now() - w->progress < MOST_BUSY)
        be_patient(w, silence / 1000.0);
    if (t->sink->busy)
        t->sink->busy(t->sink->data, silence);
}

/* About a resource that has its outcome, or that is not of this request, it is about none. */
static void
take_progress(struct rh_talk *t, struct rh_progress *p)
{
    if (p->id != RH_NOBODY && !rh_ids_has(&t->w->waiting, p->id))
        p->id = RH_NOBODY;
    /* Of the host itself, which waits for the disk: it is a sign of life, and nothing to show. */
    if (p->id == RH_NOBODY && !p->text && !p->counted)
        return;
    if (t->sink->progress)
        t->sink->progress(t->sink->data, p);
}

static void
take_answer(struct rh_talk *t, struct rh_incoming *in)
{
    struct rh_worker *w = t->w;

    if (!w->greeted
        && (in->type == RH_OUTCOME || in->type == RH_ITEM || in->type == RH_DONE || in->type == RH_ASK
            || in->type == RH_BACKUP)) {
        kill_for_nonsense(w); /* it must say first what it is */
        return;
    }
    switch (in->type) {
    case RH_READY:
        take_ready(w, in->text);
        break;
    case RH_REFUSED:
        if (!w->gone) {
            w->gone = rh_printf(rh_worker_unavailable, w->type->provider, w->type->version, in->text);
            w->gone_code = in->code ? in->code : rh_message_code(rh_worker_unavailable);
        }
        rh_link_kill(w->link, in->text);
        break;
    case RH_OUTCOME:
        take_outcome(t, &in->outcome);
        break;
    case RH_LOG:
        take_log(t, &in->log);
        break;
    case RH_ASK:
        take_question(t, &in->question);
        break;
    case RH_BACKUP:
        take_backup(t, in);
        break;
    case RH_SECRET_MET:
        take_secret(w, in->secret);
        break;
    case RH_BUSY:
        take_busy(t, in->silence);
        break;
    case RH_PROGRESS:
        take_busy(t, in->progress.silence);
        take_progress(t, &in->progress);
        break;
    case RH_ITEM:
        rh_talk_alive(w);
        if (!t->sink->item)
            kill_for_nonsense(w);
        else
            t->sink->item(t->sink->data, in->item);
        break;
    case RH_DONE:
        take_done(t, in->code, in->text);
        break;
    }
}

void
rh_talk_listen(struct rh_talk *t)
{
    uint32_t type;
    char *payload;
    size_t n;

    rh_talk_commands(t->w);
    while (!t->done && rh_link_next(t->w->link, &type, &payload, &n)) {
        struct rh_intake intake = intake_of(t->w);
        struct rh_incoming in;

        if (rh_incoming_take(&intake, type, payload, n, &in))
            take_answer(t, &in);
        else
            kill_for_nonsense(t->w);
        rh_arena_reset(t->w->arena);
    }
}

/* Waits a while for something to happen; a worker that shows no sign of life is ended. */
void
rh_talk_wait(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    double left = w->alive + w->patience - rh_now();
    double own = w->limit > 0 ? w->until - rh_now() : left;

    if (own < left) {
        left = own;
        if (left <= 0) {
            rh_autofree char *late = rh_printf("took longer than %g s, and was killed", w->limit);

            rh_link_kill(w->link, late);
            return;
        }
    }
    if (left <= 0) {
        /* It may have answered while we were kept from listening. */
        if (rh_link_move(w->link, 0) && (w->link->dead || w->link->in.n > w->link->taken))
            return;
        rh_autofree char *why =
            rh_printf("timed out: no response for %.0f s; the worker was killed", w->patience);

        w->timed_out = true;
        rh_link_kill(w->link, why);
        return;
    }
    /* A signal that comes just before the wait is noticed after it. */
    (void)rh_link_move(w->link, left > LONGEST_WAIT ? LONGEST_WAIT * 1000 : (int)(left * 1000) + 1);
}

/* It died with something in hand that it had not reported yet, and that may be secret. */
static bool
may_have_read_secrets(const struct rh_worker *w)
{
    bool typed = false;

    for (size_t i = 0; i < w->type->n_attrs; i++)
        typed |= w->type->attrs[i].sensitive || w->type->attrs[i].sensitive_within;
    return w->link->dead && (typed || w->secrets->n) && strcmp(w->link->last_doing.verb, "reading") == 0;
}

/* What the plugin printed although it shouldn't. */
void
rh_talk_printed(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    static const char wording[] =
        RH_WORDING("provider '%s' %s printed on a standard stream, which is not its to use: '%s'%s");
    const struct rh_intake intake = intake_of(w);
    rh_autofree char *printed = NULL;
    rh_autofree char *text = NULL;

    if (!w->link->printed.n)
        return;
    printed = may_have_read_secrets(w) ? rh_xstrdup("[redacted]")
                                       : rh_incoming_text(&intake, w->link->printed.s, w->link->printed.n);
    text = rh_printf(wording, w->type->provider, w->type->version, printed,
                     w->link->printed_more ? " and more" : "");
    rh_talk_log(t, false, rh_message_code(wording), text);
    rh_buf_truncate(&w->link->printed, 0);
    w->link->printed_more = 0;
}

void
rh_talk_log_commands(struct rh_link *l, const struct rh_intake *intake, const char *who)
{
    for (size_t at = 0, n; at < l->commands.n; at += n + 1) {
        rh_autofree char *shown = NULL;

        n = strlen(l->commands.s + at);
        shown = rh_incoming_text(intake, l->commands.s + at, n);
        rh_debug("%s: starting '%s'", who, shown);
    }
    rh_buf_truncate(&l->commands, 0);
}

void
rh_talk_commands(struct rh_worker *w)
{
    const struct rh_intake intake = intake_of(w);
    rh_autofree char *who = NULL;

    if (!w->link->commands.n)
        return;
    who = rh_printf("provider '%s' %s", w->type->provider, w->type->version);
    rh_talk_log_commands(w->link, &intake, who);
}

int
rh_talk_end(struct rh_talk *t)
{
    (void)rh_link_move(t->w->link, 0); /* what was printed last may not have been looked at */
    rh_talk_printed(t);
    rh_talk_commands(t->w);
    return t->failed ? -1 : 0;
}

/* Runs a request whose frame is in l->out. */
int
rh_talk_run(struct rh_worker *w, const struct rh_sink *sink, struct rh_error *err)
{
    struct rh_talk t = { .w = w, .sink = sink, .err = err };

    if (w->gone) {
        rh_buf_truncate(&w->link->out, 0);
        return rh_error_set_code(err, RH_EPROVIDER, w->gone_code, "%s", w->gone);
    }
    rh_talk_alive(w);
    /* What there is comes first: all of the answer may have arrived while the request was written. */
    for (rh_talk_listen(&t); !t.done; rh_talk_listen(&t)) {
        if (w->link->dead)
            rh_talk_worker_ended(&t);
        else
            rh_talk_wait(&t);
    }
    return rh_talk_end(&t);
}
