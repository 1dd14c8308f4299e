/* SPDX-License-Identifier: Apache-2.0 */
/* operate - operations by name: what there is, what each needs, and carrying one out. */
#include "config.h"

#include "base/suggest.h"
#include "base/text.h"
#include "node/cell.h"
#include "node/level.h"
#include "node/node-parts.h"
#include "node/operation.h"

#include <stdarg.h>
#include <string.h>

enum {
    LEVEL = 1, /* needs one */
    VIEW = 2,  /* takes a component or a view, or none */
    VALUE = 4,
};

static const struct operation {
    const char *name;
    rh_operation run;
    unsigned needs;
} operations[] = {
    { "append", rh_op_append, LEVEL | VALUE },
    { "append_merged", rh_op_append_merged, 0 },
    { "check", rh_op_check, 0 },
    { "consume_json", rh_op_consume_json, VALUE },
    { "debug", rh_op_debug, 0 },
    { "delete_key", rh_op_delete_key, LEVEL },
    { "delete_merged", rh_op_delete_merged, 0 },
    { "exist", rh_op_exist, 0 },
    { "exist_level", rh_op_exist, LEVEL | VIEW },
    { "explain", rh_op_explain, 0 },
    { "get!", rh_op_read_fully, LEVEL },
    { "get_vivify", rh_op_vivify, LEVEL },
    { "has_key", rh_op_has_key, 0 },
    { "held", rh_op_kept, 0 },
    { "hold", rh_op_keep, VIEW },
    { "merge", rh_op_merge, LEVEL | VALUE },
    { "read", rh_op_read, 0 },
    { "read!", rh_op_read_strictly, 0 },
    { "read_level", rh_op_read, LEVEL | VIEW },
    { "reset", rh_op_reset, 0 },
    { "rm", rh_op_rm, 0 },
    { "rm_level", rh_op_rm_level, LEVEL },
    { "set", rh_op_set, LEVEL | VALUE },
    { "set!", rh_op_set_fully, LEVEL | VALUE },
    { "set_level", rh_op_set_level, LEVEL | VALUE },
    { "set_merged", rh_op_set_merged, 0 },
    { "set_unless", rh_op_set_unless, LEVEL | VALUE },
    { "unlink", rh_op_unlink, LEVEL },
    { "unlink!", rh_op_unlink_strictly, LEVEL },
    { "write", rh_op_write, LEVEL | VALUE },
    { "write!", rh_op_write_strictly, LEVEL | VALUE },
};

/* Other names: those of RFC 23, where the level is a part of it, and those of later Chef. */
static const struct alias {
    const char *name, *means;
    int level; /* -1: says nothing of it */
} aliases[] = {
    { "attribute?", "has_key", -1 },
    { "consume_external_attrs", "consume_json", -1 },
    { "debug_value", "debug", -1 },
    { "default!", "set!", RH_LEVEL_DEFAULT },
    { "default_unless", "set_unless", RH_LEVEL_DEFAULT },
    { "delete", "rm", -1 },
    { "delete_default", "rm_level", RH_LEVEL_DEFAULT },
    { "delete_level", "rm_level", -1 },
    { "delete_normal", "rm_level", RH_LEVEL_NORMAL },
    { "delete_override", "rm_level", RH_LEVEL_OVERRIDE },
    { "env_default!", "set!", RH_LEVEL_ENV_DEFAULT },
    { "env_override!", "set!", RH_LEVEL_ENV_OVERRIDE },
    { "exist?", "exist", -1 },
    { "force_default!", "set!", RH_LEVEL_FORCE_DEFAULT },
    { "force_override!", "set!", RH_LEVEL_FORCE_OVERRIDE },
    { "has_key?", "has_key", -1 },
    { "key?", "has_key", -1 },
    { "normal!", "set!", RH_LEVEL_NORMAL },
    { "normal_unless", "set_unless", RH_LEVEL_NORMAL },
    { "override!", "set!", RH_LEVEL_OVERRIDE },
    { "override_unless", "set_unless", RH_LEVEL_OVERRIDE },
    { "remove", "rm", -1 },
    { "remove_default", "rm_level", RH_LEVEL_DEFAULT },
    { "remove_level", "rm_level", -1 },
    { "remove_normal", "rm_level", RH_LEVEL_NORMAL },
    { "remove_override", "rm_level", RH_LEVEL_OVERRIDE },
    { "rm_default", "rm_level", RH_LEVEL_DEFAULT },
    { "rm_normal", "rm_level", RH_LEVEL_NORMAL },
    { "rm_override", "rm_level", RH_LEVEL_OVERRIDE },
    { "role_default!", "set!", RH_LEVEL_ROLE_DEFAULT },
    { "role_override!", "set!", RH_LEVEL_ROLE_OVERRIDE },
};

