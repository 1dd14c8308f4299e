/* SPDX-License-Identifier: Apache-2.0 */
/* library - what scripts can call, and the names that they find it by. */
#include "config.h"

#include "script/library.h"

#include "script/habit.h"
#include "script/lib.h"
#include "script/node-view.h"
#include "script/node-write.h"
#include "script/parts.h"
#include "script/problem.h"
#include "script/take.h"
#include "script/view.h"

#include "base/suggest.h"
#include "base/value.h"

#include <lualib.h>
#include <string.h>
#include <strings.h>

enum {
    CALL = 8,            /* what calling costs, in instructions */
    GUESS = 2000,        /* what guessing costs what was meant */
    BYTES = 32,          /* of arguments that are worth another one */
    MOST_NODES = 100000, /* that are searched for secrets */
    LEAST_NUMBER = 1000, /* that is taken for one, when it was made of one */
};

static bool
holds_secret(lua_State *l, int index, unsigned *nodes, int depth)
{
    bool found = false;

    if (lua_type(l, index) != LUA_TTABLE)
        return rh_script_is_secret(l, index);
    if (depth > RH_SCRIPT_DEEPEST || !lua_checkstack(l, 8))
        return true;
    index = lua_absindex(l, index);
    rh_script_charge(l, 1);
    for (lua_pushnil(l); !found && lua_next(l, index); lua_pop(l, 1)) {
        rh_script_charge(l, 1);
        found = ++*nodes > MOST_NODES || holds_secret(l, -1, nodes, depth + 1);
        if (found) {
            lua_pop(l, 2);
            break;
        }
    }
    return found;
}

/* Whether what it returns says nothing of the values that it was called with: there is no need to
 * look at all of a list each time that something is added to it. */
static bool
tells_nothing(const struct rh_function *f)
{
    static const char *const names[] = { "each", "insert", "ipairs", "pairs", "print", "type" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], f->name) == 0)
            return true;
    return false;
}

static void
make_secret(lua_State *l, int index, int depth)
{
    rh_script_charge(l, 1); /* tables may be within one another very often */
    /* A length or a position says too little to be a secret, and is too often met elsewhere. */
    if (lua_type(l, index) == LUA_TNUMBER && lua_tonumber(l, index) < LEAST_NUMBER
        && lua_tonumber(l, index) > -LEAST_NUMBER) {
        rh_script_of(l)->now.touched = true;
        return;
    }
    if (lua_type(l, index) != LUA_TTABLE) {
        rh_script_touch(l, index);
        return;
    }
    if (depth > RH_SCRIPT_DEEPEST || !lua_checkstack(l, 8))
        return;
    index = lua_absindex(l, index);
    for (lua_pushnil(l); lua_next(l, index); lua_pop(l, 1))
        make_secret(l, -1, depth + 1);
}

static int
call(lua_State *l)
{
    const struct rh_function *f = lua_touserdata(l, lua_upvalueindex(1));
    struct rh_script *s = rh_script_of(l);
    int n = lua_gettop(l), results;
    bool secret = false;
    uint64_t cost = CALL;
    unsigned nodes = 0;

    for (int i = 1; i <= n; i++)
        if (lua_type(l, i) == LUA_TSTRING)
            cost += lua_rawlen(l, i) / BYTES;
    rh_script_charge(l, cost);
    if (s->now.recipe && s->n_secret && !tells_nothing(f))
        for (int i = 1; !secret && i <= n; i++)
            secret = holds_secret(l, i, &nodes, 0);
    results = f->call(l);
    for (int i = 1; secret && i <= results; i++)
        make_secret(l, -i, 0);
    return results;
}

void
rh_library_add(lua_State *l, const struct rh_function *functions)
{
    for (; functions->name; functions++) {
        lua_pushlightuserdata(l, (void *)(uintptr_t)functions);
        lua_pushcclosure(l, call, 1);
        lua_setfield(l, -2, functions->name);
    }
}

