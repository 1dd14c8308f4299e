/* SPDX-License-Identifier: Apache-2.0 */
/* state - the sandbox's Lua state: its memory, its budget, and its end. */
#include "config.h"

#include "script/state.h"

#include "script/library.h"
#include "script/match.h"
#include "script/parts.h"
#include "script/problem.h"
#include "script/view.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t most_of_expression = UINT64_C(20000000);
static const uint64_t most_of_recipe = UINT64_C(2000000000);
static const size_t most_memory = (size_t)256 << 20;
static const size_t most_output = (size_t)64 << 20;

enum {
    REFUSALS = 4, /* full collections that a script at its limit is worth */
    BYTES_PER_INSTRUCTION = 16,
    LARGE = 1024,             /* bytes that are not had for nothing */
    BYTES_TAKEN_OVER = 32,    /* for an instruction: a text is joined of others, a table grows */
    LOOK = 1000,              /* milliseconds between two looks at the processor's time */
    SECONDS_OF_EXPRESSION = 60,
    SECONDS_OF_RECIPE = 600,
};

struct rh_script *
rh_script_of(lua_State *l)
{
    struct rh_script *s;

    memcpy(&s, lua_getextraspace(l), sizeof s);
    return s;
}

static uint64_t
milliseconds(clockid_t clock)
{
    struct timespec t = { 0 };

    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static unsigned
seconds_of(const struct rh_script *s)
{
    if (s->options.limits.seconds)
        return s->options.limits.seconds;
    return s->now.recipe || s->running > 1 ? SECONDS_OF_RECIPE : SECONDS_OF_EXPRESSION;
}

/* Not every instruction takes as little as most do: comparing two long texts is one. */
static bool
takes_too_long(struct rh_script *s)
{
    uint64_t now = milliseconds(CLOCK_MONOTONIC_COARSE), used;

    if (s->now.looked && now - s->now.looked < LOOK)
        return false;
    used = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    if (!s->now.looked)
        s->now.since = used;
    s->now.looked = now;
    return used - s->now.since > (uint64_t)seconds_of(s) * 1000;
}

static void
hook(lua_State *l, lua_Debug *ar)
{
    struct rh_script *s = rh_script_of(l);

    (void)ar;
    if (!s->now.stop) {
        if (takes_too_long(s))
            rh_script_stop(l, RH_STOP_TIME);
        if (s->now.left > RH_SCRIPT_STEP) {
            s->now.left -= RH_SCRIPT_STEP;
            return;
        }
        rh_script_stop(l, RH_STOP_INSTRUCTIONS);
    }
    rh_script_stop(l, s->now.stop);
}

int
rh_script_stop(lua_State *l, enum rh_script_stop why)
{
    struct rh_script *s = rh_script_of(l);

    if (!s->now.stop)
        s->now.stop = why;
    /* Whatever the script still tries ends at its next instruction. */
    lua_sethook(l, hook, LUA_MASKCOUNT, 1);
    lua_pushboolean(l, 0);
    lua_error(l);
    abort(); /* lua_error does not return */
}

size_t
rh_script_room(const struct rh_script *s)
{
    return s->used < s->options.limits.memory ? s->options.limits.memory - s->used : 0;
}

/* Ends the evaluation at its next instruction, from where no error can be raised. */
static void
stop_soon(struct rh_script *s, enum rh_script_stop why)
{
    s->now.stop = why;
    lua_sethook(s->l, hook, LUA_MASKCOUNT, 1);
}

static void
pay(struct rh_script *s, uint64_t n)
{
    if (!s->running || s->now.stop)
        return;
    if (n >= s->now.left)
        stop_soon(s, RH_STOP_INSTRUCTIONS);
    else
        s->now.left -= n;
}

void
rh_script_account(struct rh_script *s, size_t bytes)
{
    s->now.taken = bytes < SIZE_MAX - s->now.taken ? s->now.taken + bytes : SIZE_MAX;
    pay(s, bytes / BYTES_TAKEN_OVER);
}

/* More than the limit is refused. Lua then collects all garbage and asks again, which takes time
 * that nobody counts: a script that stays at the limit is ended. */
static void *
allocate(void *data, void *p, size_t old, size_t n)
{
    struct rh_script *s = data;

    if (!p)
        old = 0;
    if (!n) {
        free(p);
        s->used -= old;
        return NULL;
    }
    if (n > old
        && n - old > rh_script_room(s)) {
        if (!s->running)
            return NULL;
        if (!s->now.noted && !s->now.stop)
            s->now.place = rh_script_place(s->l);
        if (++s->now.refused >= REFUSALS && !s->now.stop)
            stop_soon(s, RH_STOP_MEMORY);
        return NULL;
    }
    if (n > old && n >= LARGE)
        pay(s, n / BYTES_TAKEN_OVER);
    p = realloc(p, n);
    if (p)
        s->used = s->used - old + n;
    return p;
}

void
rh_script_charge(lua_State *l, uint64_t n)
{
    struct rh_script *s = rh_script_of(l);

    if (s->now.stop)
        rh_script_stop(l, s->now.stop);
    if (n >= s->now.left)
        rh_script_stop(l, RH_STOP_INSTRUCTIONS);
    s->now.left -= n;
}

void
rh_script_charge_text(lua_State *l, uint64_t n)
{
    struct rh_script *s = rh_script_of(l);

    if (n > s->options.limits.output)
        rh_script_stop(l, RH_STOP_OUTPUT);
    rh_script_charge(l, 1 + n / BYTES_PER_INSTRUCTION);
}

int
rh_script_unknown(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);

    if (s->now.recipe)
        rh_script_raise(
            l, "this is only known after something has run, which a recipe can't wait for");
    rh_script_stop(l, RH_STOP_UNKNOWN);
}

