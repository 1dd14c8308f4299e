/* SPDX-License-Identifier: Apache-2.0 */
/* timestamp - points in time and spans of time, with nanoseconds. */
#include "config.h"

#include "datatype/timestamp.h"

#include "base/text.h"
#include "datatype/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DAY = 86400, HOUR = 3600, BILLION = 1000000000 };

/* At least `least` and at most `most` digits. */
static bool
scan_digits(struct rh_scan *in, unsigned least, unsigned most, int64_t *n)
{
    unsigned digits = 0;

    *n = 0;
    for (; digits < most && in->s < in->end && *in->s >= '0' && *in->s <= '9'; digits++)
        *n = *n * 10 + (*in->s++ - '0');
    return digits >= least;
}

/* ".5": what is beyond nanoseconds is dropped. */
static bool
scan_fraction(struct rh_scan *in, int32_t *ns)
{
    int32_t unit = BILLION / 10;
    const char *from = in->s;

    *ns = 0;
    for (; in->s < in->end && *in->s >= '0' && *in->s <= '9'; in->s++) {
        *ns += (*in->s - '0') * unit;
        unit /= 10;
    }
    return in->s > from;
}

int
rh_instant_compare(struct rh_instant a, struct rh_instant b)
{
    if (a.s != b.s)
        return a.s < b.s ? -1 : 1;
    return (a.ns > b.ns) - (a.ns < b.ns);
}

bool
rh_instant_from_seconds(double seconds, struct rh_instant *t)
{
    int64_t whole;

    if (!(seconds > -1e15 && seconds < 1e15))
        return false;
    whole = (int64_t)seconds;
    whole -= (double)whole > seconds;
    *t = (struct rh_instant){ whole, (int32_t)((seconds - (double)whole) * BILLION) };
    return true;
}

/* Days since 1970-01-01 in the Gregorian calendar, and back: years are counted from March, so that
 * the leap day is the last of a year; 400 years have 146097 days. */
static int64_t
days_from_date(int64_t y, int64_t m, int64_t d)
{
    int64_t era, year, day;

    y -= m <= 2;
    era = (y >= 0 ? y : y - 399) / 400;
    year = y - era * 400;
    day = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + year * 365 + year / 4 - year / 100 + day - 719468;
}

static void
date_from_days(int64_t days, int64_t *y, int64_t *m, int64_t *d)
{
    int64_t era, day, year, month;

    days += 719468;
    era = (days >= 0 ? days : days - 146096) / 146097;
    day = days - era * 146097;
    year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    month = (5 * day + 2) / 153;
    *d = day - (153 * month + 2) / 5 + 1;
    *m = month < 10 ? month + 3 : month - 9;
    *y = year + era * 400 + (*m <= 2);
}

static int64_t
days_in_month(int64_t y, int64_t m)
{
    static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

    return m == 2 && leap ? 29 : days[m - 1];
}

/* "Z", "UTC", "GMT", "+01:00", "-0130" */
static bool
scan_zone(struct rh_scan *in, int64_t *seconds)
{
    size_t n = (size_t)(in->end - in->s);
    int64_t sign, h, m = 0;

    *seconds = 0;
    if ((n == 3 && (memcmp(in->s, "UTC", 3) == 0 || memcmp(in->s, "GMT", 3) == 0))
        || (n == 1 && *in->s == 'Z')) {
        in->s = in->end;
        return true;
    }
    sign = rh_scan_take(in, '-') ? -1 : 1;
    if (sign > 0 && !rh_scan_take(in, '+'))
        return false;
    if (!scan_digits(in, 2, 2, &h))
        return false;
    (void)rh_scan_take(in, ':');
    if (in->s < in->end && !scan_digits(in, 2, 2, &m))
        return false;
    *seconds = sign * (h * HOUR + m * 60);
    return h < 24 && m < 60;
}

static bool
scan_clock(struct rh_scan *in, int64_t *seconds, int32_t *ns)
{
    int64_t h, m, s;

    if (!scan_digits(in, 2, 2, &h) || !rh_scan_take(in, ':') || !scan_digits(in, 2, 2, &m)
        || !rh_scan_take(in, ':') || !scan_digits(in, 2, 2, &s) || h > 23 || m > 59 || s > 60)
        return false;
    *seconds = h * HOUR + m * 60 + s;
    return !rh_scan_take(in, '.') || scan_fraction(in, ns);
}