/* What may stand in an operation. The second line is what tests say about it. */
static const char *const fields[] = {
    "op",   "level",  "path", "value", "key", "as", "returns", "raises", "ruby_error", "message_mentions",
    "note", "expect",
};

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const struct operation *
find(const char *name, int *level)
{
    for (size_t i = 0; i < COUNT(aliases); i++)
        if (strcmp(aliases[i].name, name) == 0) {
            *level = aliases[i].level;
            name = aliases[i].means;
            break;
        }
    for (size_t i = 0; i < COUNT(operations); i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

static enum rh_node_fault
refuse_name(struct rh_node_call *c)
{
    struct rh_suggest s;

    rh_suggest_init(&s, c->name);
    for (size_t i = 0; i < COUNT(operations); i++)
        rh_suggest_try(&s, operations[i].name);
    for (size_t i = 0; i < COUNT(aliases); i++)
        rh_suggest_try(&s, aliases[i].name);
    (void)rh_node_call_refuse(c, RH_NODE_ARGUMENT, "unknown operation '%s'", c->name);
    rh_node_call_suggest(c, s.best);
    return RH_NODE_ARGUMENT;
}

static enum rh_node_fault
check_fields(struct rh_node_call *c)
{
    for (size_t i = 0; i < rh_value_count(c->op); i++) {
        const char *key = rh_value_entry(c->op, i)->key;
        struct rh_suggest s;
        bool known = false;

        rh_suggest_init(&s, key);
        for (size_t k = 0; k < COUNT(fields); k++) {
            known |= strcmp(fields[k], key) == 0;
            rh_suggest_try(&s, fields[k]);
        }
        if (!known) {
            (void)rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s does not take '%s'", c->name, key);
            rh_node_call_suggest(c, s.best);
            return RH_NODE_ARGUMENT;
        }
    }
    return RH_NODE_OK;
}

static enum rh_node_fault
read_level(struct rh_node_call *c, unsigned needs, int named)
{
    const struct rh_value *v = rh_value_get(c->op, "level");
    const char *name = rh_value_str(v, NULL);
    struct rh_suggest s;

    if (!(needs & (LEVEL | VIEW))) {
        if (v)
            return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s does not take a level", c->name);
        return RH_NODE_OK;
    }
    if (named >= 0 && name && strcmp(name, rh_node_level_name((enum rh_node_level)named)) != 0)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s implies the level %s, but 'level' is '%s'",
                                   c->name, rh_node_level_name((enum rh_node_level)named), name);
    if (named >= 0)
        name = rh_node_level_name((enum rh_node_level)named);
    if (!name && needs & LEVEL)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s needs a level, such as default", c->name);
    if (!name)
        return RH_NODE_OK;
    c->level = rh_node_level_find(name);
    c->bits = rh_view_bits(name);
    if (c->level >= 0 || (needs & VIEW && c->bits))
        return RH_NODE_OK;
    rh_suggest_init(&s, name);
    for (int i = 0; i < RH_LEVELS; i++)
        rh_suggest_try(&s, rh_node_level_name((enum rh_node_level)i));
    (void)rh_node_call_refuse(c, RH_NODE_ARGUMENT, "unknown level or view '%s'", name);
    rh_node_call_suggest(c, s.best);
    return RH_NODE_ARGUMENT;
}

static enum rh_node_fault
read_arguments(struct rh_node_call *c, unsigned needs, struct rh_key *keys)
{
    rh_autobuf struct rh_buf why = { 0 };
    const struct rh_value *key = rh_value_get(c->op, "key");
    struct rh_path one;

    if (rh_path_of(rh_value_get(c->op, "path"), keys, &c->path, &why) < 0)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "cannot %s: %s", c->name, rh_buf_text(&why));
    if (key && (rh_value_is(key, RH_ARRAY) || rh_path_of(key, &c->key, &one, &why) < 0))
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "cannot %s: a key must be a string or an integer",
                                   c->name);
    c->value = rh_value_get(c->op, "value");
    if (!(needs & VALUE))
        return RH_NODE_OK;
    if (!c->value)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s needs a value", c->name);
    if (rh_value_depth(c->value) > RH_VALUE_DEEPEST)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "cannot %s: the value is nested more than %d deep",
                                   c->name, RH_VALUE_DEEPEST);
    if (rh_value_place(c->value).line)
        c->place = rh_value_place(c->value);
    return RH_NODE_OK;
}

static enum rh_node_fault
operate(struct rh_node_call *c)
{
    const char *op = rh_value_get_str(c->op, "op", NULL), *as = rh_value_get_str(c->op, "as", NULL);
    const struct operation *o, *called;
    struct rh_key keys[RH_PATH_DEEPEST];
    int level = -1, named = -1;

    if (!op)
        return rh_node_call_refuse(c, RH_NODE_ARGUMENT,
                                   "an operation must be a table with `op` and its arguments: {op: set, "
                                   "level: default, path: [web, port], value: 80}");
    c->name = op;
    o = find(op, &level);
    if (!o)
        return refuse_name(c);
    if (as) {
        c->name = as;
        called = find(as, &named);
        if (!called)
            return refuse_name(c);
        if (called != o || (level >= 0 && named >= 0 && level != named))
            return rh_node_call_refuse(c, RH_NODE_ARGUMENT, "%s is not an alias of %s", as, op);
    }
    if (check_fields(c) != RH_NODE_OK || read_level(c, o->needs, named >= 0 ? named : level) != RH_NODE_OK
        || read_arguments(c, o->needs, keys) != RH_NODE_OK)
        return c->result->fault;
    if (c->level == RH_LEVEL_NORMAL || c->level < 0)
        rh_node_need_source(c->node, c->path);
    return o->run(c);
}

int
rh_node_operate(struct rh_node *node, const struct rh_value *op, struct rh_place place,
                struct rh_node_result *result)
{
    struct rh_node_call c = {
        .node = node, .name = "operation", .level = -1, .place = place, .op = op, .result = result
    };

    *result = (struct rh_node_result){ .fault = RH_NODE_OK };
    rh_buf_truncate(&node->message, 0);
    if (rh_value_place(op).line)
        c.place = rh_value_place(op);
    return operate(&c) == RH_NODE_OK ? 0 : -1;
}
