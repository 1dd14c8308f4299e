/* SPDX-License-Identifier: Apache-2.0 */
/* record-event - what happened in a run: a row for each resource of which there is something to say, for
 * each reason why a run was refused, and for each line of its log. */
#include "config.h"

#include "collect/record.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "collect/record-parts.h"

#include <string.h>

enum { LONGEST_TYPE = 255, LONGEST_CODE = 16 };

/* The arena's: events are counted before. */
static struct rh_record_event *
add(struct rh_record *to, const char *kind)
{
    struct rh_record_event *e = &to->events[to->n_events++];

    e->kind = kind;
    e->seconds = -1;
    return e;
}

/* No database takes a NUL, and JSON has an escape for it. */
static void
replace_nul(char *json)
{
    static const char nul[] = "\\u0000";

    while ((json = strchr(json, '\\'))) {
        if (strncmp(json, nul, sizeof nul - 1) == 0)
            memcpy(json, "\\ufffd", sizeof nul - 1);
        json += 2;
    }
}

/* A list of changes as JSON. Where it is too long, the names of the attributes alone. */
static const char *
changes_of(struct rh_arena *a, const struct rh_value *changes)
{
    rh_autobuf struct rh_buf b = { 0 };

    if (!rh_value_is(changes, RH_ARRAY) || !rh_value_count(changes))
        return NULL;
    rh_value_to_json(&b, changes, false);
    if (b.n > RH_RECORD_TEXT) {
        struct rh_value *names = rh_value_new(a, RH_ARRAY);

        for (size_t i = 0, room = RH_RECORD_TEXT; i < rh_value_count(changes); i++) {
            const struct rh_value *name = rh_value_get(rh_value_at(changes, i), "attribute");
            struct rh_value *change = rh_value_new(a, RH_HASH);

            if (!rh_value_is(name, RH_STRING) || name->count > LONGEST_TYPE || room < 2 * LONGEST_TYPE)
                continue;
            room -= name->count + 64; /* with its key */
            rh_value_put(change, "attribute", name);
            rh_value_put(change, "cut", rh_value_boolean(a, true));
            rh_value_append(names, change);
        }
        rh_buf_truncate(&b, 0);
        rh_value_to_json(&b, names, false);
    }
    replace_nul(b.s);
    return rh_arena_strndup(a, b.s, b.n);
}

static int
take_location(struct rh_arena *a, const struct rh_value *v, struct rh_record_event *e, struct rh_error *err)
{
    const struct rh_value *location = rh_value_get(v, "location");

    if (!rh_value_is(location, RH_HASH))
        return 0;
    e->file = rh_record_text(a, rh_value_get(location, "file"), RH_RECORD_TEXT);
    return rh_record_number(location, "line", 0, INT32_MAX, &e->line, err);
}

/* What is in sync, or excluded, is in the counts. */
static bool
is_worth(const struct rh_value *v)
{
    const char *status = rh_value_get_str(v, "status", "");

    return (strcmp(status, "unchanged") != 0 && strcmp(status, "excluded") != 0)
           || rh_value_count(rh_value_get(v, "log")) || rh_value_count(rh_value_get(v, "audit"));
}

/* What was said, when the reason says nothing. */
static const struct rh_value *
last_line(const struct rh_value *v)
{
    const struct rh_value *log = rh_value_get(v, "log");
    size_t n = rh_value_is(log, RH_ARRAY) ? rh_value_count(log) : 0;

    return n ? rh_value_get(rh_value_at(log, n - 1), "message") : NULL;
}

