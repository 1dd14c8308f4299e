/* SPDX-License-Identifier: Apache-2.0 */
/* library - what scripts can call, and the names that they find it by. */
#include "config.h"

#include "script/library.h"

#include "script/parts.h"

#include "base/suggest.h"

#include <lualib.h>
#include <string.h>
#include <strings.h>

enum {
    CALL = 8,            /* what calling costs, in instructions */
    BYTES = 32,          /* of arguments that are worth another one */
    MOST_NODES = 100000, /* that are searched for secrets */
    LEAST_NUMBER = 1000, /* that is taken for one, when it was made of one */
};

static bool
has_secret(lua_State *l, int index, unsigned *nodes, int depth)
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
        found = ++*nodes > MOST_NODES || has_secret(l, -1, nodes, depth + 1);
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
reveals_nothing(const struct rh_function *f)
{
    static const char *const names[] = { "each", "insert", "ipairs", "pairs", "print", "type" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], f->name) == 0)
            return true;
    return false;
}

/* Whether what it comes upon in its course may be in what it returns, and is not the doing of a
 * function that it calls. */
static bool
reads_itself(const struct rh_function *f)
{
    return !reveals_nothing(f) && strcmp(f->name, "pcall") != 0;
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
    size_t known = s->n_secret;

    for (int i = 1; i <= n; i++)
        if (lua_type(l, i) == LUA_TSTRING)
            cost += lua_rawlen(l, i) / BYTES;
    rh_script_charge(l, cost);
    if (s->now.recipe && s->n_secret && !reveals_nothing(f))
        for (int i = 1; !secret && i <= n; i++)
            secret = has_secret(l, i, &nodes, 0);
    results = f->call(l);
    /* It may have found some itself, in a view: join(node.pins, ","). */
    secret |= s->now.recipe && s->n_secret > known && reads_itself(f);
    for (int i = 1; secret && i <= results; i++)
        make_secret(l, -i, 0);
    return results;
}

/* Lua keeps the pointer, and changes nothing through it. */
static void
push_function(lua_State *l, const struct rh_function *f)
{
    lua_pushlightuserdata(l, (void *)(uintptr_t)f);
}

void
rh_library_add(lua_State *l, const struct rh_function *functions)
{
    for (; functions->name; functions++) {
        push_function(l, functions);
        lua_pushcclosure(l, call, 1);
        lua_setfield(l, -2, functions->name);
    }
}

void
rh_library_push(lua_State *l, const struct rh_function *f)
{
    push_function(l, f);
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
    push_function(l, f);
    lua_pushcfunction(l, open);
    lua_call(l, 0, 1);
    lua_getfield(l, -1, f->name);
    lua_remove(l, -2);
    lua_pushcclosure(l, call, 2);
    lua_setfield(l, -2, f->name);
}

void
rh_library_suggest(lua_State *l, int table, struct rh_suggest *suggest)
{
    table = lua_absindex(l, table);
    for (lua_pushnil(l); lua_next(l, table); lua_pop(l, 1))
        if (lua_type(l, -2) == LUA_TSTRING && *lua_tostring(l, -2) != '_') /* optional.h has such names */
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
    rh_script_charge(l, RH_LIBRARY_GUESS);
    rh_suggest_init(&suggest, key);
    rh_library_suggest(l, lua_upvalueindex(1), &suggest);
    rh_script_raise_hint(l, suggest.best ? lua_pushfstring(l, "did you mean '%s'?", suggest.best) : NULL,
                         "unknown name '%s' in '%s'", key, name);
}

static int
sealed_write(lua_State *l)
{
    rh_script_raise(l, "'%s' is part of the library and cannot be changed",
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