void
rh_library_push(lua_State *l, const struct rh_function *f)
{
    lua_pushlightuserdata(l, (void *)(uintptr_t)f);
    lua_insert(l, -2);
    lua_pushcclosure(l, call, 2);
}

void
rh_library_borrow(lua_State *l, lua_CFunction open, const char *const *names)
{
    lua_pushcfunction(l, open);
    lua_call(l, 0, 1);
    for (; *names; names++) {
        if (lua_getfield(l, -1, *names) == LUA_TFUNCTION) {
            struct rh_function *f = lua_newuserdatauv(l, sizeof *f, 0);

            *f = (struct rh_function){ *names, lua_tocfunction(l, -2) };
            lua_pushcclosure(l, call, 1);
            lua_remove(l, -2);
        }
        lua_setfield(l, -3, *names);
    }
    lua_pop(l, 1);
}

void
rh_library_add_with(lua_State *l, const struct rh_function *f, lua_CFunction open)
{
    lua_pushlightuserdata(l, (void *)(uintptr_t)f);
    lua_pushcfunction(l, open);
    lua_call(l, 0, 1);
    lua_getfield(l, -1, f->name);
    lua_remove(l, -2);
    lua_pushcclosure(l, call, 2);
    lua_setfield(l, -2, f->name);
}

static void
suggest_from(lua_State *l, int table, struct rh_suggest *suggest)
{
    table = lua_absindex(l, table);
    for (lua_pushnil(l); lua_next(l, table); lua_pop(l, 1))
        if (lua_type(l, -2) == LUA_TSTRING)
            rh_suggest_try(suggest, lua_tostring(l, -2));
}

/* Upvalues: the table that is read, its name. */
static int
sealed_index(lua_State *l)
{
    struct rh_suggest suggest;
    const char *name = lua_tostring(l, lua_upvalueindex(2)), *key;

    lua_settop(l, 2);
    lua_pushvalue(l, 2);
    lua_rawget(l, lua_upvalueindex(1));
    if (!lua_isnil(l, -1))
        return 1;
    key = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "?";
    rh_script_charge(l, GUESS);
    rh_suggest_init(&suggest, key);
    suggest_from(l, lua_upvalueindex(1), &suggest);
    rh_script_raise_hint(
        l, suggest.best ? lua_pushfstring(l, "did you mean '%s'?", suggest.best) : NULL,
        "there is no '%s' in '%s'", key, name);
}

static int
sealed_write(lua_State *l)
{
    rh_script_raise(l, "'%s' is a part of the library, which can't be changed",
                    lua_tostring(l, lua_upvalueindex(1)));
}

void
rh_library_seal(lua_State *l, const char *name)
{
    lua_newuserdatauv(l, 0, 0);
    lua_newtable(l);
    lua_pushvalue(l, -3);
    lua_pushstring(l, name);
    lua_pushcclosure(l, sealed_index, 2);
    lua_setfield(l, -2, "__index");
    lua_pushstring(l, name);
    lua_pushcclosure(l, sealed_write, 1);
    lua_setfield(l, -2, "__newindex");
    lua_pushliteral(l, "library");
    lua_setfield(l, -2, "__name");
    lua_setmetatable(l, -2);
    lua_remove(l, -2);
}

/* Raises that there is no such name. `names` (0: none) is another table to guess from. */
static int
unknown_name(lua_State *l, const char *name, int names)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_suggest suggest;
    const char *hint;

    rh_script_charge(l, GUESS);
    rh_suggest_init(&suggest, name);
    for (size_t i = 0; rh_value_entry(s->now.scope, i); i++)
        rh_suggest_try(&suggest, rh_value_entry(s->now.scope, i)->key);
    if (names)
        suggest_from(l, names, &suggest);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->library);
    suggest_from(l, -1, &suggest);
    if (s->options.node)
        rh_suggest_try(&suggest, "node");
    if (strcasecmp(name, "yes") == 0 || strcasecmp(name, "on") == 0
        || strcasecmp(name, "true") == 0)
        suggest.best = "true";
    if (strcasecmp(name, "no") == 0 || strcasecmp(name, "off") == 0
        || strcasecmp(name, "false") == 0)
        suggest.best = "false";
    hint = rh_habit_name(name);
    if (!hint && suggest.best)
        hint = lua_pushfstring(l, "did you mean '%s'?", suggest.best);
    rh_script_raise_hint(l, hint, "there is no '%s'", name);
}

