/* SPDX-License-Identifier: Apache-2.0 */
/* lib-pattern - string.find, match, gmatch and gsub, as in Lua's manual. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/match.h"
#include "script/parts.h"
#include "script/view.h"

#include <string.h>

enum { UNSET = -1 };

/* Where to start, from 0, as Lua counts: from the end when negative. */
static size_t
start_of(lua_State *l, int arg, size_t n)
{
    lua_Integer at = luaL_optinteger(l, arg, 1);

    if (at > 0)
        return (size_t)at - 1;
    if (at == 0 || at < -(lua_Integer)n)
        return 0;
    return n - (size_t)-at;
}

static int
push_captures(lua_State *l, const struct rh_matcher *m, const char *s, bool whole)
{
    unsigned n = m->p.n || !whole ? m->p.n : 1;

    luaL_checkstack(l, (int)n + 4, "too many captures");
    for (unsigned i = 0; i < n; i++)
        rh_matcher_push(l, m, s, i);
    return (int)n;
}

static bool
has_specials(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (s[i] && strchr("^$*+?.([%-", s[i]))
            return true;
    return false;
}

static int
find_match(lua_State *l, bool find)
{
    size_t n, np, start, end, from;
    const char *s = luaL_checklstring(l, 1, &n), *p = luaL_checklstring(l, 2, &np), *at;
    const struct rh_matcher *m;

    from = start_of(l, 3, n);
    if (from > n) {
        lua_pushnil(l);
        return 1;
    }
    if (find && (lua_toboolean(l, 4) || !has_specials(p, np))) {
        rh_script_charge(l, (n - from) / 16);
        at = np ? memmem(s + from, n - from, p, np) : s + from;
        if (!at) {
            lua_pushnil(l);
            return 1;
        }
        lua_pushinteger(l, at - s + 1);
        lua_pushinteger(l, at - s + (lua_Integer)np);
        return 2;
    }
    m = rh_matcher_pattern(l, 2, true);
    if (!rh_matcher_find(l, m, s, n, from, &start, &end)) {
        lua_pushnil(l);
        return 1;
    }
    if (!find)
        return push_captures(l, m, s, true);
    lua_pushinteger(l, (lua_Integer)start + 1);
    lua_pushinteger(l, (lua_Integer)end);
    return push_captures(l, m, s, false) + 2;
}

static int
string_find(lua_State *l)
{
    return find_match(l, true);
}

static int
string_match(lua_State *l)
{
    return find_match(l, false);
}

/* The next match from `at` on that does not end where the last one did (`last`). */
static bool
next_match(lua_State *l, const struct rh_matcher *m, const char *s, size_t n, size_t at, lua_Integer last,
           size_t *start, size_t *end)
{
    if (at > n || !rh_matcher_find(l, m, s, n, at, start, end))
        return false;
    if ((lua_Integer)*end != last)
        return true;
    return !m->p.anchored && at < n && rh_matcher_find(l, m, s, n, at + 1, start, end);
}

/* Upvalues: the text, the matcher, where to go on, where the last match ended, its pattern. */
static int
gmatch_next(lua_State *l)
{
    size_t n, start, end;
    const char *s = lua_tolstring(l, lua_upvalueindex(1), &n);
    const struct rh_matcher *m = lua_touserdata(l, lua_upvalueindex(2));
    bool secret = rh_script_is_secret(l, lua_upvalueindex(1));
    int results;

    if (!next_match(l, m, s, n, (size_t)lua_tointeger(l, lua_upvalueindex(3)),
                    lua_tointeger(l, lua_upvalueindex(4)), &start, &end))
        return 0;
    lua_pushinteger(l, (lua_Integer)end);
    lua_pushvalue(l, -1);
    lua_replace(l, lua_upvalueindex(3));
    lua_replace(l, lua_upvalueindex(4));
    lua_settop(l, 0);
    results = push_captures(l, m, s, true);
    for (int i = 1; secret && i <= results; i++)
        rh_script_touch(l, i);
    return results;
}

static int
string_gmatch(lua_State *l)
{
    size_t n, from;

    (void)luaL_checklstring(l, 1, &n);
    (void)luaL_checkstring(l, 2);
    from = start_of(l, 3, n);
    lua_settop(l, 2);
    (void)rh_matcher_pattern(l, 2, false);
    lua_remove(l, 2);
    lua_pushinteger(l, from > n ? (lua_Integer)n + 1 : (lua_Integer)from);
    lua_pushinteger(l, UNSET);
    lua_pushcclosure(l, gmatch_next, 4);
    return 1;
}

