/* SPDX-License-Identifier: Apache-2.0 */
/* trace - which steps touched a place, and what became of what they put there. */
#include "config.h"

#include "node/history.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "node/cell.h"

#include <stdlib.h>
#include <string.h>

struct replay {
    struct rh_trace *trace;
    struct rh_path path;
    struct rh_arena *arena;
    struct rh_tree trees[RH_LEVELS];
    uint32_t *seen; /* by step: the round in which it was last seen */
    uint32_t round;
    size_t *alive; /* the notes of which something is left */
    size_t n_alive, cap_alive;
    enum rh_node_level level; /* of the change that is followed */
    bool moved;
};

void
rh_trace_clear(struct rh_trace *t)
{
    free(t->v);
    *t = (struct rh_trace){ 0 };
}

static const struct rh_value *
map_get(const struct rh_value *map, struct rh_key key)
{
    for (uint32_t i = 0; i + 1 < map->count; i += 2) {
        const struct rh_value *k = map->u.items[i];

        if (key.text ? k->kind == RH_STRING && strcmp(k->u.string, key.text) == 0
                     : k->kind == RH_INTEGER && k->u.integer == key.number)
            return map->u.items[i + 1];
    }
    return NULL;
}

/* The value within another one; NULL when there is none. */
static const struct rh_value *
value_within(const struct rh_value *v, const struct rh_key *keys, size_t n)
{
    for (size_t i = 0; v && i < n; i++) {
        if (v->kind == RH_MAP)
            v = map_get(v, keys[i]);
        else if (keys[i].text)
            v = rh_value_get(v, keys[i].text);
        else if (v->kind == RH_ARRAY)
            v = rh_value_at(v, (size_t)(keys[i].number < 0 ? keys[i].number + v->count : keys[i].number));
        else
            v = NULL;
    }
    return v;
}

void
rh_cell_walk(const struct rh_cell *c, void (*one)(void *to, const struct rh_cell *c), void *to)
{
    const struct rh_key_slot *s;

    if (c->kind != RH_CELL_TABLE || (!rh_cell_keys(c)->live && !c->by_the_way))
        one(to, c);
    if (c->kind == RH_CELL_TABLE)
        for (uint32_t i = 0; (s = rh_keys_next(rh_cell_keys(c), &i));)
            rh_cell_walk(s->value, one, to);
    if (c->kind == RH_CELL_LIST)
        for (uint32_t i = 0; i < rh_cell_list(c)->n; i++)
            rh_cell_walk(rh_cell_list(c)->v[i], one, to);
}

static void
see(void *to, const struct rh_cell *c)
{
    struct replay *r = to;

    r->seen[c->step] = r->round;
}

/* What the change says of the top-level key that the path starts with, and nothing else. */
static bool
narrow(struct replay *r, struct rh_change *c)
{
    const struct rh_value *part;
    struct rh_value *only;

    if (!r->path.n)
        return true;
    if (c->path.n)
        return rh_key_equal(c->path.keys[0], r->path.keys[0]);
    part = value_within(c->value, r->path.keys, 1);
    if (!part && (c->kind == RH_CHANGE_MERGE || c->kind == RH_CHANGE_OVERLAY))
        return false;
    only = rh_table_value(r->arena, r->path.keys, &part, part ? 1 : 0);
    c->value = only;
    return true;
}

static struct rh_note *
note(struct replay *r, const struct rh_change *c)
{
    struct rh_trace *t = r->trace;

    for (size_t i = t->n; i-- > 0 && t->v[i].step == c->step;)
        if (t->v[i].level == c->level)
            return &t->v[i];
    t->v = rh_xgrow(t->v, &t->cap, t->n, sizeof *t->v);
    t->v[t->n] = (struct rh_note){ .step = c->step, .level = c->level, .path = c->path };
    return &t->v[t->n++];
}

/* What earlier steps had put there and is there no more. */
static bool
bury(struct replay *r, const struct rh_change *c, bool gone)
{
    size_t left = 0, before = r->n_alive;

    for (size_t i = 0; i < before; i++) {
        struct rh_note *n = &r->trace->v[r->alive[i]];

        if (n->level != c->level || n->step == c->step || r->seen[n->step] == r->round) {
            r->alive[left++] = r->alive[i];
            continue;
        }
        n->alive = false;
        n->removed = gone || c->kind == RH_CHANGE_REMOVE;
        n->by = c->step;
    }
    r->n_alive = left;
    return left < before;
}

