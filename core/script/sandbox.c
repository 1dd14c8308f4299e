/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox - the Lua state that all scripts run in: its memory, what it starts with, and its end. */
#include "config.h"

#include "script/parts.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/secrets.h"
#include "script/library.h"
#include "script/match.h"
#include "script/state.h"
#include "script/view.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const size_t most_memory = (size_t)256 << 20;
static const size_t most_output = (size_t)64 << 20;

enum {
    REFUSALS = 4, /* full collections that a script at its limit is worth */
    LARGE = 1024, /* bytes that are not had for nothing */
};

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
    if (n > old && n - old > rh_script_room(s)) {
        if (!s->running)
            return NULL;
        if (!s->now.noted && !s->now.stop)
            s->now.place = rh_script_place(s->l);
        if (++s->now.refused >= REFUSALS && !s->now.stop)
            rh_script_stop_soon(s, RH_STOP_MEMORY);
        return NULL;
    }
    if (n > old && n >= LARGE)
        rh_script_reduce(s, n / RH_SCRIPT_BYTES_TAKEN_OVER);
    p = realloc(p, n);
    if (p)
        s->used = s->used - old + n;
    return p;
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
rh_script_add_secrets(const struct rh_script *s, struct rh_secrets *to)
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
