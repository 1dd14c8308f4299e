/* SPDX-License-Identifier: Apache-2.0 */
/* explain - where a value came from: each step, and whether it won. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "node/cell.h"
#include "node/history.h"
#include "node/level.h"
#include "node/node-parts.h"

#include <stdlib.h>

/* Which notes can be seen in what is merged. */
struct sight {
    struct rh_trace *trace;
    bool *visible; /* by note */
    enum rh_node_level level;
    uint32_t winner; /* the highest step seen: of the highest level */
};

static void
see(void *to, const struct rh_cell *c)
{
    struct sight *s = to;

    /* Notes are in the order of their steps. */
    for (size_t low = 0, high = s->trace->n; low < high;) {
        size_t mid = low + (high - low) / 2;

        if (s->trace->v[mid].step < c->step) {
            low = mid + 1;
        } else if (s->trace->v[mid].step > c->step) {
            high = mid;
        } else {
            while (mid > 0 && s->trace->v[mid - 1].step == c->step)
                mid--;
            for (; mid < s->trace->n && s->trace->v[mid].step == c->step; mid++)
                if (s->trace->v[mid].level == s->level)
                    s->visible[mid] = true;
            break;
        }
    }
    s->winner = c->step;
}

static void
find_visible(struct sight *s, const struct rh_layers *l)
{
    const struct rh_key_slot *slot;
    bool empty = true;

    if (l->n == 1 || (l->n && l->v[0].cell->kind == RH_CELL_LIST)) {
        for (unsigned i = 0; i < l->n; i++) {
            s->level = l->v[i].level;
            rh_cell_walk(l->v[i].cell, see, s);
        }
        return;
    }
    for (unsigned i = 0; i < l->n; i++)
        empty &= !rh_cell_keys(l->v[i].cell)->live;
    for (unsigned i = 0; i < l->n; i++) {
        uint32_t k = 0;

        s->level = l->v[i].level;
        if (empty)
            see(s, l->v[i].cell);
        while ((slot = rh_keys_next(rh_cell_keys(l->v[i].cell), &k))) {
            struct rh_layers below;

            rh_layers_down(l, slot->key, &below);
            if (below.n && below.v[below.n - 1].level == l->v[i].level)
                find_visible(s, &below);
        }
    }
}

/* The step that put what is highest at the path, or at the nearest place above that has something.
 */
static uint32_t
highest(struct rh_node *node, struct rh_path path, const struct sight *s)
{
    struct rh_layers l = { 0 };

    if (s->winner)
        return s->winner;
    for (size_t n = path.n; n > 0; n--) {
        rh_view_layers(&node->views[RH_VIEW_MERGED], node->arena, node->trees,
                       (struct rh_path){ path.keys, n }, &l);
        if (l.n)
            return l.v[l.n - 1].cell->step;
    }
    return 0;
}

struct explanation {
    struct rh_node *node;
    struct rh_arena *arena;
    const struct rh_sources *sources;
    struct rh_path path;
    const struct rh_trace *trace;
    const bool *visible;
    uint32_t *numbers; /* by step: its number among those that are shown, from 1 */
    uint32_t highest;
    bool sole; /* one step made all that can be seen */
};

static struct rh_value *
place_value(const struct explanation *e, struct rh_place place)
{
    struct rh_value *v = rh_value_hash(e->arena, 3);
    const char *name = e->sources ? rh_sources_name(e->sources, place.file) : NULL;

    if (name)
        rh_value_put(v, "file", rh_value_string(e->arena, name));
    if (place.line) {
        rh_value_put(v, "line", rh_value_integer(e->arena, place.line));
        rh_value_put(v, "column", rh_value_integer(e->arena, place.column));
    }
    return v;
}

static void
put_effect(const struct explanation *e, struct rh_value *shown, const struct rh_note *n, bool visible)
{
    const char *effect = "overridden";
    uint32_t by = n->alive ? e->highest : n->by;

    if (visible)
        effect = e->sole ? "wins" : "part";
    else if (n->alive && n->hides && e->highest == n->step)
        effect = "hides";
    else if (!n->alive && n->removed)
        effect = "removed";
    rh_value_put(shown, "effect", rh_value_string(e->arena, effect));
    if (!visible && by && by != n->step && e->numbers[by])
        rh_value_put(shown, "by", rh_value_integer(e->arena, e->numbers[by]));
}