static int
take_resource(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    struct rh_record_event *e = add(to, rh_value_get(v, "notified_by") ? "notification" : "resource");
    const struct rh_value *reason = rh_value_get(v, "reason");

    e->type = rh_record_text(a, rh_value_get(v, "type"), LONGEST_TYPE);
    e->title = rh_record_text(a, rh_value_get(v, "title"), RH_RECORD_TEXT);
    if (!e->type || !e->title)
        return rh_error_set(err, RH_EINPUT, "a resource of the report lacks '%s'",
                            e->type ? "title" : "type");
    e->provider = rh_record_text(a, rh_value_get(v, "provider"), LONGEST_TYPE);
    e->action = rh_record_text(a, rh_value_get(v, "action"), LONGEST_TYPE);
    e->code = rh_record_text(a, rh_value_get(v, "code"), LONGEST_CODE);
    e->message = rh_record_text(a, rh_value_is(reason, RH_STRING) ? reason : last_line(v), RH_RECORD_TEXT);
    e->changes = changes_of(a, rh_value_get(v, "changes"));
    if (!e->changes)
        e->changes = changes_of(a, rh_value_get(v, "audit"));
    if (rh_record_word(a, v, "status", &e->status, err) < 0
        || rh_record_word(a, v, "cause", &e->cause, err) < 0 || rh_record_seconds(v, &e->seconds, err) < 0)
        return -1;
    if (!e->status)
        return rh_error_set(err, RH_EINPUT, "a resource of the report lacks '%s'", "status");
    return take_location(a, v, e, err);
}

static int
take_error(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    struct rh_record_event *e = add(to, "error");

    e->message = rh_record_text(a, rh_value_get(v, "message"), RH_RECORD_TEXT);
    e->code = rh_record_text(a, rh_value_get(v, "code"), LONGEST_CODE);
    if (!e->message)
        return rh_error_set(err, RH_EINPUT, "an error of the report has no message");
    return take_location(a, v, e, err);
}

static int
take_line(struct rh_arena *a, const struct rh_value *v, struct rh_record *to, struct rh_error *err)
{
    struct rh_record_event *e = add(to, "log");

    e->message = rh_record_text(a, rh_value_get(v, "message"), RH_RECORD_TEXT);
    e->code = rh_record_text(a, rh_value_get(v, "code"), LONGEST_CODE);
    e->type = rh_record_text(a, rh_value_get(v, "resource_type"), LONGEST_TYPE);
    if (!e->message)
        return rh_error_set(err, RH_EINPUT, "a line of the log of the report has no message");
    return rh_record_word(a, v, "level", &e->status, err);
}

/* A list that may be missing; its length. */
static int
list_of(const struct rh_value *report, const char *key, const struct rh_value **list, struct rh_error *err)
{
    *list = rh_value_get(report, key);
    if (*list && (*list)->kind != RH_ARRAY)
        return rh_error_set(err, RH_EINPUT, "'%s' of the report must be a list", key);
    for (size_t i = 0; i < rh_value_count(*list); i++)
        if (!rh_value_is(rh_value_at(*list, i), RH_HASH))
            return rh_error_set(err, RH_EINPUT, "'%s' of the report must be a list of hashes", key);
    return 0;
}

int
rh_record_events(struct rh_arena *a, const struct rh_value *report, struct rh_record *to,
                 struct rh_error *err)
{
    const struct rh_value *resources, *errors, *log;
    size_t n;

    if (list_of(report, "resources", &resources, err) < 0 || list_of(report, "errors", &errors, err) < 0
        || list_of(report, "log", &log, err) < 0)
        return -1;
    n = rh_value_count(resources) + rh_value_count(errors) + rh_value_count(log);
    if (!n)
        return 0;
    to->events = rh_arena_alloc(a, n * sizeof *to->events);
    for (size_t i = 0; i < rh_value_count(resources); i++)
        if (is_worth(rh_value_at(resources, i)) && take_resource(a, rh_value_at(resources, i), to, err) < 0)
            return -1;
    for (size_t i = 0; i < rh_value_count(errors); i++)
        if (take_error(a, rh_value_at(errors, i), to, err) < 0)
            return -1;
    for (size_t i = 0; i < rh_value_count(log); i++)
        if (take_line(a, rh_value_at(log, i), to, err) < 0)
            return -1;
    return 0;
}
