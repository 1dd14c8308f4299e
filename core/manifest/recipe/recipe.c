/* SPDX-License-Identifier: Apache-2.0 */
/* recipe - a file in Lua that makes the entries that YAML could have said. */
#include "config.h"

#include "manifest/recipe/recipe.h"

#include "base/complaint.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "manifest/entry/defaults.h"
#include "manifest/expression/expression.h"
#include "manifest/load/load.h"
#include "manifest/recipe/parts.h"
#include "manifest/text/yaml.h"
#include "script/script.h"
#include "script/state.h"

#include <string.h>

enum { NAME = 30 }; /* instructions that looking up a name, perhaps of a type, is worth */

/* Where the names of all recipes are kept, in the registry. */
static const char words_key;

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
    if (!name)
        return 0;
    rh_script_pay(l, NAME, 0);
    if (!rh_load_type(load, name, NULL)->type)
        return 0;
    rh_recipe_push_type(l, load, name);
    lua_pushvalue(l, 2);
    lua_pushvalue(l, -2);
    lua_rawset(l, -5); /* the next time it is found at once */
    return 1;
}

/* What was begun and not finished: file("/x") alone on its line. */

static void
complain_unfinished(struct rh_load *load)
{
    for (const struct rh_awaited *one = load->recipes.unfinished; one; one = one->next)
        if (!one->finished)
            rh_complain(load->complaints, one->place, "add a table of attributes, which can be empty: {}",
                        "missing table after %s", one->what);
    load->recipes.unfinished = NULL;
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
    rh_recipe_open_resources(l, load);
    lua_rawsetp(l, LUA_REGISTRYINDEX, &words_key);
}

/* The names that one file sets are its own. */
static int
push_globals(lua_State *l)
{
    struct rh_load *load = lua_touserdata(l, 1);

    open_words(l, load);
    lua_newtable(l);
    lua_newtable(l);
    rh_recipe_add(l, load, "__index", find_name);
    lua_pushboolean(l, 0);
    lua_setfield(l, -2, "__metatable");
    lua_setmetatable(l, -2);
    return 1;
}

void
rh_recipe_read(struct rh_load *load, const char *text, size_t n, unsigned file)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_defaults *around = load->context.defaults;
    struct rh_awaited *awaited = load->recipes.unfinished;
    size_t before = rh_complaints_count(load->complaints);
    int rc;

    if (n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        (void)rh_yaml_check_text(text, n, file, load->complaints);
        rh_catalog_note_refused(load->catalog, NULL, NULL);
        return;
    }
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* as editors elsewhere write it */
        text += 3;
        n -= 3;
    }
    load->recipes.unfinished = NULL;
    rc = rh_script_run(rh_load_script(load), text, n, file, push_globals, load, &err);
    if (rc < 0)
        rh_complain_error(load->complaints, err.place, NULL, &err);
    if (rc != 0) { /* what it would have declared may be named elsewhere */
        rh_catalog_note_refused(load->catalog, NULL, NULL);
        load->recipes.unfinished = NULL;
    }
    complain_unfinished(load);
    rh_defaults_close(load, around);
    rh_complaints_fold(load->complaints, before);
    load->recipes.unfinished = awaited;
}
