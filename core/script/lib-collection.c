/* SPDX-License-Identifier: Apache-2.0 */
/* lib-collection - lists as sets, and in groups. Elements are compared by what is in them, hashes and lists
 * too, and an element that is null is left out. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"
#include "script/take.h"

#include "base/value.h"

/* Elements that were met, at two positions of the stack: scalars as keys of one table, and what is a table
 * itself in a list of values. */
struct set {
    int scalars, tables;
};

static struct set
push_set(lua_State *l)
{
    luaL_checkstack(l, 12, NULL);
    lua_newtable(l);
    lua_newtable(l);
    return (struct set){ lua_gettop(l) - 1, lua_gettop(l) };
}

static uint64_t
size_of(const struct rh_value *v)
{
    uint64_t n = 1;

    if (v->kind == RH_HASH || rh_kind_has_items(v->kind))
        for (uint32_t i = 0; i < v->count; i++)
            n += size_of(rh_value_part(v, i));
    else if (rh_kind_has_text(v->kind))
        n += v->count / 64;
    return n;
}

/* Whether a table like the one at the top is in the set; else it is put there when `add` says so. */
static bool
has_table(lua_State *l, struct set set, bool add)
{
    struct rh_value *v = rh_script_take(l, -1);
    lua_Integer n = (lua_Integer)lua_rawlen(l, set.tables);
    uint64_t size = size_of(v);
    bool found = false;

    if (rh_value_unknown(v))
        rh_script_unknown(l);
    for (lua_Integer i = 1; !found && i <= n; i++) {
        rh_script_charge(l, 1 + size);
        lua_rawgeti(l, set.tables, i);
        found = rh_value_equal(lua_touserdata(l, -1), v);
        lua_pop(l, 1);
    }
    if (!found && add) {
        lua_pushlightuserdata(l, v);
        lua_rawseti(l, set.tables, n + 1);
    }
    return found;
}

/* The same for any value at the top. */
static bool
has(lua_State *l, struct set set, bool add)
{
    bool found;

    rh_script_charge(l, 2);
    if (rh_is_table(l, lua_gettop(l)))
        return has_table(l, set, add);
    if (lua_type(l, -1) == LUA_TNUMBER && lua_tonumber(l, -1) != lua_tonumber(l, -1))
        return false; /* what is not a number equals nothing */
    lua_pushvalue(l, -1);
    found = lua_rawget(l, set.scalars) != LUA_TNIL;
    lua_pop(l, 1);
    if (!found && add) {
        lua_pushvalue(l, -1);
        lua_pushboolean(l, 1);
        lua_rawset(l, set.scalars);
    }
    return found;
}

/* The length of the list at `arg`. */
static lua_Integer
check_set(lua_State *l, int arg)
{
    lua_Integer n = rh_check_list(l, arg);
    bool hash;

    if (n || rh_is_list(l, arg))
        return n;
    hash = rh_push_keys(l, arg) > 0;
    lua_pop(l, 1);
    if (hash)
        rh_script_raise(l, "argument %d must be a list, not a hash", arg);
    return 0;
}

/* Adds the elements of the list at `arg` that are not in the set to it, and to the list at `result` unless
 * that is 0. */
static void
add_all(lua_State *l, int arg, struct set set, int result)
{
    lua_Integer n = check_set(l, arg), kept = result ? (lua_Integer)lua_rawlen(l, result) : 0;

    for (lua_Integer i = 1; i <= n; i++) {
        if (lua_geti(l, arg, i) == LUA_TNIL || has(l, set, true) || !result)
            lua_pop(l, 1);
        else
            lua_rawseti(l, result, ++kept);
    }
}

static int
push_list(lua_State *l)
{
    lua_newtable(l);
    rh_list_mark(l, -1);
    return lua_gettop(l);
}

/* union(list, ...): what is in any of them, each once, where it came first. */
static int
set_union(lua_State *l)
{
    int n = lua_gettop(l), result;
    struct set set;

    if (!n)
        rh_check_table(l, 1);
    set = push_set(l);
    result = push_list(l);
    for (int i = 1; i <= n; i++)
        add_all(l, i, set, result);
    return 1;
}

/* unique(list): each once, where it came first. */
static int
unique(lua_State *l)
{
    rh_check_table(l, 1);
    lua_settop(l, 1);
    return set_union(l);
}

