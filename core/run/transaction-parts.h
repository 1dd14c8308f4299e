/* SPDX-License-Identifier: Apache-2.0 */
/* transaction-parts - the inside of a transaction, for the files of this room that share it. */
#ifndef RH_RUN_TRANSACTION_PARTS_H
#define RH_RUN_TRANSACTION_PARTS_H

#include "base/cleanup.h"
#include "run/event.h"
#include "run/transaction.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_audit;
struct rh_backup_state;
struct rh_backups;
struct rh_buf;
struct rh_catalog;
struct rh_conduct;
struct rh_deliveries;
struct rh_desired;
struct rh_error;
struct rh_expectations;
struct rh_journal;
struct rh_planning;
struct rh_pool;
struct rh_result;
struct rh_timetable;
struct rh_type;
struct rh_value;
struct rh_want;
struct rh_wants;

/* What a resource may be to the batches of its neighbours. */
enum { RH_OWN_BATCH = 1, RH_ENDS_BATCH = 2, RH_NOTIFIES_BEFORE = 4 };

struct rh_transaction {
    const struct rh_catalog *c;
    const struct rh_order *order;
    struct rh_pool *pool;
    const struct rh_transaction_options *options;
    const struct rh_reporter *reporter;
    struct rh_journal *journal;           /* NULL under noop */
    struct rh_backups *backups;           /* NULL: nothing is kept */
    struct rh_expectations *expectations; /* NULL: any state will do */
    struct rh_deliveries *deliveries;
    struct rh_timetable *timetable; /* NULL: nothing has a schedule */
    struct rh_audit *audit;         /* NULL: nothing is watched */
    struct rh_desired *desired;     /* NULL under noop */
    struct rh_run_end end;
    double start;
    bool stopped;                           /* nothing is begun any more */
    const struct rh_resource *failed_first; /* and --fail-fast ended the run */
    int signal;                             /* that asked for it, or 0 */
    /* what is in hand */
    const struct rh_resource *hand; /* or NULL: it is a batch */
    const struct rh_worker *worker;
    const char *doing;         /* what the run itself does to `hand`, or NULL */
    size_t n_done;             /* entries that were recorded */
    double watched;            /* when `wait` was told last what is in hand */
    bool lock_gone;            /* the state directory is not ours any more: nothing is written there either */
    uint8_t *status;           /* of each list entry: enum rh_status, or RH_NOT_YET, RH_SENT */
    uint8_t *resource_status;  /* of each resource: the last, but one that failed stays so */
    uint8_t *guard;            /* of each instance of a definition: what its guards said, see guarded.c */
    uint8_t *batching;         /* of each resource: RH_OWN_BATCH, RH_ENDS_BATCH */
    struct rh_result *results; /* of each resource; see later.c */
    const struct rh_resource *left_out; /* of which a result was asked for, and that was not applied */
    struct rh_resource *part_of;        /* a dry run compares what of it is known, */
    const struct rh_value *whole;       /* and this is all of it */
    struct rh_difference *unknown;      /* what is not */
    size_t n_unknown, cap_unknown;
    size_t forgiven; /* that were skipped, but within an instance that ignores it */
    size_t at;       /* in the order: the next entry */
    /* the batch under way */
    const struct rh_type *type;
    const char *unwritten; /* why what it may notify could not be written down, or NULL */
    bool changed, would_change;
    bool eventful;  /* something was changed or failed, or would be: what was validated before the run may be
                       stale */
    bool disturbed; /* something was changed that can change any resource: states are not the planned ones */
    size_t upto;    /* in the order: the first entry behind it */
    struct rh_resource *last; /* the one that was given out last */
    uint32_t next_id;         /* of a want that is not in the list */
    uint32_t *after;          /* of the want that is given out */
    size_t cap_after;
    uint32_t *notifiers; /* entries that changed, and have somebody to tell */
    size_t n_notifiers, cap_notifiers;
};

enum { RH_NOT_YET = 255, RH_SENT = 254, RH_FORGIVEN = 253 }; /* it failed, and that is ignored */

/* One execution of an action: a turn of the list, or a notification that is delivered. */
struct rh_task {
    struct rh_resource *resource;
    const char *action;
    uint32_t entry;       /* RH_NO_ENTRY: it is delivered */
    bool trial;           /* only compare, and tell nobody */
    bool noop;            /* beside the resource's own, and the run's */
    bool begun;           /* others were told already that it changes */
    const char *notified; /* when: "immediately", ...; NULL: it is a turn of the list */
    const char *by;       /* who notified, as text */
    const char *since;    /* the run that notified, or NULL */
};

/* transaction-state.c: what is remembered of resources from run to run, the journal and the states that undo
 * needs. Opening them may fail; saving tells of trouble as an event, closes the journal and sets the exit
 * status. */
