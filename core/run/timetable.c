/* SPDX-License-Identifier: Apache-2.0 */
/* timetable - when resources with a schedule had their last turn. */
#include "config.h"

#include "run/timetable.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/meta.h"
#include "run/state.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static const char file_name[] = "schedule.json";

/* Longer ago than any period: as good as never. */
static const int64_t forgotten = INT64_C(100) * 86400;

struct line {
    const char *key;
    struct rh_last_run before, last; /* before: as the run found it */
};

struct rh_timetable {
    struct rh_arena *arena;
    const char *state_dir;
    struct rh_map by_key;
    struct line **lines;
    size_t n, cap;
    bool changed;
};

static bool
has_any(const struct rh_catalog *c)
{
    for (size_t i = 0; i < c->n_resources; i++)
        if (c->resources[i]->meta && c->resources[i]->meta->schedule)
            return true;
    return false;
}

static struct line *
find(struct rh_timetable *t, const char *key)
{
    struct line *line = rh_map_get(&t->by_key, key);

    if (line)
        return line;
    line = rh_arena_alloc(t->arena, sizeof *line);
    line->key = key;
    rh_map_put(&t->by_key, key, line);
    t->lines = rh_xgrow(t->lines, &t->cap, t->n, sizeof *t->lines);
    return t->lines[t->n++] = line;
}

int
rh_timetable_open(struct rh_timetable **to, const struct rh_catalog *c, const char *state_dir,
                  struct rh_error *err)
{
    struct rh_timetable *t;
    const struct rh_value *v;

    *to = NULL;
    if (!has_any(c))
        return 0;
    t = rh_xalloc(sizeof *t);
    t->arena = rh_arena_new(NULL);
    t->state_dir = state_dir;
    v = rh_state_load(t->arena, state_dir, file_name, err);
    if (!v) {
        rh_timetable_free(t);
        return -1;
    }
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);
        const struct rh_value *times = rh_value_get(e->value, "times");
        int64_t when = rh_state_read_time(rh_value_get_str(e->value, "last", ""));
        struct line *line;

        if (!when || !rh_value_is(times, RH_INTEGER) || times->u.integer < 1 || times->u.integer > UINT32_MAX)
            continue; /* as if it had never had a turn */
        line = find(t, e->key);
        line->last = (struct rh_last_run){ .when = when, .times = (uint32_t)times->u.integer };
        line->before = line->last;
    }
    *to = t;
    return 0;
}

void
rh_timetable_free(struct rh_timetable *t)
{
    if (!t)
        return;
    rh_map_clear(&t->by_key);
    rh_arena_free(t->arena);
    free(t->lines);
    free(t);
}

bool
rh_timetable_allows(const struct rh_timetable *t, const struct rh_resource *r)
{
    const struct rh_schedule *s = r->meta ? r->meta->schedule : NULL;
    const struct line *line;
    struct rh_last_run never = { 0 };

    if (!s || !t)
        return true;
    /* All turns of a resource in one run are one: what decides is how the run found it. */
    line = rh_map_get(&t->by_key, rh_state_key(t->arena, r));
    return rh_schedule_allows(s, line ? &line->before : &never, time(NULL));
}

void
rh_timetable_note_run(struct rh_timetable *t, const struct rh_resource *r)
{
    const struct rh_schedule *s = r->meta ? r->meta->schedule : NULL;
    struct line *line;

    if (!s || !t)
        return;
    line = find(t, rh_state_key(t->arena, r));
    line->last = rh_schedule_after(s, &line->before, time(NULL));
    t->changed = true;
}

int
rh_timetable_save(struct rh_timetable *t, struct rh_error *err)
{
    struct rh_value *v;

    if (!t || !t->changed)
        return 0;
    v = rh_value_hash(t->arena, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct line *line = t->lines[i];
        struct rh_value *one;

        if (!line->last.times || time(NULL) - line->last.when > forgotten)
            continue;
        one = rh_value_hash(t->arena, 2);
        rh_value_put_ref(one, "last", rh_value_string(t->arena, rh_state_time(t->arena, line->last.when)));
        rh_value_put_ref(one, "times", rh_value_integer(t->arena, line->last.times));
        rh_value_add_ref(v, line->key, one);
    }
    return rh_state_save(t->state_dir, file_name, v, err);
}