/* What is in the first list, and in all of the others (`in`) or in none of them. */
static int
select_first(lua_State *l, bool in)
{
    int n = lua_gettop(l), result;
    lua_Integer first, kept = 0;
    struct set seen, *others;

    rh_check_table(l, 1);
    luaL_checkstack(l, 2 * n + 12, NULL);
    others = lua_newuserdatauv(l, (size_t)(n + 1) * sizeof *others, 0);
    for (int i = 2; i <= n; i++) {
        others[i] = push_set(l);
        add_all(l, i, others[i], 0);
    }
    seen = push_set(l);
    result = push_list(l);
    first = check_set(l, 1);
    for (lua_Integer i = 1; i <= first; i++) {
        bool keep = lua_geti(l, 1, i) != LUA_TNIL;

        for (int k = 2; keep && k <= n; k++)
            keep = has(l, others[k], false) == in;
        if (keep && !has(l, seen, true))
            lua_rawseti(l, result, ++kept);
        else
            lua_pop(l, 1);
    }
    return 1;
}

static int
intersection(lua_State *l)
{
    return select_first(l, true);
}

static int
difference(lua_State *l)
{
    return select_first(l, false);
}

static void
check_key(lua_State *l)
{
    if (lua_type(l, 2) != LUA_TFUNCTION && lua_type(l, 2) != LUA_TSTRING)
        rh_wrong_argument(l, 2, "function or the name of an attribute");
}

/* Pushes what element `i` of the list at 1 is sorted or grouped by: what the function at 2 returns for it, or
 * its attribute of that name. The element stays below it. */
static void
push_key(lua_State *l, lua_Integer i)
{
    lua_geti(l, 1, i);
    if (lua_type(l, 2) == LUA_TFUNCTION) {
        lua_pushvalue(l, 2);
        lua_pushvalue(l, -2);
        lua_pushinteger(l, i);
        lua_call(l, 2, 1);
        return;
    }
    if (!rh_is_table(l, lua_gettop(l)))
        rh_script_raise(l, "element %lld is a %s: it has no attribute '%s'", i, rh_script_type(l, -1),
                        lua_tostring(l, 2));
    lua_pushvalue(l, 2);
    lua_gettable(l, -2);
}

/* group_by(list, key): a hash of lists. */
static int
group_by(lua_State *l)
{
    lua_Integer n = check_set(l, 1);

    check_key(l);
    lua_settop(l, 2);
    lua_newtable(l);
    for (lua_Integer i = 1; i <= n; i++) {
        int type;

        push_key(l, i);
        type = lua_type(l, -1);
        if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
            rh_script_raise(l, "element %lld has a %s as its key: it must be text, a number or a boolean", i,
                            rh_script_type(l, -1));
        rh_script_charge(l, 6);
        rh_script_text(l, lua_gettop(l));
        lua_pushvalue(l, -1);
        if (lua_rawget(l, 3) == LUA_TNIL) {
            lua_pop(l, 1);
            (void)push_list(l);
            lua_pushvalue(l, -2);
            lua_pushvalue(l, -2);
            lua_rawset(l, 3);
        }
        lua_pushvalue(l, 4);
        lua_rawseti(l, -2, (lua_Integer)lua_rawlen(l, -2) + 1);
        lua_settop(l, 3);
    }
    return 1;
}

/* Whether the element at position 1 comes before that at position 2; upvalue: their keys. */
static int
key_is_less(lua_State *l)
{
    int a, b;

    a = lua_rawgeti(l, lua_upvalueindex(1), lua_tointeger(l, 1));
    b = lua_rawgeti(l, lua_upvalueindex(1), lua_tointeger(l, 2));
    if (a != b || (a != LUA_TNUMBER && a != LUA_TSTRING))
        rh_script_raise(l, "cannot sort a %s and a %s: only numbers or only texts can be sorted",
                        rh_script_type(l, -2), rh_script_type(l, -1));
    lua_pushboolean(l, lua_compare(l, -2, -1, LUA_OPLT));
    return 1;
}

/* sort_by(list, key): in the order of the keys; where these are the same, as they stood. */
static int
sort_by(lua_State *l)
{
    lua_Integer n = check_set(l, 1);
    int result;

    check_key(l);
    lua_settop(l, 2);
    lua_newtable(l); /* 3: the keys */
    lua_newtable(l); /* 4: positions, which are sorted */
    for (lua_Integer i = 1; i <= n; i++) {
        push_key(l, i);
        if (lua_isnil(l, -1))
            rh_script_raise(l, "element %lld has nothing to sort by: its key is nil", i);
        lua_rawseti(l, 3, i);
        lua_pop(l, 1);
        lua_pushinteger(l, i);
        lua_rawseti(l, 4, i);
    }
    lua_pushvalue(l, 3);
    lua_pushcclosure(l, key_is_less, 1);
    rh_sort(l, 4, n, 5);
    result = push_list(l);
    rh_script_charge(l, (uint64_t)n);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_rawgeti(l, 4, i);
        lua_geti(l, 1, lua_tointeger(l, -1));
        lua_rawseti(l, result, i);
        lua_pop(l, 1);
    }
    return 1;
}

void
rh_lib_collection_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "difference", difference },
        { "group_by", group_by },
        { "intersection", intersection },
        { "sort_by", sort_by },
        { "union", set_union },
        { "unique", unique },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
