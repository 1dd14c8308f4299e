/* SPDX-License-Identifier: Apache-2.0 */
/* op-write - operations that put something onto a component. */
#include "config.h"

#include "node/operation.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "node/cell.h"
#include "node/level.h"
#include "node/node-parts.h"

enum { SHOWN = 40 }; /* bytes of a value in a message */

static enum rh_node_fault
refuse_obstacle(struct rh_node_call *c, const struct rh_obstacle *o)
{
    rh_autobuf struct rh_buf there = { 0 };
    const char *level = rh_node_level_name((enum rh_node_level)c->level);

    if (o->fault == RH_NODE_ARGUMENT)
        return rh_node_call_refuse(c, o->fault, "cannot %s '%s' at %s: the position is outside of the list",
                                   c->name, rh_node_call_path(c, o->depth), level);
    if (!o->there)
        return rh_node_call_refuse(
            c, o->fault, "cannot %s '%s' at %s: the list ends before '%s'; write creates what is missing",
            c->name, rh_node_call_path(c, c->path.n), level, rh_node_call_path(c, o->depth));
    if (o->there->kind == RH_CELL_LIST)
        return rh_node_call_refuse(c, o->fault,
                                   "cannot %s '%s' at %s: '%s' is a list, which has positions instead of "
                                   "keys; write replaces it with a table",
                                   c->name, rh_node_call_path(c, c->path.n), level,
                                   rh_node_call_path(c, o->depth));
    rh_value_show(&there, o->there->shown, SHOWN);
    return rh_node_call_refuse(
        c, o->fault,
        "cannot %s '%s' at %s: '%s' is %s, neither a table nor a list; write replaces it with a table",
        c->name, rh_node_call_path(c, c->path.n), level, rh_node_call_path(c, o->depth), rh_buf_text(&there));
}

static enum rh_node_fault
put(struct rh_node_call *c, enum rh_put_how how)
{
    struct rh_obstacle o;

    if (!c->path.n)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT,
                                   "cannot %s: the path is empty; set_level replaces "
                                   "a whole level",
                                   c->name);
    if (c->level == RH_LEVEL_AUTOMATIC)
        rh_node_need_facts(c->node, c->path);
    if (rh_tree_check(&c->node->trees[c->level], c->path, how, &o) != RH_NODE_OK)
        return refuse_obstacle(c, &o);
    rh_node_call_change(c, RH_CHANGE_PUT, c->level, c->path, rh_node_call_value(c));
    c->result->returns = rh_node_call_value(c);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_set(struct rh_node_call *c)
{
    return put(c, RH_PUT_CHAIN);
}

enum rh_node_fault
rh_op_write(struct rh_node_call *c)
{
    return put(c, RH_PUT_REPLACE);
}

enum rh_node_fault
rh_op_write_strictly(struct rh_node_call *c)
{
    return put(c, RH_PUT_STRICT);
}

/* Clears the key on the components of the precedence that merge earlier; on its own, writing does.
 */
enum rh_node_fault
rh_op_set_fully(struct rh_node_call *c)
{
    enum rh_precedence p = rh_level_precedence((enum rh_node_level)c->level);
    unsigned earlier = rh_precedence_bits(p) & (RH_LEVEL_BIT(c->level) - 1);
    struct rh_obstacle o;

    if (c->path.n && rh_tree_check(&c->node->trees[c->level], c->path, RH_PUT_REPLACE, &o) == RH_NODE_OK)
        rh_node_call_remove(c, earlier, c->path);
    return put(c, RH_PUT_REPLACE);
}

static enum rh_node_fault
refuse_no_table(struct rh_node_call *c)
{
    return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s needs a table, not %s", c->name,
                               rh_kind_name(c->value->kind));
}

