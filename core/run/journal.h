/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what a run is about to do and what it has done, written down so that it can be read
 * when the run could not finish: a file of JSON lines per run. */
#ifndef RH_RUN_JOURNAL_H
#define RH_RUN_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_event;
struct rh_journal;
struct rh_run_end;

/* Starts the journal of run `run` in state_dir/runs; the oldest are removed beyond fifty. */
struct rh_journal *rh_journal_open(const char *state_dir, const char *run, const char *started,
                                   struct rh_error *err);

/* A batch of `provider` is about to start with list entry `first`. On its way to the disk when it
 * returns, whatever happens to this process. */
int rh_journal_batch(struct rh_journal *j, const char *provider, size_t first,
                     struct rh_error *err);

/* Something was changed, failed or skipped. */
void rh_journal_event(struct rh_journal *j, const struct rh_event *event);

/* What the batch changed is on disk: so is, after this, that it was changed. */
int rh_journal_batch_done(struct rh_journal *j, bool changed, struct rh_error *err);

int rh_journal_close(struct rh_journal *j, const struct rh_run_end *end, struct rh_error *err);

#endif
