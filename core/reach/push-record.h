/* SPDX-License-Identifier: Apache-2.0 */
/* push-record - what a target keeps of a push until the controller has acknowledged its end: a file in the
 * directory received/ of the state directory. The next push reads what became of an earlier one there. */
#ifndef RH_REACH_PUSH_RECORD_H
#define RH_REACH_PUSH_RECORD_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_value;

struct rh_push_record {
    char *path;
    int fd; /* locked while the receiver lives */
};

#define RH_PUSH_RECORD_INIT ((struct rh_push_record){ .fd = -1 })

/* Writes that this push begins; `begun` is what is known of it. */
RH_CHECKED int rh_push_record_open(struct rh_push_record *r, const char *state_dir, const char *push,
                                   const struct rh_value *begun, struct rh_error *err);

/* Replaces what it has: the end of a push that could not be told. */
RH_CHECKED int rh_push_record_keep(struct rh_push_record *r, const struct rh_value *end,
                                   struct rh_error *err);

/* How many bytes of JSON it is. */
size_t rh_push_record_size(const struct rh_value *v);

/* The end was acknowledged: it goes. */
void rh_push_record_remove(struct rh_push_record *r);
void rh_push_record_close(struct rh_push_record *r);

/* Earlier ones that no controller has heard of: a list of what they have, each with its `file`; without an
 * end, its receiver was killed. Those that are still at work have `running`. */
struct rh_value *rh_push_records_earlier(struct rh_arena *a, const char *state_dir);

/* Removes those of a list, after they were told. */
void rh_push_records_forget(const char *state_dir, const struct rh_value *earlier);

#endif
