/* SPDX-License-Identifier: Apache-2.0 */
/* op-read - operations that look, and what tests are written with. */
#include "config.h"

#include "node/operation.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "node/cell.h"
#include "node/level.h"
#include "node/node-parts.h"
#include "node/same.h"

/* All levels unless one was named. */
static const struct rh_value *
current(struct rh_node_call *c)
{
    return rh_node_read_bits(c->node, c->bits ? c->bits : RH_ALL_LEVELS, c->path);
}

enum rh_node_fault
rh_op_read(struct rh_node_call *c)
{
    c->result->returns = current(c);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_read_strictly(struct rh_node_call *c)
{
    c->result->returns = current(c);
    if (!c->result->returns)
        return rh_node_call_refuse(c, RH_NODE_NO_SUCH_ATTRIBUTE,
                                   "unknown attribute '%s'; 'read' without '!' returns nil",
                                   rh_node_call_path(c, c->path.n));
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_exist(struct rh_node_call *c)
{
    c->result->returns = rh_value_boolean(c->node->arena, current(c) != NULL);
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_has_key(struct rh_node_call *c)
{
    if (!c->path.n)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s needs a key", c->name);
    c->path.n = 1;
    return rh_op_exist(c);
}

enum rh_node_fault
rh_op_read_fully(struct rh_node_call *c)
{
    return rh_node_call_refuse(
        c, RH_NODE_WRITE_ONLY,
        "%s! only assigns and cannot be read: use read for the merged value, or read_level",
        rh_node_level_name((enum rh_node_level)c->level));
}

/* Pairs of each component's name and what it has there. */
enum rh_node_fault
rh_op_debug(struct rh_node_call *c)
{
    struct rh_arena *a = c->node->arena;
    struct rh_value *pairs = rh_value_new(a, RH_ARRAY);

    for (int i = 0; i < RH_LEVELS; i++) {
        struct rh_value *pair = rh_value_new(a, RH_ARRAY);
        const struct rh_value *v = rh_node_read_bits(c->node, RH_LEVEL_BIT(i), c->path);
        struct rh_value *absent;

        if (!v) {
            absent = rh_value_hash(a, 1);
            rh_value_put(absent, "$absent", rh_value_boolean(a, true));
            v = absent;
        }
        rh_value_append(pair, rh_value_string(a, rh_node_level_name((enum rh_node_level)i)));
        rh_value_append(pair, v);
        rh_value_append(pairs, pair);
    }
    c->result->returns = pairs;
    return RH_NODE_OK;
}

enum rh_node_fault
rh_op_explain(struct rh_node_call *c)
{
    c->result->returns = rh_node_explain(c->node, c->node->arena, NULL, rh_value_get(c->op, "path"));
    return RH_NODE_OK;
}

/* What `hold` keeps is called by `key`, or by where it was. */
static struct rh_key
kept_name(struct rh_node_call *c)
{
    rh_autobuf struct rh_buf b = { 0 };

    if (rh_value_get(c->op, "key"))
        return c->key;
    rh_path_show(&b, c->path, c->path.n);
    return (struct rh_key){ rh_arena_strdup(c->node->arena, rh_buf_text(&b)), 0 };
}

struct kept {
    const struct rh_value *value;
};

enum rh_node_fault
rh_op_keep(struct rh_node_call *c)
{
    struct kept *kept = rh_arena_alloc(c->node->arena, sizeof *kept);
    const struct rh_value *v = current(c);

    c->result->returns = v;
    kept->value = v ? v : rh_value_new(c->node->arena, RH_UNDEF);
    rh_keys_put(&c->node->kept, c->node->arena, kept_name(c), kept);
    return RH_NODE_OK;
}

/* By its name; without a name, what was held last. */
enum rh_node_fault
rh_op_kept(struct rh_node_call *c)
{
    const struct kept *kept = rh_keys_get(&c->node->kept, kept_name(c));
    const struct rh_key_slot *s;

    if (!kept && !c->path.n && !rh_value_get(c->op, "key"))
        for (uint32_t i = 0; (s = rh_keys_next(&c->node->kept, &i));)
            kept = s->value;
    c->result->returns = kept ? kept->value : NULL;
    if (!kept)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "no held value of '%s': call hold first",
                                   rh_node_call_path(c, c->path.n));
    return RH_NODE_OK;
}

static enum rh_node_fault
check_one(struct rh_node_call *c, const struct rh_value *expected)
{
    const char *view = rh_value_get_str(expected, "view", "merged");
    const struct rh_value *absent = rh_value_get(expected, "absent"), *got;
    const struct rh_value *wanted = rh_value_get(expected, "value");
    struct rh_key keys[RH_PATH_DEEPEST];
    rh_autobuf struct rh_buf why = { 0 }, shown = { 0 };

    if (!rh_view_bits(view))
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "unknown view '%s'", view);
    if (rh_path_of(rh_value_get(expected, "path"), keys, &c->path, &why) < 0)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s", rh_buf_text(&why));
    got = rh_node_read_bits(c->node, rh_view_bits(view), c->path);
    if (rh_value_is(absent, RH_BOOLEAN) && absent->u.integer ? !got : got && rh_json_same(wanted, got))
        return RH_NODE_OK;
    if (got)
        rh_value_show(&shown, got, 200);
    else
        rh_buf_add(&shown, "missing");
    rh_buf_add(&shown, ", expected ");
    if (wanted)
        rh_value_show(&shown, wanted, 200);
    else
        rh_buf_add(&shown, "nothing");
    return rh_node_call_refuse(c, RH_NODE_UNEXPECTED, "%s at '%s' is %s", view,
                               rh_node_call_path(c, c->path.n), rh_buf_text(&shown));
}

enum rh_node_fault
rh_op_check(struct rh_node_call *c)
{
    const struct rh_value *all = rh_value_get(c->op, "expect");
    enum rh_node_fault fault = RH_NODE_OK;

    if (!rh_value_is(all, RH_ARRAY))
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT,
                                   "%s needs `expect`, a list of {view, path, value} "
                                   "or {view, path, absent: true}",
                                   c->name);
    for (size_t i = 0; i < rh_value_count(all) && fault == RH_NODE_OK; i++)
        fault = check_one(c, rh_value_at(all, i));
    return fault;
}