/* Whether it only adds below the place, where nothing was. */
static bool
only_adds(const struct replay *r, const struct rh_change *c)
{
    return c->kind == RH_CHANGE_PUT && c->path.n > r->path.n && rh_path_within(c->path, r->path)
           && !rh_tree_find(&r->trees[c->level], (struct rh_path){ c->path.keys, r->path.n + 1 });
}

/* What ends the way to a place that is not there; NULL when only something is missing. */
static const struct rh_cell *
dead_end(const struct rh_tree *t, struct rh_path path)
{
    const struct rh_cell *c = t->root, *next;

    for (size_t i = 0; i < path.n && (next = rh_cell_child(c, path.keys[i])); i++)
        c = next;
    return c->kind == RH_CELL_TABLE ? NULL : c;
}

static void
note_put(struct replay *r, const struct rh_change *c, const struct rh_cell *end)
{
    struct rh_note *n = note(r, c);

    if (!n->alive) {
        r->alive = rh_xgrow(r->alive, &r->cap_alive, r->n_alive, sizeof *r->alive);
        r->alive[r->n_alive++] = (size_t)(n - r->trace->v);
    }
    n->put = n->alive = true;
    n->hides = end != NULL;
    n->path = c->path;
    if (end)
        n->value = end->shown;
    else if (c->kind == RH_CHANGE_APPEND || !rh_path_within(r->path, c->path))
        n->value = c->value;
    else
        n->value = value_within(c->value, r->path.keys + c->path.n, r->path.n - c->path.n);
}

/* What has moved here, as positions do when one before them goes: its steps are told as well. */
static void
note_moved(void *to, const struct rh_cell *c)
{
    struct replay *r = to;
    struct rh_change put = { .step = c->step, .level = r->level };

    for (size_t i = 0; i < r->n_alive; i++)
        if (r->trace->v[r->alive[i]].step == c->step && r->trace->v[r->alive[i]].level == r->level)
            return;
    note_put(r, &put, NULL);
    r->trace->v[r->trace->n - 1].value = c->shown;
    r->moved = true;
}

static void
follow(struct replay *r, struct rh_change c)
{
    struct rh_tree *t = &r->trees[c.level];
    const struct rh_cell *before, *after, *end;
    bool adds, touched;

    if (!narrow(r, &c))
        return;
    before = rh_tree_find(t, r->path);
    adds = before && before->kind == RH_CELL_TABLE && only_adds(r, &c);
    (void)rh_change_apply(&c, t, r->arena);
    after = rh_tree_find(t, r->path);
    end = after ? NULL : dead_end(t, r->path);
    r->round++;
    if (adds)
        r->seen[c.step] = r->round;
    else if (after)
        rh_cell_walk(after, see, r);
    else if (end)
        see(r, end);
    touched = !adds && bury(r, &c, !after && !end);
    if (r->seen[c.step] == r->round)
        note_put(r, &c, end);
    else if (touched)
        (void)note(r, &c);
    r->level = c.level;
    if (after && c.kind == RH_CHANGE_REMOVE && !c.path.keys[c.path.n - 1].text)
        rh_cell_walk(after, note_moved, r);
}

static int
by_step(const void *a, const void *b)
{
    const struct rh_note *x = a, *y = b;

    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    return (int)x->level - (int)y->level;
}

void
rh_trace_make(struct rh_trace *trace, const struct rh_history *h, struct rh_path path)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autofree uint32_t *seen = rh_xalloc(rh_xmul(h->n_steps + 1, sizeof *seen));
    struct replay r = { .trace = trace, .path = path, .arena = a, .seen = seen };

    *trace = (struct rh_trace){ 0 };
    for (int i = 0; i < RH_LEVELS; i++)
        rh_tree_init(&r.trees[i], a);
    for (size_t i = 0; i < h->n_changes; i++)
        follow(&r, h->changes[i]);
    free(r.alive);
    if (r.moved)
        qsort(trace->v, trace->n, sizeof *trace->v, by_step);
}
