/* SPDX-License-Identifier: Apache-2.0 */
/* script - texts are loaded, kept, and run. */
#include "config.h"

#include "script/script.h"

#include "script/library.h"
#include "script/other-syntax.h"
#include "script/parts.h"
#include "script/problem.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/value.h"

#include <string.h>

enum {
    LONGEST_EXPRESSION = 64 * 1024,
    LONGEST_RECIPE = 16 * 1024 * 1024,
    MOST_COMPILED = 20000, /* texts that are kept; then all are forgotten */
};

struct evaluation {
    const char *text;
    size_t n;
    struct rh_value *result;
};

/* Pushes the function that the text of an expression is. */
static void
push_compiled(lua_State *l, const struct evaluation *e)
{
    struct rh_script *s = rh_script_of(l);

    lua_rawgeti(l, LUA_REGISTRYINDEX, s->expressions);
    lua_pushlstring(l, e->text, e->n);
    lua_pushvalue(l, -1);
    if (lua_rawget(l, -3) == LUA_TFUNCTION)
        return;
    lua_pop(l, 1);
    if (e->n > LONGEST_EXPRESSION)
        rh_script_raise(l, "an expression must not be longer than %d bytes", LONGEST_EXPRESSION);
    rh_script_load(l, "return ", e->text, e->n, 0);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->environment);
    lua_setupvalue(l, -2, 1);
    if (s->compiled == MOST_COMPILED) {
        lua_newtable(l);
        lua_rawseti(l, LUA_REGISTRYINDEX, s->expressions);
        s->compiled = 0;
        lua_rawgeti(l, LUA_REGISTRYINDEX, s->expressions);
        lua_replace(l, -4);
    }
    lua_pushvalue(l, -2);
    lua_pushvalue(l, -2);
    lua_rawset(l, -5);
    s->compiled++;
}

static int
evaluate(lua_State *l)
{
    struct evaluation *e = lua_touserdata(l, 1);
    int top;

    push_compiled(l, e);
    top = lua_gettop(l);
    lua_call(l, 0, LUA_MULTRET);
    if (lua_gettop(l) == top - 1)
        rh_script_raise(l, "missing expression");
    e->result = rh_script_take(l, top); /* the first of several, as everywhere in Lua */
    return 0;
}

/* As other languages have it. */
static char *
hint_for(const struct rh_error *err, const char *text, size_t n)
{
    const char *hint = rh_other_syntax_hint(err->message, text, text + err->at, n - err->at, false);

    if (!hint && n > 1 && memcmp(text, "{{", 2) == 0)
        hint = "an expression is written without '{{' and '}}' here";
    return hint ? rh_xstrdup(hint) : NULL;
}

struct rh_value *
rh_script_evaluate(struct rh_script *s, const char *text, size_t n, const struct rh_value *scope,
                   unsigned file, struct rh_error *err)
{
    struct evaluation e = { .text = text, .n = n };
    int rc = rh_script_protected(s, false, file, scope, evaluate, &e, err);

    if (rc > 0)
        return rh_value_new(s->options.arena, RH_UNKNOWN);
    if (rc == 0)
        return e.result;
    if (err) {
        if (!err->place.file) {
            if (err->place.line)
                err->at = rh_script_find(text, n, err->place.line, err->message);
            if (err->at > n)
                err->at = n;
            err->place = (struct rh_place){ 0 };
        }
        if (!err->hint)
            err->hint = hint_for(err, text, n);
    }
    return NULL;
}

struct run {
    const char *text;
    size_t n;
    unsigned file;
    lua_CFunction push;
    void *data;
};

static int
run(lua_State *l)
{
    const struct run *r = lua_touserdata(l, 1);

    if (r->n > LONGEST_RECIPE)
        rh_script_raise(l, "a recipe must not be longer than %d bytes", LONGEST_RECIPE);
    lua_rawgeti(l, LUA_REGISTRYINDEX, rh_script_of(l)->texts);
    lua_pushlstring(l, r->text, r->n);
    lua_rawseti(l, -2, r->file);
    lua_pop(l, 1);
    lua_pushcfunction(l, r->push);
    lua_pushlightuserdata(l, r->data);
    lua_call(l, 1, 1);
    rh_library_environment(l, -1);
    rh_script_load(l, "", r->text, r->n, r->file);
    lua_insert(l, -2);
    lua_setupvalue(l, -2, 1);
    lua_call(l, 0, 0);
    return 0;
}

int
rh_script_run(struct rh_script *s, const char *text, size_t n, unsigned file, lua_CFunction globals,
              void *data, struct rh_error *err)
{
    struct run r = { .text = text, .n = n, .file = file, .push = globals, .data = data };

    return rh_script_protected(s, true, file, NULL, run, &r, err);
}

static int
call(lua_State *l)
{
    const struct run *r = lua_touserdata(l, 1);

    lua_settop(l, 0);
    lua_pushcfunction(l, r->push);
    lua_pushlightuserdata(l, r->data);
    lua_call(l, 1, LUA_MULTRET);
    lua_call(l, lua_gettop(l) - 1, 0);
    return 0;
}

int
rh_script_call(struct rh_script *s, unsigned file, lua_CFunction push, void *data, struct rh_error *err)
{
    struct run r = { .file = file, .push = push, .data = data };

    return rh_script_protected(s, true, file, NULL, call, &r, err);
}
