/* SPDX-License-Identifier: Apache-2.0 */
/* renew - processes that are confined, and what they may not do yet.
 *
 * A process is confined before it loads the plugin, to what is known of the run then. A resource can need
 * more: an attribute was evaluated late, or a directory was made since, which the kernel could not permit
 * while it was not there. Such a resource goes to a new process. One that makes the directory itself and then
 * fails, since it may not write there, is applied once more. */
#include "config.h"

#include "plugin/talk.h"

#include "base/error.h"
#include "base/interrupt.h"
#include "base/value.h"
#include "provider/log-record.h"

#include <stdlib.h>

/* Ends the process, and starts one that is confined to what is known now; between requests. */
static int
renew(struct rh_worker *w, struct rh_error *err)
{
    const struct rh_sink sink = { .log = rh_log_record_print };

    /* It closes what it has open. Should it fail over that, it is ended. */
    if (rh_seat_is_known(w) && !w->link->dead && rh_seat_bye(w)) {
        rh_autoerror struct rh_error trouble = { 0 };
        size_t n_waiting = w->n_waiting; /* for the next process, whatever comes of this one */

        w->n_waiting = 0;
        if (rh_talk_run(w, &sink, &trouble) < 0)
            rh_log_error(RH_WARNING, &trouble);
        w->n_waiting = n_waiting;
        free(w->gone);
        w->gone = NULL;
    }
    rh_talk_commands(w);
    rh_link_close(w->link);
    return rh_restart_connect(w, err);
}

int
rh_renew_for_names(struct rh_worker *w, const struct rh_value *names, struct rh_error *err)
{
    bool lacks = rh_permit_is_outdated(w);
    int rc = 0;

    for (size_t i = 0; i < rh_value_count(names) && !lacks; i++) {
        const struct rh_want want = { .name = rh_value_at(names, i) };

        lacks = !rh_permits(w, &want);
    }
    if (lacks) {
        w->names = names;
        rc = renew(w, err);
        w->names = NULL;
    }
    return rc;
}

int
rh_renew_for_question(struct rh_worker *w, const struct rh_type *lookup, const struct rh_value *parameters,
                      struct rh_error *err)
{
    int rc;

    if (w->gone || w->link->dead || (!rh_permit_is_outdated(w) && rh_permits_question(w, lookup, parameters)))
        return 0;
    w->asked = lookup;
    w->parameters = parameters;
    rc = renew(w, err);
    w->asked = NULL;
    w->parameters = NULL;
    return rc;
}

int
rh_renew_for_list(struct rh_worker *w, struct rh_error *err)
{
    const struct rh_want all = { 0 };

    w->lists = true;
    return w->gone || w->link->dead || (!rh_permit_is_outdated(w) && rh_permits(w, &all)) ? 0 : renew(w, err);
}

void
rh_renew_continue(struct rh_talk *t)
{
    struct rh_worker *w = t->w;
    rh_autoerror struct rh_error err = { 0 };
    bool retries = w->retries;

    w->retries = false;
    t->done = false;
    t->more = w->deferred;
    if (renew(w, &err) < 0) {
        w->link->dead = true;
        rh_talk_worker_ended(t);
        return;
    }
    rh_interrupt_share(&w->link->process.shared->interrupted);
    rh_talk_alive(w);
    if (retries)
        rh_restart_send(t);
}
