/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what a recipe's functions are made of: arguments, attributes, and entries that they read. */
#include "config.h"

#include "manifest/recipe/parts.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/value.h"
#include "manifest/entry/entry.h"
#include "manifest/expression/expression.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/load.h"
#include "manifest/text/lua-place.h"
#include "schema/type.h"
#include "script/state.h"

#include <string.h>

enum {
    ENTRY = 2000, /* instructions that reading an entry is worth, and what it keeps in bytes */
    ENTRY_BYTES = 256,
    REFERENCE = 30,
};

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
                              lua_isnone(l, index) ? "nothing" : lua_typename(l, lua_type(l, index)));
    if (!n || strlen(s) != n)
        (void)rh_script_raise(l, "expected %s, not %s", wanted,
                              n ? "a text with a NUL character" : "an empty text");
    return s;
}

void *
rh_recipe_check(lua_State *l, int index, const void *key)
{
    bool same = false;

    if (lua_type(l, index) == LUA_TUSERDATA && lua_getmetatable(l, index)) {
        lua_rawgetp(l, LUA_REGISTRYINDEX, key);
        same = lua_rawequal(l, -1, -2);
        lua_pop(l, 2);
    }
    if (!same)
        (void)rh_script_raise(l, "this method must be called with ':' on its object");
    return lua_touserdata(l, index);
}

struct rh_value *
rh_recipe_reference(lua_State *l, int index)
{
    struct rh_arena *a = rh_recipe_load(l)->catalog->arena;
    const char *type = rh_recipe_text(l, index, "the name of a type");
    const char *title = rh_recipe_text(l, index + 1, "a title");
    struct rh_value *v;

    if (rh_script_has_secret(l, index + 1))
        (void)rh_script_raise(l, "a title appears in messages and cannot be secret");
    rh_script_pay(l, REFERENCE, 2 * (strlen(type) + strlen(title)));
    v = rh_value_string(a, rh_arena_printf(a, "%s[%s]", type, title));
    rh_value_set_place(v, rh_script_place(l));
    return v;
}

struct rh_value *
rh_recipe_attributes(lua_State *l, int index)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_place here = rh_script_place(l);
    struct rh_value *v;

    if (lua_type(l, index) != LUA_TTABLE && lua_type(l, index) != LUA_TUSERDATA)
        (void)rh_script_raise(l, "expected a table of attributes, { name = value, ... }, not %s",
                              lua_isnone(l, index) ? "nothing" : lua_typename(l, lua_type(l, index)));
    v = rh_script_take(l, index);
    if (v->kind == RH_ARRAY && !v->count)
        v = rh_value_new(load->catalog->arena, RH_HASH);
    if (v->kind != RH_HASH)
        (void)rh_script_raise(l, "attributes must have names: { content = \"hello\" }, not { \"hello\" }");
    rh_value_set_place(v, here);
    rh_recipe_set_places(load->catalog->sources, &load->recipes.line, here, v);
    return v;
}

static void
enter(lua_State *l, const struct rh_entry *entries, const struct rh_place *places, size_t n)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_value *entry = rh_value_hash_of(load->catalog->arena, entries, places, n);

    rh_value_set_place(entry, rh_script_place(l));
    rh_set_literal(entry);            /* what Lua has made has no expressions */
    (void)rh_entry_read(load, entry); /* the complaints are counted */
    if (load->spent.exceeded)
        (void)rh_script_raise(l, "stopped: the manifests are too large");
}

void
rh_recipe_enter(lua_State *l, const char *word, struct rh_value *what, struct rh_value *rest)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_arena *a = load->catalog->arena;
    size_t n = 1 + rh_value_count(rest);
    struct rh_entry *entries = rh_arena_alloc(a, n * sizeof *entries);
    struct rh_place *places = rh_arena_alloc(a, n * sizeof *places);

    rh_script_pay(l, ENTRY, ENTRY_BYTES);
    entries[0] = (struct rh_entry){ .key = rh_arena_strdup(a, word), .value = what };
    places[0] = rh_script_place(l);
    for (size_t i = 1; i < n; i++) {
        entries[i] = *rh_value_entry(rest, i - 1);
        places[i] = rh_value_place(entries[i].value);
        if (strcmp(entries[i].key, word) == 0)
            (void)rh_script_raise(
                l, "'%s' is the resource here; write an attribute of this name as attributes = { %s = ... }",
                word, word);
    }
    enter(l, entries, places, n);
}

/* Whether it stands beside the attributes. */
static bool
is_word(const struct rh_type *t, const char *key)
{
    const struct rh_keyword *word = rh_keyword_find(key);

    return word && (rh_keyword_leads(key) || !t || !rh_type_attr(t, key));
}

void
rh_recipe_enter_apart(lua_State *l, const char *type, struct rh_value *titles, struct rh_value *rest)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_arena *a = load->catalog->arena;
    const struct rh_type *t = rh_load_type(load, type, rh_value_get_str(rest, "provider", NULL))->type;
    bool apart = rh_value_get(rest, "attributes") != NULL;
    size_t n = 0, count = rh_value_count(rest);
    struct rh_entry *entries = rh_arena_alloc(a, (count + 3) * sizeof *entries);
    struct rh_place *places = rh_arena_alloc(a, (count + 3) * sizeof *places);
    struct rh_value *attributes = rh_value_hash(a, count), *name = rh_value_string(a, type);
    struct rh_place here = rh_script_place(l);

    rh_script_pay(l, ENTRY, ENTRY_BYTES);
    rh_value_set_place(name, here);
    rh_value_set_place(attributes, here);
    entries[n++] = (struct rh_entry){ "type", name };
    entries[n++] = (struct rh_entry){ "title", titles };
    if (!apart)
        entries[n++] = (struct rh_entry){ "attributes", attributes };
    for (size_t i = 0; i < n; i++)
        places[i] = here;
    if (apart && (rh_value_get(rest, "type") || rh_value_get(rest, "title")))
        (void)rh_script_raise(l, "'type' and 'title' must be written before the table");
    for (size_t i = 0; i < count; i++) {
        const struct rh_entry *e = rh_value_entry(rest, i);

        if (apart || is_word(t, e->key)) {
            entries[n] = *e;
            places[n++] = rh_value_place(e->value);
        } else {
            rh_value_add_ref(attributes, e->key, e->value);
        }
    }
    enter(l, entries, places, n);
}

bool *
rh_recipe_await(struct rh_load *load, struct rh_place place, const char *what)
{
    struct rh_awaited *one = rh_arena_alloc(load->catalog->arena, sizeof *one);

    *one = (struct rh_awaited){ .next = load->recipes.unfinished, .what = what, .place = place };
    load->recipes.unfinished = one;
    return &one->finished;
}