/* Pushes what the library has under the name at index 2, or nil. */
static int
push_library(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *name;

    lua_rawgeti(l, LUA_REGISTRYINDEX, s->library);
    lua_pushvalue(l, 2);
    lua_rawget(l, -2);
    lua_remove(l, -2);
    if (!lua_isnil(l, -1))
        return 1;
    name = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "";
    if (s->options.node && strcmp(name, "node") == 0) {
        lua_pop(l, 1);
        if (s->now.recipe)
            rh_node_write_push(l);
        else
            rh_node_view_push(l);
    }
    return 1;
}

/* The names of expressions: the scope's, then the library's, then the node. */
static int
name_index(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *name = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "?";

    lua_settop(l, 2);
    for (size_t i = 0; rh_value_entry(s->now.scope, i); i++) {
        const struct rh_entry *e = rh_value_entry(s->now.scope, i);

        if (strcmp(e->key, name) == 0) {
            rh_view_push(l, e->value, e->key);
            return 1;
        }
    }
    push_library(l);
    if (lua_isnil(l, -1))
        unknown_name(l, name, 0);
    return 1;
}

static int
name_write(lua_State *l)
{
    rh_script_raise(l, "'%s' can't be set here: write 'local %s' in front of it",
                    lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "?",
                    lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "?");
}

/* The names of a recipe. Upvalue: its globals. */
static int
global_index(lua_State *l)
{
    lua_settop(l, 2);
    lua_pushvalue(l, 2);
    lua_gettable(l, lua_upvalueindex(1));
    if (!lua_isnil(l, -1))
        return 1;
    lua_settop(l, 2);
    push_library(l);
    if (lua_isnil(l, -1))
        unknown_name(l, lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "?",
                     lua_upvalueindex(1));
    return 1;
}

static int
global_write(lua_State *l)
{
    lua_settop(l, 3);
    lua_settable(l, lua_upvalueindex(1));
    return 0;
}

void
rh_library_environment(lua_State *l, int globals)
{
    globals = lua_absindex(l, globals);
    lua_newtable(l);
    lua_newtable(l);
    lua_pushvalue(l, globals);
    lua_pushcclosure(l, global_index, 1);
    lua_setfield(l, -2, "__index");
    lua_pushvalue(l, globals);
    lua_pushcclosure(l, global_write, 1);
    lua_setfield(l, -2, "__newindex");
    lua_setmetatable(l, -2);
}

static void
open_environment(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);

    lua_newtable(l);
    lua_newtable(l);
    lua_pushcfunction(l, name_index);
    lua_setfield(l, -2, "__index");
    lua_pushcfunction(l, name_write);
    lua_setfield(l, -2, "__newindex");
    lua_setmetatable(l, -2);
    s->environment = luaL_ref(l, LUA_REGISTRYINDEX);
}

void
rh_library_open(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);

    lua_newtable(l);
    rh_lib_base_open(l);
    rh_lib_text_open(l);
    rh_lib_data_open(l);
    rh_lib_encode_open(l);
    rh_lib_string_open(l);
    rh_lib_table_open(l);
    rh_lib_world_open(l);
    rh_lib_render_open(l);
    s->library = luaL_ref(l, LUA_REGISTRYINDEX);
    open_environment(l);
    /* What the standard libraries left: nobody needs to find it. */
    lua_newtable(l);
    lua_rawseti(l, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}
