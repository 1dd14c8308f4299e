/* SPDX-License-Identifier: Apache-2.0 */
/* alone - one execution by itself: a notification that is delivered, or an entry that has to be
 * looked at before it is executed, or again after it. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "run/delivery.h"
#include "run/guard.h"
#include "run/instance.h"
#include "run/journal.h"
#include "run/look.h"
#include "run/pool.h"
#include "run/transaction-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct single {
    struct rh_transaction *t;
    const struct rh_turn *turn;
    bool given, again;
    uint32_t tries_left;
    char *reason; /* why the last try failed */
    enum rh_status status;
};

static bool
next_single(void *data, struct rh_want *want)
{
    struct single *s = data;

    if (s->given)
        return false;
    *want = rh_transaction_want(s->t, s->turn);
    s->given = true;
    return true;
}

static const struct rh_value *
look(void *data, const struct rh_type *asker, struct rh_arena *a, const char *type, const char *title)
{
    const struct single *s = data;

    return rh_look(s->t->c, asker, a, type, title);
}

static const char *
title_of_single(void *data, uint32_t id)
{
    const struct single *s = data;

    (void)id;
    return s->turn->resource->title;
}

/* It failed, and is to be tried again: that is no event yet. */
static void
tell_try(const struct single *s, const char *reason)
{
    const struct rh_conduct *c = s->turn->resource->conduct;
    rh_autofree char *name = rh_resource_text(s->turn->resource);
    rh_autofree char *text =
        rh_printf("%s failed, and is tried again in %g s (%u of %u): %s", name, c->retry_delay,
                  c->retries - s->tries_left + 1, c->retries, reason ? reason : "");

    rh_transaction_say(s->t, RH_WARNING, text);
}

static void
on_single(void *data, const struct rh_outcome *outcome)
{
    struct single *s = data;
    struct rh_outcome told = *outcome;

    told.status = rh_transaction_missing(s->t, told.status);
    s->status = told.status;
    if (told.status == RH_LEFT_OUT) { /* the run is to end: it was not reached */
        s->again = false;
        return;
    }
    if (s->turn->notified && told.status == RH_CHANGED)
        told.status = RH_REFRESHED;
    else if (s->turn->notified && told.status == RH_WOULD_CHANGE)
        told.status = RH_WOULD_REFRESH;
    s->status = told.status;
    s->again = told.status == RH_FAILED && s->tries_left && !s->turn->trial && !rh_transaction_stops(s->t);
    if (s->again) {
        tell_try(s, told.reason);
        free(s->reason);
        s->reason = told.reason ? rh_xstrdup(told.reason) : NULL;
    }
    else if (!s->turn->trial)
        rh_transaction_tell(s->t, s->turn, &told, NULL);
}

static void
on_single_log(void *data, const struct rh_log_record *record)
{
    const struct single *s = data;

    rh_transaction_log(s->t, record);
}

/* False when the run is to end before. */
static bool
pause_for(struct rh_transaction *t, double seconds)
{
    struct timespec left = { .tv_sec = (time_t)seconds };

    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (!rh_transaction_stops(t) && nanosleep(&left, &left) < 0 && errno == EINTR)
        continue;
    return !rh_transaction_stops(t);
}

/* It was to be tried again, and is not: what it was the last time is what came of it. */
static void
give_up(struct single *s)
{
    const struct rh_outcome o = {
        .id = s->turn->entry, .status = RH_FAILED, .reason = s->reason, .blame = RH_NOBODY, .touched = true
    };

    s->again = false;
    rh_transaction_tell(s->t, s->turn, &o, NULL);
}

enum rh_status
rh_transaction_single(struct rh_transaction *t, const struct rh_turn *turn)
{
    static const struct rh_conduct usual = { 0 };
    const struct rh_conduct *c = turn->resource->conduct ? turn->resource->conduct : &usual;
    const struct rh_type *type = turn->resource->type;
    struct single s = {
        .t = t, .turn = turn, .status = RH_FAILED, .tries_left = c->retries, .again = true
    };
    const struct rh_wants wants = {
        .data = &s, .next = next_single, .title_of = title_of_single, .look = look
    };
    const struct rh_sink sink = { .data = &s, .outcome = on_single, .log = on_single_log };

    if (type->defined)
        return turn->entry == RH_NO_ENTRY ? rh_instance_refresh(t, turn)
                                          : rh_instance_converge(t, turn);
    while (s.again) {
        if (s.given) {
            if (!pause_for(t, c->retry_delay)) {
                give_up(&s);
                break;
            }
            s.tries_left--;
            s.given = false;
        }
        rh_worker_limit(rh_pool_worker(t->pool, type), c->timeout);
        rh_transaction_converge(t, type, turn, &wants, &sink);
        rh_worker_limit(rh_pool_worker(t->pool, type), 0);
        if (s.again || c->timeout > 0)
            rh_pool_renew(t->pool, type);
    }
    free(s.reason);
    return s.status;
}

