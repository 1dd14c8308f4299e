/* SPDX-License-Identifier: Apache-2.0 */
/* stamp - the time of a line that is written: of a journal, or of a stream of events. */
#ifndef RH_RUN_STAMP_H
#define RH_RUN_STAMP_H

#include <stddef.h>
#include <time.h>

struct rh_buf;

/* The text of the second that was last. Starts as zeros. */
struct rh_stamp {
    time_t second;
    char text[96];
    size_t n; /* of the text */
};

/* Adds `, "time": "2026-11-21T12:36:01.042Z"`: now, in UTC. */
void rh_stamp_add(struct rh_stamp *stamp, struct rh_buf *b);

/* "2026-11-21T12:36:01Z". Whatever the clock says, the year has four digits. */
enum { RH_STAMP_SECOND = 80 };
void rh_stamp_second(const struct timespec *ts, char text[RH_STAMP_SECOND]);

/* The same, split: for other texts. */
void rh_stamp_split(const struct timespec *ts, struct tm *tm);

#endif
