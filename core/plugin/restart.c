/* SPDX-License-Identifier: Apache-2.0 */
/* restart - a worker's process: the first, and another after one that has timed out.
 *
 * Where a resource gives no sign of life, that resource fails, and the rest of the batch goes to a
 * new process. A crash is another matter: the provider may have damaged more than one resource, so
 * it is unavailable then. */
#include "config.h"

#include "plugin/talk.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/message-code.h"
#include "schema/type.h"

#include <string.h>

static uint32_t
send_text(void *data, const char *s, size_t n)
{
    struct rh_worker *w = data;

    return rh_large_text_send(&w->texts, w->link, s, n);
}

struct rh_text_way
rh_worker_text_way(struct rh_worker *w)
{
    return (struct rh_text_way){ .data = w, .send = send_text };
}

int
rh_restart_connect(struct rh_worker *w, struct rh_error *err)
{
    bool worker = w->options.isolation == RH_ISOLATION_WORKER;

    rh_permit_prepare(w);
    if (rh_link_open(w->link, worker, w->process->privileges, err) < 0)
        return -1;
    w->process->starts++;
    w->process->chosen = false;
    if (w->process->shared)
        return 0;
    rh_seat_hail(w);
    if (worker)
        (void)rh_link_move(w->link, 0);
    return 0;
}

/* The caller says anew what is wanted of each: what it depends on may have failed meanwhile. */
void
rh_restart_send(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    const struct rh_text_way way = rh_worker_text_way(w);
    size_t n = 0, i = 0;

    do {
        size_t frame = rh_seat_begin(w, RH_WANTS), last = w->link->out.n;

        rh_put_u8(&w->link->out, 0);
        for (int k = 0; k < RH_MOST_WANTS && i < w->n_sent; i++) {
            uint32_t id = w->sent[i];
            struct rh_want want;

            if (!rh_ids_has(&w->waiting, id))
                continue;
            if (!t->wants->again(t->wants->data, id, &want)) {
                w->waiting.bits[id / 64] &= ~(UINT64_C(1) << id % 64);
                w->n_waiting--;
                continue;
            }
            rh_message_want(&w->link->out, &want, &way);
            w->sent[n++] = id;
            k++;
        }
        w->link->out.s[last] = i == w->n_sent && !t->more;
        rh_frame_end(&w->link->out, frame);
        rh_large_texts_trim(&w->texts, w->link);
    } while (i < w->n_sent);
    w->n_sent = n;
}

void
rh_restart(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = NULL;
    void (*serve)(void *data) = w->link->serve;
    static const char wording[] =
        RH_WORDING("a new worker of provider '%s' %s continues with the other resources");

    if (!rh_talk_can_restart(t))
        return;
    if (!w->n_waiting && !t->more) {
        /* Nothing is left to be done now, but another batch may come. */
        t->done = true;
    }
    w->timed_out = false;
    w->restarts++;
    text = rh_printf(wording, w->type->provider, w->type->version);
    rh_talk_printed(t);
    rh_talk_commands(w);
    rh_link_close(w->link);
    if (rh_restart_connect(w, &err) < 0) {
        w->gone = rh_printf(rh_worker_unavailable, w->type->provider, w->type->version, err.message);
        w->gone_code = rh_error_code(&err);
        w->link->dead = true;
        rh_talk_worker_ended(t);
        return;
    }
    w->link->serve = serve;
    w->link->serve_data = t;
    if (w->link->process.shared) /* the new process, too, learns of Ctrl-C */
        rh_interrupt_share(&w->link->process.shared->interrupted);
    rh_talk_alive(w);
    if (t->done)
        return;
    rh_talk_log(t, true, rh_message_code(wording), text);
    rh_restart_send(t);
}
