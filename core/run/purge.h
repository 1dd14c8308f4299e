/* SPDX-License-Identifier: Apache-2.0 */
/* purge - carrying out `purge: TYPE` at its turn: listing, choosing, removing. */
#ifndef RH_RUN_PURGE_H
#define RH_RUN_PURGE_H

#include "run/event.h"

#include <stdint.h>

struct rh_arena;
struct rh_catalog;
struct rh_pool;

struct rh_purging {
    const struct rh_catalog *catalog;
    struct rh_pool *pool;
    const struct rh_resource *resource; /* of the type 'purge' */
    uint32_t *next_id;                  /* wants that nobody else has used yet; counted up */
    bool noop;
    void *data;
    void (*event)(void *data, const struct rh_event *event); /* for each resource that goes */
    void (*log)(void *data, const struct rh_log_record *record);
};

/* Lists what is there, and has the provider remove what no manifest has, by whatever name it has it,
 * and nobody wants to keep. More than may go: nothing goes. `done` gets what came of it as a whole;
 * its texts live in `a`. */
void rh_purge_run(const struct rh_purging *p, struct rh_arena *a, struct rh_outcome *done);

#endif
