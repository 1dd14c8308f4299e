/* SPDX-License-Identifier: Apache-2.0 */
/* script - texts are loaded, kept, and run. */
#include "config.h"

#include "script/script.h"

#include "script/habit.h"
#include "script/library.h"
#include "script/parts.h"
#include "script/problem.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/value.h"

#include <stdio.h>
#include <string.h>

enum {
    LONGEST_EXPRESSION = 64 * 1024,
    LONGEST_RECIPE = 16 * 1024 * 1024,
    MOST_COMPILED = 20000, /* texts that are kept; then all are forgotten */
    CHARGE_PER_BYTE = 4,
};

struct reading {
    const char *lead, *text;
    size_t n, at; /* of the text, so far */
};

/* One byte at a time, so that it is known how far the text was read when something is wrong. */
static const char *
read_byte(lua_State *l, void *data, size_t *n)
{
    struct reading *r = data;

    (void)l;
    if (*r->lead) {
        const char *lead = r->lead;

        *n = strlen(lead);
        r->lead = "";
        return lead;
    }
    if (r->at == r->n)
        return NULL;
    *n = 1;
    return &r->text[r->at++];
}

/* Where the token stands that the message is about: the last one of its text that was read. */
static size_t
find_token(const struct reading *r, const char *message)
{
    const char *token = NULL, *at, *end;
    size_t n;

    for (at = strstr(message, " near "); at; at = strstr(at + 1, " near "))
        token = at + 6;
    if (!token)
        return r->at ? r->at - 1 : 0;
    if (*token != '\'')
        return r->n; /* <eof> */
    end = strrchr(++token, '\'');
    n = end ? (size_t)(end - token) : 0;
    for (size_t i = r->at; n && i >= n; i--)
        if (memcmp(r->text + i - n, token, n) == 0)
            return i - n;
    return r->at ? r->at - 1 : 0;
}

static const char *
without_suffix(lua_State *l, const char *message)
{
    static const char eof[] = " near <eof>";
    size_t n = strlen(message);

    if (n > sizeof eof && strcmp(message + n - (sizeof eof - 1), eof) == 0)
        return lua_pushfstring(l, "%s at its end",
                               lua_pushlstring(l, message, n - (sizeof eof - 1)));
    return message;
}

void
rh_script_load(lua_State *l, const char *lead, const char *text, size_t n, unsigned file)
{
    struct rh_script *s = rh_script_of(l);
    struct reading r = { .lead = lead, .text = text, .n = n };
    struct rh_place place = { .line = 1, .file = (uint16_t)file };
    char name[16];
    const char *message, *rest;
    int status;

    if (file)
        (void)snprintf(name, sizeof name, "=%c%u", RH_SCRIPT_MARK, file & 0xffff);
    else
        (void)snprintf(name, sizeof name, "=%ce", RH_SCRIPT_MARK);
    rh_script_charge(l, (uint64_t)n * CHARGE_PER_BYTE);
    status = lua_load(l, read_byte, &r, name, "t");
    if (status == LUA_OK)
        return;
    if (status == LUA_ERRMEM)
        rh_script_stop(l, RH_STOP_MEMORY);
    /* What is nested too deeply was told to whoever looks at the stack: forget that. */
    rh_script_forget(s);
    message = lua_type(l, -1) == LUA_TSTRING ? lua_tostring(l, -1) : "cannot be read";
    if (!rh_script_prefix(message, &place, &rest))
        rest = message;
    s->now.at_known = !file;
    s->now.at = file ? 0 : find_token(&r, rest);
    rest = without_suffix(l, rest);
    if (strstr(rest, "C stack overflow") || strstr(rest, "too many syntax levels"))
        rest = "is nested too deeply";
    if (file)
        lua_pushfstring(l, "%c%d:%d: %s", RH_SCRIPT_MARK, (int)file, (int)place.line, rest);
    else
        lua_pushfstring(l, "%ce:%d: %s", RH_SCRIPT_MARK, (int)place.line, rest);
    lua_error(l);
}

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
        rh_script_raise(l, "this is longer than the %d bytes that an expression may have",
                        LONGEST_EXPRESSION);
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
        rh_script_raise(l, "an expression is missing");
    e->result = rh_script_take(l, top); /* the first of several, as everywhere in Lua */
    return 0;
}

/* As other languages have it. */
static char *
hint_for(const struct rh_script_problem *problem, const char *text, size_t n)
{
    const char *hint = rh_habit_hint(problem->message, text, text + problem->at, n - problem->at,
                                     false);

    if (!hint && n > 1 && memcmp(text, "{{", 2) == 0)
        hint = "an expression is written without '{{' and '}}' here";
    return hint ? rh_xstrdup(hint) : NULL;
}

struct rh_value *
rh_script_evaluate(struct rh_script *s, const char *text, size_t n, const struct rh_value *scope,
                   unsigned file, struct rh_script_problem *problem)
{
    struct evaluation e = { .text = text, .n = n };
    int rc = rh_script_protected(s, false, file, scope, evaluate, &e, problem);

    if (rc > 0)
        return rh_value_new(s->options.arena, RH_UNKNOWN);
    if (rc == 0)
        return e.result;
    if (problem) {
        if (!problem->place.file) {
            if (problem->place.line)
                problem->at = rh_script_find(text, n, problem->place.line, problem->message);
            if (problem->at > n)
                problem->at = n;
            problem->place = (struct rh_place){ 0 };
        }
        problem->from = problem->place.file ? problem->from : (struct rh_place){ 0 };
        if (!problem->hint)
            problem->hint = hint_for(problem, text, n);
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
        rh_script_raise(l, "this is longer than the %d bytes that a recipe may have",
                        LONGEST_RECIPE);
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
              void *data, struct rh_script_problem *problem)
{
    struct run r = { .text = text, .n = n, .file = file, .push = globals, .data = data };

    return rh_script_protected(s, true, file, NULL, run, &r, problem) == 0 ? 0 : -1;
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
rh_script_call(struct rh_script *s, unsigned file, lua_CFunction push, void *data,
               struct rh_script_problem *problem)
{
    struct run r = { .file = file, .push = push, .data = data };

    return rh_script_protected(s, true, file, NULL, call, &r, problem) == 0 ? 0 : -1;
}
