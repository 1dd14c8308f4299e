/* SPDX-License-Identifier: Apache-2.0 */
/* notification - who is to be told when a resource changes: what was stated becomes a table.
 *
 * Puppet's notify and subscribe, and the automatic relations of these kinds, are relations as well:
 * the target is refreshed at its own turn. Chef's notifies and subscribes name an action and a time,
 * and order nothing. */
#ifndef RH_CATALOG_NOTIFICATION_H
#define RH_CATALOG_NOTIFICATION_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_catalog;
struct rh_complaints;
struct rh_resource;

enum rh_timing {
    RH_DELAYED,     /* at the end of the run, once */
    RH_IMMEDIATELY, /* right after the notifier */
    RH_BEFOREHAND,  /* when the notifier would change, before it does */
    RH_IN_ORDER,    /* when the target is applied, after its own convergence */
};

/* What becomes of one that is to be delivered later when something in the run has failed. */
enum rh_on_failure { RH_RUN_ANYWAY, RH_KEEP_PENDING, RH_DROP };

struct rh_reference;

/* As an entry of a manifest says it. */
struct rh_stated_notification {
    struct rh_stated_notification *next;
    const struct rh_reference *other;
    const char *action;
    enum rh_timing timing;
    enum rh_on_failure on_failure;
    bool subscribes; /* `other` is the notifier, not the target */
    struct rh_place place;
};

/* One of each target and action: what can be pending. */
struct rh_slot_of_target {
    struct rh_resource *to;
    const char *action;
};

struct rh_notification {
    uint32_t from; /* resources' numbers */
    uint32_t slot;
    uint8_t timing, on_failure;
};

struct rh_notifications {
    struct rh_notification *v; /* sorted by notifier, in the order in which they were stated */
    size_t n;
    uint32_t *start; /* of each notifier, and one more: v[start[i]] up to v[start[i + 1]] */
    struct rh_slot_of_target *slots;
    size_t n_slots;
};

/* Notes a notification on `r`; `stated` and what it points to are the arena's. */
void rh_catalog_notify(struct rh_resource *r, struct rh_stated_notification *stated);

/* Makes the table, once, when relations are resolved. A target or notifier that is not in the set
 * and an action that the target does not have are complaints with their places. The same
 * notification said twice is one. */
void rh_notifications_resolve(const struct rh_catalog *c, struct rh_notifications *n,
                              struct rh_complaints *complaints);

const char *rh_timing_name(enum rh_timing timing);
bool rh_timing_read(const char *word, enum rh_timing *timing); /* not RH_IN_ORDER */
const char *rh_on_failure_name(enum rh_on_failure on_failure);
bool rh_on_failure_read(const char *word, enum rh_on_failure *on_failure);

#endif
