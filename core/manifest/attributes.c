/* SPDX-License-Identifier: Apache-2.0 */
/* attributes - what files say of the node's attributes, put into it. */
#include "config.h"

#include "manifest/attributes.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load.h"
#include "manifest/scalar.h"
#include "manifest/substitute.h"

#include <stdint.h>
#include <string.h>

/* Levels. */

void
rh_attributes_suggest_level(struct rh_suggest *s)
{
    for (int i = 0; i < RH_LEVEL_AUTOMATIC; i++)
        rh_suggest_try(s, rh_node_level_name((enum rh_node_level)i));
}

int
rh_attributes_level(struct rh_load *load, const char *name, struct rh_place place)
{
    int level = rh_node_level_find(name);
    rh_autofree char *hint = NULL;
    struct rh_suggest near;

    if (level == RH_LEVEL_AUTOMATIC) {
        rh_complain(load->complaints, place,
                    "facts of your own come from files in facts.d; what outranks all others is "
                    "'force_override'",
                    "the level 'automatic' has the facts, and nothing else is put there");
        return -1;
    }
    if (level >= 0)
        return level;
    rh_suggest_init(&near, name);
    rh_attributes_suggest_level(&near);
    hint = near.best ? rh_printf("did you mean '%s'?", near.best)
                     : rh_xstrdup("attributes stand below a level; from low to high they are: default, "
                                  "env_default, role_default, force_default, normal, override, role_override, env_override, "
                                  "force_override");
    rh_complain(load->complaints, place, hint, "there is no level '%s'", name);
    return -1;
}

/* Paths. */

/* `again`: somebody else reads it as well, and complains. */
static struct rh_value *
read_path(struct rh_load *load, struct rh_value *v, bool again)
{
    struct rh_arena *a = load->catalog->arena;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *path;

    if (v->kind == RH_UNKNOWN || (again && rh_value_is(v, RH_STRING) && strstr(v->u.string, "${")))
        return NULL;
    if (rh_substitute(load, v) < 0)
        return NULL;
    if (rh_value_is(v, RH_STRING) && v->count && strlen(v->u.string) == v->count) {
        path = rh_node_path_parse(a, v->u.string, &err);
        if (!path && !again)
            rh_complain(load->complaints, rh_value_place(v), NULL, "%s", err.message);
        return path;
    }
    (void)rh_scalar_read(a, NULL, v);
    for (size_t i = 0; v->kind == RH_ARRAY && i < v->count; i++) {
        const struct rh_value *part = rh_value_at(v, i);

        if (rh_value_is(part, RH_INTEGER)
            || (rh_value_is(part, RH_STRING) && strlen(part->u.string) == part->count))
            continue;
        if (!again)
            rh_complain(load->complaints, rh_value_place(part), NULL,
                        "a path is made of texts and whole numbers, not of %s",
                        rh_kind_name(part->kind));
        return NULL;
    }
    if (v->kind == RH_ARRAY && v->count)
        return v;
    if (!again)
        rh_complain(load->complaints, rh_value_place(v),
                    "for example: path: [web, port], or path: web.port", "expected the path of an attribute");
    return NULL;
}

/* Secrets. */

/* All within as well: the node takes tables apart. */
static void
mark(struct rh_value *v)
{
    v->marks |= RH_SENSITIVE;
    if (v->kind == RH_ARRAY)
        for (uint32_t i = 0; i < v->count; i++)
            mark(v->u.items->v[i]);
    if (v->kind == RH_HASH)
        for (uint32_t i = 0; i < v->count; i++)
            mark(v->u.entries->e[i].value);
}

static void
hide_below(struct rh_load *load, struct rh_value *v, const struct rh_value *path, size_t from)
{
    const struct rh_value *part = rh_value_at(path, from);

    if (!part) {
        mark(v);
        rh_load_hide(load, v);
    } else if (v->kind == RH_ARRAY && part->kind == RH_INTEGER) {
        size_t i = (size_t)(part->u.integer < 0 ? part->u.integer + v->count : part->u.integer);

        if (i < v->count)
            hide_below(load, v->u.items->v[i], path, from + 1);
    } else if (v->kind == RH_HASH && part->kind == RH_STRING) {
        const struct rh_value *inner = rh_value_get(v, part->u.string);

        if (inner)
            hide_below(load, (struct rh_value *)inner, path, from + 1);
    }
}

