/* SPDX-License-Identifier: Apache-2.0 */
/* stop - a run that a signal ends before its time: what is in hand comes to its end, nothing else is
 * begun, and pending notifications are kept. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/interrupt.h"
#include "base/message-code.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/order.h"
#include "plugin/worker.h"
#include "run/transaction-parts.h"

/* "exec[long]"; what is in hand of a batch is what its worker says. */
static char *
in_hand(const struct rh_transaction *t)
{
    uint32_t at = t->worker ? rh_worker_at(t->worker) : RH_NOBODY;

    if (!t->hand && at < t->c->n_list)
        return rh_resource_text(t->c->list[at].resource);
    if (t->hand)
        return rh_resource_text(t->hand);
    return t->worker ? rh_printf("the changes of type '%s' under way", t->type->type)
                     : rh_xstrdup("what is under way");
}

static void
on_signal(void *data, int signal)
{
    struct rh_transaction *t = data;
    rh_autofree char *hand = in_hand(t);
    static const char wording[] =
        RH_WORDING("interrupted by %s: the run ends when %s has ended; send it again to end at once");
    rh_autofree char *text = rh_printf(wording, rh_interrupt_name(signal), hand);

    t->stopped = true;
    t->signal = signal;
    rh_transaction_message(t, RH_WARNING, rh_message_code(wording), text);
}

bool
rh_transaction_stops(struct rh_transaction *t)
{
    (void)rh_interrupted(); /* tells when there is something new */
    return t->stopped;
}

void
rh_transaction_watch(struct rh_transaction *t)
{
    rh_interrupt_open(on_signal, t);
}

enum { MOST_NAMED = 5 };

/* "1 resource was not reached: file[/a]", for as many as can be read at a glance */
static void
add_not_reached(const struct rh_transaction *t, struct rh_buf *b)
{
    size_t n = t->end.counts.not_reached, named = 0;

    rh_buf_addf(b, "%zu resource%s not reached", n, n == 1 ? " was" : "s were");
    for (size_t i = 0; i < t->order->n && named < MOST_NAMED; i++) {
        uint32_t entry = t->order->entries[i];
        rh_autofree char *name = NULL;

        if (t->status[entry] != RH_NOT_YET)
            continue;
        name = rh_resource_text(t->c->list[entry].resource);
        rh_buf_addf(b, "%s%s", named++ ? ", " : ": ", name);
    }
    if (n > named)
        rh_buf_addf(b, " and %zu more", n - named);
}

void
rh_transaction_report_stop(struct rh_transaction *t)
{
    static const char wording[] =
        RH_WORDING("interrupted by %s: %s; pending notifications are kept for the next run%s");
    rh_autofree char *text = NULL;
    rh_autobuf struct rh_buf rest = { 0 };

    for (size_t i = 0; t->stopped && i < t->order->n; i++)
        t->end.counts.not_reached += t->status[t->order->entries[i]] == RH_NOT_YET;
    t->end.counts.total += t->end.counts.not_reached;
    if (t->failed_first && !t->signal && t->end.counts.not_reached) {
        static const char first[] =
            RH_WORDING("%s failed, which ended the run: %s; pending notifications are kept for the next run");
        rh_autofree char *name = rh_resource_text(t->failed_first);

        add_not_reached(t, &rest);
        text = rh_printf(first, name, rh_buf_text(&rest));
        rh_transaction_message(t, RH_WARNING, rh_message_code(first), text);
    }
    if (t->signal) {
        t->end.interrupted = rh_interrupt_name(t->signal);
        add_not_reached(t, &rest);
        text = rh_printf(wording, t->end.interrupted, rh_buf_text(&rest),
                         t->journal ? "; 'rhost show last' shows what was done" : "");
        rh_transaction_message(t, RH_WARNING, rh_message_code(wording), text);
    }
    rh_interrupt_forget();
}
