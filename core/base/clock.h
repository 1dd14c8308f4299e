/* SPDX-License-Identifier: Apache-2.0 */
/* clock - the time, in seconds. */
#ifndef RH_BASE_CLOCK_H
#define RH_BASE_CLOCK_H

#include <time.h>

/* It only goes forward. */
static inline double
rh_now(void)
{
    struct timespec ts;

    if (clock_gettime(CLOCK_MONOTONIC, &ts) < 0)
        return 0;
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* The same clock as it was a few milliseconds ago at most. Reading it takes a fifth of the time. */
static inline double
rh_now_coarse(void)
{
    struct timespec ts;

    if (clock_gettime(CLOCK_MONOTONIC_COARSE, &ts) < 0)
        return 0;
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Since the epoch, as the clock of the machine says. */
static inline double
rh_real_time(void)
{
    struct timespec ts;

    if (clock_gettime(CLOCK_REALTIME, &ts) < 0)
        return 0;
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

#endif
