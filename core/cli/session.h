/* SPDX-License-Identifier: Apache-2.0 */
/* session - what commands share: the plugins that are here, and manifests made into a catalog. */
#ifndef RH_CLI_SESSION_H
#define RH_CLI_SESSION_H

#include "base/complaint.h"
#include "base/map.h"
#include "base/source.h"
#include "catalog/catalog.h"
#include "catalog/order.h"
#include "cli/machine.h"
#include "run/identity.h"
#include "run/pool.h"

#include <stdbool.h>

struct rh_buf;
struct rh_event_file;
struct rh_expectation;
struct rh_lock;
struct rh_planning;
struct rh_registry;
struct rh_session;
struct rh_rollback;
struct rh_seal;
struct rh_settings;
struct rh_value;

enum { RH_SESSION_EVENTS = 2 /* of --events and --progress=json */ };

struct rh_session {
    const struct rh_settings *settings;
    char *state_dir, *cache, *parsed; /* NULL where there is no telling where they are */
    int state;                        /* the state directory, or -1 */
    bool unsafe;                      /* others may write to it */
    struct rh_registry *registry;
    size_t n_reported; /* problems of the registry that were reported */
    struct rh_pool pool;
    struct rh_arena *arena;
    struct rh_sources sources;
    struct rh_complaints complaints, warnings;
    struct rh_machine machine;
    struct rh_catalog catalog;
    struct rh_order order;
    bool read;                    /* something was read for an expression: it may be old when a run starts */
    bool validates;               /* lookups of plugins are not called: their answers are unknown */
    struct rh_map answers, facts; /* of plugins, that were asked for: see lookup.c */
    bool explains;                /* origins have the expressions of values: see manifest/load/input.h */
    struct rh_planning *planning; /* a plan is made, or applied: run/plan.h */
    const char *plan, *plan_digest;
    const struct rh_expectation *expected; /* states that resources must have (run/expect.h); or NULL */
    const char *undoes;                    /* the run that is undone; or NULL */
    struct rh_identity identity;      /* of this machine and the last run; without a name: not asked for */
    char run[RH_RUN_ID];              /* the last run, or "" */
    bool silent;                      /* nothing but `planning` hears of the run */
    const struct rh_lock *outer_lock; /* the lock, where the caller holds it; or NULL */
    struct rh_event_file *events[RH_SESSION_EVENTS]; /* where they are written; NULL: the settings say it */
    struct rh_buf *report;                           /* gets a report of the run in JSON; or NULL */
    /* Undoes the last run, which has failed, with the lock that is held; or NULL: it is not undone. */
    void (*roll_back)(const struct rh_session *s, const struct rh_lock *lock, struct rh_rollback *done);
    struct rh_seal *seal; /* of --backup-key, once it is open; or NULL */
    bool without_key;     /* it cannot be used, and that must not stop the run */
    bool device;          /* it is a device that is managed, not this machine */
};

/* Finds plugins, and warns of those that can't be used. */
void rh_session_open(struct rh_session *s, const struct rh_settings *settings);
void rh_session_close(struct rh_session *s);

/* The same under a lock that was taken by `state`, a descriptor of the state directory. The lock must stay.
 */
void rh_session_open_locked(struct rh_session *s, const struct rh_settings *settings, int state,
                            const struct rh_lock *lock);

/* The state directory that the settings name, the caller's; NULL where there is no telling where it is. */
char *rh_session_state_dir(const struct rh_settings *settings);

/* The same, where nothing that is in it may have been written by others: refused when it may. */
char *rh_session_safe_state_dir(const struct rh_settings *settings);

/* Whether to use colours on this descriptor. */
bool rh_session_colour(const struct rh_settings *settings, int fd);

/* Takes the lock of this state directory, which is `dir`, or opened and then the caller's where that
 * is -1; NULL after telling why not. */
struct rh_lock *rh_session_lock(const struct rh_settings *settings, const char *state_dir, int *dir);

/* Whether a run has a status line: what it says goes to a terminal, and nothing else writes there. */
bool rh_session_has_status_line(const struct rh_settings *settings);

/* Whether events go to this descriptor of ours. */
bool rh_session_events_on(const struct rh_settings *settings, int fd);

/* session-load.c: manifests made into a catalog, and the types that they name. */

/* Loads manifests alone, for what they say of the node. The complaints are counted. */
int rh_session_read(struct rh_session *s, const char *const *files, size_t n);

/* Loads manifests, resolves relations and sorts. Complaints have been printed when it returns -1. */
int rh_session_load(struct rh_session *s, const char *const *files, size_t n);

/* The same for a compiled catalog, as a value. */
int rh_session_load_compiled(struct rh_session *s, struct rh_value *compiled);

/* The same for the catalog that was put together by hand. */
int rh_session_resolve(struct rh_session *s);
int rh_session_complain(struct rh_session *s);

/* Refuses what can't be known before something has run, unless it is only tried (`noop`); -1 when
 * complaints were printed. */
int rh_session_refuse_unknown(struct rh_session *s, bool noop);

/* The type, or NULL after telling why not. */
const struct rh_type *rh_session_type(struct rh_session *s, const char *name);

/* execute.c: a settled catalog run, with the reports that the settings ask for. */

/* Takes the lock, runs, reports. Returns the exit status. */
int rh_execute(struct rh_session *s);

/* backup-key.c: the key of the sensitive values that are kept for undo. */

/* Whether --backup-key=none says that there is none. */
bool rh_session_without_key(const struct rh_session *s);

/* Opens it where it is given. Where it cannot be used: -1 after telling why, or, where it is optional, 0 and
 * the session is without it. */
RH_CHECKED int rh_session_open_key(struct rh_session *s, bool optional);

/* The same for a run: it is missed where a resource of the order asks for it with `backup: sensitive`. */
RH_CHECKED int rh_session_want_key(struct rh_session *s);

/* privilege.c: what an ordinary user can't apply. */

/* Warns of the resources of the order that need rights which this user does not have. */
void rh_privilege_warn(const struct rh_session *s);

/* select.c: which part of the list is for this run: --only, --tags, --skip-tags. */

/* Takes the entries of other resources out of the order; what is left keeps its order. Warns of tags
 * that no resource has. Returns -1 after a message. */
int rh_select(struct rh_session *s);

/* Whether this is a list of tags with commas between. */
bool rh_is_tag_list(const char *text);

#endif
