/* SPDX-License-Identifier: Apache-2.0 */
/* times - the five fields of a job, in one form each. */

#include "times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const times_names[TIMES] = { "minute", "hour", "monthday", "month", "weekday" };

static const struct {
    long from, to;
    const char *names; /* of three letters each, for `from` and what follows */
} limits[TIMES] = {
    { 0, 59, "" },
    { 0, 23, "" },
    { 1, 31, "" },
    { 1, 12, "janfebmaraprmayjunjulaugsepoctnovdec" },
    { 0, 7, "sunmontuewedthufrisat" },
};

enum { WEEKDAY = 4 };

/* A number or a name at *at; -1 with the reason. */
static long
value(size_t field, const char **at, char *why, size_t size)
{
    const char *names = limits[field].names, *start = *at;
    size_t len = strspn(start, "0123456789");
    long n = len && len < 5 ? strtol(start, NULL, 10) : -1;

    if (!len) {
        len = strcspn(start, ",-/");
        for (size_t i = 0; len == 3 && names[i]; i += 3)
            if (strncasecmp(start, names + i, 3) == 0)
                n = limits[field].from + (long)i / 3;
        if (n < 0) {
            snprintf(why, size, "'%.*s' is %s", (int)len, start,
                     *names ? "neither a number nor a name of three letters" : "not a number");
            return -1;
        }
    }
    if (n < limits[field].from || n > limits[field].to) {
        snprintf(why, size, "'%.*s' is not between %ld and %ld", (int)len, start, limits[field].from,
                 limits[field].to);
        return -1;
    }
    *at = start + len;
    return n;
}

/* "/n" at *at, or nothing, which is 1; -1 with the reason. */
static long
step_at(size_t field, const char **at, const char *start, char *why, size_t size)
{
    size_t len;
    long step;

    if (**at != '/')
        return 1;
    len = strspn(*at + 1, "0123456789");
    step = len && len < 5 ? strtol(*at + 1, NULL, 10) : 0;
    if (step < 1 || step > limits[field].to) {
        snprintf(why, size, "'%.*s' has a step that is not between 1 and %ld", (int)strcspn(start, ","),
                 start, limits[field].to);
        return -1;
    }
    *at += 1 + len;
    return step;
}

/* One of a list, from *at to a comma or the end. */
static int
tidy_one(size_t field, const char **at, char **to, char *why, size_t size)
{
    const char *start = *at;
    int len = (int)strcspn(start, ",");
    long from = -1, last = -1, step;

    if (**at == '*') {
        (*at)++;
    } else {
        from = last = value(field, at, why, size);
        if (from >= 0 && **at == '-') {
            (*at)++;
            last = value(field, at, why, size);
        } else if (from >= 0 && **at == '/') {
            snprintf(why, size, "'%.*s' has a step and no range: write '%ld-%ld%.*s'", len, start, from,
                     limits[field].to, len - (int)(*at - start), *at);
            return -1;
        }
        if (from < 0 || last < 0)
            return -1;
        if (last < from) {
            snprintf(why, size, "'%.*s' runs backwards", len, start);
            return -1;
        }
    }
    step = step_at(field, at, start, why, size);
    if (step < 0)
        return -1;
    if (**at && **at != ',') {
        snprintf(why, size, "'%.*s' is no time: expected *, 5, 1-5, 1-5/2 or */2", len, start);
        return -1;
    }
    if (from < 0)
        *to += snprintf(*to, 8, "*");
    else if (last == from)
        *to += snprintf(*to, 8, "%ld", field == WEEKDAY && from == 7 ? 0 : from);
    else
        *to += snprintf(*to, 16, "%ld-%ld", from, last);
    if (step > 1)
        *to += snprintf(*to, 8, "/%ld", step);
    return 0;
}

int
times_tidy(size_t field, const char *text, char *to, char *why, size_t size)
{
    if (!*text) {
        snprintf(why, size, "it is empty; '*' means every one");
        return -1;
    }
    for (;;) {
        if (tidy_one(field, &text, &to, why, size) < 0)
            return -1;
        if (!*text)
            return 0;
        *to++ = *text++;
    }
}

const char *
times_special(const char *word, size_t len)
{
    static const char *const words[][2] = {
        { "reboot", "reboot" }, { "yearly", "yearly" }, { "annually", "yearly" }, { "monthly", "monthly" },
        { "weekly", "weekly" }, { "daily", "daily" },   { "midnight", "daily" },  { "hourly", "hourly" },
    };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i][0]) == len && strncasecmp(words[i][0], word, len) == 0)
            return words[i][1];
    return NULL;
}