RH_CHECKED int rh_transaction_open_state(struct rh_transaction *t, const char *run, const char *started,
                                         struct rh_error *err);
void rh_transaction_save_state(struct rh_transaction *t);
void rh_transaction_clear(struct rh_transaction *t);

/* dependency.c: who is to blame that it can't be done: what it depends on, or itself at an earlier turn;
 * or NULL. */
const struct rh_resource *rh_transaction_blame(const struct rh_transaction *t, const struct rh_resource *r);

/* The same for what is about to be sent to a worker: what the batch has sent of its dependencies goes
 * into `want`, which is stale when one of them has changed. */
const struct rh_resource *rh_transaction_check_before(struct rh_transaction *t, const struct rh_resource *r,
                                                      struct rh_want *want);

/* Whether it waits for something in hand whose failure is ignored: a worker does not know that, so it
 * goes with the next batch. */
bool rh_transaction_waits_for_forgiven(const struct rh_transaction *t, const struct rh_resource *r);

/* Who ignores that `r` was lost because of `blamed` (itself, or what it depends on): it, or an instance
 * that both are part of; or NULL. Outside of that it has no consequences. */
const struct rh_resource *rh_transaction_ignoring(const struct rh_resource *r,
                                                  const struct rh_resource *blamed);

/* Whether only to say what would be done to it: by the run, by itself, or by what it is part of. */
bool rh_transaction_is_noop(const struct rh_transaction *t, const struct rh_resource *r);

/* converge.c: what to ask for, and having it done. */
struct rh_want rh_transaction_want(const struct rh_transaction *t, const struct rh_task *task);

/* Whether what is done for `r`, a resource or a purge, to resources of `type` is read again. What a command
 * has done is for its guards to tell, and only where somebody asks for that. Unasked, only those are read
 * again that cost little. */
bool rh_transaction_verifies(const struct rh_transaction *t, const struct rh_resource *r,
                             const struct rh_type *type);
/* `turn`: the only one, or NULL for a batch that begins at the entry at hand. */
void rh_transaction_converge(struct rh_transaction *t, const struct rh_type *type, const struct rh_task *task,
                             const struct rh_wants *wants, const struct rh_sink *sink);

/* apply.c: executes one alone, as often as it may be tried, and tells of it. */
enum rh_status rh_transaction_apply(struct rh_transaction *t, const struct rh_task *task);

/* apply-entry.c: the same, after those who are to be told before it changes; when one of them fails it is
 * skipped. */
enum rh_status rh_transaction_notify_and_apply(struct rh_transaction *t, const struct rh_task *task);

/* An entry that can't be in the middle of a batch: its guards, those to be told before it, itself,
 * those to be told after it. `depends`: something that it depends on has changed, or would. */
void rh_transaction_apply_entry(struct rh_transaction *t, const struct rh_task *task, bool depends);

/* results.c: what others use of a resource after its turn. */
struct rh_result {
    const struct rh_value *attributes; /* NULL: nobody has looked at it */
    uint8_t status;                    /* enum rh_status; of no meaning before its turn */
};

/* Notes what came of a turn. */
void rh_transaction_note_result(struct rh_transaction *t, const struct rh_resource *r,
                                const struct rh_outcome *outcome);

/* All attributes of the type that can be known, with `changed` and `status`. What `from` has not is nil, or
 * unknown where `known` is false. */
const struct rh_value *rh_transaction_describe_result(const struct rh_transaction *t,
                                                      const struct rh_resource *r,
                                                      const struct rh_value *from, bool known, bool changed,
                                                      enum rh_status status);

/* judge.c: what success_when, until and changed_when make of an outcome. False: it is not to be tried again.
 */
bool rh_transaction_judge(const struct rh_transaction *t, const struct rh_resource *r, struct rh_outcome *o,
                          char **reason);

/* For struct rh_results (catalog/later.h), of a transaction. */
RH_CHECKED const struct rh_value *rh_transaction_find_result(void *data, const char *type, const char *title,
                                                             bool *unread, struct rh_error *err);

/* later.c: what waited for the results of others gets known. 1: it goes on. 0: that was told: it is not
 * wanted, or not known, or does not fit. */
int rh_transaction_resolve(struct rh_transaction *t, const struct rh_task *task);

/* results.c: of a resource of which a part is not known: adds that to its outcome. */
bool rh_transaction_add_unknown(struct rh_transaction *t, const struct rh_task *task, struct rh_outcome *o);
void rh_transaction_end_unknown(struct rh_transaction *t); /* its turn is over */

/* guarded.c: 1: the guards let it go. 0: they say that it is to be left alone; -1: they could not be asked.
 * Tells of both. */
int rh_transaction_guards_agree(struct rh_transaction *t, const struct rh_task *task, bool depends);

/* record.c: one event, and a turn's. */
void rh_transaction_event(struct rh_transaction *t, const struct rh_event *event);
void rh_transaction_record(struct rh_transaction *t, const struct rh_task *task,
                           const struct rh_outcome *outcome, const struct rh_resource *blamed);

