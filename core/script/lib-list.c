/* SPDX-License-Identifier: Apache-2.0 */
/* lib-list - parts of lists and hashes, and one made of the other. What is returned is new, and elements that
 * are null are left out. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"
#include "script/take.h"

enum { MOST_ZIPPED = 16 };

static int
push_list(lua_State *l)
{
    lua_newtable(l);
    rh_list_mark(l, -1);
    return lua_gettop(l);
}

/* Puts the value at the top behind the last one of the list at `list`, which has `*n`. */
static void
append(lua_State *l, int list, lua_Integer *n)
{
    if (lua_isnil(l, -1))
        lua_pop(l, 1);
    else
        lua_rawseti(l, list, ++*n);
}

static void
check_hash(lua_State *l, int arg)
{
    rh_check_table(l, arg);
    if (rh_is_list(l, arg) && luaL_len(l, arg) > 0)
        rh_script_raise(l, "argument %d must be a hash, not a list", arg);
}

/* The elements from `from` to `to`, which are positions, or counted from the end when they are negative. */
static int
push_range(lua_State *l, lua_Integer n, lua_Integer from, lua_Integer to)
{
    lua_Integer kept = 0;
    int result = push_list(l);

    from = from < 0 ? n + 1 + from : from;
    to = to < 0 ? n + 1 + to : to;
    from = from < 1 ? 1 : from;
    to = to > n ? n : to;
    for (lua_Integer i = from; i <= to; i++) {
        lua_geti(l, 1, i);
        append(l, result, &kept);
    }
    return 1;
}

/* first(list), first(list, n), and the same from the end: an element without `n`, a list with it. */
static int
push_end(lua_State *l, bool front)
{
    lua_Integer n = rh_check_list(l, 1), wanted;

    if (lua_isnoneornil(l, 2)) {
        if (n)
            lua_geti(l, 1, front ? 1 : n);
        else
            lua_pushnil(l);
        return 1;
    }
    wanted = luaL_checkinteger(l, 2);
    if (wanted < 0)
        rh_script_raise(l, "the number of elements must not be negative");
    if (wanted > n)
        wanted = n;
    return front ? push_range(l, n, 1, wanted) : push_range(l, n, n + 1 - wanted, n);
}

static int
first(lua_State *l)
{
    return push_end(l, true);
}

static int
last(lua_State *l)
{
    return push_end(l, false);
}

/* slice(list, from, to): both are positions that belong to it. */
static int
slice(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1);
    lua_Integer from = luaL_checkinteger(l, 2), to = luaL_optinteger(l, 3, -1);

    if (!from || !to)
        rh_script_raise(l, "positions of a list start with 1, or with -1 from its end");
    if (from < -n)
        from = 1;
    if (to < -n)
        return push_list(l), 1;
    return push_range(l, n, from, to);
}

static int
reverse(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1), kept = 0;
    int result = push_list(l);

    for (lua_Integer i = n; i >= 1; i--) {
        lua_geti(l, 1, i);
        append(l, result, &kept);
    }
    return 1;
}

static void
add_flat(lua_State *l, int from, int result, lua_Integer *kept, lua_Integer levels, int depth)
{
    lua_Integer n = rh_check_list(l, from);

    if (depth > RH_SCRIPT_DEEPEST)
        rh_script_raise(l, "tables are nested too deeply or contain themselves");
    luaL_checkstack(l, 4, NULL);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(l, from, i);
        if (levels && rh_is_list(l, lua_gettop(l))) {
            add_flat(l, lua_gettop(l), result, kept, levels - 1, depth + 1);
            lua_pop(l, 1);
        } else {
            append(l, result, kept);
        }
    }
}

/* flatten(list, levels): elements that are lists are replaced by their elements, at all levels or at some. */
static int
flatten(lua_State *l)
{
    lua_Integer levels = luaL_optinteger(l, 2, -1), kept = 0; /* -1: all */
    int result;

    rh_check_table(l, 1);
    lua_settop(l, 1);
    result = push_list(l);
    add_flat(l, 1, result, &kept, levels < 0 ? RH_SCRIPT_DEEPEST + 1 : levels, 0);
    return 1;
}

