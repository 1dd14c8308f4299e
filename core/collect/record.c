/* SPDX-License-Identifier: Apache-2.0 */
/* record - a report of a run as it is stored. */
#include "config.h"

#include "collect/record.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "collect/record-parts.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    FORMAT = 1,
    LONGEST_NAME = 255,
    LONGEST_RUN = 119,
    LONGEST_REVISION = 1000,
    LONGEST_WORD = 32,
    MOST_COUNTED = INT32_MAX,
    MOST_VALUES = 1000000,
    MOST_CONTAINERS = 200000,
};

/* What every reader of JSON takes for exact. */
#define MOST_RUNS (INT64_C(1) << 53)

static const char run_start[] = "ddddddddTdddddd.ddd-";

const char *const rh_record_count_names[RH_COUNTS] = {
    "total",        "unchanged",     "changed", "refreshed", "failed",   "skipped",
    "would_change", "would_refresh", "unknown", "ignored",   "excluded", "not_reached",
};

bool
rh_record_is_host(const char *name)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");

    return n && n <= RH_RECORD_HOST && !name[n] && name[0] != '.';
}

bool
rh_record_is_stored_host(const char *name)
{
    const char *slash = strchr(name, '/');
    char host[RH_RECORD_HOST + 1];

    if (!slash)
        return rh_record_is_host(name);
    if (slash - name > RH_RECORD_HOST)
        return false;
    (void)snprintf(host, sizeof host, "%.*s", (int)(slash - name), name);
    return rh_record_is_host(host) && rh_record_is_host(slash + 1);
}

/* Whether `longer` is `name`, perhaps with a domain behind it. */
static bool
begins_with(const char *longer, const char *name)
{
    size_t n = strlen(name);

    return n && strncasecmp(longer, name, n) == 0 && (!longer[n] || longer[n] == '.');
}

/* Whether a report that says this id and name can be of this host: the same, whatever the case, or one of the
 * names is the other with a domain behind it. */
static bool
names_host(const char *host, const char *machine_id, const char *name)
{
    return (machine_id && strcasecmp(host, machine_id) == 0) || begins_with(host, name)
           || begins_with(name, host);
}

/* A text of 1 to `most` bytes that must be there. */
static int
take_text(struct rh_arena *a, const struct rh_value *v, const char *key, size_t most, const char **to,
          struct rh_error *err)
{
    const struct rh_value *text = rh_value_get(v, key);

    if (!rh_value_is(text, RH_STRING) || !text->count || text->count > most)
        return rh_error_set(err, RH_EINPUT, "'%s' of the report must be a text of 1 to %zu bytes", key, most);
    *to = rh_record_text(a, text, most);
    return 0;
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Whether a text begins as the pattern says: 'd' is a digit. */
static bool
fits(const char *text, const char *pattern)
{
    for (; *pattern; text++, pattern++)
        if (*pattern == 'd' ? !is_digit(*text) : *text != *pattern)
            return false;
    return true;
}

static int
digits(const char *text, size_t n)
{
    int number = 0;

    for (size_t i = 0; i < n; i++)
        number = number * 10 + (text[i] - '0');
    return number;
}

static bool
is_date(int year, int month, int day)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return year >= 1 && month >= 1 && month <= 12 && day >= 1
           && day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* 2026-11-23T22:17:46Z, with or without milliseconds; they are always stored, so that texts sort as times.
 */
static const char *
time_of(struct rh_arena *a, const char *text)
{
    size_t n = strlen(text);

    if ((n != 20 || !fits(text, "dddd-dd-ddTdd:dd:ddZ"))
        && (n != 24 || !fits(text, "dddd-dd-ddTdd:dd:dd.dddZ")))
        return NULL;
    if (!is_date(digits(text, 4), digits(text + 5, 2), digits(text + 8, 2)) || digits(text + 11, 2) > 23
        || digits(text + 14, 2) > 59 || digits(text + 17, 2) > 59)
        return NULL;
    return n == 24 ? text : rh_arena_printf(a, "%.19s.000Z", text);
}

static int
take_time(struct rh_arena *a, const struct rh_value *v, const char *key, const char **to,
          struct rh_error *err)
{
    const char *text = NULL;

