/* SPDX-License-Identifier: Apache-2.0 */
/* lib-string - Lua's own functions for texts; those with patterns are in lib-pattern.c. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/optional.h"
#include "script/parts.h"

#include <lualib.h>
#include <string.h>

enum { MOST_OF_ITEM = 512 }; /* bytes that one number may take in string.format */

static int
string_rep(lua_State *l)
{
    size_t n, separator, total;
    const char *text = luaL_checklstring(l, 1, &n), *between = luaL_optlstring(l, 3, "", &separator);
    lua_Integer times = luaL_checkinteger(l, 2);
    luaL_Buffer b;
    char *at;

    if (times <= 0 || n + separator == 0) {
        lua_pushliteral(l, "");
        return 1;
    }
    if ((uint64_t)times > rh_script_of(l)->options.limits.output / (n + separator) + 1)
        rh_script_stop(l, RH_STOP_OUTPUT);
    total = (size_t)times * (n + separator) - separator;
    rh_script_charge_text(l, total);
    at = luaL_buffinitsize(l, &b, total);
    while (times--) {
        memcpy(at, text, n);
        at += n;
        if (!times)
            break;
        memcpy(at, between, separator);
        at += separator;
    }
    luaL_pushresultsize(&b, total);
    return 1;
}

/* Makes the arguments of "%s" texts, so that no address is printed; refuses what prints one. */
static void
prepare_format(lua_State *l, const char *format, size_t n)
{
    int arg = 1, top = lua_gettop(l);
    uint64_t total = n;

    for (const char *at = format; at < format + n; at++) {
        if (*at != '%')
            continue;
        if (*++at == '%')
            continue;
        while (at < format + n && *at && strchr("-+ #0123456789.", *at))
            at++;
        if (++arg > top)
            rh_script_raise(l, "missing argument of 'format' for '%%%c'", *at);
        if (*at == 'p')
            rh_script_raise(l, "'format' does not support '%%p'");
        if (*at == 's') {
            rh_script_text(l, arg);
            lua_replace(l, arg);
        }
        total += lua_type(l, arg) == LUA_TSTRING ? 4 * lua_rawlen(l, arg) : MOST_OF_ITEM;
    }
    rh_script_charge_text(l, total / 4);
}

static int
string_format(lua_State *l)
{
    size_t n;
    const char *format = luaL_checklstring(l, 1, &n);

    luaL_checkstack(l, 4, NULL);
    prepare_format(l, format, n);
    lua_pushvalue(l, lua_upvalueindex(2));
    lua_insert(l, 1);
    lua_call(l, lua_gettop(l) - 1, 1);
    rh_script_charge_text(l, lua_rawlen(l, -1));
    return 1;
}

static const struct rh_function functions[] = {
    { "rep", string_rep },
    { NULL, NULL },
};

static const struct rh_function format = { "format", string_format };

/* utf8.codes gives its inside away, which passes over bytes that start no character: here at a price.
 * Upvalue: that inside. */
static int
next_code(lua_State *l)
{
    size_t n, at, start;
    const char *s = luaL_checklstring(l, 1, &n);

    at = start = (size_t)luaL_checkinteger(l, 2);
    while (at < n && ((unsigned char)s[at] & 0xc0) == 0x80)
        at++;
    rh_script_charge(l, 1 + (at - start) / 16);
    lua_settop(l, 1);
    lua_pushvalue(l, lua_upvalueindex(1));
    lua_insert(l, 1);
    lua_pushinteger(l, (lua_Integer)at);
    lua_call(l, 2, LUA_MULTRET);
    return lua_gettop(l);
}

static int
utf8_codes(lua_State *l)
{
    lua_pushvalue(l, lua_upvalueindex(2));
    lua_insert(l, 1);
    lua_call(l, lua_gettop(l) - 1, 3);
    lua_pushvalue(l, 1);
    lua_pushcclosure(l, next_code, 1);
    lua_replace(l, 1);
    return 3;
}

static const struct rh_function codes = { "codes", utf8_codes };

/* What ("x"):upper() looks at; upvalue: the functions. An attribute of a text does not exist. */
static int
string_index(lua_State *l)
{
    lua_settop(l, 2);
    lua_pushvalue(l, 2);
    if (lua_rawget(l, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    if (rh_script_of(l)->now.optional)
        rh_optional_leave(l);
    if (lua_type(l, 2) == LUA_TSTRING)
        rh_script_raise(l, "unknown attribute '%s' of a text", lua_tostring(l, 2));
    rh_script_raise(l, "a text cannot be indexed");
}

void
rh_lib_string_open(lua_State *l)
{
    static const char *const strings[] = { "byte", "char", "len", "lower", "reverse", "sub", "upper", NULL };
    static const char *const utf8[] = { "char", "charpattern", "codepoint", "len", "offset", NULL };

    lua_newtable(l);
    rh_library_borrow(l, luaopen_string, strings);
    rh_library_add(l, functions);
    rh_library_add_with(l, &format, luaopen_string);
    rh_lib_pattern_open(l);
    /* It can't be reached by any other way. */
    lua_pushliteral(l, "");
    lua_getmetatable(l, -1);
    lua_pushvalue(l, -3);
    lua_pushcclosure(l, string_index, 1);
    lua_setfield(l, -2, "__index");
    lua_pop(l, 2);
    rh_library_seal(l, "string");
    lua_setfield(l, -2, "string");
    lua_newtable(l);
    rh_library_borrow(l, luaopen_utf8, utf8);
    rh_library_add_with(l, &codes, luaopen_utf8);
    rh_library_seal(l, "utf8");
    lua_setfield(l, -2, "utf8");
}
