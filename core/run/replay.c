/* SPDX-License-Identifier: Apache-2.0 */
/* replay - a journal told to a reporter. What stands in a file can be anything: texts that reporters
 * take for their own are made fit to be shown here. */
#include "config.h"

#include "run/journal-read.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "provider/log-record.h"
#include "run/change.h"
#include "run/event.h"
#include "run/state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct replay {
    struct rh_arena *arena; /* of one line */
    struct rh_sources *sources;
    const struct rh_reporter *reporter;
};

static const char *
safe(struct replay *p, const char *text)
{
    rh_autofree char *shown = text ? rh_safe_text(text) : NULL;

    return shown ? rh_arena_strdup(p->arena, shown) : NULL;
}

static const char *
text_of(struct replay *p, const struct rh_value *line, const char *key, const char *fallback)
{
    const char *text = safe(p, rh_value_get_str(line, key, NULL));

    return text ? text : fallback;
}

static bool
is_true(const struct rh_value *line, const char *key)
{
    const struct rh_value *v = rh_value_get(line, key);

    return rh_value_is(v, RH_BOOLEAN) && v->u.integer;
}

static uint32_t
number_of(const struct rh_value *v, uint32_t most)
{
    return rh_value_is(v, RH_INTEGER) && v->u.integer > 0 && v->u.integer <= most ? (uint32_t)v->u.integer
                                                                                  : 0;
}

static struct rh_place
place_of(struct replay *p, const struct rh_value *line)
{
    const struct rh_value *v = rh_value_get(line, "location");
    const char *file = text_of(p, v, "file", NULL);
    struct rh_place place = {
        .line = number_of(rh_value_get(v, "line"), UINT32_MAX),
        .column = (uint16_t)number_of(rh_value_get(v, "column"), UINT16_MAX),
    };
    unsigned i = 1;

    if (!file)
        return (struct rh_place){ 0 };
    for (const char *known; (known = rh_sources_name(p->sources, i)); i++)
        if (strcmp(known, file) == 0)
            break;
    if (i > p->sources->n)
        i = p->sources->n < UINT16_MAX - 1 ? rh_sources_add(p->sources, file, "", 0) : 0;
    place.file = (uint16_t)i;
    return place;
}

static double
seconds_of(const struct rh_value *line)
{
    const struct rh_value *v = rh_value_get(line, "seconds");

    return rh_value_is(v, RH_FLOAT) && v->u.real > 0 ? v->u.real : 0;
}

/* With names that are fit to be shown; NULL when it says nothing of that. */
static const struct rh_value *
created_of(struct replay *p, const struct rh_value *line)
{
    const struct rh_value *v = rh_value_get(line, "created");
    struct rh_value *shown;

    if (!rh_value_is(v, RH_HASH))
        return NULL;
    shown = rh_value_hash(p->arena, v->count);
    for (size_t i = 0; i < v->count; i++) {
        const char *key = rh_value_entry(v, i)->key;
        const struct rh_value *value = rh_change_value(p->arena, v, key);

        if (value)
            rh_value_put(shown, safe(p, key), value);
    }
    return shown;
}

static void
replay_event(struct replay *p, const struct rh_value *line)
{
    struct rh_type type = {
        .type = text_of(p, line, "type", "?"),
        .provider = text_of(p, line, "provider", "?"),
    };
    struct rh_resource r = {
        .type = &type,
        .title = rh_value_get_str(line, "title", "?"),
        .place = place_of(p, line),
    };
    struct rh_outcome o = {
        .reason = rh_value_get_str(line, "reason", NULL),
        .code = rh_message_code_read(rh_value_get_str(line, "code", "")),
        .blame = RH_NOBODY,
        .seconds = seconds_of(line),
        .guarded = is_true(line, "guarded"),
    };
    rh_autofree char *when = rh_replay_time(line);
    const struct rh_value *created = created_of(p, line);
    struct rh_event event = {
        .resource = &r,
        .action = text_of(p, line, "action", "?"),
        .outcome = &o,
        .ignored = is_true(line, "ignored"),
        .notified = text_of(p, line, "timing", NULL),
        .by = text_of(p, line, "notified_by", ""),
        .since = text_of(p, line, "notified_in_run", NULL),
        .created = created,
        .purged_by = is_true(line, "purged") ? &r : NULL,
        .cause = rh_cause_read(rh_value_get_str(line, "cause", "")),
        .when = when,
    };

    if (!rh_status_read(rh_value_get_str(line, "status", ""), &o.status))
        o.status = RH_STATUS_UNKNOWN;
    o.n_differences = rh_changes_from_json(p->arena, rh_value_get(line, "changes"), &o.differences);
    event.n_findings = rh_changes_from_json(p->arena, rh_value_get(line, "audit"), &event.findings);
    p->reporter->event(p->reporter->data, &event);
}

