/* SPDX-License-Identifier: Apache-2.0 */
/* local - what the machine's own language and time are, whatever those of its caller. */
#include "config.h"

#include "facts/builtin.h"

#include "base/arena.h"
#include "base/value.h"
#include "facts/probe.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool
is_locale_word(const char *word)
{
    return strcmp(word, "LANG") == 0 || strcmp(word, "LANGUAGE") == 0 || strncmp(word, "LC_", 3) == 0;
}

struct rh_value *
rh_fact_locale(const struct rh_probe *l)
{
    struct rh_value *locale = rh_value_new(l->arena, RH_HASH);
    char *text = rh_probe_text(l, "/etc/locale.conf"), *line;

    if (!text)
        text = rh_probe_text(l, "/etc/default/locale");
    while ((line = rh_probe_next(&text))) {
        char *value = *line == '#' ? NULL : rh_probe_value(line, '=');
        size_t n = value ? strlen(value) : 0;

        if (n >= 2 && (*value == '"' || *value == '\'') && value[n - 1] == *value) {
            value[n - 1] = '\0';
            value++;
        }
        if (value && is_locale_word(line) && rh_value_count(locale) < 50)
            rh_probe_put(l, locale, line, value);
    }
    return rh_probe_filled(locale);
}

/* The name is in the link, "../usr/share/zoneinfo/Europe/Berlin", or in Debian's file. */
static const char *
zone_name(const struct rh_probe *l, const char *target)
{
    const char *below = target ? strstr(target, "/zoneinfo/") : NULL;

    if (!rh_probe_exists(l, "/etc/localtime"))
        return "UTC"; /* whatever another file says */
    return below ? below + strlen("/zoneinfo/") : rh_probe_line(l, "/etc/timezone");
}

/* The C library knows the rules of zones, but only of the one in TZ: it is changed for a moment. */
static bool
zone_time(const struct rh_probe *l, const char *target, struct tm *tm)
{
    const char *was = getenv("TZ");
    char *before = was ? rh_arena_strdup(l->arena, was) : NULL;
    const char *file = target && *target == '/' ? target : "/etc/localtime";
    time_t now = time(NULL);
    bool known;

    if (rh_probe_exists(l, "/etc/localtime"))
        file = rh_arena_printf(l->arena, ":%s", rh_probe_path(l, "%s", file));
    else
        file = "UTC0";
    known = setenv("TZ", file, 1) == 0;
    tzset();
    known = known && localtime_r(&now, tm);
    /* A copy: the name is the C library's, and goes with the zone. */
    if (known)
        tm->tm_zone = rh_arena_strdup(l->arena, tm->tm_zone);
    if (before ? setenv("TZ", before, 1) : unsetenv("TZ"))
        known = false;
    tzset();
    return known;
}

/* The clock has no file. */
struct rh_value *
rh_fact_time(const struct rh_probe *l)
{
    time_t now = time(NULL);

    return now == (time_t)-1 ? NULL : rh_value_integer(l->arena, now);
}

struct rh_value *
rh_fact_timezone(const struct rh_probe *l)
{
    struct rh_value *zone = rh_value_new(l->arena, RH_HASH);
    const char *target = rh_probe_link(l, true, "/etc/localtime");
    struct tm tm;

    rh_probe_put(l, zone, "name", zone_name(l, target));
    if (zone_time(l, target, &tm)) {
        rh_probe_put(l, zone, "abbreviation", tm.tm_zone);
        /* West of Greenwich it is below zero. */
        rh_value_put(zone, "offset", rh_value_integer(l->arena, tm.tm_gmtoff));
    }
    return rh_probe_filled(zone);
}
