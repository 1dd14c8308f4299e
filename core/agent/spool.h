/* SPDX-License-Identifier: Apache-2.0 */
/* spool - reports until they have arrived: a file each, NUMBER-c.json (something changed, failed or was
 * refused) or NUMBER-n.json (nothing did).
 *
 * It has limits. Reports of runs without a change go first, then the oldest of the others; how many went is
 * counted on disk before they go, and is reported itself. */
#ifndef RH_AGENT_SPOOL_H
#define RH_AGENT_SPOOL_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_agent_settings;
struct rh_error;

struct rh_spool {
    char *directory;
    int64_t last; /* the highest number that was given */
    int64_t *v;   /* numbers of the reports that are there, oldest first; negative: without a change */
    size_t n, cap;
    uint64_t bytes;
};

#define rh_autospool __attribute__((cleanup(rh_spool_clear)))

/* Reads what is there; makes the directory, and a file that holds room for one report on a full disk. */
RH_CHECKED int rh_spool_open(struct rh_spool *s, const char *agent_directory, struct rh_error *err);

/* The same of the spool of another process: nothing is made or removed. */
RH_CHECKED int rh_spool_count(struct rh_spool *s, const char *agent_directory, struct rh_error *err);
void rh_spool_clear(struct rh_spool *s);

/* Puts a report into it: it is on disk when this returns 0. On a full disk the oldest ones make room. */
RH_CHECKED int rh_spool_put(struct rh_spool *s, const char *report, size_t n, bool change,
                            struct rh_error *err);

/* Removes what is above the limits. */
RH_CHECKED int rh_spool_fold(struct rh_spool *s, const struct rh_agent_settings *settings,
                             struct rh_error *err);

/* The text of report `i`, the caller's; NULL with an error. */
RH_CHECKED char *rh_spool_read(const struct rh_spool *s, size_t i, size_t *n, struct rh_error *err);

/* Removes report `i`, which has arrived. */
RH_CHECKED int rh_spool_remove(struct rh_spool *s, size_t i, struct rh_error *err);

/* How many went for the limits since that was reported last. */
struct rh_spool_losses {
    int64_t folded, dropped; /* without a change; with one */
};

RH_CHECKED int rh_spool_losses(const struct rh_spool *s, struct rh_spool_losses *l, struct rh_error *err);

/* They were reported. */
RH_CHECKED int rh_spool_forget_losses(const struct rh_spool *s, struct rh_error *err);

#endif
