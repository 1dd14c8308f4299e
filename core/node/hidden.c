/* SPDX-License-Identifier: Apache-2.0 */
/* hidden - what of a node's attributes is a secret, whoever writes it. */
#include "config.h"

#include "node/node-parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/draft.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

void
rh_node_hide(struct rh_node *node, const struct rh_value *path)
{
    rh_autobuf struct rh_buf why = { 0 };
    struct rh_key keys[RH_PATH_DEEPEST];
    struct rh_path p;

    if (rh_path_of(path, keys, &p, &why) < 0)
        return;
    node->hidden = rh_xgrow(node->hidden, &node->cap_hidden, node->n_hidden, sizeof *node->hidden);
    node->hidden[node->n_hidden++] = rh_path_copy(node->arena, p);
}

/* All within as well: tables are taken apart. */
static void
mark(struct rh_value *v)
{
    v->marks |= RH_SENSITIVE;
    for (uint32_t i = 0; i < rh_value_count(v); i++)
        mark(rh_draft_part(v, i));
}

static bool
is_key(const struct rh_value *v, struct rh_key key)
{
    if (key.text)
        return v->kind == RH_STRING && strcmp(v->u.string, key.text) == 0;
    return v->kind == RH_INTEGER && v->u.integer == key.number;
}

static struct rh_value *
child(struct rh_value *v, struct rh_key key)
{
    int64_t i = key.number;

    if (v->kind == RH_HASH)
        return key.text ? rh_draft_get(v, key.text) : NULL;
    for (uint32_t k = 0; v->kind == RH_MAP && k + 1 < v->count; k += 2)
        if (is_key(v->u.items[k], key))
            return rh_draft_part(v, k + 1);
    if (v->kind != RH_ARRAY || key.text)
        return NULL;
    i += i < 0 ? v->count : 0;
    return i >= 0 && i < v->count ? rh_draft_part(v, (size_t)i) : NULL;
}

static void
hide(struct rh_node *node, const struct rh_change *change, struct rh_path secret)
{
    struct rh_value *v = change->value;
    size_t n = 0;

    while (n < change->path.n && n < secret.n && rh_key_equal(change->path.keys[n], secret.keys[n]))
        n++;
    if (n < change->path.n && n < secret.n)
        return;
    if (change->kind == RH_CHANGE_APPEND && n < secret.n)
        return; /* it becomes some element */
    while (v && n < secret.n)
        v = child(v, secret.keys[n++]);
    if (!v)
        return;
    mark(v);
    rh_arena_keep_secret(node->arena);
}

void
rh_node_hide_change(struct rh_node *node, const struct rh_change *change)
{
    for (size_t i = 0; change->value && i < node->n_hidden; i++)
        hide(node, change, node->hidden[i]);
}
