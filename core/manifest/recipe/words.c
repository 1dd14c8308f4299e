/* SPDX-License-Identifier: Apache-2.0 */
/* words - what a recipe says besides resources: declare, edit, trigger, include, define,
 * schedule, defaults, append, remove. Each makes the entry of the same name. */
#include "config.h"

#include "manifest/recipe/parts.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/error.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/entry/defaults.h"
#include "manifest/entry/define.h"
#include "manifest/expression/expression.h"
#include "manifest/expression/later.h"
#include "manifest/keyword/schedule.h"
#include "manifest/load/load.h"
#include "script/script.h"
#include "script/state.h"

#include <lauxlib.h>
#include <string.h>

static const char phrase_key; /* of the metatable, in the registry */

/* edit("service", "nginx"), before it is said what of it. */
struct phrase {
    const char *word;
    struct rh_value *reference;
    bool *finished;
};

static void
push_phrase(lua_State *l, const char *word)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_value *reference = rh_recipe_reference(l, 1);
    struct phrase *p = lua_newuserdatauv(l, sizeof *p, 0);

    rh_script_pay(l, 100, 200 + (size_t)reference->count);
    *p = (struct phrase){ .word = word, .reference = reference };
    p->finished = rh_recipe_await(load, rh_script_place(l),
                                  rh_arena_printf(load->catalog->arena, "%s %s", word, reference->u.string));
    lua_rawgetp(l, LUA_REGISTRYINDEX, &phrase_key);
    lua_setmetatable(l, -2);
}

static int
say_declare(lua_State *l)
{
    push_phrase(l, "declare");
    return 1;
}

static int
say_edit(lua_State *l)
{
    push_phrase(l, "edit");
    return 1;
}

static int
say_trigger(lua_State *l)
{
    push_phrase(l, "trigger");
    return 1;
}

/* edit("service", "nginx") { restart_command = "..." } */
static int
finish(lua_State *l)
{
    struct phrase *p = rh_recipe_check(l, 1, &phrase_key);
    struct rh_value *rest = rh_recipe_attributes(l, 2);

    *p->finished = true;
    rh_recipe_enter(l, p->word, rh_value_copy(rh_recipe_load(l)->catalog->arena, p->reference), rest);
    return 0;
}

/* trigger("service", "mysql"):to("stop", "start") */
static int
to(lua_State *l)
{
    struct phrase *p = rh_recipe_check(l, 1, &phrase_key);
    struct rh_arena *a = rh_recipe_load(l)->catalog->arena;
    struct rh_value *rest = rh_value_new(a, RH_HASH), *actions = rh_value_new(a, RH_ARRAY);
    struct rh_place here = rh_script_place(l);

    if (lua_gettop(l) < 2 || strcmp(p->word, "trigger") != 0)
        rh_script_raise(l, "invalid call; write it like this: trigger(\"service\", \"mysql\"):to(\"start\")");
    for (int i = 2; i <= lua_gettop(l); i++) {
        struct rh_value *v = rh_value_string(a, rh_recipe_text(l, i, "the name of an action"));

        rh_value_set_place(v, here);
        rh_value_append(actions, v);
    }
    rh_value_set_place(actions, here);
    rh_value_put(rest, "action", actions);
    *p->finished = true;
    rh_recipe_enter(l, p->word, rh_value_copy(a, p->reference), rest);
    return 0;
}

/* include("roles/web.yaml") */
static int
say_include(lua_State *l)
{
    struct rh_arena *a = rh_recipe_load(l)->catalog->arena;
    struct rh_value *path = rh_value_string(a, rh_recipe_text(l, 1, "the path of a file"));

    rh_value_set_place(path, rh_script_place(l));
    rh_recipe_enter(l, "include", path, NULL);
    return 0;
}

/* The function under `resources` of the table at 2, in the registry. */
static int
keep_body(lua_State *l)
{
    int body;

    lua_pushliteral(l, "resources");
    if (lua_rawget(l, 2) != LUA_TFUNCTION)
        (void)rh_script_raise(l, "a definition needs 'resources = function(self) ... end'");
    body = luaL_ref(l, LUA_REGISTRYINDEX);
    lua_pushliteral(l, "resources");
    lua_pushnil(l);
    lua_rawset(l, 2);
    return body;
}

static int
push_body(lua_State *l)
{
    const struct rh_load *load = lua_touserdata(l, 1);

    (void)lua_rawgeti(l, LUA_REGISTRYINDEX, load->recipes.body);
    rh_script_push(l, load->context.scope);
    return 2;
}

/* Has a definition's function declare what an instance is made of: its argument is load->context.scope. -1
 * after a complaint. */
