/* SPDX-License-Identifier: Apache-2.0 */
/* collect - takes reports from a folder to a database. A report leaves the folder when the database has
 * committed it, or for the quarantine: so none is lost, and one that was stored twice is stored once. */
#ifndef RH_COLLECT_COLLECT_H
#define RH_COLLECT_COLLECT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

struct rh_collect {
    const char *from, *to;  /* dir:PATH, and the URL of a database */
    const char *revoked;    /* a file with the names of hosts whose reports are not taken; NULL: none */
    const char *quarantine; /* a directory, or NULL */
    bool watch;             /* goes on until a signal ends it */
    unsigned retention;     /* seconds; 0: nothing is removed */
    unsigned silent_after;  /* seconds; 0: as the database has it */
};

struct rh_collect_counts {
    size_t stored, known, quarantined, left; /* left: could not be read */
};

/* Takes all reports that are in the folder, or with `watch` also those that come. -1 with an error: with
 * `watch` that is one which waiting does not mend. */
RH_CHECKED int rh_collect_run(const struct rh_collect *settings, struct rh_collect_counts *counts,
                              struct rh_error *err);

#endif
