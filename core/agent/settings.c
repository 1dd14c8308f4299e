/* SPDX-License-Identifier: Apache-2.0 */
/* settings - agent.yaml. */
#include "config.h"

#include "agent/settings.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/io.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/trust.h"
#include "base/value.h"
#include "manifest/text/scalar.h"
#include "manifest/text/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LARGEST = 1 << 20, DAY_MINUTES = 24 * 60, MOST_NUMBER = 1000000000 };

/* One key: which setting it is, and how its value is read. */
struct key {
    const char *name;
    enum { URL, TEXT, PATH, DURATION, NUMBER, SIZE, FLAG, TEXTS, WINDOWS } kind;
    size_t at;
    int64_t least;
};

#define AT(member) offsetof(struct rh_agent_settings, member)

static const struct key keys[] = {
    { "source", URL, AT(source), 0 },
    { "reports", URL, AT(reports), 0 },
    { "hints", URL, AT(hints), 0 },
    { "hint_spread", DURATION, AT(hint_spread), 1 },
    { "devices", PATH, AT(devices), 0 },
    { "interval", DURATION, AT(interval), 10 },
    { "timeout", DURATION, AT(timeout), 1 },
    { "signers", PATH, AT(signers), 0 },
    { "ca", PATH, AT(ca), 0 },
    { "certificate", PATH, AT(certificate), 0 },
    { "key", PATH, AT(key), 0 },
    { "fetch_user", TEXT, AT(fetch_user), 0 },
    { "allow_http", FLAG, AT(allow_http), 0 },
    { "roles", TEXTS, AT(roles), 0 },
    { "environment", TEXT, AT(environment), 0 },
    { "blackout", WINDOWS, AT(blackouts), 0 },
    { "min_revision", NUMBER, AT(min_revision), 1 },
    { "failures", NUMBER, AT(failures), 1 },
    { "spool_reports", NUMBER, AT(spool_reports), 10 },
    { "spool_size", SIZE, AT(spool_bytes), 1 << 20 },
};

void
rh_agent_settings_init(struct rh_agent_settings *s)
{
    *s = (struct rh_agent_settings){ .signers = "/etc/rhost/allowed_signers",
                                     .fetch_user = "rhost-fetch",
                                     .interval = 30 * 60,
                                     .hint_spread = 30,
                                     .timeout = 10 * 60,
                                     .failures = 3,
                                     .spool_reports = 1000,
                                     .spool_bytes = 64 << 20 };
}

/* A number with one of these letters behind it, or nothing. */
static bool
read_with_unit(const char *text, const char *units, const int64_t *values, int64_t *to)
{
    size_t n = strspn(text, "0123456789");
    const char *unit = text[n] ? strchr(units, text[n]) : units;
    int64_t factor = unit ? values[unit - units] : 0;
    long long number;

    if (!n || n > 12 || !unit || (text[n] && text[n + 1]))
        return false;
    number = strtoll(text, NULL, 10);
    if (number < 1 || number > INT64_MAX / factor)
        return false;
    *to = number * factor;
    return true;
}

bool
rh_agent_duration(const char *text, int64_t *seconds)
{
    static const int64_t values[] = { 1, 60, 3600, 86400 };

    return read_with_unit(text, "smhd", values, seconds) && *seconds <= MOST_NUMBER;
}

static bool
has_scheme(const char *url, enum rh_agent_url use)
{
    bool http = strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0,
         broker = strncmp(url, "tls://", 6) == 0 || strncmp(url, "nats://", 7) == 0;

    return use == RH_URL_SOURCE    ? http || strncmp(url, "file:///", 8) == 0
           : use == RH_URL_REPORTS ? http || broker
                                   : broker;
}

const char *
rh_agent_url_refusal(const char *url, enum rh_agent_url use)
{
    static const char *const reasons[] = {
        "it must begin with https://, http:// or file:///",
        "it must begin with https://, http://, tls:// or nats://",
        "it must begin with tls:// or nats://",
    };
    const char *host = strstr(url, "://");

    for (const unsigned char *p = (const unsigned char *)url; *p; p++)
        if (*p <= ' ' || *p >= 127)
            return "it has a blank, or a character that must be escaped";
    if (!has_scheme(url, use))
        return reasons[use];
    /* Whoever reads settings and reports would know it. */
    if (memchr(host + 3, '@', strcspn(host + 3, "/?#")))
        return "it has a user or a password: use a client certificate";
    return strpbrk(url, "?#") ? "it has a query or a fragment" : NULL;
}

const char *
rh_agent_url(struct rh_arena *a, const char *url)
{
    size_t n = strlen(url);

    while (n && url[n - 1] == '/')
        n--;
    return rh_arena_strndup(a, url, n);
}

