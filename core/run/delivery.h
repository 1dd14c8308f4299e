/* SPDX-License-Identifier: Apache-2.0 */
/* delivery - notifications on their way: who changed, who is to be told, and when.
 *
 * A notification is looked up by target and action (a slot of catalog/notification.h); what was
 * asked for often is delivered once. Before anything that may cause one is begun it is noted as
 * pending (run/pending.h), so that none is lost. */
#ifndef RH_RUN_DELIVERY_H
#define RH_RUN_DELIVERY_H

#include "base/cleanup.h"
#include "provider/outcome.h"

#include <stdbool.h>
#include <stdint.h>

struct rh_deliveries;
struct rh_error;
struct rh_resource;
struct rh_transaction;
struct rh_task;

/* Reads what earlier runs left pending, and says which resources can't be in the middle of a batch. */
RH_CHECKED struct rh_deliveries *rh_deliveries_open(struct rh_transaction *t, const char *run,
                                                    const char *started, struct rh_error *err);

/* Says how far the batch goes that begins at `t->at` (`t->upto`: what comes behind must wait, since
 * somebody may have to be told first), and notes on disk what executing these entries may cause. -1:
 * that could not be written, and no resource that may notify (rh_deliveries_may_notify) is to be
 * changed. */
RH_CHECKED int rh_deliveries_prepare(struct rh_transaction *t, struct rh_error *err);

/* Notes what this resource alone may cause; 0 also when that is nothing. */
RH_CHECKED int rh_deliveries_prepare_one(struct rh_transaction *t, const struct rh_resource *r,
                                         struct rh_error *err);

/* Whether a change of this resource notifies somebody, which has to be written down before it. */
bool rh_deliveries_may_notify(const struct rh_transaction *t, const struct rh_resource *r);

/* The notifier failed, and may have changed something before it did. */
void rh_deliveries_mark_uncertain(struct rh_transaction *t, const struct rh_resource *r);

/* The targets that are to be told before `r` changes, or (once) an instance that it is part of; `r`
 * would. Returns the one that failed, without which `r` must not be changed, or NULL. */
const struct rh_resource *rh_deliver_before(struct rh_transaction *t, const struct rh_resource *r,
                                            bool pretend);

/* A batch has ended: its notifiers tell, and what is due for its last resource is delivered. */
void rh_deliver_after_batch(struct rh_transaction *t);

/* One entry has been executed alone. */
void rh_deliver_after_one(struct rh_transaction *t, const struct rh_task *task, enum rh_status status);

/* The list is done: everything that waits for the end. */
void rh_deliver_rest(struct rh_transaction *t);

/* Leaves the file of pending notifications as it is from now on. */
void rh_deliveries_abandon(struct rh_deliveries *d);

/* Leaves on disk what is still pending. */
RH_CHECKED int rh_deliveries_close(struct rh_deliveries *d, struct rh_error *err);

#endif