/* What the guards of one resource say; `o` is filled in when they don't let it go. */
static bool
ask_guards(struct rh_transaction *t, const struct rh_resource *r, bool depends,
           struct rh_outcome *o, char **why)
{
    const struct rh_conduct *c = r->conduct;
    rh_autoerror struct rh_error err = { 0 }, trouble = { 0 };
    int said;

    if (!c || (!c->only_if && !c->not_if))
        return true;
    if (depends && t->options->noop) {
        o->status = RH_STATUS_UNKNOWN;
        *why = rh_xstrdup("its guard may look at what something that it depends on would change");
        return false;
    }
    if (t->journal && rh_journal_guard(t->journal, r, &trouble) < 0)
        rh_transaction_trouble(t, &trouble);
    t->hand = r;
    said = rh_guards_ask(c, why, &err);
    if (said > 0)
        return true;
    o->status = said < 0 ? RH_FAILED : RH_UNCHANGED;
    if (said < 0 && err.kind == RH_EMISSING && t->options->noop)
        o->status = rh_transaction_missing(t, RH_STATUS_UNKNOWN);
    o->guarded = said == 0;
    if (said < 0)
        *why = rh_take(&err.message);
    return false;
}

enum { NOT_ASKED, AGREED, REFUSED };

/* The guards of an instance are asked once, before the first of its parts. */
static bool
instances_agree(struct rh_transaction *t, const struct rh_resource *r, bool depends,
                struct rh_outcome *o, char **why)
{
    uint8_t *guard = &t->guard[r->index];

    if (r->container && !instances_agree(t, r->container, depends, o, why))
        return false;
    if (!r->type->defined || *guard == AGREED)
        return true;
    if (*guard == NOT_ASKED && ask_guards(t, r, depends, o, why)) {
        *guard = AGREED;
        return true;
    }
    *guard = REFUSED;
    o->guarded = o->status == RH_UNCHANGED;
    if (!*why)
        *why = rh_printf("so said the guard of %s[%s], which it is part of", r->type->type, r->title);
    return false;
}

int
rh_transaction_guards_agree(struct rh_transaction *t, const struct rh_turn *turn, bool depends)
{
    struct rh_outcome o = { .id = turn->entry, .status = RH_UNCHANGED, .blame = RH_NOBODY };
    const struct rh_resource *r = turn->resource;
    rh_autofree char *why = NULL;

    if (instances_agree(t, r, depends, &o, &why)
        && (r->type->defined || ask_guards(t, r, depends, &o, &why)))
        return 1;
    o.reason = why;
    rh_transaction_tell(t, turn, &o, NULL);
    return o.guarded ? 0 : -1;
}

enum rh_status
rh_transaction_told_before(struct rh_transaction *t, const struct rh_turn *turn)
{
    struct rh_outcome o = { .id = turn->entry, .status = RH_SKIPPED, .blame = RH_NOBODY };
    const struct rh_resource *r = turn->resource, *lost = NULL;
    struct rh_turn trial = *turn;
    bool told = turn->begun;

    trial.trial = true;
    /* An instance changes with its parts: they have told. */
    if (t->manner[r->index] & RH_TELLS_BEFORE && !r->type->defined
        && rh_is_change((uint8_t)rh_transaction_single(t, &trial))) {
        told = true;
        lost = rh_deliver_before(t, r, turn->noop);
    }
    trial.trial = false;
    trial.begun = told;
    if (!lost)
        return rh_transaction_single(t, &trial);
    rh_transaction_tell(t, turn, &o, lost);
    return o.status;
}

/* What is wanted of it is not known: that is all that can be said. */
static void
tell_doubt(struct rh_transaction *t, const struct rh_turn *turn)
{
    struct rh_outcome o = { .id = turn->entry, .status = RH_STATUS_UNKNOWN, .blame = RH_NOBODY };
    rh_autofree char *why =
        rh_printf("%s is not known before something has run", turn->resource->doubt);

    o.reason = why;
    rh_transaction_tell(t, turn, &o, NULL);
}

void
rh_transaction_alone(struct rh_transaction *t, const struct rh_turn *turn, bool depends)
{
    rh_autoerror struct rh_error err = { 0 };

    if (turn->resource->doubt) {
        tell_doubt(t, turn);
        return;
    }
    if (rh_transaction_guards_agree(t, turn, depends) <= 0)
        return;
    if (rh_transaction_stops(t))
        return;
    if (rh_deliveries_prepare_one(t, turn->resource, &err) < 0)
        rh_transaction_refuse_unwritten(t, turn, err.message);
    else
        rh_deliver_after_one(t, turn, rh_transaction_told_before(t, turn));
}
