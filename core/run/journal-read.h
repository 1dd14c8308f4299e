/* SPDX-License-Identifier: Apache-2.0 */
/* journal-read - journals of earlier runs, and of the one under way, as they are found on disk: what
 * can't be read is said, and the rest is there. */
#ifndef RH_RUN_JOURNAL_READ_H
#define RH_RUN_JOURNAL_READ_H

#include "base/cleanup.h"
#include "run/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_reporter;
struct rh_run_journal;
struct rh_sources;
struct rh_value;

/* The names of runs that have a journal, newest first. */
struct rh_run_names {
    char **v;
    size_t n;
};

/* None when there is no such folder. What is no journal by its name is not looked at. */
RH_CHECKED int rh_run_names_read(const char *state_dir, struct rh_run_names *names, struct rh_error *err);
void rh_run_names_clear(struct rh_run_names *names);

/* The one that is called so, or begins so and is the only one; "last" is the newest. NULL, and why. */
RH_CHECKED const char *rh_run_names_find(const struct rh_run_names *names, const char *word,
                                         struct rh_error *err);

/* Of the lines each stands once, though after a disk was full some may have been written twice. */
struct rh_run_journal {
    struct rh_arena *arena;
    const char *run;
    const struct rh_value *begin;     /* the first line; NULL when it can't be read */
    const struct rh_value *end;       /* the last one; NULL: it did not end, or not yet */
    const struct rh_value *under_way; /* what was begun and, as far as is known, not done; or NULL */
    const struct rh_value *last;      /* the last one of all that can be read, or NULL */
    struct rh_value *lines;           /* what happened, and what was said, in order */
    struct rh_value *states;          /* of resources before and after they were changed, in order */
    struct rh_value *problems;        /* texts: what can't be read, and why */
    struct rh_counts counts;          /* what the end says; without one, what has happened */
    bool goes_on;                     /* it has no end, and its process is still there */
};

RH_CHECKED int rh_run_journal_read(const char *state_dir, const char *run, struct rh_run_journal *j,
                                   struct rh_error *err);
void rh_run_journal_clear(struct rh_run_journal *j);

/* The number of the run (run/identity.h), from its first line alone; 0 when that has none. */
uint64_t rh_run_journal_number(const char *state_dir, const char *run);

/* replay.c: a journal told to a reporter, as if it happened now. */

/* What happened and what was said, in order. The files that places name are added to `sources`. */
void rh_replay(const struct rh_run_journal *j, struct rh_sources *sources,
               const struct rh_reporter *reporter);

/* The same for lines of another file, such as a plan: objects as a journal has them. */
void rh_replay_lines(const struct rh_value *lines, struct rh_sources *sources,
                     const struct rh_reporter *reporter);

/* "12:36:01.042" of a line, UTC; empty when it has no time. The caller's. */
char *rh_replay_time(const struct rh_value *line);

/* The same as seconds since the epoch; 0 when it has no time. */
double rh_replay_seconds(const struct rh_value *line);

#endif
