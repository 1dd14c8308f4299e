/* SPDX-License-Identifier: Apache-2.0 */
/* lib-time - a point in time as text. There is no clock here: the time is a fact, `node.time`. */
#include "config.h"

#include "script/library.h"

#include "script/buffer.h"
#include "script/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const lua_Integer first_second = -62135596800,
                         last_second = 253402300799; /* of the years 1 and 9999 */

enum { FARTHEST = 26 * 3600 }; /* that local time is from UTC; TZ has no more */

static const char *const days[] = { "Sunday",   "Monday", "Tuesday", "Wednesday",
                                    "Thursday", "Friday", "Saturday" };
static const char *const months[] = { "January", "February", "March",     "April",   "May",      "June",
                                      "July",    "August",   "September", "October", "November", "December" };

/* What one conversion makes, in English whatever the locale; NULL: there is no such conversion. */
static const char *
convert(char what, const struct tm *tm, lua_Integer seconds, int offset, char *text, size_t n)
{
    int ahead = abs(offset), year = tm->tm_year + 1900, month = tm->tm_mon + 1;

    switch (what) {
    case '%':
        return "%";
    case 'A':
        return days[tm->tm_wday];
    case 'B':
        return months[tm->tm_mon];
    case 'a':
        (void)snprintf(text, n, "%.3s", days[tm->tm_wday]);
        break;
    case 'b':
        (void)snprintf(text, n, "%.3s", months[tm->tm_mon]);
        break;
    case 'd':
        (void)snprintf(text, n, "%02d", tm->tm_mday);
        break;
    case 'e':
        (void)snprintf(text, n, "%2d", tm->tm_mday);
        break;
    case 'F':
        (void)snprintf(text, n, "%04d-%02d-%02d", year, month, tm->tm_mday);
        break;
    case 'G':
        (void)strftime(text, n, "%G", tm);
        break;
    case 'H':
        (void)snprintf(text, n, "%02d", tm->tm_hour);
        break;
    case 'I':
        (void)snprintf(text, n, "%02d", tm->tm_hour % 12 ? tm->tm_hour % 12 : 12);
        break;
    case 'j':
        (void)snprintf(text, n, "%03d", tm->tm_yday + 1);
        break;
    case 'M':
        (void)snprintf(text, n, "%02d", tm->tm_min);
        break;
    case 'm':
        (void)snprintf(text, n, "%02d", month);
        break;
    case 'p':
        return tm->tm_hour < 12 ? "AM" : "PM";
    case 'R':
        (void)snprintf(text, n, "%02d:%02d", tm->tm_hour, tm->tm_min);
        break;
    case 'S':
        (void)snprintf(text, n, "%02d", tm->tm_sec);
        break;
    case 's':
        (void)snprintf(text, n, "%lld", (long long)seconds);
        break;
    case 'T':
        (void)snprintf(text, n, "%02d:%02d:%02d", tm->tm_hour, tm->tm_min, tm->tm_sec);
        break;
    case 'u':
        (void)snprintf(text, n, "%d", tm->tm_wday ? tm->tm_wday : 7);
        break;
    case 'V':
        (void)strftime(text, n, "%V", tm);
        break;
    case 'w':
        (void)snprintf(text, n, "%d", tm->tm_wday);
        break;
    case 'Y':
        (void)snprintf(text, n, "%04d", year);
        break;
    case 'y':
        (void)snprintf(text, n, "%02d", year % 100);
        break;
    case 'z':
        (void)snprintf(text, n, "%c%02d%02d", offset < 0 ? '-' : '+', ahead / 3600, ahead / 60 % 60);
        break;
    default:
        return NULL;
    }
    return text;
}

/* format_time(seconds, format, offset): `offset` seconds ahead of UTC. */
static int
format_time(lua_State *l)
{
    lua_Integer seconds = luaL_checkinteger(l, 1), offset = luaL_optinteger(l, 3, 0);
    size_t n;
    const char *format = luaL_optlstring(l, 2, "%Y-%m-%dT%H:%M:%S%z", &n);
    struct rh_buf *b;
    struct tm tm;
    time_t at;

    if (offset < -FARTHEST || offset > FARTHEST)
        rh_script_raise(l, "the offset of 'format_time' must be a number of seconds between %d and %d",
                        -FARTHEST, FARTHEST);
    if (seconds < first_second || seconds > last_second)
        rh_script_raise(l, "'format_time' takes seconds since 1970, of the years 1 to 9999");
    at = (time_t)(seconds + offset);
    if (!gmtime_r(&at, &tm))
        rh_script_raise(l, "'format_time' takes seconds since 1970, of the years 1 to 9999");
    b = rh_buffer_push(l);
    for (size_t i = 0; i < n; i++) {
        const char *made = NULL;
        char text[64] = "";

        if (format[i] == '%') {
            rh_script_charge(l, 20);
            made = convert(format[++i], &tm, seconds, (int)offset, text, sizeof text);
            if (!made)
                rh_script_raise(l, "'format_time' has no conversion '%%%.1s'", format + i);
            rh_buffer_add(l, b, made, strlen(made));
        } else {
            rh_buffer_add(l, b, format + i, 1);
        }
    }
    rh_buffer_result(l, b);
    return 1;
}

void
rh_lib_time_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "format_time", format_time },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
