/* SPDX-License-Identifier: Apache-2.0 */
/* node-write - `node` in recipes, where attributes can be written as well (RFC 23). */
#include "config.h"

#include "script/view.h"

#include "script/arguments.h"
#include "script/parts.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/message-code.h"
#include "base/value.h"
#include "node/node.h"

#include <string.h>

enum { COST = 1000, DEEPEST = 64 }; /* instructions that an operation is worth; keys in a path */

/* Where something is to be written. What it is within, and the key there, are its user values. */
struct spot {
    const char *op; /* "set", "set!", "set_unless" */
    const char *level;
    unsigned depth;
};

enum { PARENT = 1, KEY };

static char node_key, spot_key, views_key; /* of the metatables, in the registry */

/* Operations that are called as methods. What they are called with: node:rm("web", "port"). */
static const struct method {
    const char *name;
    bool level, value, table; /* a level in front, a value behind, a table instead of a path */
} methods[] = {
    { "append", true, true, false },
    { "debug", false, false, false },
    { "debug_value", false, false, false },
    { "delete", false, false, false },
    { "delete_default", false, false, false },
    { "delete_key", true, false, false },
    { "delete_normal", false, false, false },
    { "delete_override", false, false, false },
    { "exist", false, false, false },
    { "exist?", false, false, false },
    { "exist_level", true, false, false },
    { "read", false, false, false },
    { "read!", false, false, false },
    { "read_level", true, false, false },
    { "remove", false, false, false },
    { "remove_default", false, false, false },
    { "remove_normal", false, false, false },
    { "remove_override", false, false, false },
    { "rm", false, false, false },
    { "rm_default", false, false, false },
    { "rm_level", true, false, false },
    { "rm_normal", false, false, false },
    { "rm_override", false, false, false },
    { "set", true, true, false },
    { "set!", true, true, false },
    { "set_level", true, false, true },
    { "set_unless", true, true, false },
    { "unlink", true, false, false },
    { "unlink!", true, false, false },
    { "write", true, true, false },
    { "write!", true, true, false },
};

static void *
check(lua_State *l, int index, const char *key)
{
    bool same = false;

    if (lua_type(l, index) == LUA_TUSERDATA && lua_getmetatable(l, index)) {
        lua_rawgetp(l, LUA_REGISTRYINDEX, key);
        same = lua_rawequal(l, -1, -2);
        lua_pop(l, 2);
    }
    return same ? lua_touserdata(l, index) : NULL;
}

/* A key of a path, at `index`: text, or a whole number. */
static struct rh_value *
step_of(lua_State *l, int index, struct rh_arena *a)
{
    size_t n;
    const char *s;

    if (lua_isinteger(l, index) && lua_type(l, index) == LUA_TNUMBER)
        return rh_value_integer(a, lua_tointeger(l, index));
    if (lua_type(l, index) != LUA_TSTRING)
        rh_script_raise(l, "the path of an attribute must be made of strings and integers, not a %s",
                        rh_script_type(l, index));
    s = lua_tolstring(l, index, &n);
    return rh_value_stringn(a, s, n);
}

/* What is at a path, at a level (NULL: merged); NULL when there is nothing. */
static const struct rh_value *
read_at(lua_State *l, const char *level, struct rh_value *path)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_value *op = rh_value_new(s->scratch, RH_HASH);
    struct rh_node_result result = { .fault = RH_NODE_OK };
    size_t before = rh_node_size(s->options.node);
    int rc;

    rh_value_put(op, "op", rh_value_string(s->scratch, level ? "read_level" : "read"));
    if (level)
        rh_value_put(op, "level", rh_value_string(s->scratch, level));
    rh_value_put(op, "path", path);
    rc = rh_node_operate(s->options.node, op, rh_script_place(l), &result);
    rh_script_account(s, rh_node_size(s->options.node) - before);
    return rc == 0 ? result.returns : NULL;
}

/* Lua counts what is in a list from 1, paths do from 0; in a table a number is a key like others. */
static void
count_from_zero(lua_State *l, const char *level, struct rh_value *path)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_value *above = rh_value_new(s->scratch, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(path); i++) {
        struct rh_value *step = rh_draft_part(path, i);

        if (step->kind == RH_INTEGER && rh_value_is(read_at(l, level, above), RH_ARRAY)) {
            if (step->u.integer == 0)
                rh_script_raise(l, "positions in a list start at 1, or at -1 from its end");
            if (step->u.integer > 0)
                step->u.integer--;
        }
        rh_value_append(above, step);
    }
}

