/* SPDX-License-Identifier: Apache-2.0 */
/* protect - one evaluation: within its budget, its errors caught. */
#include "config.h"

#include "base/error.h"
#include "script/parts.h"

#include "script/problem.h"
#include "script/state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t most_of_expression = UINT64_C(20000000);
static const uint64_t most_of_recipe = UINT64_C(2000000000);

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
    s->now.granted = s->now.left = left;
    s->now.scope = scope;
    s->now.file = file;
    if (s->running) { /* what is within it is a part of it */
        s->now.taken = outer.taken;
        s->now.since = outer.since;
        s->now.checked = outer.checked;
    }
    s->running++;
    rh_script_watch(s);
}

static void
leave(struct rh_script *s, const struct rh_script_run *outer)
{
    uint64_t used = s->now.granted - s->now.left;
    size_t taken = s->now.taken;

    free(s->now.message);
    free(s->now.hint);
    s->running--;
    s->now = *outer;
    if (s->running) {
        s->now.taken = taken;
        s->now.left = used < s->now.left ? s->now.left - used : 0;
        rh_script_watch(s);
    }
}

int
rh_script_protected(struct rh_script *s, bool recipe, unsigned file, const struct rh_value *scope,
                    lua_CFunction fn, void *job, struct rh_error *err)
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
        rh_script_explain(s, status, err);
    lua_settop(s->l, top);
    status = status == LUA_OK ? 0 : s->now.stop == RH_STOP_UNKNOWN ? 1 : -1;
    leave(s, &outer);
    return status;
}
