/* SPDX-License-Identifier: Apache-2.0 */
/* tree - one component: a table of cells that is written and removed from by path. */
#include "config.h"

#include "node/tree.h"

#include "base/value.h"
#include "node/cell.h"
#include "node/merge.h"

#include <string.h>

/* So far behind its end may a list be written to. */
enum { LONGEST_GAP = 65536 };

void
rh_tree_init(struct rh_tree *t, struct rh_arena *a)
{
    t->root = rh_cell_table(a, 0);
}

struct rh_cell *
rh_tree_find(const struct rh_tree *t, struct rh_path path)
{
    struct rh_cell *c = t->root;

    for (size_t i = 0; c && i < path.n; i++)
        c = rh_cell_child(c, path.keys[i]);
    return c;
}

static enum rh_node_fault
obstruct(struct rh_obstacle *o, enum rh_node_fault fault, size_t depth, const struct rh_cell *there)
{
    *o = (struct rh_obstacle){ .fault = fault, .depth = depth, .there = there };
    return fault;
}

/* Whether a list has this position, or can get it. */
static bool
can_have(const struct rh_cell *list, int64_t position)
{
    uint32_t i;

    return rh_list_position(list, position, &i)
           || (position >= 0 && position - rh_cell_list(list)->n <= LONGEST_GAP);
}

enum rh_node_fault
rh_tree_check(const struct rh_tree *t, struct rh_path path, enum rh_put_how how, struct rh_obstacle *o)
{
    enum rh_node_fault fault = how == RH_PUT_STRICT ? RH_NODE_TYPE_MISMATCH : RH_NODE_NOT_CONTAINER;
    const struct rh_cell *c = t->root;

    for (size_t i = 0; i < path.n; i++) {
        const struct rh_cell *next;

        if (!rh_cell_takes(c, path.keys[i]))
            return how == RH_PUT_REPLACE ? RH_NODE_OK : obstruct(o, fault, i, c);
        if (c->kind == RH_CELL_LIST && !can_have(c, path.keys[i].number))
            return obstruct(o, RH_NODE_ARGUMENT, i + 1, NULL);
        next = rh_cell_child(c, path.keys[i]);
        if (!next && c->kind == RH_CELL_LIST && i + 1 < path.n && how != RH_PUT_REPLACE)
            return obstruct(o, fault, i + 1, NULL);
        if (!next)
            return RH_NODE_OK;
        c = next;
    }
    return RH_NODE_OK;
}

static void
put_child(struct rh_arena *a, struct rh_cell *c, struct rh_key key, struct rh_cell *child, uint32_t step)
{
    if (c->kind == RH_CELL_TABLE) {
        rh_keys_put(rh_cell_edit_keys(c), a, key, child);
    } else {
        struct rh_list_cell *l = rh_cell_edit_list(c);
        int64_t i = key.number < 0 ? key.number + l->n : key.number;

        while (l->n < i)
            rh_list_add(a, c, rh_cell_build(a, rh_value_new(a, RH_UNDEF), step));
        if (i == l->n)
            rh_list_add(a, c, child);
        else
            l->v[i] = child;
    }
    c->shown = NULL;
}

size_t
rh_tree_put(struct rh_tree *t, struct rh_arena *a, struct rh_path path, const struct rh_value *v,
            uint32_t step)
{
    struct rh_cell *c = t->root, *above = NULL;
    size_t changed = path.n;

    if (!path.n) {
        t->root = rh_cell_build(a, v, step);
        return 0;
    }
    for (size_t i = 0;; i++) {
        struct rh_cell *next;

        if (!rh_cell_takes(c, path.keys[i])) {
            c = rh_cell_table(a, step);
            put_child(a, above, path.keys[i - 1], c, step);
            if (i < changed)
                changed = i;
        }
        c->shown = NULL;
        if (i + 1 == path.n)
            break;
        next = rh_cell_child(c, path.keys[i]);
        if (!next) {
            next = rh_cell_table(a, step);
            put_child(a, c, path.keys[i], next, step);
            if (i + 1 < changed)
                changed = i + 1;
        }
        above = c;
        c = next;
    }
    /* A list that was padded is another one. */
    if (c->kind == RH_CELL_LIST && path.n - 1 < changed)
        changed = path.n - 1;
    put_child(a, c, path.keys[path.n - 1], rh_cell_build(a, v, step), step);
    return changed;
}

void
rh_tree_remove(struct rh_tree *t, struct rh_path path)
{
    struct rh_cell *c = t->root;
    struct rh_key last = path.keys[path.n - 1];
    uint32_t i;

    if (!rh_tree_find(t, path))
        return;
    for (size_t k = 0; k + 1 < path.n; k++) {
        c->shown = NULL;
        c = rh_cell_child(c, path.keys[k]);
    }
    c->shown = NULL;
    if (c->kind == RH_CELL_TABLE) {
        rh_keys_remove(rh_cell_edit_keys(c), last);
        return;
    }
    if (!rh_list_position(c, last.number, &i))
        return;
    memmove(&rh_cell_edit_list(c)->v[i], &rh_cell_list(c)->v[i + 1],
            (rh_cell_list(c)->n - i - 1) * sizeof(struct rh_cell *));
    rh_cell_edit_list(c)->n--;
}

void
rh_tree_append(struct rh_tree *t, struct rh_arena *a, struct rh_path path, const struct rh_value *v,
               uint32_t step)
{
    struct rh_cell *c = t->root;

    for (size_t i = 0; i < path.n; i++) {
        c->shown = NULL;
        c = rh_cell_child(c, path.keys[i]);
    }
    rh_list_add(a, c, rh_cell_build(a, v, step));
}

static void merge(struct rh_arena *a, struct rh_cell *table, const struct rh_value *v, uint32_t step,
                  bool replace);

static void
merge_key(struct rh_arena *a, struct rh_cell *table, struct rh_key key, const struct rh_value *v,
          uint32_t step, bool replace)
{
    struct rh_cell *old = rh_keys_get(rh_cell_keys(table), key);
    struct rh_cell *fresh;

    if (old && old->kind == RH_CELL_TABLE && rh_value_is_table(v)) {
        merge(a, old, v, step, replace);
        return;
    }
    fresh = rh_cell_build(a, v, step);
    if (!replace && old && old->kind == RH_CELL_LIST && fresh->kind == RH_CELL_LIST) {
        struct rh_cell *both[] = { old, fresh };

        fresh = rh_join_cells(a, both, 2);
        fresh->step = step;
    }
    rh_keys_put(rh_cell_edit_keys(table), a, key, fresh);
}

static void
merge(struct rh_arena *a, struct rh_cell *table, const struct rh_value *v, uint32_t step, bool replace)
{
    table->shown = NULL;
    table->marks |= v->marks;
    if (v->kind == RH_HASH) {
        for (uint32_t i = 0; i < v->count; i++)
            merge_key(a, table, (struct rh_key){ v->u.entries[i].key, 0 }, v->u.entries[i].value, step,
                      replace);
        return;
    }
    for (uint32_t i = 0; i + 1 < v->count; i += 2) {
        const struct rh_value *key = rh_value_at(v, i);

        merge_key(a, table,
                  key->kind == RH_STRING ? (struct rh_key){ key->u.string, 0 }
                                         : (struct rh_key){ NULL, key->u.integer },
                  rh_value_at(v, i + 1), step, replace);
    }
}

void
rh_tree_merge(struct rh_tree *t, struct rh_arena *a, const struct rh_value *table, uint32_t step,
              bool replace)
{
    merge(a, t->root, table, step, replace);
}