static const char *
read_url(struct rh_arena *a, const struct key *k, const struct rh_value *v, struct rh_complaints *complaints)
{
    const char *url = rh_value_str(v, "");
    const char *why = rh_agent_url_refusal(url, k->at == AT(source)  ? RH_URL_SOURCE
                                                : k->at == AT(hints) ? RH_URL_HINTS
                                                                     : RH_URL_REPORTS);

    if (why) {
        rh_complain(complaints, rh_value_place(v), NULL, "'%s' must be a URL: %s", k->name, why);
        return NULL;
    }
    return rh_agent_url(a, url);
}

static const char *const *
read_texts(struct rh_arena *a, const struct key *k, const struct rh_value *v, size_t *n,
           struct rh_complaints *complaints)
{
    const char **texts = rh_arena_alloc(a, (rh_value_count(v) + 1) * sizeof *texts);

    *n = 0;
    for (size_t i = 0; rh_value_is(v, RH_ARRAY) && i < rh_value_count(v); i++) {
        texts[*n] = rh_value_str(rh_value_at(v, i), "");
        if (*texts[*n])
            ++*n;
    }
    if (!rh_value_is(v, RH_ARRAY) || *n < rh_value_count(v))
        rh_complain(complaints, rh_value_place(v), NULL, "'%s' must be a list of texts", k->name);
    return texts;
}

/* "Mon-Fri", "Sat,Sun"; 0: it is none. */
static unsigned
read_days(const char *text, size_t n)
{
    static const char *const names[] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
    unsigned days = 0;

    for (size_t at = 0; at < n; at += 4) {
        int from = -1, to = -1;

        for (int i = 0; i < 7; i++) {
            if (n - at >= 3 && strncasecmp(text + at, names[i], 3) == 0)
                from = to = i;
            if (n - at >= 7 && text[at + 3] == '-' && strncasecmp(text + at + 4, names[i], 3) == 0)
                to = i;
        }
        if (from >= 0 && n - at >= 7 && text[at + 3] == '-') {
            if (strncasecmp(text + at + 4, names[to], 3) != 0)
                return 0;
            at += 4;
        }
        if (from < 0 || (at + 3 < n && text[at + 3] != ','))
            return 0;
        for (int day = from;; day = (day + 1) % 7) {
            days |= 1U << day;
            if (day == to)
                break;
        }
    }
    return days;
}

/* "HH:MM"; -1: it is none. */
static int
read_minute(const char *text)
{
    int hour, minute;

    for (int i = 0; i < 5; i++)
        if (i == 2 ? text[i] != ':' : text[i] < '0' || text[i] > '9')
            return -1;
    hour = (text[0] - '0') * 10 + text[1] - '0';
    minute = (text[3] - '0') * 10 + text[4] - '0';
    return hour > 24 || minute > 59 || hour * 60 + minute > DAY_MINUTES ? -1 : hour * 60 + minute;
}

/* "[DAYS ]HH:MM-HH:MM" */
static bool
read_window(const char *text, struct rh_blackout *to)
{
    size_t n = strcspn(text, " ");

    to->days = 0x7f;
    if (text[n]) {
        to->days = read_days(text, n);
        text += n + strspn(text + n, " ");
    }
    if (!to->days || strlen(text) != 11 || text[5] != '-')
        return false;
    to->from = read_minute(text);
    to->to = read_minute(text + 6);
    return to->from >= 0 && to->to >= 0 && to->from != to->to;
}

static const struct rh_blackout *
read_windows(struct rh_arena *a, const struct key *k, const struct rh_value *v, size_t *n,
             struct rh_complaints *complaints)
{
    const char *const *texts = read_texts(a, k, v, n, complaints);
    struct rh_blackout *windows = rh_arena_alloc(a, (*n + 1) * sizeof *windows);

    for (size_t i = 0; i < *n; i++)
        if (!read_window(texts[i], &windows[i]))
            rh_complain(complaints, rh_value_place(rh_value_at(v, i)), "for example 'Mon-Fri 08:00-18:00'",
                        "'%s' is not a window of time", texts[i]);
    return windows;
}

static void
read_number(const struct key *k, const struct rh_value *v, int64_t *to, struct rh_complaints *complaints)
{
    static const int64_t sizes[] = { 1, 1 << 10, 1 << 20, 1 << 30 };
    bool good = false;

    if (k->kind == NUMBER)
        good = rh_value_is(v, RH_INTEGER) && v->u.integer <= MOST_NUMBER && (*to = v->u.integer) >= k->least;
    else if (k->kind == SIZE && rh_value_is(v, RH_INTEGER))
        good = (*to = v->u.integer) >= k->least;
    else if (k->kind == SIZE)
        good = read_with_unit(rh_value_str(v, ""), "BKMG", sizes, to) && *to >= k->least;
    else
        good = rh_agent_duration(rh_value_str(v, ""), to) && *to >= k->least;
    if (!good)
        rh_complain(complaints, rh_value_place(v),
                    k->kind == NUMBER ? NULL
                    : k->kind == SIZE ? "for example 64M"
                                      : "for example 90s, 30m, 12h",
                    "'%s' must be a %s of %lld%s or more", k->name,
                    k->kind == NUMBER ? "whole number"
                    : k->kind == SIZE ? "size"
                                      : "time",
                    (long long)k->least, k->kind == DURATION ? "s" : "");
}

