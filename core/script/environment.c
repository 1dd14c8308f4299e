/* SPDX-License-Identifier: Apache-2.0 */
/* environment - the names that a script finds. */
#include "config.h"

#include "script/library.h"

#include "base/suggest.h"
#include "base/value.h"
#include "node/node.h"
#include "script/other-syntax.h"
#include "script/parts.h"
#include "script/view.h"

#include <lualib.h>
#include <string.h>
#include <strings.h>

/* Raises that there is no such name. `names` (0: none) is another table to guess from. */
static void __attribute__((noreturn)) unknown_name(lua_State *l, const char *name, int names)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_suggest suggest;
    const char *hint;

    rh_script_charge(l, RH_LIBRARY_GUESS);
    rh_suggest_init(&suggest, name);
    for (size_t i = 0; rh_value_entry(s->now.scope, i); i++)
        rh_suggest_try(&suggest, rh_value_entry(s->now.scope, i)->key);
    if (names)
        rh_library_suggest(l, names, &suggest);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->library);
    rh_library_suggest(l, -1, &suggest);
    if (s->options.node)
        rh_suggest_try(&suggest, "node");
    if (strcasecmp(name, "yes") == 0 || strcasecmp(name, "on") == 0 || strcasecmp(name, "true") == 0)
        suggest.best = "true";
    if (strcasecmp(name, "no") == 0 || strcasecmp(name, "off") == 0 || strcasecmp(name, "false") == 0)
        suggest.best = "false";
    hint = rh_other_syntax_name(name);
    if (!hint && s->options.node && rh_node_read_key(s->options.node, name))
        hint = lua_pushfstring(l, "did you mean 'node.%s'?", name);
    if (!hint && suggest.best)
        hint = lua_pushfstring(l, "did you mean '%s'?", suggest.best);
    rh_script_raise_hint(l, hint, "unknown name '%s'", name);
}

/* Pushes what the library has under the name at index 2, or nil. */
static void
push_library(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *name;

    lua_rawgeti(l, LUA_REGISTRYINDEX, s->library);
    lua_pushvalue(l, 2);
    lua_rawget(l, -2);
    lua_remove(l, -2);
    if (!lua_isnil(l, -1))
        return;
    name = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "";
    if (s->options.node && strcmp(name, "node") == 0) {
        lua_pop(l, 1);
        if (s->now.recipe)
            rh_node_write_push(l);
        else
            rh_node_view_push(l);
    }
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
    rh_script_raise(l, "cannot assign to '%s': declare it with 'local %s'",
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
        unknown_name(l, lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : "?", lua_upvalueindex(1));
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
    rh_lib_collection_open(l);
    rh_lib_list_open(l);
    rh_lib_line_open(l);
    rh_lib_address_open(l);
    rh_lib_measure_open(l);
    rh_lib_notation_open(l);
    rh_lib_ini_open(l);
    rh_lib_digest_open(l);
    rh_lib_seed_open(l);
    rh_lib_glob_open(l);
    rh_lib_time_open(l);
    rh_lib_password_open(l);
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
