/* SPDX-License-Identifier: Apache-2.0 */
/* attributes - what files say of the node's attributes, put into it. */
#include "config.h"

#include "manifest/attribute/attributes.h"

#include "base/complaint.h"
#include "base/draft.h"
#include "base/message-code.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"

#include <stdint.h>
#include <string.h>

/* Levels. */

static void
read_levels(struct rh_load *load, struct rh_value *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];
        int level;

        if (strcmp(e->key, "sensitive") == 0)
            continue; /* was noted before */
        level = rh_attributes_level(load, e->key, rh_value_key_place(v, i));
        if (level >= 0)
            rh_attributes_lay(load, (enum rh_node_level)level, rh_draft_part(v, i), e->key, false);
    }
}

/* Operations. */

static bool
check_operation(struct rh_load *load, const struct rh_value *v)
{
    static const char *const words[] = { "op", "level", "path", "value", "sensitive", NULL };
    bool good = true;

    if (v->kind == RH_UNKNOWN)
        return false; /* was complained about */
    if (v->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(v),
                    "for example: {op: set, level: default, path: [web, port], value: 80}",
                    "an operation on attributes must be a hash, not %s", rh_kind_name(v->kind));
        return false;
    }
    for (size_t i = 0; i < v->count; i++)
        good &= rh_known_key(load->complaints, v, i, words, "an operation on attributes");
    if (good && !rh_value_is(rh_value_get(v, "op"), RH_STRING)) {
        rh_complain(load->complaints, rh_value_place(v), "for example: op: set",
                    "missing key 'op' in an operation on attributes");
        good = false;
    }
    return good;
}

/* Operations that only look: in a file nobody would see what they found. */
static bool
only_reads(const char *op)
{
    static const char *const words[] = { "read",        "read!",   "exist", "exist?", "read_level",
                                         "exist_level", "has_key", "debug", "get!",   "get_vivify",
                                         "hold",        "held",    "check" };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], op) == 0)
            return true;
    return false;
}

static void
read_operation(struct rh_load *load, struct rh_value *v)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *op = rh_value_new(a, RH_HASH);
    struct rh_value *path = rh_draft_get(v, "path");
    struct rh_value *value = rh_draft_get(v, "value");
    struct rh_value *sensitive = rh_draft_get(v, "sensitive");
    const struct rh_value *name, *level;
    struct rh_node_result result = { 0 };

    if (!check_operation(load, v))
        return;
    name = rh_value_get(v, "op");
    level = rh_value_get(v, "level");
    if (only_reads(name->u.string)) {
        rh_complain(load->complaints, rh_value_place(name),
                    "'rhost node PATH FILE' shows what an attribute is",
                    "operation '%s' only reads and cannot be used in a manifest", name->u.string);
        return;
    }
    if (level
        && (!rh_value_is(level, RH_STRING)
            || rh_attributes_level(load, level->u.string, rh_value_place(level)) < 0))
        return;
    rh_value_put_ref(op, "op", name);
    if (level)
        rh_value_put_ref(op, "level", level);
    if (path) {
        path = rh_attributes_path(load, path, false);
        if (!path)
            return;
        rh_value_put_ref(op, "path", path);
    }
    if (value) {
        if (sensitive && sensitive->kind != RH_UNKNOWN) {
            (void)rh_scalar_read(a, NULL, sensitive);
            if (sensitive->kind != RH_BOOLEAN)
                rh_complain(load->complaints, rh_value_place(sensitive), "write 'true' or 'false'",
                            "sensitive must be a boolean, not %s", rh_kind_name(sensitive->kind));
        }
        rh_attributes_read_value(load, path, value);
        rh_value_put_ref(op, "value", value);
    }
    if (rh_node_operate(load->attributes.node, op, rh_value_place(v), &result) < 0)
        rh_complain_code(load->complaints, rh_value_place(v), result.hint, rh_message_code(result.format),
                         "%s", result.message);
}

void
rh_attributes_read(struct rh_load *load, struct rh_value *v)
{
    if (v->kind == RH_UNKNOWN || rh_scalar_is_null(v))
        return;
    if (v->kind == RH_HASH)
        read_levels(load, v);
    else if (v->kind != RH_ARRAY)
        rh_complain(
            load->complaints, rh_value_place(v), "for example: attributes: {default: {web: {port: 8080}}}",
            "'attributes' must be a hash of levels or a list of operations, not %s", rh_kind_name(v->kind));
    else
        for (uint32_t i = 0; i < v->count; i++)
            read_operation(load, rh_draft_part(v, i));
}