/* Whether its schedule lets it have its turn; tells when not. What depends on it goes on. */
bool rh_transaction_is_time(struct rh_transaction *t, const struct rh_task *task);

/* Tells that a turn failed before it began, since what it may notify can't be written down. */
void rh_transaction_refuse_unwritten(struct rh_transaction *t, const struct rh_task *task, const char *why);

/* Tells that a turn is skipped, and why. */
void rh_transaction_skip(struct rh_transaction *t, const struct rh_task *task, const char *reason);

/* What the run itself has to say: to who reports, and into the journal. */
void rh_transaction_message(struct rh_transaction *t, enum rh_level level, unsigned code, const char *text);

/* A line of a provider's log, to reports and, where it is no repetition of an event, to the journal. */
void rh_transaction_log(struct rh_transaction *t, const struct rh_log_record *record);

/* Something long goes on; `resource` may be NULL. */
void rh_transaction_progress(const struct rh_transaction *t, const struct rh_resource *resource,
                             const struct rh_progress *progress);

/* Something is wrong beyond single resources. */
void rh_transaction_trouble(struct rh_transaction *t, struct rh_error *err);

/* watch.c: tells the reporter while the run waits, from now on; `false`: not any more. */
void rh_transaction_watch_waits(struct rh_transaction *t, bool on);

/* expect-check.c: finds out which resources are as they are expected, before anything is changed. */
void rh_transaction_check_expected(struct rh_transaction *t);

/* undone.c: warns of what a resource was brought to, and one that was applied after it has changed again. */
void rh_transaction_check_undone(struct rh_transaction *t);

/* stop.c: whether nothing may be begun any more; tells once when a signal says so. */
bool rh_transaction_stops(struct rh_transaction *t);
void rh_transaction_watch(struct rh_transaction *t);       /* from now on */
void rh_transaction_report_stop(struct rh_transaction *t); /* what was not reached, at the end */

static inline bool
rh_is_failure(uint8_t status)
{
    return status == RH_FAILED || status == RH_SKIPPED;
}

/* Something was lost, and not only within what ignores it. */
static inline bool
rh_transaction_has_failed(const struct rh_transaction *t)
{
    return t->end.counts.by_status[RH_FAILED] || t->end.counts.by_status[RH_SKIPPED] > t->forgiven;
}

/* A dry run could not read it, since something does not exist: is that what would be made before it? */
static inline enum rh_status
rh_transaction_missing(const struct rh_transaction *t, enum rh_status status)
{
    const size_t *by_status = t->end.counts.by_status;

    if (status == RH_STATUS_UNKNOWN && !by_status[RH_WOULD_CHANGE] && !by_status[RH_WOULD_REFRESH]
        && !by_status[RH_STATUS_UNKNOWN])
        return RH_FAILED;
    return status;
}

static inline bool
rh_is_change(uint8_t status)
{
    return status == RH_CHANGED || status == RH_WOULD_CHANGE || status == RH_REFRESHED
           || status == RH_WOULD_REFRESH;
}

/* guard.c: the commands that say whether a resource has its turn: only_if, not_if. */

/* 1: go on. 0: not, and `why` (the caller's) says which guard said so. -1: it could not be asked. */
RH_CHECKED int rh_guards_ask(const struct rh_conduct *conduct, char **why, struct rh_error *err);

/* visible.c: what a provider may see of the catalog that it is part of. */

/* The resource type[title] as a hash, NULL when there is none; all of the type as an array when
 * `title` is NULL; with "" as type, the paths below `title` that any resource names. See <rhost/catalog.h>.
 * `asker` sees what is sensitive in its own type alone. */
const struct rh_value *rh_visible(const struct rh_catalog *c, const struct rh_type *asker, struct rh_arena *a,
                                  const char *type, const char *title);

/* purge.c: carrying out `purge: TYPE` at its turn: listing, choosing, removing. */

struct rh_purging {
    const struct rh_catalog *catalog;
    struct rh_pool *pool;
    const struct rh_resource *resource; /* of the type 'purge' */
    uint32_t *next_id;                  /* wants that nobody else has used yet; counted up */
    bool noop, verify;
    const struct rh_planning *planning; /* which may go; or NULL */
    struct rh_backups *backups;         /* or NULL */
    void *data;
    void (*event)(void *data, const struct rh_event *event); /* for each resource that goes */
    void (*log)(void *data, const struct rh_log_record *record);
};

/* Lists what is there, and has the provider remove what no manifest has, by whatever name it has it,
 * and nobody wants to keep. More than may go: nothing goes. `done` gets what came of it as a whole;
 * its texts live in `a`. */
void rh_purge_run(const struct rh_purging *p, struct rh_arena *a, struct rh_outcome *done);

#endif
