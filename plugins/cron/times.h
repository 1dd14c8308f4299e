/* SPDX-License-Identifier: Apache-2.0 */
/* times - the five fields of a job, in one form each: numbers without leading zeros, Sunday 0. */
#ifndef CRON_TIMES_H
#define CRON_TIMES_H

#include <stddef.h>

enum { TIMES = 5 };

/* In the order in which they stand in a line: minute, hour, monthday, month, weekday. */
extern const char *const times_names[TIMES];

/* The canonical form of a field, "*", "0,30", "1-5" or "*" with a step; 0, or -1 with the reason in
 * `why`. `to` needs room for three times what comes in, and 2 more. */
int times_tidy(size_t field, const char *text, char *to, char *why, size_t size);

/* The canonical word of "@daily" and the like, without the '@': "annually" is "yearly", "midnight" is
 * "daily". NULL: there is none. */
const char *times_special(const char *word, size_t len);

#endif