/* Puts the value at the top away under a number. */
static int
keep(lua_State *l)
{
    return luaL_ref(l, LUA_REGISTRYINDEX);
}

static int
furnish(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);

    lua_newtable(l);
    s->expressions = keep(l);
    lua_newtable(l);
    s->secret_values = keep(l);
    lua_newtable(l);
    s->files = keep(l);
    lua_newtable(l);
    s->texts = keep(l);
    lua_newtable(l);
    s->templates = keep(l);
    rh_matcher_open(l);
    rh_views_open(l);
    rh_library_open(l);
    return 0;
}

static void
set_defaults(struct rh_script_limits *limits)
{
    if (!limits->memory)
        limits->memory = most_memory;
    if (!limits->output)
        limits->output = most_output;
}

struct rh_script *
rh_script_new(const struct rh_script_options *options)
{
    struct rh_script *s = rh_xalloc(sizeof *s);

    s->options = *options;
    set_defaults(&s->options.limits);
    s->l = lua_newstate(allocate, s);
    if (!s->l) {
        free(s);
        return NULL;
    }
    s->scratch = rh_arena_new(NULL);
    memcpy(lua_getextraspace(s->l), &s, sizeof s);
    lua_pushcfunction(s->l, furnish);
    if (lua_pcall(s->l, 0, 0, 0) != LUA_OK) {
        rh_script_free(s);
        return NULL;
    }
    return s;
}

void
rh_script_tell_secrets(const struct rh_script *s, struct rh_secrets *to)
{
    for (size_t i = 0; i < s->secrets.n; i++)
        rh_secrets_add(to, s->secrets.v[i].s, s->secrets.v[i].n);
}

void
rh_script_free(struct rh_script *s)
{
    if (!s)
        return;
    lua_close(s->l);
    rh_matcher_close(s);
    rh_secrets_clear(&s->secrets);
    rh_arena_free(s->scratch);
    free(s);
}

/* The part of the first error that only the stack knows: where. */
static int
note(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);

    if (!s->now.noted) {
        s->now.noted = true;
        rh_script_note(l);
    }
    return 1;
}

static void
enter(struct rh_script *s, bool recipe, unsigned file, const struct rh_value *scope)
{
    const struct rh_script_run outer = s->now;
    uint64_t left = s->options.limits.instructions;

    if (!left)
        left = recipe ? most_of_recipe : most_of_expression;
    if (s->running && s->now.left < left)
        left = s->now.left;
    s->now = (struct rh_script_run){ 0 };
    s->now.recipe = recipe;
    s->now.given = s->now.left = left;
    s->now.scope = scope;
    s->now.file = file;
    if (s->running) { /* what is within it is a part of it */
        s->now.taken = outer.taken;
        s->now.since = outer.since;
        s->now.looked = outer.looked;
    }
    s->running++;
    lua_sethook(s->l, hook, LUA_MASKCOUNT, RH_SCRIPT_STEP);
}

static void
leave(struct rh_script *s, const struct rh_script_run *outer)
{
    uint64_t used = s->now.given - s->now.left;
    size_t taken = s->now.taken;

    free(s->now.message);
    free(s->now.hint);
    s->running--;
    /* What it looked for may have been made of what is not to be shown. */
    s->missed = s->now.touched ? (struct rh_script_miss){ 0 } : s->now.miss;
    s->now = *outer;
    if (s->running) {
        s->now.taken = taken;
        s->now.left = used < s->now.left ? s->now.left - used : 0;
        lua_sethook(s->l, hook, LUA_MASKCOUNT, s->now.stop ? 1 : RH_SCRIPT_STEP);
    }
}

int
rh_script_protected(struct rh_script *s, bool recipe, unsigned file, const struct rh_value *scope,
                    lua_CFunction fn, void *job, struct rh_script_problem *problem)
{
    struct rh_script_run outer = s->now;
    int top = lua_gettop(s->l), status;

    enter(s, recipe, file, scope);
    if (!lua_checkstack(s->l, LUA_MINSTACK)) {
        s->now.stop = RH_STOP_DEPTH;
        status = LUA_ERRRUN;
        lua_pushboolean(s->l, 0);
    } else {
        lua_pushcfunction(s->l, note);
        lua_pushcfunction(s->l, fn);
        lua_pushlightuserdata(s->l, job);
        status = lua_pcall(s->l, 1, 0, top + 1);
    }
    if (status == LUA_ERRMEM && !s->now.stop)
        s->now.stop = RH_STOP_MEMORY;
    if (s->now.stop && status == LUA_OK)
        status = LUA_ERRRUN; /* a limit was hit by the very last thing that was done */
    if (status != LUA_OK && s->now.stop != RH_STOP_UNKNOWN)
        rh_script_explain(s, status, problem);
    lua_settop(s->l, top);
    status = status == LUA_OK ? 0 : s->now.stop == RH_STOP_UNKNOWN ? 1 : -1;
    leave(s, &outer);
    return status;
}
