/* SPDX-License-Identifier: Apache-2.0 */
/* change - changing a component, and forgetting what was made of it. */
#include "config.h"

#include "node/node-parts.h"

#include "base/value.h"

/* A table that was merged onto a component has changed its own keys, and no others. */
static void
forget_keys(struct rh_node *node, enum rh_node_level level, const struct rh_value *table)
{
    bool hash = rh_value_is(table, RH_HASH);

    for (uint32_t i = 0; i < table->count; i += hash ? 1 : 2) {
        const struct rh_value *k = hash ? NULL : rh_value_at(table, i);
        struct rh_key key = { hash ? rh_value_entry(table, i)->key : rh_value_str(k, NULL), 0 };

        if (!key.text)
            key.number = k->u.integer;
        for (int v = 0; v < RH_VIEWS; v++)
            rh_view_forget(&node->views[v], level, (struct rh_path){ &key, 1 }, 1);
    }
}

void
rh_node_change(struct rh_node *node, const struct rh_change *change)
{
    size_t n;

    rh_node_hide_change(node, change);
    n = rh_change_apply(change, &node->trees[change->level], node->arena);
    rh_history_note(&node->history, change);
    if (change->kind == RH_CHANGE_MERGE || change->kind == RH_CHANGE_OVERLAY) {
        forget_keys(node, change->level, change->value);
        return;
    }
    for (int v = 0; v < RH_VIEWS; v++)
        rh_view_forget(&node->views[v], change->level, change->path, n);
}