static enum rh_level
level_of(const struct rh_value *line)
{
    const char *name = rh_value_get_str(line, "level", "");

    for (int i = RH_DEBUG; i <= RH_ERR; i++)
        if (strcmp(name, rh_level_name((enum rh_level)i)) == 0)
            return (enum rh_level)i;
    return RH_NOTICE;
}

/* "file[/etc/motd]": its type and its title; false when it is no such text. */
static bool
split_reference(struct replay *p, const char *text, const char **type, const char **title)
{
    const char *open = strchr(text, '[');
    size_t n = strlen(text);

    if (!open || open == text || text[n - 1] != ']')
        return false;
    *type = rh_arena_printf(p->arena, "%.*s", (int)(open - text), text);
    *title = rh_arena_printf(p->arena, "%.*s", (int)(n - 2 - (size_t)(open - text)), open + 1);
    return true;
}

static void
replay_log(struct replay *p, const struct rh_value *line)
{
    const struct rh_value *resources = rh_value_get(line, "resources");
    const struct rh_value *more = rh_value_get(line, "more_resources");
    struct rh_log_about about[RH_LOG_NAMED];
    struct rh_log_record record = {
        .level = level_of(line),
        .about = about,
        .label = text_of(p, line, "label", NULL),
        .message = rh_value_get_str(line, "message", ""),
        .code = rh_message_code_read(rh_value_get_str(line, "code", "")),
    };

    for (size_t i = 0; rh_value_is(resources, RH_ARRAY) && i < resources->count && record.n < RH_LOG_NAMED;
         i++) {
        const struct rh_value *v = rh_value_at(resources, i);
        const char *title;

        if (rh_value_is(v, RH_STRING) && split_reference(p, v->u.string, &record.type, &title))
            about[record.n++] = (struct rh_log_about){ RH_NOBODY, title };
    }
    if (!record.n)
        record.type = text_of(p, line, "resource_type", NULL);
    record.total = record.n + (record.n ? number_of(more, UINT32_MAX) : 0);
    p->reporter->log(p->reporter->data, &record);
}

void
rh_replay_lines(const struct rh_value *lines, struct rh_sources *sources, const struct rh_reporter *reporter)
{
    rh_autoarena struct rh_arena *arena = rh_arena_new(NULL);
    struct replay p = { .arena = arena, .sources = sources, .reporter = reporter };

    for (size_t i = 0; i < rh_value_count(lines); i++) {
        const struct rh_value *line = rh_value_at(lines, i);
        double when = reporter->time ? rh_replay_seconds(line) : 0;

        if (when > 0)
            reporter->time(reporter->data, when);
        if (rh_value_get(line, "type"))
            replay_event(&p, line);
        else
            replay_log(&p, line);
        rh_arena_reset(arena);
    }
}

void
rh_replay(const struct rh_run_journal *j, struct rh_sources *sources, const struct rh_reporter *reporter)
{
    rh_replay_lines(j->lines, sources, reporter);
}

/* "2026-11-21T12:36:01.042Z" of a line, or "". */
static const char *
time_of(const struct rh_value *line)
{
    static const char shape[] = "0000-00-00T00:00:00.000Z";
    const char *time = rh_value_get_str(line, "time", "");
    size_t i = 0;

    for (; shape[i]; i++)
        if (shape[i] == '0' ? time[i] < '0' || time[i] > '9' : time[i] != shape[i])
            break;
    return shape[i] || time[i] ? "" : time;
}

char *
rh_replay_time(const struct rh_value *line)
{
    const char *time = time_of(line);

    return *time ? rh_printf("%.12s", time + 11) : rh_xstrdup("");
}

double
rh_replay_seconds(const struct rh_value *line)
{
    const char *time = time_of(line);
    rh_autofree char *whole = *time ? rh_printf("%.19sZ", time) : NULL;

    return whole ? (double)rh_state_read_time(whole) + strtod(time + 19, NULL) : 0;
}