/* Hides what of `v`, which is for `path` (NULL: the top), is to be shown nowhere. */
static void
hide(struct rh_load *load, const struct rh_value *path, struct rh_value *v)
{
    for (size_t i = 0; i < rh_value_count(load->secrets); i++) {
        const struct rh_value *secret = rh_value_at(load->secrets, i);
        size_t n = 0, most = rh_value_count(path);

        while (n < most && n < secret->count
               && rh_value_equal(rh_value_at(path, n), rh_value_at(secret, n)))
            n++;
        if (n == secret->count) {
            mark(v);
            rh_load_hide(load, v);
        } else if (n == most) {
            hide_below(load, v, secret, n);
        }
    }
}

static void
note_secret(struct rh_load *load, const struct rh_value *v, bool again)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *path = read_path(load, rh_value_copy(a, v), again);

    if (!load->secrets)
        load->secrets = rh_value_new(a, RH_ARRAY);
    if (!path)
        return;
    rh_value_append(load->secrets, path);
    rh_node_hide(load->node, path); /* recipes write there, too */
}

void
rh_attributes_note_secret_list(struct rh_load *load, const struct rh_value *paths)
{
    if (!paths || rh_scalar_is_null(paths))
        return;
    if (paths->kind != RH_ARRAY)
        note_secret(load, paths, false);
    else
        for (size_t i = 0; i < paths->count; i++)
            note_secret(load, rh_value_at(paths, i), false);
}

/* Whatever else it is, it is not taken for "no": who writes it means to hide something. */
static bool
is_false(struct rh_load *load, const struct rh_value *v)
{
    struct rh_value *read = rh_scalar_read(load->catalog->arena, NULL,
                                           rh_value_copy(load->catalog->arena, v));

    return read->kind == RH_UNDEF || (read->kind == RH_BOOLEAN && !read->u.integer);
}

void
rh_attributes_note_secrets(struct rh_load *load, const struct rh_value *v)
{
    if (rh_value_is(v, RH_HASH))
        rh_attributes_note_secret_list(load, rh_value_get(v, "sensitive"));
    for (size_t i = 0; rh_value_is(v, RH_ARRAY) && i < v->count; i++) {
        const struct rh_value *op = rh_value_at(v, i);
        const struct rh_value *path, *sensitive;

        if (!rh_value_is(op, RH_HASH))
            continue;
        path = rh_value_get(op, "path");
        sensitive = rh_value_get(op, "sensitive");
        if (path && sensitive && !is_false(load, sensitive))
            note_secret(load, path, true);
    }
}

/* Values. */

static bool
has_expression(const struct rh_value *v)
{
    if (v->kind == RH_STRING)
        return memmem(v->u.string, v->count, "${", 2) != NULL;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (has_expression(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i)))
            return true;
    return false;
}

static const struct rh_value *
with_append(const struct rh_value *v)
{
    if (v->marks & (RH_APPEND | RH_REMOVE))
        return v;
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_value *found =
            with_append(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i));

        if (found)
            return found;
    }
    return NULL;
}

/* Reads a value that has no expression left above it; what can't be read is unknown, so that
 * nothing complains about it again. */
static void
read_value(struct rh_load *load, const struct rh_value *path, struct rh_value *v)
{
    const struct rh_value *bad = with_append(v);
    struct rh_place place = rh_value_place(v);

    if (bad)
        rh_complain(load->complaints, rh_value_place(bad),
                    "a list of operations can append: {op: append, level: ..., path: ..., value: ...}",
                    "'!append' and '!remove' are for what resources have on the machine, not for "
                    "attributes of the node");
    hide(load, path, v);
    if (bad || rh_substitute(load, v) < 0) {
        *v = *rh_value_new(load->catalog->arena, RH_UNKNOWN);
        rh_value_set_place(v, place);
        return;
    }
    (void)rh_scalar_read(load->catalog->arena, NULL, v);
    hide(load, path, v);
}

struct laying {
    enum rh_node_level level;
    bool join;
};

/* Levels: what has no expression goes in at once, the rest value by value, so that each sees those
 * above it. `path` is where `table` belongs. */

/* The table that has `v` at the path, which has keys only. */
static struct rh_value *
wrap(struct rh_arena *a, const struct rh_value *path, struct rh_value *v)
{
    struct rh_place place = rh_value_place(v);

    for (size_t k = rh_value_count(path); k-- > 0;) {
        const struct rh_entry outer = { rh_value_at(path, k)->u.string, v };

        v = rh_value_hash_of(a, &outer, NULL, 1);
        rh_value_set_place(v, place);
    }
    return v;
}

