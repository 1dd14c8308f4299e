/* SPDX-License-Identifier: Apache-2.0 */
/* stamp - the time of a line that is written. */
#include "config.h"

#include "run/stamp.h"

#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

void
rh_stamp_split(const struct timespec *ts, struct tm *tm)
{
    static const long long least = -62167219200, most = 253402300799; /* years 0 and 9999 */
    long long t = (long long)ts->tv_sec;
    time_t within = (time_t)(t < least ? least : t > most ? most : t);

    if (!gmtime_r(&within, tm))
        *tm = (struct tm){ .tm_year = 70, .tm_mday = 1 };
}

void
rh_stamp_second(const struct timespec *ts, char text[RH_STAMP_SECOND])
{
    struct tm tm;

    rh_stamp_split(ts, &tm);
    (void)snprintf(text, RH_STAMP_SECOND, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                   tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

void
rh_stamp_add(struct rh_stamp *stamp, struct rh_buf *b)
{
    struct timespec ts = { 0 };

    unsigned ms;
    char *to;

    (void)clock_gettime(CLOCK_REALTIME, &ts);
    if (!stamp->n || ts.tv_sec != stamp->second) { /* the lines of one second share it */
        struct tm tm;

        rh_stamp_split(&ts, &tm);
        (void)snprintf(stamp->text, sizeof stamp->text, ", \"time\": \"%04d-%02d-%02dT%02d:%02d:%02d.",
                       tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
        stamp->second = ts.tv_sec;
        stamp->n = strlen(stamp->text);
    }
    ms = (unsigned)(ts.tv_nsec / 1000000);
    to = rh_buf_extend(b, stamp->n + 5);
    memcpy(to, stamp->text, stamp->n);
    to += stamp->n;
    to[0] = (char)('0' + ms / 100);
    to[1] = (char)('0' + ms / 10 % 10);
    to[2] = (char)('0' + ms % 10);
    to[3] = 'Z';
    to[4] = '"';
}
