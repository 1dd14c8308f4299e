/* SPDX-License-Identifier: Apache-2.0 */
/* edit - several changes of one component as one step, and attributes that are put there on demand. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "node/cell.h"
#include "node/node-parts.h"

void
rh_node_set_source(struct rh_node *node, const struct rh_node_source *source)
{
    node->source = *source;
}

void
rh_node_need_source(struct rh_node *node, struct rh_path path)
{
    if (!node->source.need)
        return;
    if (!path.n)
        node->source.need(node->source.data, NULL);
    else if (path.keys[0].text)
        node->source.need(node->source.data, path.keys[0].text);
}

struct rh_node_edit
rh_node_edit_begin(struct rh_node *node, enum rh_node_level level, const char *op,
                   const struct rh_value *path, struct rh_place place)
{
    struct rh_step step = { .op = rh_arena_strdup(node->arena, op), .level = level, .place = place };
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    struct rh_path p = { 0 };

    if (rh_path_of(path, keys, &p, &why) == 0)
        step.path = rh_path_copy(node->arena, p);
    return (struct rh_node_edit){ node, level, rh_history_add(&node->history, &step) };
}

static void
change(const struct rh_node_edit *edit, enum rh_node_change_kind kind, struct rh_path path,
       const struct rh_value *v)
{
    struct rh_node *node = edit->node;
    const struct rh_change c = {
        .kind = kind,
        .level = edit->level,
        .step = edit->step,
        .path = rh_path_copy(node->arena, path),
        .value = v ? rh_cell_adopt(node->arena, v) : NULL,
    };

    rh_node_change(node, &c);
}

const struct rh_value *
rh_node_edit_read(const struct rh_node_edit *edit, const struct rh_value *path)
{
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    struct rh_path p;
    struct rh_cell *c;

    if (rh_path_of(path, keys, &p, &why) < 0)
        return NULL;
    c = rh_tree_find(&edit->node->trees[edit->level], p);
    return c ? rh_cell_show(edit->node->arena, c) : NULL;
}

void
rh_node_edit_put(const struct rh_node_edit *edit, const struct rh_value *path, const struct rh_value *v)
{
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    struct rh_obstacle o;
    struct rh_path p;

    if (rh_path_of(path, keys, &p, &why) == 0 && p.n && rh_value_depth(v) <= RH_VALUE_DEEPEST
        && rh_tree_check(&edit->node->trees[edit->level], p, RH_PUT_REPLACE, &o) == RH_NODE_OK)
        change(edit, RH_CHANGE_PUT, p, v);
}

void
rh_node_edit_remove(const struct rh_node_edit *edit, const struct rh_value *path)
{
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    struct rh_path p;

    if (rh_path_of(path, keys, &p, &why) == 0 && p.n && rh_tree_find(&edit->node->trees[edit->level], p))
        change(edit, RH_CHANGE_REMOVE, p, NULL);
}

void
rh_node_edit_append(const struct rh_node_edit *edit, const struct rh_value *path, const struct rh_value *v)
{
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    const struct rh_cell *list;
    struct rh_path p;

    if (rh_path_of(path, keys, &p, &why) < 0 || rh_value_depth(v) > RH_VALUE_DEEPEST)
        return;
    list = rh_tree_find(&edit->node->trees[edit->level], p);
    if (list && list->kind == RH_CELL_LIST)
        change(edit, RH_CHANGE_APPEND, p, v);
}

void
rh_node_edit_merge(const struct rh_node_edit *edit, const struct rh_value *table, bool replace)
{
    if (rh_value_is_table(table) && rh_value_depth(table) <= RH_VALUE_DEEPEST)
        change(edit, replace ? RH_CHANGE_OVERLAY : RH_CHANGE_MERGE, (struct rh_path){ NULL, 0 }, table);
}