    if (take_text(a, v, key, LONGEST_WORD, &text, err) < 0)
        return -1;
    *to = time_of(a, text);
    if (!*to)
        return rh_error_set(err, RH_EINPUT, "'%s' of the report must be a time like 2026-11-23T22:17:46Z",
                            key);
    return 0;
}

/* The id of the run says its day. */
static int
take_run(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    const char *run = NULL;
    size_t n = sizeof run_start - 1;

    if (take_text(a, v, "run", LONGEST_RUN, &run, err) < 0)
        return -1;
    if (!fits(run, run_start) || !run[n] || run[n + strspn(run + n, "0123456789")]
        || !is_date(digits(run, 4), digits(run + 4, 2), digits(run + 6, 2)))
        return rh_error_set(err, RH_EINPUT, "'run' of the report must be the id of a run");
    to->run = run;
    to->day = rh_arena_printf(a, "%.4s-%.2s-%.2s", run, run + 4, run + 6);
    return 0;
}

static int
take_host(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    const struct rh_value *host = rh_value_get(v, "host"), *id = rh_value_get(host, "id");

    if (!rh_value_is(host, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "'%s' of the report is missing", "host");
    if (take_text(a, host, "name", LONGEST_NAME, &to->name, err) < 0)
        return -1;
    if (id && id->kind != RH_UNDEF) {
        to->machine_id = rh_record_text(a, id, LONGEST_NAME);
        if (!to->machine_id || strlen(to->machine_id) != 32
            || strspn(to->machine_id, "0123456789abcdef") != 32)
            return rh_error_set(err, RH_EINPUT, "'%s' of the report must have 32 hexadecimal digits",
                                "host.id");
    }
    if (names_host(to->host, to->machine_id, to->name))
        return 0;
    return rh_error_set(err, RH_EINPUT, "the report is of host '%s', and the directory of host '%s'",
                        to->name, to->host);
}

/* A device is no machine: it has no id. */
static int
take_device(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    const struct rh_value *device = rh_value_get(v, "device");

    if (!device || device->kind == RH_UNDEF)
        return 0;
    if (!rh_record_is_host(rh_value_str(device, "")) || strlen(rh_value_str(device, "")) != device->count)
        return rh_error_set(err, RH_EINPUT, "'%s' of the report must be the name of a device", "device");
    to->host = rh_arena_printf(a, "%s/%s", to->host, rh_value_str(device, ""));
    to->machine_id = NULL;
    return 0;
}

static int
take_counts(const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    const struct rh_value *counts = rh_value_get(v, "counts");

    if (!rh_value_is(counts, RH_HASH))
        return rh_error_set(err, RH_EINPUT, "'%s' of the report is missing", "counts");
    for (size_t i = 0; i < RH_COUNTS; i++)
        if (rh_record_number(counts, rh_record_count_names[i], 0, MOST_COUNTED, &to->counts[i], err) < 0)
            return -1;
    return 0;
}

static int
take_end(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    const struct rh_value *noop = rh_value_get(v, "noop"), *ended = rh_value_get(v, "ended");

    if (rh_record_word(a, v, "status", &to->status, err) < 0)
        return -1;
    if (!to->status)
        return rh_error_set(err, RH_EINPUT, "'%s' of the report is missing", "status");
    if (!rh_value_is(noop, RH_BOOLEAN))
        return rh_error_set(err, RH_EINPUT, "'%s' of the report is missing", "noop");
    to->noop = noop->u.integer;
    if (ended && ended->kind != RH_UNDEF && take_time(a, v, "ended", &to->ended, err) < 0)
        return -1;
    return take_time(a, v, "started", &to->started, err);
}

static int
take_report(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    int64_t format = 0;

    if (!rh_value_is(v, RH_HASH) || !rh_value_get(v, "rhost_report"))
        return rh_error_set(err, RH_EINPUT, "it is not a report of rhost");
    if (rh_record_number(v, "rhost_report", 0, INT32_MAX, &format, err) < 0)
        return -1;
    if (format != FORMAT)
        return rh_error_set(err, RH_EINPUT, "its format is %lld, and this rhost-collect reads format %d",
                            (long long)format, FORMAT);
    if (take_host(a, v, to, err) < 0 || take_run(a, v, to, err) < 0 || take_end(a, v, to, err) < 0
        || take_counts(v, to, err) < 0 || rh_record_number(v, "seq", 1, MOST_RUNS, &to->seq, err) < 0
        || rh_record_number(v, "exit", 0, 255, &to->exit, err) < 0
        || rh_record_seconds(v, &to->seconds, err) < 0
        || take_text(a, v, "rhost", LONGEST_NAME, &to->rhost, err) < 0)
        return -1;
    to->revision = rh_record_text(a, rh_value_get(v, "revision"), LONGEST_REVISION);
    if (to->revision && !*to->revision)
        to->revision = NULL;
    to->undoes = rh_record_text(a, rh_value_get(v, "undoes"), LONGEST_RUN);
    to->interrupted = rh_record_text(a, rh_value_get(v, "interrupted"), LONGEST_WORD);
    return rh_record_events(a, v, to, err);
}

/* How much memory the values take is known by their number, before any of it is taken. Text that is not JSON
 * is counted somehow, and refused afterwards. */
static int
check_size(const char *text, size_t n, struct rh_error *err)
{
    size_t values = 0, containers = 0;

    if (n > RH_RECORD_BYTES)
        return rh_error_set(err, RH_EINPUT, "a report can have %d MiB at most", RH_RECORD_BYTES >> 20);
    for (size_t i = 0; i < n; i++)
        switch (text[i]) {
        case '"':
            for (i++; i < n && text[i] != '"'; i++)
                i += text[i] == '\\';
            break;
        case '{':
        case '[':
            containers++;
            break;
        case ',':
            values++;
            break;
        default:
            break;
        }
    if (containers > MOST_CONTAINERS || values > MOST_VALUES)
        return rh_error_set(err, RH_EINPUT, "a report can have %d values at most, and %d lists and hashes",
                            MOST_VALUES, MOST_CONTAINERS);
    return 0;
}

struct rh_record *
rh_record_read(struct rh_arena *a, const char *host, const char *text, size_t n, struct rh_error *err)
{
    const struct rh_value *v, *rollback;
    struct rh_record *record, *undo;

    if (check_size(text, n, err) < 0)
        return NULL;
    v = rh_value_from_json(a, text, n, err);
    if (!v)
        return NULL;
    record = rh_arena_alloc(a, sizeof *record);
    record->host = host;
    if (take_report(a, v, record, err) < 0)
        return NULL;
    if (take_device(a, v, record, err) < 0)
        return NULL;
    rollback = rh_value_get(v, "rollback");
    if (!rh_value_is(rollback, RH_HASH))
        return record;
    undo = rh_arena_alloc(a, sizeof *undo);
    undo->host = host;
    undo->rolls_back = record->run;
    if (take_report(a, rollback, undo, err) < 0) {
        rh_discard(rh_error_prefix(err, "rollback"));
        return NULL;
    }
    undo->host = record->host;
    undo->machine_id = record->machine_id;
    record->next = undo;
    return record;
}
