/* SPDX-License-Identifier: Apache-2.0 */
/* node - components, what is seen of them together, and what was done to them. */
#include "config.h"

#include "node/node-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/value.h"
#include "node/cell.h"
#include "node/level.h"

#include <stdlib.h>

struct rh_node *
rh_node_new(void)
{
    struct rh_node *node = rh_xalloc(sizeof *node);

    node->arena = rh_arena_new(NULL);
    for (int i = 0; i < RH_LEVELS; i++)
        rh_tree_init(&node->trees[i], node->arena);
    node->views[RH_VIEW_MERGED].levels = RH_ALL_LEVELS;
    node->views[RH_VIEW_DEFAULT].levels = rh_precedence_bits(RH_OF_DEFAULT);
    node->views[RH_VIEW_OVERRIDE].levels = rh_precedence_bits(RH_OF_OVERRIDE);
    return node;
}

void
rh_node_free(struct rh_node *node)
{
    if (!node)
        return;
    rh_history_clear(&node->history);
    rh_buf_clear(&node->message);
    free(node->hidden);
    rh_arena_free(node->arena);
    free(node);
}

size_t
rh_node_size(const struct rh_node *node)
{
    return rh_arena_size(node->arena);
}

void
rh_node_merge(struct rh_node *node, enum rh_node_level level, const struct rh_value *table,
              struct rh_place place)
{
    struct rh_change change = { .kind = RH_CHANGE_MERGE, .level = level };
    struct rh_step step = { .op = "merge", .level = level, .place = place };

    if (!rh_value_is_table(table) || rh_value_depth(table) > RH_VALUE_DEEPEST)
        return;
    if (level == RH_LEVEL_AUTOMATIC)
        rh_node_need_facts(node, (struct rh_path){ NULL, 0 });
    for (uint32_t i = 0; level == RH_LEVEL_NORMAL && table->kind == RH_HASH && i < table->count; i++)
        rh_node_need_source(node, (struct rh_path){ &(struct rh_key){ table->u.entries[i].key, 0 }, 1 });
    step.value = change.value = rh_cell_adopt(node->arena, table);
    change.step = rh_history_add(&node->history, &step);
    rh_node_change(node, &change);
}

const struct rh_value *
rh_node_read_bits(struct rh_node *node, unsigned bits, struct rh_path path)
{
    if (bits & RH_LEVEL_BIT(RH_LEVEL_AUTOMATIC))
        rh_node_need_facts(node, path);
    if (bits & RH_LEVEL_BIT(RH_LEVEL_NORMAL))
        rh_node_need_source(node, path);
    for (int i = 0; i < RH_VIEWS; i++)
        if (node->views[i].levels == bits)
            return rh_view_read(&node->views[i], node->arena, node->trees, path);
    for (int i = 0; i < RH_LEVELS; i++)
        if (bits == RH_LEVEL_BIT(i)) {
            struct rh_cell *c = rh_tree_find(&node->trees[i], path);

            return c ? rh_cell_show(node->arena, c) : NULL;
        }
    return NULL;
}

const struct rh_value *
rh_node_read(struct rh_node *node, const struct rh_value *path)
{
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    struct rh_path p;

    if (rh_path_of(path, keys, &p, &why) < 0)
        return NULL;
    return rh_node_read_bits(node, RH_ALL_LEVELS, p);
}

const struct rh_value *
rh_node_read_key(struct rh_node *node, const char *key)
{
    struct rh_key k = { key, 0 };

    return rh_node_read_bits(node, RH_ALL_LEVELS, (struct rh_path){ &k, 1 });
}

const struct rh_value *
rh_node_view(struct rh_node *node, const char *view)
{
    unsigned bits = rh_view_bits(view);

    return bits ? rh_node_read_bits(node, bits, (struct rh_path){ NULL, 0 }) : NULL;
}