static struct rh_value *
wrap_entry(struct rh_arena *a, const struct rh_value *path, const struct rh_value *table, size_t i)
{
    struct rh_place place = rh_value_key_place(table, i);
    struct rh_value *v = rh_value_hash_of(a, rh_value_entry(table, i), &place, 1);

    rh_value_set_place(v, rh_value_place(table));
    return wrap(a, path, v);
}

/* A list becomes what the level has there, and then what is new in it. */
static void
join_lists(struct rh_arena *a, const struct rh_value *there, struct rh_value *v)
{
    struct rh_value *joined;

    for (uint32_t i = 0; v->kind == RH_HASH && i < v->count; i++) {
        struct rh_entry *e = &v->u.entries->e[i];

        join_lists(a, rh_value_get(there, e->key), e->value);
    }
    if (v->kind != RH_ARRAY || !rh_value_is(there, RH_ARRAY))
        return;
    joined = rh_value_copy(a, there);
    for (uint32_t i = 0; i < v->count; i++) {
        bool known = false;

        for (uint32_t k = 0; k < there->count && !known; k++)
            known = rh_value_equal(rh_value_at(there, k), rh_value_at(v, i));
        if (!known)
            rh_value_append(joined, v->u.items->v[i]);
    }
    v->u = joined->u;
    v->count = joined->count;
}

static void
merge(struct rh_load *load, const struct laying *l, struct rh_value *table)
{
    if (l->join)
        join_lists(load->catalog->arena,
                   rh_node_view(load->node, rh_node_level_name(l->level)), table);
    rh_node_merge(load->node, l->level, table, rh_value_place(table));
}

static void
lay_in_order(struct rh_load *load, const struct laying *l, struct rh_value *path,
             struct rh_value *table)
{
    struct rh_arena *a = load->catalog->arena;

    for (uint32_t i = 0; i < table->count; i++) {
        struct rh_entry *e = &table->u.entries->e[i];
        struct rh_value *inner = rh_value_copy(a, path);

        rh_value_append(inner, rh_value_string(a, e->key));
        if (e->value->kind == RH_HASH && e->value->count && has_expression(e->value)) {
            lay_in_order(load, l, inner, e->value);
            continue;
        }
        read_value(load, inner, e->value);
        merge(load, l, wrap_entry(a, path, table, i));
    }
}

void
rh_attributes_lay(struct rh_load *load, enum rh_node_level level, struct rh_value *table,
                  const char *what, bool join)
{
    const struct laying l = { level, join };

    if (table->kind == RH_UNKNOWN || rh_scalar_is_null(table))
        return;
    if (table->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(table), NULL,
                    "'%s' is a hash of attributes, not %s", what, rh_kind_name(table->kind));
        return;
    }
    if (has_expression(table)) {
        lay_in_order(load, &l, rh_value_new(load->catalog->arena, RH_ARRAY), table);
        return;
    }
    read_value(load, NULL, table);
    if (table->kind == RH_HASH)
        merge(load, &l, table);
}

/* All of it was written there, and there are no lines. */
static void
set_places(struct rh_value *v, struct rh_place place)
{
    rh_value_set_place(v, place);
    for (size_t i = 0; v->kind == RH_HASH && i < v->count; i++)
        set_places(v->u.entries->e[i].value, place);
    for (size_t i = 0; v->kind == RH_ARRAY && i < v->count; i++)
        set_places(v->u.items->v[i], place);
}

static bool
has_keys_only(const struct rh_value *path)
{
    for (size_t i = 0; i < rh_value_count(path); i++)
        if (rh_value_at(path, i)->kind != RH_STRING)
            return false;
    return true;
}

void
rh_attributes_set(struct rh_load *load, enum rh_node_level level, const struct rh_value *path,
                  struct rh_value *v, struct rh_place place, bool fully)
{
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *op = rh_value_new(a, RH_HASH);
    struct rh_node_result result = { 0 };

    read_value(load, path, v);
    if (!place.line)
        set_places(v, place);
    if (v->kind == RH_HASH && has_keys_only(path)) {
        rh_node_merge(load->node, level, wrap(a, path, v), place);
        return;
    }
    rh_value_put_ref(op, "op", rh_value_string(a, fully ? "set!" : "set"));
    rh_value_put_ref(op, "level", rh_value_string(a, rh_node_level_name(level)));
    rh_value_put_ref(op, "path", (struct rh_value *)path);
    rh_value_put_ref(op, "value", v);
    if (rh_node_operate(load->node, op, place, &result) < 0)
        rh_complain(load->complaints, place, NULL, "%s", result.message);
}

