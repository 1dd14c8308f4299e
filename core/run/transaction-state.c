/* SPDX-License-Identifier: Apache-2.0 */
/* transaction-state - what a transaction keeps on disk: opened before it begins, written when it ends. */
#include "config.h"

#include "base/clock.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "run/audit.h"
#include "run/backup.h"
#include "run/confirm.h"
#include "run/delivery.h"
#include "run/desired.h"
#include "run/expect.h"
#include "run/identity.h"
#include "run/journal.h"
#include "run/leftover.h"
#include "run/pool.h"
#include "run/timetable.h"
#include "run/transaction-parts.h"

#include <stdlib.h>
#include <time.h>

/* What is remembered of resources from run to run. */
int
rh_transaction_open_state(struct rh_transaction *t, const char *run, const char *started,
                          struct rh_error *err)
{
    const struct rh_identity *who = t->options->identity;

    if (rh_timetable_open(&t->timetable, t->c, t->options->state_dir, err) < 0
        || rh_audit_open(&t->audit, t->c, t->options->state_dir, err) < 0)
        return -1;
    if (!rh_deliveries_open(t, run, started, err))
        return -1;
    if (t->options->noop || !t->c->n_resources)
        return 0;
    if (rh_desired_open(&t->desired, t->c, t->options->state_dir, err) < 0)
        return -1;
    rh_leftovers_remove(t->options->state_dir);
    if (t->options->confirm && rh_confirm_arm(t->options->state_dir, run, t->options->confirm, err) < 0)
        return -1;
    t->journal = rh_journal_open(t->options->state_dir,
                                 &(struct rh_journal_head){ .run = run,
                                                            .started = started,
                                                            .plan = t->options->plan,
                                                            .plan_digest = t->options->plan_digest,
                                                            .undoes = t->options->undoes,
                                                            .host = who && *who->host ? who->host : NULL,
                                                            .name = who ? who->name : NULL,
                                                            .seq = who ? who->seq : 0,
                                                            .revision = t->options->revision },
                                 t->c->sources, err);
    if (t->journal && rh_backups_open(&t->backups, t->options, run, t->journal, &t->pool->secrets, err) == 0)
        return 0;
    if (t->options->confirm)
        rh_confirm_disarm(t->options->state_dir, run);
    return -1;
}

static void
set_exit(struct rh_transaction *t)
{
    const size_t *by_status = t->end.counts.by_status;
    bool failed = rh_transaction_has_failed(t) || t->end.exit & 4;
    bool changed = by_status[RH_CHANGED] || by_status[RH_WOULD_CHANGE] || by_status[RH_REFRESHED]
                   || by_status[RH_WOULD_REFRESH];

    t->end.exit = (failed ? 4 : 0) | (changed && t->options->detailed ? 2 : 0);
    if (t->signal)
        t->end.exit = 128 + t->signal;
}

/* From now on somebody has to confirm it. What has failed may have changed something as well. */
static int
end_confirm(struct rh_transaction *t, struct rh_error *err)
{
    const size_t *by_status = t->end.counts.by_status;
    bool changed = by_status[RH_CHANGED] || by_status[RH_REFRESHED] || by_status[RH_FAILED]
                   || t->end.counts.ignored || t->signal;

    if (!t->options->confirm || !t->journal || t->lock_gone)
        return 0;
    if (changed)
        t->end.confirm_within = t->options->confirm->within;
    return rh_confirm_end(t->options->state_dir, t->end.run, changed, err);
}

void
rh_transaction_save_state(struct rh_transaction *t)
{
    struct rh_journal *journal = t->journal;
    rh_autoerror struct rh_error err = { 0 };

    if (t->lock_gone)
        rh_deliveries_abandon(t->deliveries);
    if (!t->lock_gone && rh_timetable_save(t->timetable, &err) < 0)
        rh_transaction_trouble(t, &err);
    if (!t->lock_gone && rh_audit_save(t->audit, &err) < 0)
        rh_transaction_trouble(t, &err);
    if (!t->lock_gone && rh_desired_save(t->desired, &err) < 0)
        rh_transaction_trouble(t, &err);
    if (rh_deliveries_close(t->deliveries, &err) < 0)
        rh_transaction_trouble(t, &err);
    t->deliveries = NULL;
    if (end_confirm(t, &err) < 0)
        rh_transaction_trouble(t, &err);
    set_exit(t);
    t->end.seconds = rh_now() - t->start;
    t->end.ended = time(NULL);
    /* Closed is closed, also on failure: nothing more is written into it. */
    t->journal = NULL;
    rh_backups_free(t->backups);
    t->backups = NULL;
    if (rh_journal_close(journal, &t->end, &err) < 0)
        rh_transaction_trouble(t, &err);
    set_exit(t);
}

void
rh_transaction_clear(struct rh_transaction *t)
{
    rh_autoerror struct rh_error ignored = { 0 };

    rh_backups_free(t->backups);
    rh_discard(rh_journal_close(t->journal, &t->end, &ignored));
    rh_discard(rh_deliveries_close(t->deliveries, &ignored));
    rh_timetable_free(t->timetable);
    rh_audit_free(t->audit);
    rh_desired_free(t->desired);
    rh_expectations_free(t->expectations);
    free(t->after);
    free(t->unknown);
    free(t->notifiers);
}