static int
expand(struct rh_load *load, const struct rh_definition *d, const struct rh_resource *instance)
{
    rh_autoerror struct rh_error err = { 0 };
    size_t before = rh_complaints_count(load->complaints);
    int rc;

    load->recipes.body = d->body;
    rc = rh_script_call(rh_load_script(load), d->place.file, push_body, load, &err);
    if (rc > 0) /* what it would have declared may be named elsewhere */
        rh_catalog_note_refused(load->catalog, NULL, NULL);
    if (rc < 0)
        rh_complain_error(load->complaints, d->place, NULL, &err);
    if (rh_complaints_count(load->complaints) == before)
        return 0;
    if (!rh_complaints_full(load->complaints))
        rh_complain_also(load->complaints, instance->place, "for the instance declared here");
    return -1;
}

/* define("vhost", { parameters = { port = "Integer" }, resources = function(self) ... end }) */
static int
say_define(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_arena *a = load->catalog->arena;
    struct rh_value *name = rh_value_string(a, rh_recipe_text(l, 1, "the name of the new type"));
    struct rh_place here = rh_script_place(l);
    struct rh_definition *d;
    struct rh_value *entry;
    int body;

    rh_script_pay(l, 2000, 2000);
    if (load->context.container)
        rh_script_raise(l, "definitions cannot be nested");
    if (lua_type(l, 2) != LUA_TTABLE)
        rh_script_raise(l, "a definition must be a table with 'parameters' and 'resources'");
    body = keep_body(l);
    entry = rh_recipe_attributes(l, 2);
    lua_pushliteral(l, "resources");
    (void)lua_rawgeti(l, LUA_REGISTRYINDEX, body);
    lua_rawset(l, 2);
    rh_value_set_place(name, here);
    rh_value_put(entry, "define", name);
    d = rh_define_read(load, entry);
    if (d) {
        d->body = body;
        d->expand = expand;
    }
    return 0;
}

/* defaults { file = { owner = "root" } }: for what the rest of the recipe, or of the function, declares. */
static int
say_defaults(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_value *v;

    rh_script_pay(l, 2000, 1000);
    v = rh_recipe_attributes(l, 1);
    rh_set_literal(v);
    rh_defaults_open(load, v);
    return 0;
}

/* schedule("night", { range = "2:00-4:00" }) */
static int
say_schedule(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_value *all = rh_value_new(load->catalog->arena, RH_HASH);
    const char *name = rh_recipe_text(l, 1, "the name of a schedule");

    rh_script_pay(l, 2000, 1000);
    rh_value_put(all, name, rh_recipe_attributes(l, 2));
    rh_value_set_place(all, rh_script_place(l));
    rh_schedules_read(load, all);
    return 0;
}

/* content = expression('result("exec[generate key]").stdout .. suffix', { suffix = "\n" }) */
static int
say_expression(lua_State *l)
{
    struct rh_load *load = rh_recipe_load(l);
    struct rh_value *text = rh_value_string(load->catalog->arena, rh_recipe_text(l, 1, "an expression"));
    const struct rh_value *found;

    rh_script_pay(l, 2000, strlen(text->u.string));
    rh_value_set_place(text, rh_script_place(l));
    found = rh_later_expression(load, text, lua_isnoneornil(l, 2) ? NULL : rh_recipe_attributes(l, 2));
    if (!found)
        (void)rh_script_raise(l, "an expression cannot be evaluated");
    rh_script_push(l, found);
    return 1;
}

/* groups = append { "wheel" } */
static int
mark(lua_State *l, enum rh_mark mark, const char *word)
{
    struct rh_value *v = lua_type(l, 1) == LUA_TTABLE ? rh_script_take(l, 1) : NULL;

    if (v && v->kind == RH_HASH && !v->count)
        v = rh_value_new(rh_recipe_load(l)->catalog->arena, RH_ARRAY);
    if (!v)
        (void)rh_script_raise(l, "invalid call; write it like this: %s { \"wheel\" }", word);
    v->marks |= (uint8_t)mark;
    rh_script_push(l, v);
    return 1;
}

static int
say_append(lua_State *l)
{
    return mark(l, RH_APPEND, "append");
}

static int
say_remove(lua_State *l)
{
    return mark(l, RH_REMOVE, "remove");
}

void
rh_recipe_open_words(lua_State *l, struct rh_load *load)
{
    static const struct {
        const char *word;
        lua_CFunction function;
    } words[] = {
        { "append", say_append },   { "declare", say_declare }, { "defaults", say_defaults },
        { "define", say_define },   { "edit", say_edit },       { "expression", say_expression },
        { "include", say_include }, { "remove", say_remove },   { "schedule", say_schedule },
        { "trigger", say_trigger },
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        rh_recipe_add(l, load, words[i].word, words[i].function);
    lua_newtable(l);
    rh_recipe_add(l, load, "__call", finish);
    lua_newtable(l);
    rh_recipe_add(l, load, "to", to);
    lua_setfield(l, -2, "__index");
    lua_pushboolean(l, 0);
    lua_setfield(l, -2, "__metatable");
    lua_rawsetp(l, LUA_REGISTRYINDEX, &phrase_key);
}
