/* SPDX-License-Identifier: Apache-2.0 */
/* record-parts - what the files that read reports share. */
#ifndef RH_COLLECT_RECORD_PARTS_H
#define RH_COLLECT_RECORD_PARTS_H

#include "base/cleanup.h"

#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_record;
struct rh_value;

/* A text as databases take it: without NUL, and not longer than `most` bytes. The arena's; NULL for what is
 * no text. */
const char *rh_record_text(struct rh_arena *a, const struct rh_value *v, size_t most);

/* A whole number of this range that may be missing; `to` stays as it is then. */
RH_CHECKED int rh_record_number(const struct rh_value *v, const char *key, int64_t least, int64_t most,
                                int64_t *to, struct rh_error *err);

/* A number of seconds; below 0 where it is missing. */
RH_CHECKED int rh_record_seconds(const struct rh_value *v, double *to, struct rh_error *err);

/* A word of lower case letters and '_', or NULL where it is missing. */
RH_CHECKED int rh_record_word(struct rh_arena *a, const struct rh_value *v, const char *key, const char **to,
                              struct rh_error *err);

/* record-event.c: what is worth a row of `resources`, `errors` and `log`. */
RH_CHECKED int rh_record_events(struct rh_arena *a, const struct rh_value *report, struct rh_record *to,
                                struct rh_error *err);

#endif
