/* SPDX-License-Identifier: Apache-2.0 */
/* lib-measure - sizes and durations as people write them, and as numbers of bytes and seconds. */
#include "config.h"

#include "script/library.h"

#include "script/parts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 200 };

struct unit {
    const char *name;
    double is;
};

#define K 1024.0

/* As systemd reads them: K is 1024, kB is 1000. */
static const struct unit sizes[] = {
    { "", 1 },
    { "B", 1 },
    { "K", K },
    { "KiB", K },
    { "kB", 1e3 },
    { "M", K *K },
    { "MiB", K *K },
    { "MB", 1e6 },
    { "G", K *K *K },
    { "GiB", K *K *K },
    { "GB", 1e9 },
    { "T", K *K *K *K },
    { "TiB", K *K *K *K },
    { "TB", 1e12 },
    { "P", K *K *K *K *K },
    { "PiB", K *K *K *K *K },
    { "PB", 1e15 },
    { NULL, 0 },
};

/* As in systemd.time(7), but for months and years, which are not always as long. */
static const struct unit durations[] = {
    { "", 1 },        { "us", 1e-6 },     { "usec", 1e-6 },    { "ms", 1e-3 },   { "msec", 1e-3 },
    { "s", 1 },       { "sec", 1 },       { "second", 1 },     { "seconds", 1 }, { "m", 60 },
    { "min", 60 },    { "minute", 60 },   { "minutes", 60 },   { "h", 3600 },    { "hr", 3600 },
    { "hour", 3600 }, { "hours", 3600 },  { "d", 86400 },      { "day", 86400 }, { "days", 86400 },
    { "w", 604800 },  { "week", 604800 }, { "weeks", 604800 }, { NULL, 0 },
};

/* The number that `*s` starts with, without a sign; moves on. false: there is none. */
static bool
read_number(const char **s, double *number)
{
    size_t whole = strspn(*s, "0123456789"), part = 0;
    char text[64];

    if ((*s)[whole] == '.')
        part = strspn(*s + whole + 1, "0123456789");
    if (!whole || ((*s)[whole] == '.' && !part) || whole + part > sizeof text - 2)
        return false;
    (void)snprintf(text, sizeof text, "%.*s", (int)(whole + (part ? part + 1 : 0)), *s);
    *number = strtod(text, NULL);
    *s += strlen(text);
    return true;
}

static const char *
pass_blanks(const char *s)
{
    return s + strspn(s, " \t");
}

/* The unit that `*s` starts with; moves on. */
static const struct unit *
read_unit(const char **s, const struct unit *units, bool exact)
{
    size_t n = strspn(*s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");

    for (; units->name; units++)
        if (strlen(units->name) == n
            && (exact ? strncmp(*s, units->name, n) : strncasecmp(*s, units->name, n)) == 0) {
            *s += n;
            return units;
        }
    return NULL;
}

/* An integer where it is one. */
static void
push_number(lua_State *l, double d)
{
    if (d == trunc(d) && fabs(d) < 9007199254740992.0)
        lua_pushinteger(l, (lua_Integer)d);
    else
        lua_pushnumber(l, d);
}

/* parse_size("10 MiB") is 10485760. */
static int
parse_size(lua_State *l)
{
    const char *text = luaL_checkstring(l, 1), *at = pass_blanks(text);
    const struct unit *unit;
    double number;

    if (read_number(&at, &number)) {
        at = pass_blanks(at);
        unit = read_unit(&at, sizes, false);
        at = pass_blanks(at);
        if (unit && !*at && strlen(text) == lua_rawlen(l, 1) && number * unit->is < 9007199254740992.0) {
            push_number(l, floor(number * unit->is + 0.5));
            return 1;
        }
    }
    rh_script_raise(l, "'%s' is not a size: write for example \"10 MiB\", \"1.5G\" or \"500 MB\"", text);
}

/* parse_duration("1h 30min") is 5400. */
static int
parse_duration(lua_State *l)
{
    const char *text = luaL_checkstring(l, 1), *at = pass_blanks(text);
    double total = 0, number;
    bool any = false;

    if (lua_rawlen(l, 1) > LONGEST)
        rh_script_raise(l, "the text of a duration or size has more than %d characters", LONGEST);
    while (read_number(&at, &number)) {
        const struct unit *unit;

        at = pass_blanks(at);
        unit = read_unit(&at, durations, true);
        if (!unit || (!*unit->name && (any || *at)))
            break;
        total += number * unit->is;
        any = true;
        at = pass_blanks(at);
        if (*at)
            continue;
        if (strlen(text) != lua_rawlen(l, 1) || total > 1e15)
            break;
        push_number(l, total);
        return 1;
    }
    rh_script_raise(l, "'%s' is not a duration: write for example \"90\", \"1h 30min\" or \"2 days\"", text);
}

/* format_size(10485760) is "10.0 MiB". */
static int
format_size(lua_State *l)
{
    static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
    double bytes = luaL_checknumber(l, 1);
    char text[64];
    size_t i = 0;

    if (!(bytes >= 0 && bytes < 1e18))
        rh_script_raise(l, "a size must be 0 bytes or more, and less than 10^18");
    while (bytes >= 1023.95 && i + 1 < sizeof names / sizeof names[0]) {
        bytes /= K;
        i++;
    }
    (void)snprintf(text, sizeof text, i ? "%.1f %s" : "%.0f %s", bytes, names[i]);
    lua_pushstring(l, text);
    return 1;
}

/* format_duration(5400) is "1h 30min", which systemd reads too. */
static int
format_duration(lua_State *l)
{
    static const struct unit parts[] = { { "d", 86400 }, { "h", 3600 }, { "min", 60 }, { "s", 1 } };
    double seconds = luaL_checknumber(l, 1);
    int64_t left;
    char text[96];
    size_t n = 0;

    if (!(seconds >= 0 && seconds < 1e15))
        rh_script_raise(l, "a duration must be 0 seconds or more, and less than 10^15");
    left = (int64_t)seconds;
    if (!left) {
        lua_pushliteral(l, "0s");
        return 1;
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int64_t count = left / (int64_t)parts[i].is;

        left %= (int64_t)parts[i].is;
        if (count)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld%s", n ? " " : "", (long long)count,
                                  parts[i].name);
    }
    lua_pushstring(l, text);
    return 1;
}

void
rh_lib_measure_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "format_duration", format_duration },
        { "format_size", format_size },
        { "parse_duration", parse_duration },
        { "parse_size", parse_size },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
