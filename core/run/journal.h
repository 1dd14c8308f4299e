/* SPDX-License-Identifier: Apache-2.0 */
/* journal - what a run is about to do and what it has done, written down so that it can be read
 * when the run could not finish: a file of JSON lines per run. */
#ifndef RH_RUN_JOURNAL_H
#define RH_RUN_JOURNAL_H

#include "base/cleanup.h"
#include "base/log.h"
#include "provider/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_error;
struct rh_event;
struct rh_journal;
struct rh_log_record;
struct rh_resource;
struct rh_run_end;
struct rh_sources;
struct rh_task;
struct rh_value;

/* The run, like "20261121T123601.042-4711", whose journal has this name in its folder; NULL when no
 * journal has such a name. The caller's. */
char *rh_journal_run(const char *name);

/* What a journal begins with. */
struct rh_journal_head {
    const char *run, *started;
    const char *plan, *plan_digest; /* that is applied; or NULL */
    const char *undoes;             /* the run that is undone; or NULL */
    const char *host, *name;        /* the id and the name of the machine; or NULL */
    uint64_t seq;                   /* its number (run/identity.h); 0: it has none */
    const char *revision;           /* of what is applied; or NULL */
};

/* Starts the journal of a run in state_dir/runs; the fifty last are kept. `sources` are what
 * places point into. */
RH_CHECKED struct rh_journal *rh_journal_open(const char *state_dir, const struct rh_journal_head *head,
                                              const struct rh_sources *sources, struct rh_error *err);

/* A batch of `provider` is about to start: with `resource`, which has number `first` in the list, or
 * for `turn` alone (else NULL). On its way to the disk when it returns, whatever happens to this
 * process. */
RH_CHECKED int rh_journal_batch(struct rh_journal *j, const struct rh_resource *resource, size_t first,
                                const struct rh_task *task, struct rh_error *err);

/* The guards of this resource are about to be asked. */
RH_CHECKED int rh_journal_guard(struct rh_journal *j, const struct rh_resource *resource,
                                struct rh_error *err);

/* Something was changed, failed or skipped, or left alone as a guard said. Of a change whose result is what
 * was desired, it has the state "after" as well. */
void rh_journal_event(struct rh_journal *j, const struct rh_event *event);

/* A line of the run itself, or of a provider. */
void rh_journal_log(struct rh_journal *j, const struct rh_log_record *record);

/* The state of a resource before or after a change. */
struct rh_journal_state {
    const struct rh_resource *resource;
    const char *state;       /* "before", "after", or "notified": its name and what is desired of it */
    const char *by, *action; /* of a notification: who notified, and what it was to do */
    bool in_sync;            /* of a notification: it was as desired before */
    const char *file;        /* that has its state, in a line of its own: the resource edits it; or NULL */
    bool unknown;
    const struct rh_value *attributes; /* NULL: it was absent */
    const struct rh_value *parameters; /* or NULL */
    const struct rh_value *secrets;    /* parameters that are encrypted; or NULL */
};

void rh_journal_state(struct rh_journal *j, const struct rh_journal_state *state);

/* All that was recorded is on its way to the disk, whatever happens to this process; `durable`: it is there.
 */
RH_CHECKED int rh_journal_write(struct rh_journal *j, bool durable, struct rh_error *err);

/* Nothing will happen for a while, and somebody may want to know how far the run is. */
void rh_journal_pause(struct rh_journal *j);

/* What the batch changed is on disk: so is, after this, that it was changed. */
RH_CHECKED int rh_journal_batch_done(struct rh_journal *j, bool changed, struct rh_error *err);

RH_CHECKED int rh_journal_close(struct rh_journal *j, const struct rh_run_end *end, struct rh_error *err);

#endif
