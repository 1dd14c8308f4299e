/* SPDX-License-Identifier: Apache-2.0 */
/* op-remove - operations that take something away, and those that try it on what is merged. */
#include "config.h"

#include "node/operation.h"

#include "base/arena.h"
#include "node/cell.h"
#include "node/level.h"
#include "node/node-parts.h"

static struct rh_path
above(struct rh_path path)
{
    return (struct rh_path){ path.keys, path.n - 1 };
}

static bool
has_in_table(const struct rh_tree *t, struct rh_path path)
{
    const struct rh_cell *parent = rh_tree_find(t, above(path));

    return parent && parent->kind == RH_CELL_TABLE && rh_cell_child(parent, path.keys[path.n - 1]);
}

void
rh_node_call_remove(struct rh_node_call *c, unsigned bits, struct rh_path path)
{
    for (int i = 0; i < RH_LEVELS; i++)
        if (bits & RH_LEVEL_BIT(i) && has_in_table(&c->node->trees[i], path))
            rh_node_call_change(c, RH_CHANGE_REMOVE, i, path, NULL);
}

static enum rh_node_fault
refuse_empty(struct rh_node_call *c)
{
    return rh_node_call_refuse(c, RH_NODE_ARGUMENT,
                               "cannot %s: the path is empty; set_level with {} "
                               "empties a whole level",
                               c->name);
}

/* What is at the path where its parent is a table, as these components have it together. */
static const struct rh_value *
in_table(struct rh_node_call *c, unsigned bits, bool *table)
{
    const struct rh_value *parent = rh_node_read_bits(c->node, bits, above(c->path));

    *table = rh_value_is_table(parent);
    return *table ? rh_node_read_bits(c->node, bits, c->path) : NULL;
}

/* On all levels but the automatic one. Where something in between hides it, it is removed too, and
 * what was computed is nil. */
enum rh_node_fault
rh_op_rm(struct rh_node_call *c)
{
    bool table;

    if (!c->path.n)
        return refuse_empty(c);
    c->result->returns = in_table(c, RH_ALL_LEVELS, &table);
    rh_node_call_remove(c, RH_ALL_LEVELS & ~RH_LEVEL_BIT(RH_LEVEL_AUTOMATIC), c->path);
    return RH_NODE_OK;
}