/* zip(list, list, ...): lists of what stands at the same position, as many as the shortest one has. */
static int
zip(lua_State *l)
{
    int lists = lua_gettop(l), result;
    lua_Integer shortest = 0;

    if (lists > MOST_ZIPPED)
        rh_script_raise(l, "'zip' takes at most %d lists", MOST_ZIPPED);
    for (int i = 1; i <= (lists ? lists : 1); i++) {
        lua_Integer n = rh_check_list(l, i);

        shortest = i == 1 || n < shortest ? n : shortest;
    }
    result = push_list(l);
    for (lua_Integer i = 1; i <= shortest; i++) {
        lua_Integer kept = 0;
        int tuple = push_list(l);

        for (int k = 1; k <= lists; k++) {
            if (lua_geti(l, k, i) == LUA_TNIL)
                rh_script_raise(l, "element %lld of list %d of 'zip' is null", i, k);
            append(l, tuple, &kept);
        }
        lua_rawseti(l, result, i);
    }
    return 1;
}

/* sum(list): an integer while all of them are, and the total is one. */
static int
sum(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1);

    lua_settop(l, 1);
    lua_pushinteger(l, 0);
    for (lua_Integer i = 1; i <= n; i++) {
        int type = lua_geti(l, 1, i);
        int64_t total;

        if (type != LUA_TNUMBER)
            rh_script_raise(l, "element %lld cannot be added: it is a %s", i, rh_script_type(l, -1));
        if (lua_isinteger(l, 2) && lua_isinteger(l, 3)) {
            if (__builtin_add_overflow(lua_tointeger(l, 2), lua_tointeger(l, 3), &total))
                rh_script_raise(l, "the sum is too large for an integer");
            lua_pushinteger(l, total);
        } else {
            lua_pushnumber(l, lua_tonumber(l, 2) + lua_tonumber(l, 3));
        }
        lua_replace(l, 2);
        lua_settop(l, 2);
    }
    return 1;
}

/* to_entries(hash): a list of {key, value}, in the order of the keys. */
static int
to_entries(lua_State *l)
{
    lua_Integer n;
    int result;

    check_hash(l, 1);
    lua_settop(l, 1);
    n = rh_push_keys(l, 1);
    result = push_list(l);
    rh_script_charge(l, 4 * (uint64_t)n);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_newtable(l);
        lua_rawgeti(l, 2, i);
        lua_pushvalue(l, -1);
        lua_setfield(l, -3, "key");
        lua_gettable(l, 1);
        lua_setfield(l, -2, "value");
        lua_rawseti(l, result, i);
    }
    return 1;
}

/* from_entries(list): a hash of what to_entries() returns; of two with the same key the later one counts. */
static int
from_entries(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1);

    lua_settop(l, 1);
    lua_newtable(l);
    for (lua_Integer i = 1; i <= n; i++) {
        int type;

        lua_geti(l, 1, i);
        if (!rh_is_table(l, 3))
            rh_script_raise(l, "element %lld is a %s, not a hash with 'key' and 'value'", i,
                            rh_script_type(l, 3));
        type = lua_getfield(l, 3, "key");
        if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
            rh_script_raise(l, "element %lld has a %s as its key: it must be text, a number or a boolean", i,
                            rh_script_type(l, -1));
        rh_script_text(l, 4);
        (void)lua_getfield(l, 3, "value");
        lua_rawset(l, 2);
        lua_settop(l, 2);
    }
    return 1;
}

/* The entries of the hash at 1 whose keys are in the list at 2, or are not. */
static int
select_keys(lua_State *l, bool in)
{
    lua_Integer names, n;

    check_hash(l, 1);
    names = rh_check_list(l, 2);
    lua_settop(l, 2);
    lua_newtable(l); /* 3: the names */
    for (lua_Integer i = 1; i <= names; i++) {
        if (lua_geti(l, 2, i) == LUA_TNIL) {
            lua_pop(l, 1);
            continue;
        }
        lua_pushboolean(l, 1);
        lua_rawset(l, 3);
    }
    n = rh_push_keys(l, 1); /* 4 */
    lua_newtable(l);        /* 5 */
    rh_script_charge(l, 4 * (uint64_t)n);
    for (lua_Integer i = 1; i <= n; i++) {
        bool named;

        lua_rawgeti(l, 4, i);
        lua_pushvalue(l, 6);
        named = lua_rawget(l, 3) != LUA_TNIL;
        lua_settop(l, 6);
        if (named == in) {
            lua_pushvalue(l, 6);
            lua_gettable(l, 1);
            lua_rawset(l, 5);
        }
        lua_settop(l, 5);
    }
    return 1;
}

static int
pick(lua_State *l)
{
    return select_keys(l, true);
}

static int
omit(lua_State *l)
{
    return select_keys(l, false);
}

void
rh_lib_list_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "first", first },
        { "flatten", flatten },
        { "from_entries", from_entries },
        { "last", last },
        { "omit", omit },
        { "pick", pick },
        { "reverse", reverse },
        { "slice", slice },
        { "sum", sum },
        { "to_entries", to_entries },
        { "zip", zip },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