enum rh_node_fault
rh_op_set_level(struct rh_node_call *c)
{
    if (!rh_value_is_table(c->value))
        return refuse_no_table(c);
    if (c->level == RH_LEVEL_AUTOMATIC)
        rh_node_forget_facts(c->node);
    rh_node_call_change(c, RH_CHANGE_PUT, c->level, (struct rh_path){ NULL, 0 }, rh_node_call_value(c));
    c->result->returns = rh_node_call_value(c);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_set_unless(struct rh_node_call *c)
{
    struct rh_cell *there;

    if (c->level == RH_LEVEL_AUTOMATIC)
        rh_node_need_facts(c->node, c->path);
    there = rh_tree_find(&c->node->trees[c->level], c->path);
    if (!there || (there->kind == RH_CELL_LEAF && there->shown->kind == RH_UNDEF))
        return put(c, RH_PUT_REPLACE);
    c->result->returns = rh_cell_show(c->node->arena, there);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_append(struct rh_node_call *c)
{
    struct rh_cell *list;

    if (c->level == RH_LEVEL_AUTOMATIC)
        rh_node_need_facts(c->node, c->path);
    list = rh_tree_find(&c->node->trees[c->level], c->path);
    if (!list || list->kind != RH_CELL_LIST)
        return rh_node_call_refuse(c, RH_NODE_NOT_CONTAINER,
                                   "cannot %s to '%s': there is %s at %s; set it "
                                   "to a list first",
                                   c->name, rh_node_call_path(c, c->path.n), list ? "no list" : "nothing",
                                   rh_node_level_name((enum rh_node_level)c->level));
    rh_node_call_change(c, RH_CHANGE_APPEND, c->level, c->path, rh_node_call_value(c));
    c->result->returns = rh_cell_show(c->node->arena, list);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_merge(struct rh_node_call *c)
{
    if (!rh_value_is_table(c->value))
        return refuse_no_table(c);
    if (c->level == RH_LEVEL_AUTOMATIC)
        rh_node_need_facts(c->node, (struct rh_path){ NULL, 0 });
    rh_node_call_change(c, RH_CHANGE_MERGE, c->level, (struct rh_path){ NULL, 0 }, rh_node_call_value(c));
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_consume_json(struct rh_node_call *c)
{
    c->level = RH_LEVEL_NORMAL;
    return rh_op_merge(c);
}

enum rh_node_fault
rh_op_reset(struct rh_node_call *c)
{
    struct rh_value *empty = rh_value_new(c->node->arena, RH_HASH);

    rh_node_call_change(c, RH_CHANGE_PUT, RH_LEVEL_DEFAULT, (struct rh_path){ NULL, 0 }, empty);
    rh_node_call_change(c, RH_CHANGE_PUT, RH_LEVEL_OVERRIDE, (struct rh_path){ NULL, 0 }, empty);
    return RH_NODE_OK;
}

/* A chain of [] at a component makes the tables that are missing. */
enum rh_node_fault
rh_op_vivify(struct rh_node_call *c)
{
    struct rh_tree *t = &c->node->trees[c->level];
    struct rh_path above = { c->path.keys, c->path.n ? c->path.n - 1 : 0 };
    struct rh_cell *there, *parent;
    struct rh_obstacle o;

    if (c->level == RH_LEVEL_AUTOMATIC)
        rh_node_need_facts(c->node, c->path);
    there = rh_tree_find(t, c->path);
    parent = rh_tree_find(t, above);
    if (!there && parent && parent->kind == RH_CELL_LIST && !c->path.keys[above.n].text)
        return RH_NODE_OK; /* a list has no such position, and gets none */
    if (!there) {
        if (rh_tree_check(t, c->path, RH_PUT_CHAIN, &o) != RH_NODE_OK)
            return refuse_obstacle(c, &o);
        rh_node_call_change(c, RH_CHANGE_PUT, c->level, c->path, rh_value_new(c->node->arena, RH_HASH));
        there = rh_tree_find(t, c->path);
    }
    c->result->returns = rh_cell_show(c->node->arena, there);
    return RH_NODE_OK;
}
