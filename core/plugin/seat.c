/* SPDX-License-Identifier: Apache-2.0 */
/* seat - the processes of workers: one for each, or one for several providers of a plugin that asks for it
 * (RHOST_ONE_WORKER). There each provider has a number of its own; a frame says for which the next ones are.
 *
 * One request is under way at a time, and a provider says hello with its first one, so that what is answered
 * always belongs to the request. */
#include "config.h"

#include "plugin/talk.h"

#include "base/alloc.h"
#include "plugin/privileges.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

/* Whether it can go into a process that is there already. */
static bool
may_share(const struct rh_worker *beside, const struct rh_type *type, const struct rh_worker_options *o)
{
    return beside && type->one_worker && beside->type->one_worker && beside->process->shared && type->path
           && strcmp(beside->type->path, type->path) == 0 && o->isolation == RH_ISOLATION_WORKER
           && o->target == beside->options.target;
}

bool
rh_seat_take(struct rh_worker *w, const struct rh_worker *beside)
{
    if (may_share(beside, w->type, &w->options)) {
        w->process = beside->process;
    } else {
        w->process = rh_xalloc(sizeof *w->process);
        w->process->mounts = -1;
        w->process->shared = w->type->one_worker && w->options.isolation == RH_ISOLATION_WORKER;
    }
    w->link = &w->process->link;
    w->seat = w->process->n_seats++;
    return w->process->users++ > 0;
}

bool
rh_seat_is_known(const struct rh_worker *w)
{
    return w->hailed && w->hailed == w->process->starts;
}

static bool
is_transport(const struct rh_type *type, const struct rh_target *target)
{
    return target && type->path && strcmp(type->type, target->transport) == 0
           && strcmp(type->path, target->path) == 0 && !(type->slots & ~(RH_HAS_LOAD | RH_HAS_UPDATE));
}

void
rh_seat_hail(struct rh_worker *w)
{
    const struct rh_worker_options *o = &w->options;
    const struct rh_type *type = w->type;

    w->hailed = w->process->starts;
    if (o->target)
        rh_secrets_learn(w->secrets, o->target->info, false);
    rh_large_texts_clear(&w->texts);
    w->greeted = false;
    w->answered = 0;
    rh_process_serves(&w->link->process, type->provider);
    rh_message_hello(&w->link->out, &(struct rh_hello){
                                        .path = type->path,
                                        .type = type->type,
                                        .provider = type->provider,
                                        .strict = o->strict,
                                        .debug = o->debug,
                                        .diff = o->diff,
                                        .notices = o->notices,
                                        .noop = o->noop,
                                        .live = o->live,
                                        .tail = o->tail,
                                        .sole = type->sole && type->slots & RH_HAS_SUITS,
                                        .time_limit = o->time_limit ? o->time_limit : RH_TIME_LIMIT,
                                        .target = type->source ? NULL : o->target,
                                        .facts = is_transport(type, o->target),
                                        .source = type->source,
                                    });
}

/* From now on frames are for this one. */
static void
choose(struct rh_worker *w)
{
    size_t frame;

    if (!w->process->shared || (w->process->chosen && w->process->seat == w->seat))
        return;
    frame = rh_frame_begin(&w->link->out, RH_SEAT);
    rh_put_u32(&w->link->out, w->seat);
    rh_frame_end(&w->link->out, frame);
    w->process->seat = w->seat;
    w->process->chosen = true;
}

size_t
rh_seat_begin(struct rh_worker *w, enum rh_request type)
{
    choose(w);
    if (!rh_seat_is_known(w))
        rh_seat_hail(w);
    return rh_frame_begin(&w->link->out, type);
}

bool
rh_seat_bye(struct rh_worker *w)
{
    bool others = w->process->users > 1, known = rh_seat_is_known(w);
    size_t frame;

    if (others && !known)
        return false;
    choose(w);
    frame = rh_frame_begin(&w->link->out, RH_BYE);
    rh_put_u8(&w->link->out, others);
    rh_frame_end(&w->link->out, frame);
    (void)rh_link_move(w->link, 0);
    return known;
}

void
rh_seat_leave(struct rh_worker *w)
{
    if (--w->process->users)
        return;
    rh_link_end(w->link);
    rh_talk_commands(w);
    rh_link_close(w->link);
    rh_privileges_free(w->process->privileges);
    rh_cleanup_close(&w->process->mounts);
    free(w->process);
}
