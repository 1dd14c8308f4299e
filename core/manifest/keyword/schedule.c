/* SPDX-License-Identifier: Apache-2.0 */
/* schedule - the word `schedule` on a resource, and the section `schedules` that gives them names. */
#include "config.h"

#include "manifest/keyword/schedule.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "manifest/keyword/keyword.h"
#include "manifest/keyword/meta.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <string.h>
#include <strings.h>

enum { MOST_REPEATS = 3600 };

/* A schedule with a name: given, or so far only used. */
struct named {
    struct rh_schedule schedule;
    struct rh_place place; /* where it is given, or used first */
    bool defined;
};

static int
refuse(struct rh_load *load, const struct rh_value *v, const char *hint, const char *text)
{
    rh_complain(load->complaints, rh_value_place(v), hint, "%s", text);
    return -1;
}

static int
read_period(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    int period = rh_period_find(rh_value_str(v, ""));

    if (period < 0)
        return refuse(load, v, NULL, "'period' must be hourly, daily, weekly, monthly or never");
    s->period = (enum rh_period)period;
    return 0;
}

static int
read_periodmatch(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    const char *word = rh_value_str(v, "");

    s->by_number = strcmp(word, "number") == 0;
    if (!s->by_number && strcmp(word, "distance") != 0)
        return refuse(load, v, NULL, "'periodmatch' must be distance or number");
    return 0;
}

static int
read_repeat(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (!rh_value_is(v, RH_INTEGER) || v->u.integer < 1 || v->u.integer > MOST_REPEATS)
        return refuse(load, v, NULL, "'repeat' must be an integer between 1 and 3600");
    s->repeat = (uint32_t)v->u.integer;
    return 0;
}

static int
read_name(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    if (!rh_value_is(v, RH_STRING) || !v->count)
        return refuse(load, v, NULL, "the name of a schedule must be text");
    s->name = v->u.string;
    return 0;
}

/* "2", "02:30" or "02:30:15", as seconds; -1 when it is none. */
static int32_t
read_time(const char **at)
{
    static const int most[] = { 24, 59, 59 };
    int32_t part[3] = { 0 };

    for (size_t i = 0; i < 3; i++) {
        size_t n = strspn(*at, "0123456789");

        if (n < 1 || n > 2)
            return -1;
        for (size_t k = 0; k < n; k++)
            part[i] = part[i] * 10 + (*at)[k] - '0';
        *at += n;
        if (part[i] > most[i])
            return -1;
        if (**at != ':')
            break;
        ++*at;
    }
    if (part[0] == 24)
        return part[1] || part[2] ? -1 : 24 * 3600 - 1;
    return part[0] * 3600 + part[1] * 60 + part[2];
}

static int
one_range(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    const char *at = rh_value_str(v, "");
    struct rh_time_range range = { .from = -1, .to = -1 };

    range.from = read_time(&at);
    at += strspn(at, " ");
    if (range.from >= 0 && *at == '-') {
        at++;
        at += strspn(at, " ");
        range.to = read_time(&at);
    }
    if (range.to < 0 || *at)
        return refuse(load, v, "for example: range: 02:00 - 05:30", "invalid range of the day");
    s->ranges[s->n_ranges++] = range;
    return 0;
}

static int
one_weekday(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    static const char *const days[] = { "sunday",   "monday", "tuesday", "wednesday",
                                        "thursday", "friday", "saturday" };
    const char *word = rh_value_str(v, "");
    size_t n = strlen(word);

    if (n == 1 && *word >= '0' && *word <= '6') {
        s->weekdays |= (uint8_t)(1U << (*word - '0'));
        return 0;
    }
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    if (rh_value_is(v, RH_INTEGER) && v->u.integer >= 0 && v->u.integer <= 6) {
        s->weekdays |= (uint8_t)(1U << v->u.integer);
        return 0;
    }
    for (size_t i = 0; i < 7; i++)
        if (n >= 3 && strncasecmp(days[i], word, n) == 0) {
            s->weekdays |= (uint8_t)(1U << i);
            return 0;
        }
    return refuse(load, v, "write the name of the day, or 0 (Sunday) to 6", "invalid day of the week");
}

static int
each(struct rh_load *load, struct rh_schedule *s, struct rh_value *v,
     int (*one)(struct rh_load *, struct rh_schedule *, struct rh_value *))
{
    int rc = 0;

    if (v->kind != RH_ARRAY)
        return one(load, s, v);
    if (!v->count)
        return refuse(load, v, "remove the key to allow every time", "this list is empty");
    for (uint32_t i = 0; i < v->count; i++)
        rc |= one(load, s, rh_draft_part(v, i));
    return rc;
}

static int
read_range(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    size_t n = v->kind == RH_ARRAY ? v->count : 1;

    s->ranges = rh_arena_alloc(load->catalog->arena, n * sizeof *s->ranges);
    return each(load, s, v, one_range);
}

static int
read_weekday(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    return each(load, s, v, one_weekday);
}