/* Adds the text that replaces, with what its '%0' to '%9' stand for. */
static void
add_replacement(lua_State *l, luaL_Buffer *b, const struct rh_matcher *m, const char *s, size_t start,
                size_t end)
{
    size_t n;
    const char *with = lua_tolstring(l, 3, &n), *stop = with + n, *at;

    for (; (at = memchr(with, '%', (size_t)(stop - with))); with = at + 1) {
        luaL_addlstring(b, with, (size_t)(at - with));
        at++;
        if (at < stop && *at == '%') {
            luaL_addchar(b, '%');
        } else if (at < stop && (*at == '0' || (*at == '1' && !m->p.n))) {
            luaL_addlstring(b, s + start, end - start);
        } else if (at < stop && *at >= '1' && *at <= '9') {
            if ((unsigned)(*at - '1') >= m->p.n)
                rh_script_raise(l, "invalid capture index %%%c in replacement string", *at);
            rh_matcher_push(l, m, s, (unsigned)(*at - '1'));
            luaL_addvalue(b);
        } else {
            rh_script_raise(l, "invalid use of '%%' in replacement string");
        }
    }
    luaL_addlstring(b, with, (size_t)(stop - with));
}

/* Adds what stands instead of s[start, end). */
static bool
replace(lua_State *l, luaL_Buffer *b, const struct rh_matcher *m, const char *s, size_t start, size_t end)
{
    int type = lua_type(l, 3);

    if (type == LUA_TSTRING || type == LUA_TNUMBER) {
        add_replacement(l, b, m, s, start, end);
        return true;
    }
    if (type == LUA_TFUNCTION) {
        lua_pushvalue(l, 3);
        lua_call(l, push_captures(l, m, s, true), 1);
    } else {
        rh_matcher_push(l, m, s, 0);
        rh_view_get(l, 3);
    }
    if (!lua_toboolean(l, -1)) {
        lua_pop(l, 1);
        luaL_addlstring(b, s + start, end - start);
        return false;
    }
    if (!lua_isstring(l, -1))
        rh_script_raise(l, "invalid replacement value (a %s)", rh_script_type(l, -1));
    luaL_addvalue(b);
    return true;
}

int
rh_gsub(lua_State *l, const struct rh_matcher *m, lua_Integer most)
{
    size_t n, at = 0, start, end;
    const char *s = lua_tolstring(l, 1, &n);
    lua_Integer last = UNSET, done = 0;
    bool changed = false;
    luaL_Buffer b;

    luaL_buffinit(l, &b);
    while (done < most && next_match(l, m, s, n, at, last, &start, &end)) {
        luaL_addlstring(&b, s + at, start - at);
        changed |= replace(l, &b, m, s, start, end);
        rh_script_charge_text(l, luaL_bufflen(&b) > rh_script_of(l)->options.limits.output ? luaL_bufflen(&b)
                                                                                           : start - at);
        done++;
        at = end;
        last = (lua_Integer)end;
        if (m->p.anchored)
            break;
    }
    if (!changed) {
        lua_pushvalue(l, 1);
    } else {
        luaL_addlstring(&b, s + at, n - at);
        luaL_pushresult(&b);
    }
    lua_pushinteger(l, done);
    return 2;
}

static int
string_gsub(lua_State *l)
{
    size_t n;
    lua_Integer most;
    int type = lua_type(l, 3);

    (void)luaL_checklstring(l, 1, &n);
    (void)luaL_checkstring(l, 2);
    if (type != LUA_TNUMBER && type != LUA_TSTRING && type != LUA_TFUNCTION)
        rh_check_table(l, 3);
    most = luaL_optinteger(l, 4, (lua_Integer)n + 1);
    lua_settop(l, 3);
    (void)lua_tostring(l, 1);
    (void)rh_matcher_pattern(l, 2, true);
    return rh_gsub(l, lua_touserdata(l, 4), most);
}

void
rh_lib_pattern_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "find", string_find }, { "gmatch", string_gmatch },
        { "gsub", string_gsub }, { "match", string_match },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
