/* SPDX-License-Identifier: Apache-2.0 */
/* merge - the components as one: a view, read by path. */
#include "config.h"

#include "node/merge.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "node/cell.h"
#include "node/level.h"
#include "node/tree.h"

static struct rh_merged *
below(struct rh_merged *m, struct rh_arena *a, struct rh_key key)
{
    struct rh_merged *child = rh_keys_get(&m->below, key);

    if (!child) {
        child = rh_arena_alloc(a, sizeof *child);
        rh_keys_put(&m->below, a, key, child);
    }
    return child;
}

static bool
joins(const struct rh_layers *l)
{
    return l->n > 1 && l->v[0].cell->kind == RH_CELL_LIST;
}

/* Several lists in one, which is kept. */
static struct rh_cell *
join(struct rh_merged *m, struct rh_arena *a, const struct rh_layers *l)
{
    struct rh_cell *lists[RH_LEVELS];

    for (unsigned i = 0; i < l->n; i++)
        lists[i] = l->v[i].cell;
    if (!m->joined)
        m->joined = rh_join_cells(a, lists, l->n);
    return m->joined;
}

static const struct rh_value *value_of(struct rh_merged *m, struct rh_arena *a, const struct rh_layers *l);

struct gathered {
    struct rh_key *keys;
    const struct rh_value **values;
    size_t n;
};

/* One key of a table; `m` is that of the table. */
static void
gather(struct gathered *g, struct rh_merged *m, struct rh_arena *a, const struct rh_layers *l,
       struct rh_key key)
{
    struct rh_layers child;
    const struct rh_value *v;

    rh_layers_down(l, key, &child);
    v = child.n == 1 ? rh_cell_show(a, child.v[0].cell) : value_of(below(m, a, key), a, &child);
    g->keys[g->n] = key;
    g->values[g->n++] = v;
}

static bool
seen(const struct rh_layers *l, unsigned before, struct rh_key key)
{
    for (unsigned i = 0; i < before; i++)
        if (rh_keys_get(rh_cell_keys(l->v[i].cell), key))
            return true;
    return false;
}

/* Keys in the order in which they come, low to high. */
static struct rh_value *
merge_tables(struct rh_merged *m, struct rh_arena *a, const struct rh_layers *l)
{
    rh_autofree struct rh_key *keys = NULL;
    rh_autofree const struct rh_value **values = NULL;
    struct gathered g = { 0 };
    const struct rh_key_slot *s;
    size_t most = 1;

    for (unsigned i = 0; i < l->n; i++)
        most += rh_cell_keys(l->v[i].cell)->live;
    g.keys = keys = rh_xalloc(rh_xmul(most, sizeof *keys));
    g.values = values = rh_xalloc(rh_xmul(most, sizeof *values));
    for (unsigned i = 0; i < l->n; i++)
        for (uint32_t k = 0; (s = rh_keys_next(rh_cell_keys(l->v[i].cell), &k));)
            if (!seen(l, i, s->key))
                gather(&g, m, a, l, s->key);
    return rh_table_value(a, g.keys, g.values, g.n);
}

static const struct rh_value *
value_of(struct rh_merged *m, struct rh_arena *a, const struct rh_layers *l)
{
    struct rh_value *v;

    if (!l->n)
        return NULL;
    if (l->n == 1)
        return rh_cell_show(a, l->v[0].cell);
    if (joins(l))
        return rh_cell_show(a, join(m, a, l));
    if (!m->value) {
        v = merge_tables(m, a, l);
        for (unsigned i = 0; i < l->n; i++)
            v->marks |= l->v[i].cell->marks;
        rh_value_set_place(v, l->v[l->n - 1].cell->place);
        m->value = v;
    }
    return m->value;
}

/* Follows a path; the place where it ends comes back, NULL when nobody needs one. */
static struct rh_merged *
follow(struct rh_view *view, struct rh_arena *a, const struct rh_tree *trees, struct rh_path path,
       struct rh_layers *l)
{
    struct rh_merged *m = &view->top;
    struct rh_layers_fold f;

    rh_layers_begin(&f);
    for (int i = 0; i < RH_LEVELS; i++)
        if (view->levels & RH_LEVEL_BIT(i))
            rh_layers_add(&f, trees[i].root, (enum rh_node_level)i);
    rh_layers_end(&f, l);
    for (size_t i = 0; i < path.n && l->n; i++) {
        struct rh_layers next;

        if (joins(l)) {
            l->v[0] = (struct rh_layer){ join(m, a, l), l->v[l->n - 1].level };
            l->n = 1;
        }
        rh_layers_down(l, path.keys[i], &next);
        *l = next;
        m = l->n > 1 ? below(m, a, path.keys[i]) : NULL;
    }
    return m;
}

void
rh_view_layers(struct rh_view *view, struct rh_arena *a, const struct rh_tree *trees, struct rh_path path,
               struct rh_layers *out)
{
    (void)follow(view, a, trees, path, out);
}

const struct rh_value *
rh_view_read(struct rh_view *view, struct rh_arena *a, const struct rh_tree *trees, struct rh_path path)
{
    struct rh_layers l;
    struct rh_merged *m = follow(view, a, trees, path, &l);

    return value_of(m, a, &l);
}

void
rh_view_forget(struct rh_view *view, enum rh_node_level level, struct rh_path path, size_t n)
{
    struct rh_merged *m = &view->top;

    if (!(view->levels & RH_LEVEL_BIT(level)))
        return;
    m->value = NULL;
    m->joined = NULL;
    if (!n) {
        rh_keys_clear(&m->below);
        return;
    }
    for (size_t i = 0; i + 1 < n; i++) {
        m = rh_keys_get(&m->below, path.keys[i]);
        if (!m)
            return;
        m->value = NULL;
        m->joined = NULL;
    }
    (void)rh_keys_remove(&m->below, path.keys[n - 1]);
}
