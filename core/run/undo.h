/* SPDX-License-Identifier: Apache-2.0 */
/* undo - the states before a run, as a catalog.
 *
 * The catalog is applied like any other, by an ordinary run. A resource is changed only when its state is the
 * one that the run has left (run/expect.h), unless that is not asked for. */
#ifndef RH_RUN_UNDO_H
#define RH_RUN_UNDO_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_expectation;
struct rh_run_journal;
struct rh_seal;
struct rh_type;
struct rh_undo;
struct rh_value;

/* What the caller knows. */
struct rh_undo_source {
    void *data;
    /* The type that a provider serves; NULL when there is none. */
    const struct rh_type *(*type)(void *data, const char *type, const char *provider, struct rh_error *err);
    /* Whether the resource is restored whatever its state is now. May be NULL: none. */
    bool (*force)(void *data, const char *type, const char *title);
    const char *state_dir;
    const struct rh_seal *seal; /* what sensitive values were encrypted with; or NULL */
    bool without_key;           /* the key is lost: what is encrypted stays as it is */
};

struct rh_undo {
    struct rh_arena *arena;
    struct rh_value *catalog;              /* as catalog/export.h has it */
    const struct rh_expectation *expected; /* of each entry of its list */
    size_t n;                              /* resources that are restored */
    struct rh_value *problems;             /* texts: what cannot be restored, and why */
    size_t sealed;                         /* values that stay encrypted, since there is no key */
    const char *locked; /* why encrypted values cannot be read, with the first of them; NULL: all can */
};

/* Makes it of a journal, which must stay; what is found belongs to undo->arena. */
void rh_undo_make(const struct rh_run_journal *j, const struct rh_undo_source *source, struct rh_undo *undo);
void rh_undo_clear(struct rh_undo *undo);

/* The latest run that has undone this one, and ended with exit status 0 or 2; the caller's. NULL: there is
 * none.
 */
char *rh_undo_find(const char *state_dir, const char *run);

#endif
