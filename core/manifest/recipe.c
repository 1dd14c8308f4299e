/* SPDX-License-Identifier: Apache-2.0 */
/* recipe - a file in Lua that makes the entries that YAML could have said. */
#include "config.h"

#include "manifest/recipe.h"

#include "base/arena.h"
#include "base/source.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/entry.h"
#include "manifest/load.h"
#include "manifest/recipe-parts.h"
#include "manifest/recipe-place.h"
#include "script/script.h"
#include "script/state.h"

#include <string.h>

/* Where the names of all recipes are kept, in the registry. */
static const char words_key;

bool
rh_is_recipe(const char *file)
{
    size_t n = strlen(file);

    return n > 4 && strcmp(file + n - 4, ".lua") == 0;
}

struct rh_load *
rh_recipe_load(lua_State *l)
{
    return lua_touserdata(l, lua_upvalueindex(1));
}

void
rh_recipe_add(lua_State *l, struct rh_load *load, const char *name, lua_CFunction function)
{
    lua_pushlightuserdata(l, load);
    lua_pushcclosure(l, function, 1);
    lua_setfield(l, -2, name);
}

const char *
rh_recipe_text(lua_State *l, int index, const char *wanted)
{
    size_t n = 0;
    const char *s = lua_type(l, index) == LUA_TSTRING ? lua_tolstring(l, index, &n) : NULL;

    if (!s)
        (void)rh_script_raise(l, "expected %s, not %s", wanted,
                              lua_isnone(l, index) ? "nothing" : luaL_typename(l, index));
    if (!n || strlen(s) != n)
        (void)rh_script_raise(l, "expected %s, not %s", wanted,
                              n ? "a text with a NUL character" : "an empty text");
    return s;
}

struct rh_value *
rh_recipe_reference(lua_State *l, int index)
{
    struct rh_arena *a = rh_recipe_load(l)->catalog->arena;
    const char *type = rh_recipe_text(l, index, "the name of a type");
    const char *title = rh_recipe_text(l, index + 1, "a title");
    struct rh_value *v = rh_value_string(a, rh_arena_printf(a, "%s[%s]", type, title));

    rh_value_set_place(v, rh_script_place(l));
    return v;
}

struct rh_value *
rh_recipe_attributes(lua_State *l, int index)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_place here = rh_script_place(l);
    struct rh_value *v;

    if (lua_type(l, index) != LUA_TTABLE)
        (void)rh_script_raise(l, "expected a table of attributes, { name = value, ... }, not %s",
                              lua_isnone(l, index) ? "nothing" : luaL_typename(l, index));
    v = rh_script_take(l, index);
    if (v->kind == RH_ARRAY && !v->count)
        v = rh_value_new(load->catalog->arena, RH_HASH);
    if (v->kind != RH_HASH)
        (void)rh_script_raise(l, "attributes have names: { content = \"hello\" }, not { \"hello\" }");
    rh_value_set_place(v, here);
    rh_recipe_set_places(load->catalog->sources, &load->recipe_line, here, v);
    return v;
}

void
rh_recipe_enter(lua_State *l, const char *word, struct rh_value *what, struct rh_value *rest)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_arena *a = load->catalog->arena;
    size_t n = 1 + rh_value_count(rest);
    struct rh_entry *entries = rh_arena_alloc(a, n * sizeof *entries);
    struct rh_place *places = rh_arena_alloc(a, n * sizeof *places);
    struct rh_place here = rh_script_place(l);
    bool literal = load->literal;
    struct rh_value *entry;

    entries[0] = (struct rh_entry){ .key = rh_arena_strdup(a, word), .value = what };
    places[0] = here;
    for (size_t i = 1; i < n; i++) {
        entries[i] = *rh_value_entry(rest, i - 1);
        places[i] = rh_value_place(entries[i].value);
        if (strcmp(entries[i].key, word) == 0)
            (void)rh_script_raise(l, "'%s' is said already, in front of the table", word);
    }
    entry = rh_value_hash_of(a, entries, places, n);
    rh_value_set_place(entry, here);
    load->literal = true; /* what Lua has made is not looked through for "${" */
    (void)rh_entry_read(load, entry); /* the complaints are counted */
    load->literal = literal;
}

/* A name that the recipe has not set: a word of ours, or a type. What is neither is left to the
 * library. */
static int
find_name(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    const char *name = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : NULL;

    lua_rawgetp(l, LUA_REGISTRYINDEX, &words_key);
    lua_pushvalue(l, 2);
    if (lua_rawget(l, -2) != LUA_TNIL)
        return 1;
    if (!name || !rh_load_type(load, name, NULL)->type)
        return 0;
    rh_recipe_push_type(l, load, name);
    lua_pushvalue(l, 2);
    lua_pushvalue(l, -2);
    lua_rawset(l, -5); /* the next time it is found at once */
    return 1;
}

static void
open_words(lua_State *l, struct rh_load *load)
{
    bool opened = lua_rawgetp(l, LUA_REGISTRYINDEX, &words_key) == LUA_TTABLE;

    lua_pop(l, 1);
    if (opened)
        return;
    lua_newtable(l);
    rh_recipe_open_words(l, load);
    lua_rawsetp(l, LUA_REGISTRYINDEX, &words_key);
    rh_recipe_open_resources(l, load);
}

/* The names that one file sets are its own. */
static void
push_globals(lua_State *l, struct rh_load *load)
{
    lua_newtable(l);
    lua_newtable(l);
    rh_recipe_add(l, load, "__index", find_name);
    lua_pushboolean(l, 0);
    lua_setfield(l, -2, "__metatable");
    lua_setmetatable(l, -2);
}

void
rh_recipe_read(struct rh_load *load, const char *text, size_t n, unsigned file)
{
    struct rh_script *script = rh_load_script(load);
    lua_State *l = rh_script_lua(script);
    struct rh_script_problem problem = { 0 };

    open_words(l, load);
    push_globals(l, load);
    if (rh_script_run(script, text, n, file, lua_gettop(l), &problem) < 0) {
        rh_load_complain_script(load, &problem, problem.place);
        rh_catalog_excuse(load->catalog, NULL, NULL);
    }
    lua_pop(l, 1);
    rh_script_problem_clear(&problem);
}