/* What steps took away: added to those that did it. */
static void
put_removed(const struct explanation *e, struct rh_value *steps)
{
    for (size_t i = 0; i < e->trace->n; i++) {
        const struct rh_note *n = &e->trace->v[i];
        struct rh_value *by, *list;

        if (!n->removed || !n->by || !e->numbers[n->by])
            continue;
        by = rh_draft_part(steps, e->numbers[n->by] - 1);
        list = rh_draft_get(by, "removes");
        if (!list) {
            list = rh_value_new(e->arena, RH_ARRAY);
            rh_value_put(by, "removes", list);
        }
        if (!list->count || rh_value_at(list, list->count - 1)->u.integer != e->numbers[n->step])
            rh_value_append(list, rh_value_integer(e->arena, e->numbers[n->step]));
    }
}

/* One step: the notes from `from` up to `to`. */
static struct rh_value *
step_value(const struct explanation *e, size_t from, size_t to)
{
    const struct rh_note *n = NULL;
    const struct rh_step *step = rh_history_step(&e->node->history, e->trace->v[from].step);
    struct rh_value *v = rh_value_hash(e->arena, 8);
    struct rh_place place = step->place;
    bool visible = false;

    for (size_t i = from; i < to; i++)
        if (e->trace->v[i].put) {
            n = &e->trace->v[i];
            visible |= e->visible[i];
        }
    rh_value_put(v, "op", rh_value_string(e->arena, step->op));
    if (step->level >= 0)
        rh_value_put(v, "level",
                     rh_value_string(e->arena, rh_node_level_name((enum rh_node_level)step->level)));
    rh_value_put(v, "path", rh_path_value(e->arena, step->path));
    if (n && n->value && rh_value_place(n->value).line)
        place = rh_value_place(n->value);
    if (place.line || place.file)
        rh_value_put(v, "location", place_value(e, place));
    if (n && n->value)
        rh_value_put(v, "value", rh_value_copy(e->arena, n->value));
    if (n)
        put_effect(e, v, n, visible);
    return v;
}

static struct rh_value *
steps_value(struct explanation *e, struct rh_value *answer)
{
    struct rh_value *steps = rh_value_new(e->arena, RH_ARRAY);
    uint32_t number = 0;

    for (size_t i = 0; i < e->trace->n; i++)
        if (!e->numbers[e->trace->v[i].step])
            e->numbers[e->trace->v[i].step] = ++number;
    for (size_t from = 0, to; from < e->trace->n; from = to) {
        to = from + 1;
        while (to < e->trace->n && e->trace->v[to].step == e->trace->v[from].step)
            to++;
        rh_value_append(steps, step_value(e, from, to));
    }
    put_removed(e, steps);
    if (e->sole && e->highest && e->numbers[e->highest])
        rh_value_put(answer, "winner", rh_value_integer(e->arena, e->numbers[e->highest]));
    return steps;
}

struct rh_value *
rh_node_explain(struct rh_node *node, struct rh_arena *a, const struct rh_sources *sources,
                const struct rh_value *path)
{
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    struct rh_value *answer = rh_value_new(a, RH_HASH);
    struct explanation e = { .node = node, .arena = a, .sources = sources };
    struct rh_trace trace;
    const struct rh_value *merged;
    rh_autofree uint32_t *numbers = NULL;
    rh_autofree bool *visible = NULL;
    struct sight s = { .trace = &trace };
    struct rh_layers l;
    uint32_t first = 0;

    if (rh_path_of(path, keys, &e.path, &why) < 0)
        return answer;
    merged = rh_node_read_bits(node, RH_ALL_LEVELS, e.path);
    rh_trace_make(&trace, &node->history, e.path);
    e.trace = &trace;
    e.numbers = numbers = rh_xalloc(rh_xmul(node->history.n_steps + 1, sizeof *numbers));
    s.visible = visible = rh_xalloc(rh_xmul(trace.n, sizeof *visible));
    e.visible = visible;
    rh_view_layers(&node->views[RH_VIEW_MERGED], node->arena, node->trees, e.path, &l);
    find_visible(&s, &l);
    e.highest = highest(node, e.path, &s);
    e.sole = true;
    for (size_t i = 0; i < trace.n; i++)
        if (visible[i]) {
            e.sole &= !first || first == trace.v[i].step;
            first = trace.v[i].step;
        }
    e.sole &= first != 0;
    rh_value_put(answer, "path", rh_path_value(a, e.path));
    if (merged)
        rh_value_put(answer, "value", rh_value_copy(a, merged));
    rh_value_put(answer, "steps", steps_value(&e, answer));
    rh_trace_clear(&trace);
    return answer;
}
