/* SPDX-License-Identifier: Apache-2.0 */
/* recipe - a file in Lua that makes the entries that YAML could have said. */
#include "config.h"

#include "manifest/recipe/recipe.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/value.h"
#include "base/value-parts.h"
#include "catalog/catalog.h"
#include "manifest/entry/entry.h"
#include "manifest/expression/evaluate.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/load.h"
#include "manifest/recipe/parts.h"
#include "manifest/text/lua-place.h"
#include "manifest/text/yaml-problem.h"
#include "schema/type.h"
#include "script/script.h"
#include "script/state.h"

#include <string.h>

enum {
    ENTRY = 2000, /* instructions that reading an entry is worth, and what it keeps in bytes */
    ENTRY_BYTES = 256,
    LOOK = 30, /* for a name that may be that of a type */
};

/* Where the names of all recipes are kept, in the registry. */
static const char words_key;

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
                              lua_isnone(l, index) ? "nothing"
                                                   : lua_typename(l, lua_type(l, index)));
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
        (void)rh_script_raise(l, "this is called with ':', on what it belongs to");
    return lua_touserdata(l, index);
}

struct rh_value *
rh_recipe_reference(lua_State *l, int index)
{
    struct rh_arena *a = rh_recipe_load(l)->catalog->arena;
    const char *type = rh_recipe_text(l, index, "the name of a type");
    const char *title = rh_recipe_text(l, index + 1, "a title");
    struct rh_value *v;

    if (rh_script_holds_secret(l, index + 1))
        (void)rh_script_raise(l, "a title is shown, and can't be a secret");
    rh_script_pay(l, LOOK, 2 * (strlen(type) + strlen(title)));
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
                              lua_isnone(l, index) ? "nothing"
                                                   : lua_typename(l, lua_type(l, index)));
    v = rh_script_take(l, index);
    if (v->kind == RH_ARRAY && !v->count)
        v = rh_value_new(load->catalog->arena, RH_HASH);
    if (v->kind != RH_HASH)
        (void)rh_script_raise(l, "attributes have names: { content = \"hello\" }, not { \"hello\" }");
    rh_value_set_place(v, here);
    rh_recipe_set_places(load->catalog->sources, &load->recipe_line, here, v);
    return v;
}

/* What Lua has made is not looked through for expressions. */
static void
set_literal(struct rh_value *v)
{
    if (v->kind == RH_STRING)
        v->marks |= RH_LITERAL;
    for (size_t i = 0; i < rh_value_count(v); i++)
        set_literal(v->kind == RH_HASH ? v->u.entries->e[i].value : v->u.items->v[i]);
}

static void
enter(lua_State *l, const struct rh_entry *entries, const struct rh_place *places, size_t n)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_value *entry = rh_value_hash_of(load->catalog->arena, entries, places, n);

    rh_value_set_place(entry, rh_script_place(l));
    set_literal(entry);
    (void)rh_entry_read(load, entry); /* the complaints are counted */
    if (load->spent)
        (void)rh_script_raise(l, "the manifests are too large to go on");
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
            (void)rh_script_raise(l, "'%s' means the resource here; an attribute of this name goes "
                                     "into a table: attributes = { %s = ... }", word, word);
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
rh_recipe_enter_apart(lua_State *l, const char *type, struct rh_value *titles,
                      struct rh_value *rest)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_arena *a = load->catalog->arena;
    const struct rh_type *t =
        rh_load_type(load, type, rh_value_get_str(rest, "provider", NULL))->type;
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
        (void)rh_script_raise(l, "type and title stand in front of the table");
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
    rh_script_pay(l, LOOK, 0);
    if (!rh_load_type(load, name, NULL)->type)
        return 0;
    rh_recipe_push_type(l, load, name);
    lua_pushvalue(l, 2);
    lua_pushvalue(l, -2);
    lua_rawset(l, -5); /* the next time it is found at once */
    return 1;
}

/* What was begun and not finished: file("/x") alone on its line. */

bool *
rh_recipe_await(struct rh_load *load, struct rh_place place, const char *what)
{
    struct rh_awaited *one = rh_arena_alloc(load->catalog->arena, sizeof *one);

    *one = (struct rh_awaited){ .next = load->awaited, .what = what, .place = place };
    load->awaited = one;
    return &one->said;
}

static void
complain_unfinished(struct rh_load *load)
{
    for (const struct rh_awaited *one = load->awaited; one; one = one->next)
        if (!one->said)
            rh_complain(load->complaints, one->place, "say it with a table behind it, be it empty: {}",
                        "%s is named, and nothing is said of it", one->what);
    load->awaited = NULL;
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
    struct rh_script_problem problem = { 0 };
    struct rh_awaited *awaited = load->awaited;
    size_t before = rh_complaints_count(load->complaints);
    bool failed;

    if (n >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        (void)rh_yaml_check_text(text, n, file, load->complaints);
        rh_catalog_excuse(load->catalog, NULL, NULL);
        return;
    }
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* as editors elsewhere write it */
        text += 3;
        n -= 3;
    }
    load->awaited = NULL;
    failed = rh_script_run(rh_load_script(load), text, n, file, push_globals, load, &problem) < 0;
    if (failed) {
        rh_complain_script(load, &problem, problem.place);
        rh_catalog_excuse(load->catalog, NULL, NULL);
        load->awaited = NULL;
    }
    complain_unfinished(load);
    rh_complaints_fold(load->complaints, before);
    load->awaited = awaited;
}

static int
push_body(lua_State *l)
{
    const struct rh_load *load = lua_touserdata(l, 1);

    (void)lua_rawgeti(l, LUA_REGISTRYINDEX, load->body);
    rh_script_push(l, load->scope);
    return 2;
}

int
rh_recipe_expand(struct rh_load *load, const struct rh_definition *d,
                 const struct rh_resource *instance)
{
    struct rh_script_problem problem = { 0 };
    size_t before = rh_complaints_count(load->complaints);

    load->body = d->body;
    if (rh_script_call(rh_load_script(load), d->place.file, push_body, load, &problem) < 0)
        rh_complain_script(load, &problem, d->place);
    if (rh_complaints_count(load->complaints) == before)
        return 0;
    if (!rh_complaints_full(load->complaints))
        rh_complain_also(load->complaints, instance->place, "for the instance declared here");
    return -1;
}