static enum rh_node_fault
unlink_from(struct rh_node_call *c, bool strictly)
{
    struct rh_cell *there;

    if (!c->path.n)
        return refuse_empty(c);
    if (c->level == RH_LEVEL_AUTOMATIC)
        rh_node_need_facts(c->node, c->path);
    there = rh_tree_find(&c->node->trees[c->level], c->path);
    if (!there && strictly)
        return rh_node_call_refuse(
            c, RH_NODE_NO_SUCH_ATTRIBUTE,
            "cannot %s '%s': it does not exist at %s; 'unlink' without '!' ignores that", c->name,
            rh_node_call_path(c, c->path.n), rh_node_level_name((enum rh_node_level)c->level));
    if (!there)
        return RH_NODE_OK;
    c->result->returns = rh_cell_show(c->node->arena, there);
    rh_node_call_change(c, RH_CHANGE_REMOVE, c->level, c->path, NULL);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_rm_level(struct rh_node_call *c)
{
    enum rh_precedence p = rh_level_precedence((enum rh_node_level)c->level);
    bool table;

    if ((enum rh_node_level)c->level != rh_precedence_first(p) || p == RH_OF_AUTOMATIC)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT,
                                   "%s only takes default, normal and override, each with all its levels; "
                                   "unlink removes from %s alone",
                                   c->name, rh_node_level_name((enum rh_node_level)c->level));
    if (!c->path.n)
        return refuse_empty(c);
    if (p == RH_OF_NORMAL)
        return unlink_from(c, false);
    c->result->returns = in_table(c, rh_precedence_bits(p), &table);
    if (table)
        rh_node_call_remove(c, rh_precedence_bits(p), c->path);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_unlink(struct rh_node_call *c)
{
    return unlink_from(c, false);
}

enum rh_node_fault
rh_op_unlink_strictly(struct rh_node_call *c)
{
    return unlink_from(c, true);
}

static bool
is_leaf(const struct rh_cell *cell)
{
    return cell && cell->kind == RH_CELL_LEAF;
}

/* The path with `key` behind it; without one its last key is meant. */
static struct rh_path
with_key(struct rh_node_call *c)
{
    struct rh_key *keys;

    if (!rh_value_get(c->op, "key"))
        return c->path;
    keys = rh_arena_alloc(c->node->arena, (c->path.n + 1) * sizeof *keys);
    for (size_t i = 0; i < c->path.n; i++)
        keys[i] = c->path.keys[i];
    keys[c->path.n] = c->key;
    return (struct rh_path){ keys, c->path.n + 1 };
}

enum rh_node_fault
rh_op_delete_key(struct rh_node_call *c)
{
    const struct rh_tree *t = &c->node->trees[c->level];

    c->path = with_key(c);
    for (size_t i = 0; i < c->path.n; i++)
        if (is_leaf(rh_tree_find(t, (struct rh_path){ c->path.keys, i })))
            return rh_node_call_refuse(
                c, RH_NODE_NOT_CONTAINER, "cannot %s '%s' at %s: '%s' is neither a table nor a list", c->name,
                rh_node_call_path(c, c->path.n), rh_node_level_name((enum rh_node_level)c->level),
                rh_node_call_path(c, i));
    return unlink_from(c, false);
}

/* The merged view is for reading. What would be written must at least be there to be told so. */

static enum rh_node_fault
refuse_no_container(struct rh_node_call *c, size_t n)
{
    return rh_node_call_refuse(c, RH_NODE_NOT_CONTAINER,
                               "cannot %s: '%s' is neither a table nor a list, and the merged value cannot "
                               "be written; name a level, such as default",
                               c->name, rh_node_call_path(c, n));
}

static bool
is_container(const struct rh_value *v)
{
    return rh_value_is_table(v) || rh_value_is(v, RH_ARRAY);
}

enum rh_node_fault
rh_op_set_merged(struct rh_node_call *c)
{
    if (!c->path.n)
        return refuse_empty(c);
    if (!is_container(rh_node_read_bits(c->node, RH_ALL_LEVELS, above(c->path))))
        return refuse_no_container(c, c->path.n - 1);
    return rh_node_call_refuse(
        c, RH_NODE_IMMUTABLE,
        "'%s' cannot be set in the merged value: name the level, as in default.%s or set with level: default",
        rh_node_call_path(c, c->path.n), rh_node_call_path(c, c->path.n));
}

enum rh_node_fault
rh_op_append_merged(struct rh_node_call *c)
{
    if (!rh_value_is(rh_node_read_bits(c->node, RH_ALL_LEVELS, c->path), RH_ARRAY))
        return rh_node_call_refuse(c, RH_NODE_NOT_CONTAINER,
                                   "cannot %s: '%s' is not a list, and the merged value cannot be written; "
                                   "name a level, such as default",
                                   c->name, rh_node_call_path(c, c->path.n));
    return rh_node_call_refuse(
        c, RH_NODE_IMMUTABLE,
        "'%s' cannot be appended to in the merged value: name the level, such as default",
        rh_node_call_path(c, c->path.n));
}

enum rh_node_fault
rh_op_delete_merged(struct rh_node_call *c)
{
    const char *path;

    c->path = with_key(c);
    if (!c->path.n)
        return refuse_empty(c);
    if (!is_container(rh_node_read_bits(c->node, RH_ALL_LEVELS, above(c->path))))
        return refuse_no_container(c, c->path.n - 1);
    path = rh_node_call_path(c, c->path.n);
    return rh_node_call_refuse(c, RH_NODE_IMMUTABLE,
                               "'%s' cannot be deleted from the merged value: rm removes it at all levels, "
                               "rm_default, rm_normal and rm_override at one",
                               path);
}
