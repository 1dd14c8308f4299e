/* SPDX-License-Identifier: Apache-2.0 */
/* undo-parts - what the files that make an undo share. */
#ifndef RH_RUN_UNDO_PARTS_H
#define RH_RUN_UNDO_PARTS_H

#include "base/map.h"
#include "run/undo.h"

#include <stdbool.h>
#include <stddef.h>

/* A resource of the run. */
struct rh_undo_change {
    const char *key; /* "file[/etc/motd]" */
    const char *type, *title;
    const struct rh_value *before, *after; /* lines of the journal; `after` is the last one, or NULL */
    const struct rh_value *event;          /* the last one of its turns, or NULL */
    const char *file;          /* "file[/etc/hosts]", which it edits, and that is restored; or NULL */
    struct rh_value *notifies; /* of the entry, or NULL */
    struct rh_value *parts;    /* the resource in the catalog */
    bool early;                /* it is set among what comes back */
    bool edited;               /* a file of which resources have changed a part */
};

struct rh_undo_making {
    const struct rh_run_journal *j;
    const struct rh_undo_source *source;
    struct rh_undo *undo;
    struct rh_arena *a;
    struct rh_map by_key;
    struct rh_undo_change **v; /* in the order in which they were changed first */
    size_t n, cap;
    const char *salt; /* that the run has hashed secrets with; or NULL */
    struct rh_expectation *expected;
    struct rh_value *resources, *list;
};

/* undo-values.c: what is desired of a resource, and what it must be. */

/* Notes that something of this resource cannot be restored. */
void rh_undo_report(struct rh_undo_making *m, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* How it is found. What is to be removed gets no flags, which may mean more than one resource ("recurse"). */
struct rh_value *rh_undo_attributes(struct rh_undo_making *m, const struct rh_undo_change *c,
                                    const struct rh_type *t, bool gone);

/* Whether the run has left it absent. */
bool rh_undo_is_removed(const struct rh_undo_change *c);

/* Adds what was there, and is not any more. -1: nothing of it can be restored. */
int rh_undo_restore(struct rh_undo_making *m, struct rh_undo_change *c, const struct rh_type *t,
                    const struct rh_value *was, struct rh_value *attributes);

/* The state of the run's end as struct rh_expected has it; NULL: any will do. */
const struct rh_value *rh_undo_expected(struct rh_undo_making *m, const struct rh_undo_change *c);

/* Whether sensitive values of it were encrypted and kept. */
bool rh_undo_keeps_secrets(const struct rh_undo_change *c);

/* Names of these attributes that were or are sensitive: what is there now must not be shown either. NULL:
 * none.
 */
struct rh_value *rh_undo_secrets(struct rh_undo_making *m, const struct rh_undo_change *c,
                                 const struct rh_value *attributes);

#endif
