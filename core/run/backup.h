/* SPDX-License-Identifier: Apache-2.0 */
/* backup - the states of resources before and after this run has changed them, in the journal, so that the
 * run can be undone. */
#ifndef RH_RUN_BACKUP_H
#define RH_RUN_BACKUP_H

#include "base/cleanup.h"

#include <stdbool.h>

struct rh_arena;
struct rh_backup;
struct rh_backup_state;
struct rh_backups;
struct rh_error;
struct rh_journal;
struct rh_outcome;
struct rh_resource;
struct rh_secrets;
struct rh_transaction_options;
struct rh_value;

/* NULL without an error: nothing is to be kept. `secrets`: those of the run, as far as they are known. */
RH_CHECKED int rh_backups_open(struct rh_backups **b, const struct rh_transaction_options *options,
                               const char *run, struct rh_journal *journal, const struct rh_secrets *secrets,
                               struct rh_error *err);
void rh_backups_free(struct rh_backups *b); /* NULL is fine, here and below */

/* How the state of this resource is kept; NULL: it is not. */
const struct rh_backup *rh_backups_want(const struct rh_backups *b, const struct rh_resource *r);

/* For `backup` of a struct rh_sink, about this resource. What could not be kept since the last time that
 * somebody waited is a reason. */
bool rh_backups_take(struct rh_backups *b, const struct rh_resource *r, const struct rh_backup_state *state,
                     bool wait, struct rh_arena *a, const char **why);

/* Whether the state of a resource after its change is what was desired of it, and is to be recorded so. */
bool rh_backups_is_as_desired(const struct rh_backups *b, const struct rh_resource *r,
                              const struct rh_outcome *outcome);

/* `by` ("file[/etc/motd]") has notified this resource, which is about to do `action`. An undo of the first
 * notifies the second again. `in_sync`: it was as desired before, and an undo brings it back to that. */
void rh_backups_note_notified(struct rh_backups *b, const struct rh_resource *r, const char *by,
                              const char *action, bool in_sync);

/* What an encrypted value was encrypted for (run/seal.h): the caller's. */
char *rh_backup_about(const char *run, const char *type, const char *title, const char *attribute);

/* What was kept is on disk. */
RH_CHECKED int rh_backups_sync(struct rh_backups *b, struct rh_error *err);

#endif