bool
rh_timestamp_parse(const char *s, size_t n, struct rh_instant *t)
{
    struct rh_scan in = { s, s + n };
    int64_t y, m, d, clock = 0, zone = 0;
    int32_t ns = 0;
    bool negative = rh_scan_take(&in, '-');

    if (!scan_digits(&in, 4, 9, &y) || !rh_scan_take(&in, '-') || !scan_digits(&in, 2, 2, &m)
        || !rh_scan_take(&in, '-') || !scan_digits(&in, 2, 2, &d) || m < 1 || m > 12 || d < 1)
        return false;
    if (negative)
        y = -y;
    if (d > days_in_month(y, m))
        return false;
    if (rh_scan_take(&in, 'T')) {
        if (!scan_clock(&in, &clock, &ns))
            return false;
    } else if (in.s < in.end && *in.s == ' ' && in.s + 1 < in.end && in.s[1] >= '0' && in.s[1] <= '9') {
        in.s++;
        if (!scan_clock(&in, &clock, &ns))
            return false;
    }
    if (in.s < in.end) {
        (void)rh_scan_take(&in, ' ');
        if (!scan_zone(&in, &zone) || in.s != in.end)
            return false;
    }
    *t = (struct rh_instant){ days_from_date(y, m, d) * DAY + clock - zone, ns };
    return true;
}

void
rh_timestamp_print(struct rh_buf *b, struct rh_instant t)
{
    int64_t days = t.s / DAY, clock = t.s % DAY, y, m, d;

    if (clock < 0) {
        clock += DAY;
        days--;
    }
    date_from_days(days, &y, &m, &d);
    rh_buf_addf(b,
                "%s%04" PRId64 "-%02" PRId64 "-%02" PRId64 "T%02" PRId64 ":%02" PRId64 ":%02" PRId64
                ".%09" PRId32 " UTC",
                y < 0 ? "-" : "", y < 0 ? -y : y, m, d, clock / HOUR, clock / 60 % 60, clock % 60, t.ns);
}

bool
rh_timespan_parse(const char *s, size_t n, struct rh_instant *t)
{
    struct rh_scan in = { s, s + n };
    bool negative = rh_scan_take(&in, '-');
    int64_t v[4] = { 0 };
    size_t fields = 0;
    int32_t ns = 0;
    bool days = false;

    for (;;) {
        if (!scan_digits(&in, 1, 12, &v[fields++]))
            return false;
        if (fields == 1 && rh_scan_take(&in, '-'))
            days = true;
        else if (fields == 4 || !rh_scan_take(&in, ':'))
            break;
    }
    if ((days && fields < 3) || (!days && fields > 3))
        return false;
    if (rh_scan_take(&in, '.') && ((days && fields < 4) || !scan_fraction(&in, &ns)))
        return false;
    if (in.s != in.end)
        return false;
    *t = (struct rh_instant){ 0, ns };
    if (days)
        t->s = ((v[0] * 24 + v[1]) * 60 + v[2]) * 60 + v[3];
    else
        for (size_t i = 0; i < fields; i++)
            t->s = t->s * 60 + v[i];
    if (negative) {
        t->s = -t->s - (ns > 0);
        t->ns = ns ? BILLION - ns : 0;
    }
    return true;
}

void
rh_timespan_print(struct rh_buf *b, struct rh_instant t)
{
    char fraction[16];
    int digits = 9;

    if (t.s < 0) {
        rh_buf_addc(b, '-');
        t.s = -t.s - (t.ns > 0);
        t.ns = t.ns ? BILLION - t.ns : 0;
    }
    rh_buf_addf(b, "%" PRId64 "-%02" PRId64 ":%02" PRId64 ":%02" PRId64 ".", t.s / DAY, t.s / HOUR % 24,
                t.s / 60 % 60, t.s % 60);
    (void)snprintf(fraction, sizeof fraction, "%09" PRId32, t.ns);
    while (digits > 1 && fraction[digits - 1] == '0')
        digits--;
    rh_buf_addn(b, fraction, (size_t)digits);
}
