/* SPDX-License-Identifier: Apache-2.0 */
/* state - the sandbox's Lua state: what a script may still do. */
#include "config.h"

#include "script/state.h"

#include "script/parts.h"

#include "base/value.h"
#include "node/node.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BYTES_PER_INSTRUCTION = 16,
    CHECK_EVERY = 1000, /* milliseconds between two checks of the processor's time */
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

    if (s->now.checked && now - s->now.checked < CHECK_EVERY)
        return false;
    used = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    if (!s->now.checked)
        s->now.since = used;
    s->now.checked = now;
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

void
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

void
rh_script_watch(struct rh_script *s)
{
    lua_sethook(s->l, hook, LUA_MASKCOUNT, s->now.stop ? 1 : RH_SCRIPT_STEP);
}

void
rh_script_stop_soon(struct rh_script *s, enum rh_script_stop why)
{
    s->now.stop = why;
    rh_script_watch(s);
}

void
rh_script_reduce(struct rh_script *s, uint64_t n)
{
    if (!s->running || s->now.stop)
        return;
    if (n >= s->now.left)
        rh_script_stop_soon(s, RH_STOP_INSTRUCTIONS);
    else
        s->now.left -= n;
}

void
rh_script_account(struct rh_script *s, size_t bytes)
{
    s->now.taken = bytes < SIZE_MAX - s->now.taken ? s->now.taken + bytes : SIZE_MAX;
    rh_script_reduce(s, bytes / RH_SCRIPT_BYTES_TAKEN_OVER);
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

const struct rh_value *
rh_node_view_whole(struct rh_script *s)
{
    size_t before;
    const struct rh_value *v;

    if (!s->options.node)
        return NULL;
    before = rh_node_size(s->options.node);
    v = rh_node_read(s->options.node, NULL);
    rh_script_account(s, rh_node_size(s->options.node) - before);
    return v;
}
