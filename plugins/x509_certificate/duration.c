/* SPDX-License-Identifier: Apache-2.0 */
/* duration - "30 days", "12 hours", "2 weeks". */

#include "duration.h"

#include <stdlib.h>

enum { AN_HOUR = 3600, HOURS_OF_A_DAY = 24, HOURS_OF_A_WEEK = 7 * 24 };

int64_t
duration_seconds(const char *text)
{
    const char *unit = strchr(text, ' ');
    int64_t n = strtoll(text, NULL, 10);

    if (unit && unit[1] == 'w')
        n *= HOURS_OF_A_WEEK;
    else if (unit && unit[1] == 'd')
        n *= HOURS_OF_A_DAY;
    return n * AN_HOUR;
}

void
duration_canonicalize(rhost_value *resource, const char *attribute)
{
    const char *text = rhost_str(resource, attribute), *unit;
    long long n;

    if (!text)
        return;
    n = duration_seconds(text) / AN_HOUR;
    unit = "hour";
    if (n % HOURS_OF_A_DAY == 0) {
        n /= HOURS_OF_A_DAY;
        unit = "day";
    }
    rhost_put_fmt(resource, attribute, "%lld %s%s", n, unit, n == 1 ? "" : "s");
}
