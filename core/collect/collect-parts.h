/* SPDX-License-Identifier: Apache-2.0 */
/* collect-parts - what the files of the collector share. */
#ifndef RH_COLLECT_COLLECT_PARTS_H
#define RH_COLLECT_COLLECT_PARTS_H

#include "collect/collect.h"
#include "collect/folder.h"
#include "collect/revoked.h"
#include "collect/store.h"

struct rh_arena;

enum { RH_BATCH = 1000 /* reports */, RH_BATCH_BYTES = 4 << 20 };

struct rh_collector {
    const struct rh_collect *settings;
    struct rh_folder folder;
    struct rh_revoked revoked; /* hosts whose reports are not taken any more */
    struct rh_store *store;    /* NULL: not connected */
    struct rh_arena *arena;    /* of the batch */
    struct rh_item items[RH_BATCH];
    size_t n, bytes; /* reports of the batch; bytes of all files that were read since the last one */
    bool taken;      /* the database has taken a part of the batch */
    struct rh_collect_counts counts;
    double retain_at; /* when old reports are removed again */
    unsigned failures;
    double failed_at; /* when the database was said to be away; 0: it is not */
    bool later;       /* something in the folder is to be looked at again soon */
    bool warned;      /* of something in the folder, in this round */
};

/* batch.c: stores what was read, and removes it from the folder. -1 when the batch has to be kept. */
RH_CHECKED int rh_batch_store(struct rh_collector *c, enum rh_store_fault *fault, struct rh_error *err);

/* Forgets what was read. */
void rh_batch_clear(struct rh_collector *c);

/* Moves a report to the quarantine; what cannot be moved stays in the folder. */
void rh_batch_quarantine(struct rh_collector *c, const struct rh_item *item, const char *reason);

/* Connects when it is not connected, and removes what is old once an hour. */
RH_CHECKED int rh_batch_open(struct rh_collector *c, enum rh_store_fault *fault, struct rh_error *err);

/* scan.c: stores the batch; with `watch` it waits until the database is there. -1 with an error, also when
 * a signal asks to end. */
RH_CHECKED int rh_collector_flush(struct rh_collector *c, struct rh_error *err);

/* Reads the reports of one host, or of all of them. */
RH_CHECKED int rh_collector_scan_host(struct rh_collector *c, const char *host, struct rh_error *err);

/* `found` is called for each directory of a host, before it is read; or NULL. */
RH_CHECKED int rh_collector_scan(struct rh_collector *c, void (*found)(void *data, const char *host, int fd),
                                 void *data, struct rh_error *err);

/* watch.c: goes on until a signal ends it. */
RH_CHECKED int rh_collector_watch(struct rh_collector *c, struct rh_error *err);

#endif
