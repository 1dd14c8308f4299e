/* SPDX-License-Identifier: Apache-2.0 */
/* facts - the automatic level: asked for by top-level key, when somebody looks there. */
#include "config.h"

#include "base/arena.h"
#include "base/value.h"
#include "node/cell.h"
#include "node/node-parts.h"

static void
put(struct rh_node *node, struct rh_key key, const struct rh_value *fact)
{
    struct rh_step step = { .op = "fact", .level = RH_LEVEL_AUTOMATIC };
    struct rh_change change = { .kind = RH_CHANGE_PUT, .level = RH_LEVEL_AUTOMATIC };

    step.path = change.path = rh_path_copy(node->arena, (struct rh_path){ &key, 1 });
    step.value = change.value = rh_cell_adopt(node->arena, fact);
    step.place = rh_value_place(fact);
    change.step = rh_history_add(&node->history, &step);
    rh_node_change(node, &change);
}

static void
ask(struct rh_node *node, struct rh_key key)
{
    const struct rh_value *fact;

    if (!key.text || rh_keys_get(&node->asked, key))
        return;
    rh_keys_put(&node->asked, node->arena, key, node);
    if (rh_tree_find(&node->trees[RH_LEVEL_AUTOMATIC], (struct rh_path){ &key, 1 }))
        return; /* Somebody has set it before there were facts. */
    fact = node->facts.get(node->facts.data, key.text);
    if (fact && rh_value_depth(fact) <= RH_VALUE_DEEPEST)
        put(node, key, fact);
}

void
rh_node_set_fact(struct rh_node *node, const char *name, const struct rh_value *fact)
{
    struct rh_key key = { name, 0 };

    rh_keys_put(&node->asked, node->arena, key, node);
    put(node, key, fact);
}

static void
ask_one(void *to, const char *key)
{
    ask(to, (struct rh_key){ key, 0 });
}

void
rh_node_need_facts(struct rh_node *node, struct rh_path path)
{
    if (!node->facts.get)
        return;
    if (path.n) {
        ask(node, path.keys[0]);
        return;
    }
    if (node->asked_all)
        return;
    node->asked_all = true;
    if (node->facts.keys)
        node->facts.keys(node->facts.data, ask_one, node);
}

void
rh_node_forget_facts(struct rh_node *node)
{
    node->facts.get = NULL;
}

void
rh_node_set_facts(struct rh_node *node, const struct rh_node_facts *facts)
{
    node->facts = *facts;
    node->asked_all = false;
    rh_keys_clear(&node->asked);
}