/* Carries out an operation; leaves what it returned on the stack. */
static int
operate(lua_State *l, const char *name, const char *level, struct rh_value *path, struct rh_value *value)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_value *op = rh_value_new(s->scratch, RH_HASH);
    struct rh_node_result result = { .fault = RH_NODE_OK };
    size_t before = rh_node_size(s->options.node);
    int rc;

    rh_script_charge(l, COST);
    rh_value_put(op, "op", rh_value_string(s->scratch, name));
    if (level)
        rh_value_put(op, "level", rh_value_string(s->scratch, level));
    if (path) {
        count_from_zero(l, level, path);
        rh_value_put(op, "path", path);
    }
    if (value)
        rh_value_put(op, "value", value);
    rc = rh_node_operate(s->options.node, op, rh_script_place(l), &result);
    rh_script_account(s, rh_node_size(s->options.node) - before);
    if (rc < 0)
        rh_script_raise_code(l, result.hint, rh_message_code(result.format), result.message);
    rh_arena_reset(s->scratch);
    rh_script_push(l, result.returns);
    return 1;
}

/* node:rm("web", "port"); the method's number is the upvalue. */
static int
call_method(lua_State *l)
{
    const struct method *m = &methods[lua_tointeger(l, lua_upvalueindex(1))];
    struct rh_script *s = rh_script_of(l);
    int first = 2, last = lua_gettop(l);
    const char *level = NULL;
    struct rh_value *path = NULL, *value = NULL;

    if (!check(l, 1, &node_key))
        rh_script_raise(l, "this method must be called with ':': node:%s(...)", m->name);
    rh_arena_reset(s->scratch);
    if (m->level) {
        if (lua_type(l, 2) != LUA_TSTRING || rh_node_level_find(lua_tostring(l, 2)) < 0)
            rh_script_raise(l, "'%s' needs a level as its first argument: node:%s(\"default\", ...)", m->name,
                            m->name);
        level = lua_tostring(l, first++);
    }
    if (m->value || m->table) {
        if (last < first)
            rh_script_raise(l, "'%s' needs a value as its last argument", m->name);
        value = rh_script_take(l, last--);
    }
    if (!m->table) {
        path = rh_value_new(s->scratch, RH_ARRAY);
        for (int i = first; i <= last; i++)
            rh_value_append(path, step_of(l, i, s->scratch));
    }
    return operate(l, m->name, level, path, value);
}

static struct spot *
push_spot(lua_State *l, const char *op, const char *level)
{
    struct spot *spot = lua_newuserdatauv(l, sizeof *spot, KEY);

    *spot = (struct spot){ .op = op, .level = level };
    lua_rawgetp(l, LUA_REGISTRYINDEX, &spot_key);
    lua_setmetatable(l, -2);
    return spot;
}

/* "default", "default!", "default_unless"; pushes where that is. */
static bool
push_level(lua_State *l, const char *key)
{
    static const char unless[] = "_unless";
    size_t n = strlen(key), most = sizeof unless - 1;
    char name[32];
    const char *op = "set";
    int level;

    if (n && key[n - 1] == '!') {
        op = "set!";
        n--;
    } else if (n > most && strcmp(key + n - most, unless) == 0) {
        op = "set_unless";
        n -= most;
    }
    if (n >= sizeof name)
        return false;
    memcpy(name, key, n);
    name[n] = '\0';
    level = rh_node_level_find(name);
    if (level < 0)
        return false;
    (void)push_spot(l, op, rh_node_level_name((enum rh_node_level)level));
    return true;
}

static int
index_node(lua_State *l)
{
    const char *key = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "";

    rh_script_charge(l, 1);
    if (push_level(l, key))
        return 1;
    if (strcmp(key, "attributes") == 0) {
        (void)lua_newuserdatauv(l, 0, 0);
        lua_rawgetp(l, LUA_REGISTRYINDEX, &views_key);
        lua_setmetatable(l, -2);
        return 1;
    }
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].name, key) == 0) {
            lua_pushinteger(l, (lua_Integer)i);
            lua_pushcclosure(l, call_method, 1);
            return 1;
        }
    rh_node_view_push(l);
    lua_pushvalue(l, 2);
    lua_gettable(l, -2);
    return 1;
}