static void
read_levels(struct rh_load *load, struct rh_value *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        struct rh_entry *e = &v->u.entries->e[i];
        int level;

        if (strcmp(e->key, "sensitive") == 0)
            continue; /* was noted before */
        level = rh_attributes_level(load, e->key, rh_value_key_place(v, i));
        if (level >= 0)
            rh_attributes_lay(load, (enum rh_node_level)level, e->value, e->key, false);
    }
}

/* Operations. */

static bool
check_operation(struct rh_load *load, const struct rh_value *v)
{
    static const char *const words[] = { "op", "level", "path", "value", "sensitive" };
    bool good = true;

    if (v->kind == RH_UNKNOWN)
        return false; /* was complained about */
    if (v->kind != RH_HASH) {
        rh_complain(load->complaints, rh_value_place(v),
                    "for example: {op: set, level: default, path: [web, port], value: 80}",
                    "an operation on attributes is a hash, not %s", rh_kind_name(v->kind));
        return false;
    }
    for (size_t i = 0; i < v->count; i++) {
        const char *key = rh_value_entry(v, i)->key;
        rh_autofree char *hint = NULL;
        struct rh_suggest near;
        bool known = false;

        rh_suggest_init(&near, key);
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            known |= strcmp(words[k], key) == 0;
            rh_suggest_try(&near, words[k]);
        }
        if (known)
            continue;
        hint = near.best ? rh_printf("did you mean '%s'?", near.best)
                         : rh_xstrdup("it has: op, level, path, value, sensitive");
        rh_complain(load->complaints, rh_value_key_place(v, i), hint,
                    "an operation on attributes has no '%s'", key);
        good = false;
    }
    if (good && !rh_value_is(rh_value_get(v, "op"), RH_STRING)) {
        rh_complain(load->complaints, rh_value_place(v), "for example: op: set",
                    "the operation lacks its 'op'");
        good = false;
    }
    return good;
}

/* Operations that only look: in a file nobody would see what they found. */
static bool
only_looks(const char *op)
{
    static const char *const words[] = { "read",       "read!",       "exist", "exist?", "read_level",
                                         "exist_level", "has_key",    "debug", "get!",   "get_vivify",
                                         "hold",        "held",       "check" };

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
    struct rh_value *path = (struct rh_value *)rh_value_get(v, "path");
    struct rh_value *value = (struct rh_value *)rh_value_get(v, "value");
    struct rh_value *sensitive = (struct rh_value *)rh_value_get(v, "sensitive");
    const struct rh_value *name, *level;
    struct rh_node_result result = { 0 };

    if (!check_operation(load, v))
        return;
    name = rh_value_get(v, "op");
    level = rh_value_get(v, "level");
    if (only_looks(name->u.string)) {
        rh_complain(load->complaints, rh_value_place(name),
                    "'rhost node PATH FILE' shows what an attribute is",
                    "'%s' changes nothing, and is not for manifests", name->u.string);
        return;
    }
    if (level && (!rh_value_is(level, RH_STRING)
                  || rh_attributes_level(load, level->u.string, rh_value_place(level)) < 0))
        return;
    rh_value_put_ref(op, "op", (struct rh_value *)name);
    if (level)
        rh_value_put_ref(op, "level", (struct rh_value *)level);
    if (path) {
        path = read_path(load, path, false);
        if (!path)
            return;
        rh_value_put_ref(op, "path", path);
    }
    if (value) {
        if (sensitive && sensitive->kind != RH_UNKNOWN) {
            (void)rh_scalar_read(a, NULL, sensitive);
            if (sensitive->kind != RH_BOOLEAN)
                rh_complain(load->complaints, rh_value_place(sensitive), "write 'true' or 'false'",
                            "sensitive is a boolean, not %s", rh_kind_name(sensitive->kind));
        }
        read_value(load, path, value);
        rh_value_put_ref(op, "value", value);
    }
    if (rh_node_operate(load->node, op, rh_value_place(v), &result) < 0)
        rh_complain(load->complaints, rh_value_place(v), NULL, "%s", result.message);
}

void
rh_attributes_read(struct rh_load *load, struct rh_value *v)
{
    if (v->kind == RH_UNKNOWN || rh_scalar_is_null(v))
        return;
    if (v->kind == RH_HASH)
        read_levels(load, v);
    else if (v->kind != RH_ARRAY)
        rh_complain(load->complaints, rh_value_place(v),
                    "for example: attributes: {default: {web: {port: 8080}}}",
                    "'attributes' is a hash of levels or a list of operations, not %s",
                    rh_kind_name(v->kind));
    else
        for (uint32_t i = 0; i < v->count; i++)
            read_operation(load, v->u.items->v[i]);
}