static void
read_key(struct rh_agent_settings *s, struct rh_arena *a, const struct key *k, const struct rh_value *v,
         struct rh_complaints *complaints)
{
    void *at = (char *)s + k->at;
    const char *text = rh_value_str(v, "");

    switch (k->kind) {
    case URL:
        *(const char **)at = read_url(a, k, v, complaints);
        break;
    case TEXT:
    case PATH:
        if (!*text || (k->kind == PATH && *text != '/'))
            rh_complain(complaints, rh_value_place(v), NULL,
                        k->kind == PATH ? "'%s' must be an absolute path" : "'%s' must be a text", k->name);
        *(const char **)at = text;
        break;
    case FLAG:
        if (!rh_value_is(v, RH_BOOLEAN))
            rh_complain(complaints, rh_value_place(v), NULL, "'%s' must be true or false", k->name);
        else
            *(bool *)at = v->u.integer;
        break;
    case TEXTS:
        s->roles = read_texts(a, k, v, &s->n_roles, complaints);
        break;
    case WINDOWS:
        s->blackouts = read_windows(a, k, v, &s->n_blackouts, complaints);
        break;
    default:
        read_number(k, v, at, complaints);
        break;
    }
}

static void
read_entry(struct rh_agent_settings *s, struct rh_arena *a, const struct rh_value *top, size_t i,
           struct rh_complaints *complaints)
{
    const struct rh_entry *e = rh_value_entry(top, i);
    rh_autofree char *hint = NULL;
    struct rh_suggest suggest;

    rh_suggest_init(&suggest, e->key);
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        if (strcmp(keys[k].name, e->key) == 0) {
            read_key(s, a, &keys[k], e->value, complaints);
            return;
        }
        rh_suggest_try(&suggest, keys[k].name);
    }
    hint = rh_did_you_mean(suggest.best, NULL);
    rh_complain(complaints, rh_value_key_place(top, i), hint, "unknown key '%s' in the settings of the agent",
                e->key);
}

int
rh_agent_settings_read(struct rh_agent_settings *s, struct rh_arena *a, const char *path,
                       struct rh_complaints *complaints)
{
    size_t before = rh_complaints_count(complaints), n = 0;
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *text = NULL;
    const struct rh_place nowhere = { 0 };
    struct rh_value *v;
    unsigned file;

    if (geteuid() == 0 && rh_trust_path(path, RH_TRUST_CALLER | RH_TRUST_MISSING, &err) < 0) {
        rh_discard(rh_error_prefix(&err, "the settings in '%s' cannot be trusted", path));
        rh_complain_error(complaints, nowhere, NULL, &err);
        return -1;
    }
    text = rh_read_file(path, LARGEST, &n, &err);
    if (!text) {
        rh_complain_error(complaints, nowhere, NULL, &err);
        return -1;
    }
    file = rh_sources_add(complaints->sources, path, text, n);
    if (rh_yaml_check_text(text, n, file, complaints) < 0
        || !(v = rh_yaml_read(a, text, n, file, complaints)))
        return -1;
    (void)rh_scalar_read(a, NULL, v);
    if (!rh_value_is(v, RH_HASH) && !rh_value_is(v, RH_UNDEF))
        rh_complain(complaints, rh_value_place(v), NULL, "the settings of the agent must be a hash");
    for (size_t i = 0; rh_value_is(v, RH_HASH) && i < v->count; i++)
        read_entry(s, a, v, i, complaints);
    if (!s->key != !s->certificate)
        rh_complain(complaints, nowhere, NULL, "'certificate' and 'key' belong together");
    return rh_complaints_count(complaints) > before ? -1 : 0;
}

bool
rh_agent_is_blackout(const struct rh_agent_settings *s, time_t now)
{
    struct tm tm;
    int minute;

    if (!localtime_r(&now, &tm))
        return false;
    minute = tm.tm_hour * 60 + tm.tm_min;
    for (size_t i = 0; i < s->n_blackouts; i++) {
        const struct rh_blackout *b = &s->blackouts[i];
        bool today = b->days >> tm.tm_wday & 1, yesterday = b->days >> (tm.tm_wday + 6) % 7 & 1;

        if (b->from < b->to ? today && minute >= b->from && minute < b->to
                            : (today && minute >= b->from) || (yesterday && minute < b->to))
            return true;
    }
    return false;
}