static int
refuse_node(lua_State *l)
{
    const char *key = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "...";

    rh_script_raise_hint(l, lua_pushfstring(l, "node.default.%s = ...", key),
                         "an attribute must be written at a level");
}

/* The path of the spot at `index`. */
static struct rh_value *
path_of(lua_State *l, int index, struct rh_arena *a)
{
    struct rh_value *steps[DEEPEST], *path = rh_value_new(a, RH_ARRAY);
    size_t n = 0;

    lua_pushvalue(l, index);
    while (lua_getiuservalue(l, -1, PARENT) == LUA_TUSERDATA) {
        (void)lua_getiuservalue(l, -2, KEY);
        steps[n++] = step_of(l, -1, a);
        lua_pop(l, 1);
        lua_remove(l, -2);
    }
    lua_pop(l, 2);
    while (n)
        rh_value_append(path, steps[--n]);
    return path;
}

/* What is at a level already is itself; what is not, or has more within, is a place to write to. */
static int
index_spot(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    struct spot *spot = check(l, 1, &spot_key), *inner;
    const struct rh_value *found;
    struct rh_value *path;

    if (!spot)
        return 0;
    rh_script_charge(l, COST / 10);
    rh_arena_reset(s->scratch);
    path = path_of(l, 1, s->scratch);
    rh_value_append(path, step_of(l, 2, s->scratch));
    if (spot->depth + 1 >= DEEPEST)
        rh_script_raise(l, "this path has more than %d keys", DEEPEST);
    if (strcmp(spot->op, "set") == 0) {
        count_from_zero(l, spot->level, path);
        found = read_at(l, spot->level, path);
        if (found && found->kind < RH_ARRAY && found->kind != RH_UNDEF) {
            rh_script_push(l, found);
            return 1;
        }
    }
    inner = push_spot(l, spot->op, spot->level);
    inner->depth = spot->depth + 1;
    lua_pushvalue(l, 1);
    lua_setiuservalue(l, -2, PARENT);
    lua_pushvalue(l, 2);
    lua_setiuservalue(l, -2, KEY);
    return 1;
}

static int
write_spot(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    struct spot *spot = check(l, 1, &spot_key);
    struct rh_value *path, *value;

    if (!spot)
        return 0;
    value = rh_script_take(l, 3);
    rh_arena_reset(s->scratch);
    path = path_of(l, 1, s->scratch);
    rh_value_append(path, step_of(l, 2, s->scratch));
    (void)operate(l, spot->op, spot->level, path, value);
    return 0;
}

static int
index_views(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *name = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "";
    size_t before = rh_node_size(s->options.node);
    const struct rh_value *v = rh_node_view(s->options.node, name);

    rh_script_account(s, rh_node_size(s->options.node) - before);
    rh_script_charge(l, COST);
    if (!v)
        rh_script_raise(l,
                        "unknown view '%s' of the attributes: expected merged, combined_default, normal, "
                        "combined_override, automatic or a level",
                        name);
    rh_script_push(l, v);
    return 1;
}

static int
refuse_views(lua_State *l)
{
    return refuse_node(l);
}

static void
make_metatable(lua_State *l, const char *key, lua_CFunction index, lua_CFunction write)
{
    lua_newtable(l);
    lua_pushcfunction(l, index);
    lua_setfield(l, -2, "__index");
    lua_pushcfunction(l, write);
    lua_setfield(l, -2, "__newindex");
    lua_pushliteral(l, "attributes");
    lua_setfield(l, -2, "__name");
    lua_pushboolean(l, 0);
    lua_setfield(l, -2, "__metatable");
    lua_rawsetp(l, LUA_REGISTRYINDEX, key);
}

void
rh_node_write_push(lua_State *l)
{
    (void)lua_newuserdatauv(l, 0, 0);
    if (lua_rawgetp(l, LUA_REGISTRYINDEX, &node_key) != LUA_TTABLE) {
        lua_pop(l, 1);
        make_metatable(l, &node_key, index_node, refuse_node);
        make_metatable(l, &spot_key, index_spot, write_spot);
        make_metatable(l, &views_key, index_views, refuse_views);
        (void)lua_rawgetp(l, LUA_REGISTRYINDEX, &node_key);
    }
    lua_setmetatable(l, -2);
}