static const struct {
    const char *word;
    int (*read)(struct rh_load *load, struct rh_schedule *s, struct rh_value *v);
} words[] = {
    { "period", read_period },   { "range", read_range }, { "repeat", read_repeat },
    { "weekday", read_weekday }, { "name", read_name },   { "periodmatch", read_periodmatch },
};

static int
read_hash(struct rh_load *load, struct rh_schedule *s, struct rh_value *v)
{
    int rc = 0;

    s->repeat = 1;
    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];
        size_t k = 0, n = sizeof words / sizeof words[0];
        struct rh_suggest near;
        rh_autofree char *hint = NULL;

        rh_suggest_init(&near, e->key);
        while (k < n && strcmp(words[k].word, e->key) != 0)
            rh_suggest_try(&near, words[k++].word);
        if (k < n) {
            rc |= words[k].read(load, s, rh_draft_part(v, i));
            continue;
        }
        hint = rh_did_you_mean(near.best, NULL);
        rh_complain(load->complaints, rh_value_key_place(v, i), hint, "unknown key '%s' in a schedule",
                    e->key);
        rc = -1;
    }
    if (rc == 0 && s->repeat > 1 && (s->period == RH_EACH_RUN || s->period == RH_NEVER))
        return refuse(load, v, "add the period, for example 'period: daily'", "'repeat' needs 'period'");
    return rc;
}

static struct named *
find(struct rh_load *load, const char *name, struct rh_place place)
{
    struct rh_arena *a = load->catalog->arena;
    struct named *found = rh_map_get(&load->schedules, name);

    if (found)
        return found;
    found = rh_arena_alloc(a, sizeof *found);
    found->schedule.name = rh_arena_strdup(a, name);
    found->schedule.repeat = 1;
    found->place = place;
    rh_map_put(&load->schedules, found->schedule.name, found);
    return found;
}

int
rh_read_schedule(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    struct rh_schedule *s;

    if (rh_value_is(v, RH_STRING) && v->count && !rh_scalar_is_null(v)) {
        rh_keyword_values_meta(load, keywords)->schedule =
            &find(load, v->u.string, rh_value_place(v))->schedule;
        return 0;
    }
    if (!rh_value_is(v, RH_HASH))
        return refuse(load, v, "for example: schedule: {range: 02:00 - 05:30, weekday: Sunday}",
                      "'schedule' must be the name of a schedule or a hash");
    s = rh_arena_alloc(load->catalog->arena, sizeof *s);
    if (read_hash(load, s, v) < 0)
        return -1;
    rh_keyword_values_meta(load, keywords)->schedule = s;
    return 0;
}

static void
read_one(struct rh_load *load, struct rh_value *v, uint32_t i)
{
    const struct rh_entry *e = &v->u.entries[i];
    struct rh_place place = rh_value_key_place(v, i);
    struct named *named = find(load, e->key, place);
    const char *name = named->schedule.name;

    if (named->defined) {
        rh_complain(load->complaints, place, NULL, "duplicate schedule '%s'", name);
        rh_complain_also(load->complaints, named->place, "first defined here");
        return;
    }
    named->defined = true;
    named->place = place;
    if (!rh_value_is(e->value, RH_HASH)) {
        (void)refuse(load, e->value, "for example: maintenance: {range: 02:00 - 05:30}",
                     "a schedule must be a hash");
        return;
    }
    (void)read_hash(load, &named->schedule, rh_draft_part(v, i));
    named->schedule.name = name;
}

void
rh_schedules_read(struct rh_load *load, struct rh_value *v)
{
    if (rh_scalar_is_null(v) || v->kind == RH_UNKNOWN)
        return;
    if (v->kind != RH_HASH) {
        (void)refuse(load, v, "for example: schedules: {maintenance: {range: 02:00 - 05:30}}",
                     "'schedules' must be a hash of names and schedules");
        return;
    }
    for (uint32_t i = 0; i < v->count; i++)
        read_one(load, v, i);
}

void
rh_schedules_resolve(struct rh_load *load)
{
    bool unread = rh_map_get(&load->catalog->excused, "") != NULL; /* with a file that can't be read */

    for (size_t i = 0; i < rh_map_slots(&load->schedules); i++) {
        struct named *named = rh_map_slot(&load->schedules, i);
        int period = named ? rh_period_find(named->schedule.name) : -1;
        struct rh_suggest near;
        rh_autofree char *hint = NULL;

        if (!named || named->defined)
            continue;
        if (period >= 0) {
            named->schedule.period = (enum rh_period)period;
            continue;
        }
        if (unread)
            continue;
        rh_suggest_init(&near, named->schedule.name);
        for (size_t k = 0; k < rh_map_slots(&load->schedules); k++) {
            const struct named *other = rh_map_slot(&load->schedules, k);

            if (other && other->defined)
                rh_suggest_try(&near, other->schedule.name);
        }
        for (int p = RH_HOURLY; p <= RH_NEVER; p++)
            rh_suggest_try(&near, rh_period_name((enum rh_period)p));
        hint = rh_did_you_mean(near.best,
                               "define schedules under 'schedules:', at the top level of the manifest");
        rh_complain(load->complaints, named->place, hint, "unknown schedule '%s'", named->schedule.name);
    }
}
