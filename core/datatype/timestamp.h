/* SPDX-License-Identifier: Apache-2.0 */
/* timestamp - points in time and spans of time, with nanoseconds. */
#ifndef RH_DATATYPE_TIMESTAMP_H
#define RH_DATATYPE_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;

/* Seconds (since 1970 for a point) and the nanoseconds after them, 0 to 999999999. The extremes of
 * `s` stand for "no bound". */
struct rh_instant {
    int64_t s;
    int32_t ns;
};

int rh_instant_compare(struct rh_instant a, struct rh_instant b);
bool rh_instant_from_seconds(double seconds, struct rh_instant *t);

/* "2020-01-02", "2020-01-02T03:04:05.678", with a space for the T, and " UTC" or "+01:00" behind.
 */
bool rh_timestamp_parse(const char *s, size_t n, struct rh_instant *t);
void rh_timestamp_print(struct rh_buf *b, struct rh_instant t);

/* "1-02:03:04.5" (days first), "02:03:04", "03:04.5", "4"; '-' in front makes it negative. */
bool rh_timespan_parse(const char *s, size_t n, struct rh_instant *t);
void rh_timespan_print(struct rh_buf *b, struct rh_instant t);

#endif
