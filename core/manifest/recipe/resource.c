/* SPDX-License-Identifier: Apache-2.0 */
/* resource - resources in a recipe: `file("/etc/motd") { ... }` declares one, and
 * `file("/etc/motd").content` reads what is there now, or the default (Chef 001). */
#include "config.h"

#include "manifest/recipe/parts.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"
#include "schema/type.h"
#include "script/state.h"

#include <lauxlib.h>
#include <string.h>

enum {
    ASK = 20000,      /* instructions that asking a provider is worth, */
    READ_STEPS = 100, /* and what is found here */
    HANDLE = 200,     /* bytes */
};

static const char handle_key; /* of the metatable, in the registry */

struct handle {
    const char *type;
    struct rh_value *titles;        /* a text, or a list of texts */
    const struct rh_value *current; /* read already */
    bool *finished;
    bool any; /* made by resource(), for which names mean what they are, whatever else they may be */
};

static struct handle *
handle_at(lua_State *l, int index)
{
    return rh_recipe_check(l, index, &handle_key);
}

/* file("/etc/motd") { content = "hello\n" } */
static int
declare(lua_State *l)
{
    struct handle *h = handle_at(l, 1);
    struct rh_value *rest = rh_recipe_attributes(l, 2);
    struct rh_arena *a = rh_recipe_load(l)->catalog->arena;

    *h->finished = true;
    if (h->any || rh_value_get(rest, h->type))
        rh_recipe_enter_apart(l, h->type, rh_value_copy(a, h->titles), rest);
    else
        rh_recipe_enter(l, h->type, rh_value_copy(a, h->titles), rest);
    return 0;
}

static const struct rh_value *
read_current(lua_State *l, struct handle *h)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_arena *a = load->catalog->arena;
    rh_autoerror struct rh_error err = { 0 };

    if (h->current)
        return h->current;
    if (h->titles->kind != RH_STRING)
        (void)rh_script_raise(l, "the current state can be read of one resource only, not of a list");
    rh_script_pay(l, ASK, 0);
    if (!load->types->current)
        (void)rh_script_raise(l, "the current state of %s[%s] cannot be read here", h->type,
                              h->titles->u.string);
    h->current = load->types->current(load->types->data, h->type, h->titles->u.string, a, &err);
    if (!h->current) {
        const char *why = rh_arena_strdup(a, err.message ? err.message : "unknown reason");

        rh_error_clear(&err);
        (void)rh_script_raise(l, "%s[%s] cannot be read: %s", h->type, h->titles->u.string, why);
    }
    return h->current;
}

/* file("/etc/motd").content */
static int
read_attribute(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    struct handle *h = handle_at(l, 1);
    const char *name = rh_recipe_text(l, 2, "the name of an attribute");
    const struct rh_type *t = rh_load_type(load, h->type, NULL)->type;
    const struct rh_attr *attr = t ? rh_type_attr(t, name) : NULL;
    const struct rh_value *current, *v;

    rh_script_pay(l, READ_STEPS, 0);
    *h->finished = true;
    if (t && !attr) {
        const char *best = rh_type_suggest(t, name);

        (void)rh_script_raise_hint(l, best ? lua_pushfstring(l, "did you mean '%s'?", best) : NULL,
                                   "unknown attribute '%s' for type '%s'", name, h->type);
    }
    current = read_current(l, h);
    if (current->kind == RH_UNKNOWN)
        (void)rh_script_raise(l, "the current state of %s[%s] is not known before the run", h->type,
                              rh_value_str(h->titles, ""));
    v = rh_value_get(current, name);
    if (!v && attr && attr == t->ensure && current->kind == RH_UNDEF) {
        lua_pushliteral(l, "absent");
        return 1;
    }
    if (!v && attr)
        v = attr->default_value ? attr->default_value : attr->initial;
    rh_script_push(l, v);
    return 1;
}

static int
refuse_set(lua_State *l)
{
    const struct handle *h = handle_at(l, 1);
    const char *name = rh_recipe_text(l, 2, "the name of an attribute");

    rh_script_raise(l, "write the desired value in a table: %s(\"%s\") { %s = ... }", h->type,
                    rh_value_str(h->titles, "..."), name);
}

static struct rh_value *
take_titles(lua_State *l, int index)
{
    int type = lua_type(l, index);
    struct rh_value *v =
        type == LUA_TSTRING || type == LUA_TTABLE || type == LUA_TUSERDATA ? rh_script_take(l, index) : NULL;

    if (v && rh_value_sensitive(v))
        (void)rh_script_raise(l, "a title appears in messages and cannot be secret");
    if (!v || v->kind == RH_HASH || (v->kind == RH_ARRAY && !v->count))
        (void)rh_script_raise(l, "a title must be text or a list of texts, for example \"/etc/motd\"");
    rh_value_set_place(v, rh_script_place(l));
    for (size_t i = 0; v->kind == RH_ARRAY && i < v->count; i++)
        rh_value_set_place(rh_draft_part(v, i), rh_script_place(l));
    return v;
}

static void
push_handle(lua_State *l, const char *type, struct rh_value *titles, bool any)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_arena *a = load->catalog->arena;
    const char *title = titles->kind == RH_STRING ? titles->u.string : "...";
    struct handle *h = lua_newuserdatauv(l, sizeof *h, 0);

    rh_script_pay(l, READ_STEPS, HANDLE + strlen(title));
    *h = (struct handle){ .type = type, .titles = titles, .any = any };
    h->finished = rh_recipe_await(load, rh_script_place(l), rh_arena_printf(a, "%s[%s]", type, title));
    lua_rawgetp(l, LUA_REGISTRYINDEX, &handle_key);
    lua_setmetatable(l, -2);
}

/* file("/etc/motd"), with the type as second upvalue. */
static int
make_handle(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    const char *type = lua_tostring(l, lua_upvalueindex(2));

    push_handle(l, rh_arena_strdup(load->catalog->arena, type), take_titles(l, 1), false);
    return 1;
}

void
rh_recipe_push_type(lua_State *l, struct rh_load *load, const char *type)
{
    lua_pushlightuserdata(l, load);
    lua_pushstring(l, type);
    lua_pushcclosure(l, make_handle, 2);
}

/* resource("my::type", "title"): for types whose names are no names of Lua, and for attributes whose
 * names are also words: resource("t", "x") { attributes = { action = "y" } }. */
static int
make_any(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    const char *type = rh_recipe_text(l, 1, "the name of a type");

    rh_script_pay(l, READ_STEPS, strlen(type));
    push_handle(l, rh_arena_strdup(load->catalog->arena, type), take_titles(l, 2), true);
    return 1;
}

void
rh_recipe_open_resources(lua_State *l, struct rh_load *load)
{
    lua_newtable(l);
    rh_recipe_add(l, load, "__call", declare);
    rh_recipe_add(l, load, "__index", read_attribute);
    rh_recipe_add(l, load, "__newindex", refuse_set);
    lua_pushboolean(l, 0);
    lua_setfield(l, -2, "__metatable");
    lua_rawsetp(l, LUA_REGISTRYINDEX, &handle_key);
    rh_recipe_add(l, load, "resource", make_any);
}
