/* SPDX-License-Identifier: Apache-2.0 */
/* event - what a run tells those who report it: what has happened, after it has. */
#ifndef RH_RUN_EVENT_H
#define RH_RUN_EVENT_H

#include "provider/outcome.h"
#include "run/desired.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct rh_resource;
struct rh_sources;
struct rh_value;

/* What a run begins with: which one it is, and of which machine. */
struct rh_run_begin {
    const char *run;     /* its id, unique among all machines */
    const char *started; /* "2026-11-21T12:36:01Z" */
    bool noop;
    const char *host, *name; /* the id and the name of the machine; NULL: not known */
    uint64_t seq;            /* its number on this machine (run/identity.h); 0: it has none */
    const char *revision;    /* of what is applied, as the user says it; or NULL */
    const char *undoes;      /* the run that it undoes; or NULL */
    size_t total;            /* entries of the list */
};

struct rh_event {
    const struct rh_resource *resource;
    const char *action;
    const struct rh_outcome *outcome;
    const struct rh_resource *blamed;     /* who a skip is due to, or NULL */
    bool blamed_failed;                   /* false: that one was skipped itself */
    bool ignored;                         /* it failed, and that has no consequences */
    const char *notified;                 /* a notification was delivered: when; NULL: a turn */
    const char *by, *since;               /* who notified; the earlier run that did, or NULL */
    const struct rh_difference *findings; /* what has become of what is watched (run/audit.h) */
    size_t n_findings;
    enum rh_cause cause;                 /* of a change */
    bool quoted;                         /* the line with the attribute at fault may be shown */
    const struct rh_resource *purged_by; /* it goes because no manifest has it; or NULL */
    const struct rh_value *created;      /* of what happened earlier: what it is created with; or NULL */
    bool as_desired;  /* it was changed, and is what was desired: the journal has that as its state */
    const char *when; /* of what happened earlier, to be shown; NULL: now */
};

struct rh_counts {
    /* By enum rh_status. RH_EXCLUDED: entries that were not for this run, which are not in the total. */
    size_t by_status[RH_STATUSES];
    size_t ignored; /* failures without consequences */
    size_t refresh_failed,
        refresh_skipped; /* of those in by_status: what notifications came to, beside the total */
    size_t total;
    size_t audited;     /* resources with a watched attribute that is not what it was */
    size_t not_reached; /* entries that the run ended before */
};

/* What came of undoing a run that has failed. */
struct rh_rollback {
    char run[120];      /* the id of the run that undid it, or "": it was not started */
    int exit;           /* its exit status; 0: all was restored */
    const char *report; /* of it, as JSON, or NULL: nothing had to be undone */
    size_t n;           /* bytes of the report */
};

struct rh_run_end {
    const char *run; /* its id */
    struct rh_counts counts;
    double seconds;
    time_t ended; /* 0: not known */
    int exit;
    const char *interrupted; /* the signal that ended it early, or NULL */
    bool unended;            /* it did not end, or not yet: the counts are what is known */
    unsigned confirm_within; /* seconds in which it is to be confirmed, or is rolled back; 0: it is not */
    const struct rh_value *errors;      /* it was refused: hashes, as rh_error_to_value makes them; or NULL */
    const struct rh_rollback *rollback; /* it was rolled back; or NULL */
};

/* What a run is at while it waits. */
struct rh_hand {
    const struct rh_resource *resource; /* or NULL: it is not known which */
    const char *type;                   /* of the batch under way, or NULL */
    const char *verb;                   /* "updating"; "" when it is not known. Fit to be shown */
    size_t done, total;                 /* entries of the list */
    bool ending;                        /* a signal has come: it is the last one */
};

struct rh_reporter {
    void *data;
    bool program; /* it is a report for programs: of a run that is rolled back, it has both */
    void (*begin)(void *data, const struct rh_run_begin *begin);
    /* What is told from now on happened then, in seconds since the epoch; else it happens now. May be NULL.
     */
    void (*time)(void *data, double seconds);
    void (*event)(void *data, const struct rh_event *event);
    void (*log)(void *data, const struct rh_log_record *record);
    /* Something long goes on: of `resource`, or of no one in particular (NULL). Shown while it lasts, and not
     * kept. May be NULL. */
    void (*progress)(void *data, const struct rh_resource *resource, const struct rh_progress *progress);
    /* The run waits, and does so again and again while something long goes on. `hand` is NULL when what was
     * told last is no older than a moment. May be NULL. */
    void (*wait)(void *data, const struct rh_hand *hand);
    void (*end)(void *data, const struct rh_run_end *end);
};

#endif
