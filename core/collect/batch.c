/* SPDX-License-Identifier: Apache-2.0 */
/* batch - a batch of reports on its way from the folder to the database. */
#include "config.h"

#include "collect/collect-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "collect/record.h"

#include <stdlib.h>
#include <string.h>

enum { HOUR = 3600, SOON = 300 /* seconds until what failed is tried again */ };

/* What cannot be removed does not keep new reports out. A connection that was lost is found by what comes
 * next. */
static void
retain(struct rh_collector *c)
{
    rh_autoerror struct rh_error err = { 0 };
    enum rh_store_fault fault;
    size_t removed = 0;
    double now = rh_now();

    if (!c->settings->retention || now < c->retain_at)
        return;
    c->retain_at = now + HOUR;
    if (rh_store_retain(c->store, c->settings->retention, &removed, &fault, &err) < 0) {
        rh_discard(rh_error_prefix(&err, "cannot remove old reports"));
        rh_log_error(RH_WARNING, &err);
        c->retain_at = now + SOON;
    }
    if (removed)
        rh_log(RH_INFO, "removed %zu old reports or days", removed);
}

int
rh_batch_open(struct rh_collector *c, enum rh_store_fault *fault, struct rh_error *err)
{
    if (!c->store) {
        c->store = rh_store_open(c->settings->to, true, fault, err);
        if (!c->store)
            return -1;
        if (c->settings->silent_after
            && rh_store_set_silence(c->store, c->settings->silent_after, fault, err) < 0)
            return -1;
        rh_store_set_retention(c->store, c->settings->retention);
    }
    retain(c);
    return 0;
}

void
rh_batch_quarantine(struct rh_collector *c, const struct rh_item *item, const char *reason)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *safe = rh_safe_text(reason);

    int rc = rh_folder_quarantine(&c->folder, item, safe, &err);

    if (rc < 0) {
        c->counts.left++;
        if (!c->warned)
            rh_log_error(RH_WARNING, &err);
        c->warned = true;
        return;
    }
    if (!rc)
        return;
    c->counts.quarantined++;
    rh_log(RH_WARNING, "'%s/%s' is in the quarantine: %s", item->host, item->name, safe);
}

void
rh_batch_clear(struct rh_collector *c)
{
    c->n = 0;
    c->bytes = 0;
    c->taken = false;
    rh_arena_reset(c->arena);
}

/* Stores a part of the batch. Where the database does not take a report, the half that has it is divided
 * until it is alone. */
static int
store_items(struct rh_collector *c, struct rh_item *items, size_t n, enum rh_store_fault *fault,
            struct rh_error *err)
{
    const struct rh_record **records;
    size_t n_records = 0, added = 0;
    int rc;

    if (!n)
        return 0;
    records = rh_xalloc(rh_xmul(2 * n, sizeof *records));
    for (size_t i = 0; i < n; i++)
        for (const struct rh_record *r = items[i].record; r; r = r->next)
            records[n_records++] = r;
    rc = rh_store_put(c->store, records, n_records, &added, fault, err);
    free(records);
    if (rc == 0) {
        rh_autoerror struct rh_error left = { 0 };

        c->counts.stored += added;
        c->counts.known += n_records - added;
        c->taken = true;
        for (size_t i = 0; i < n; i++)
            items[i].done = true;
        rh_debug("stored %zu of %zu reports", added, n_records);
        if (rh_folder_remove(&c->folder, items, n, &left) < 0 && !c->warned) {
            rh_log_error(RH_WARNING, &left);
            c->warned = true;
        }
        return 0;
    }
    if (*fault != RH_FAULT_DATA)
        return -1;
    if (n == 1) {
        items->refused = rh_arena_strdup(c->arena, err->message);
        rh_error_clear(err);
        return 0;
    }
    rh_error_clear(err);
    rc = store_items(c, items, n / 2, fault, err);
    return rc < 0 ? rc : store_items(c, items + n / 2, n - n / 2, fault, err);
}

/* What was stored before the database went away is not stored again. */
static void
keep_the_rest(struct rh_collector *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        if (!c->items[i].done) {
            c->items[n] = c->items[i];
            c->items[n++].refused = NULL;
        }
    c->n = n;
}

/* When the database takes none of several reports, the database is the reason, and not each of them. */
static int
quarantine_refused(struct rh_collector *c, enum rh_store_fault *fault, struct rh_error *err)
{
    size_t refused = 0;

    for (size_t i = 0; i < c->n; i++)
        refused += c->items[i].refused != NULL;
    if (refused == c->n && refused > 1 && !c->taken) {
        *fault = RH_FAULT_AWAY;
        return rh_error_set(err, RH_ESYSTEM, "no report is taken, so none goes to the quarantine: %s",
                            c->items[0].refused);
    }
    for (size_t i = 0; i < c->n; i++)
        if (c->items[i].refused)
            rh_batch_quarantine(c, &c->items[i], c->items[i].refused);
    return 0;
}

int
rh_batch_store(struct rh_collector *c, enum rh_store_fault *fault, struct rh_error *err)
{
    keep_the_rest(c);
    if (rh_batch_open(c, fault, err) < 0 || store_items(c, c->items, c->n, fault, err) < 0
        || quarantine_refused(c, fault, err) < 0) {
        rh_store_close(c->store);
        c->store = NULL;
        return -1;
    }
    rh_batch_clear(c);
    return 0;
}
