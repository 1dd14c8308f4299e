/* SPDX-License-Identifier: Apache-2.0 */
/* converge - what is asked of a worker, and having it done. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/error.h"
#include "catalog/catalog.h"
#include "catalog/conduct.h"
#include "catalog/meta.h"
#include "catalog/order.h"
#include "run/audit.h"
#include "run/backup.h"
#include "run/expect.h"
#include "run/journal.h"
#include "run/plan.h"
#include "run/pool.h"
#include "schema/type.h"

#include <string.h>
#include <time.h>

bool
rh_transaction_verifies(const struct rh_transaction *t, const struct rh_resource *r,
                        const struct rh_type *type)
{
    if (r->meta && r->meta->verify_specified)
        return r->meta->verify;
    if (t->options->no_verify)
        return false;
    return t->options->verify ? !(type->features & RH_FORGETS_WORLD) : type->features & RH_READ_BACK;
}

struct rh_want
rh_transaction_want(const struct rh_transaction *t, const struct rh_task *task)
{
    const struct rh_resource *r = task->resource;

    return (struct rh_want){
        .id = task->entry != RH_NO_ENTRY ? task->entry : (uint32_t)t->c->n_list,
        .noop = task->noop || task->trial || rh_transaction_is_noop(t, r),
        .trial = task->trial,
        .begun = task->begun,
        .verify = rh_transaction_verifies(t, r, r->type),
        .replace = r->meta && r->meta->replace,
        .stale = task->entry == RH_NO_ENTRY,
        .title = r->title,
        .action = task->action,
        .name = r->name,
        .should = r->should,
        .canonical = r->canonical && (r->fixed || !t->eventful) && strcmp(task->action, "converge") == 0,
        .result = r->result_used || rh_conduct_judges(r->conduct),
        .watch = task->notified ? NULL : rh_audit_watch(t->audit, r),
        .expected = task->notified || task->trial || r->type->defined ? NULL
                    : t->expectations ? rh_expectations_want(t->expectations, r->type, task->entry)
                                      : rh_planning_want(t->options->planning, task->entry, t->disturbed),
        .backup =
            task->trial || task->noop || rh_transaction_is_noop(t, r) ? NULL : rh_backups_want(t->backups, r),
    };
}

void
rh_transaction_converge(struct rh_transaction *t, const struct rh_type *type, const struct rh_task *task,
                        const struct rh_wants *wants, const struct rh_sink *sink)
{
    uint32_t entry = task ? task->entry : t->order->entries[t->at];
    const struct rh_resource *first = task ? task->resource : t->c->list[entry].resource;
    rh_autoerror struct rh_error err = { 0 };

    t->changed = t->would_change = false;
    if (t->journal && rh_journal_batch(t->journal, first, entry, task, &err) < 0)
        rh_transaction_trouble(t, &err);
    t->hand = task ? first : NULL;
    t->worker = rh_pool_worker(t->pool, type);
    rh_discard(rh_worker_converge(rh_pool_worker(t->pool, type), wants, sink, &err));
    t->worker = NULL;
    rh_transaction_trouble(t, &err);
    if (t->changed && rh_backups_sync(t->backups, &err) < 0)
        rh_transaction_trouble(t, &err);
    if (t->journal && rh_journal_batch_done(t->journal, t->changed, &err) < 0)
        rh_transaction_trouble(t, &err);
    t->disturbed |= t->changed && type->features & RH_FORGETS_WORLD;
    if (t->changed)
        rh_expectations_note_change(t->expectations, type);
    if (t->would_change)
        rh_expectations_foresee(t->expectations, type);
    if (t->changed && type->features & RH_FORGETS_WORLD)
        rh_pool_forget(t->pool, type);
}
