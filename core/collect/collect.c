/* SPDX-License-Identifier: Apache-2.0 */
/* collect - takes reports from a folder to a database. */
#include "config.h"

#include "collect/collect.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "collect/collect-parts.h"

#include <stdlib.h>
#include <string.h>

int
rh_collect_run(const struct rh_collect *settings, struct rh_collect_counts *counts, struct rh_error *err)
{
    struct rh_collector *c;
    enum rh_store_fault fault = RH_FAULT_AWAY;
    int rc;

    if (strncmp(settings->from, "dir:", 4) != 0 || !settings->from[4])
        return rh_error_set(err, RH_EINPUT, "reports are taken from dir:DIRECTORY");
    c = rh_xalloc(sizeof *c);
    c->settings = settings;
    c->arena = rh_arena_new(NULL);
    rh_interrupt_open(NULL, NULL);
    rc = rh_folder_open(&c->folder, settings->from + 4, settings->quarantine, err);
    if (rc == 0 && settings->watch)
        rc = rh_collector_watch(c, err);
    else if (rc == 0 && (rc = rh_batch_open(c, &fault, err)) == 0)
        rc = rh_collector_scan(c, NULL, NULL, err);
    *counts = c->counts;
    rh_store_close(c->store);
    rh_folder_close(&c->folder);
    rh_revoked_clear(&c->revoked);
    rh_arena_free(c->arena);
    free(c);
    return rc;
}
