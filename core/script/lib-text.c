/* SPDX-License-Identifier: Apache-2.0 */
/* lib-text - functions for texts, beside those of Lua's string. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/buffer.h"
#include "script/match.h"
#include "script/parts.h"
#include "script/take.h"

#include <ctype.h>
#include <lualib.h>
#include <math.h>
#include <string.h>

/* join(list, between) */
static int
join(lua_State *l)
{
    lua_Integer n = rh_check_list(l, 1);
    size_t separator, len;
    const char *between = luaL_optlstring(l, 2, "", &separator), *text;
    struct rh_buf *b;

    lua_settop(l, 2);
    b = rh_buffer_push(l);
    for (lua_Integer i = 1; i <= n; i++) {
        int type = lua_geti(l, 1, i);

        if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
            rh_script_raise(l, "element %lld cannot be joined: it is a %s", i, rh_script_type(l, -1));
        rh_script_text(l, lua_gettop(l));
        text = lua_tolstring(l, -1, &len);
        if (i > 1)
            rh_buffer_add(l, b, between, separator);
        rh_buffer_add(l, b, text, len);
        lua_pop(l, 2);
    }
    rh_buffer_result(l, b);
    return 1;
}

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void
add_part(lua_State *l, lua_Integer *n, const char *s, size_t len)
{
    rh_script_charge(l, 4 + len / 32);
    lua_pushlstring(l, s, len);
    lua_rawseti(l, 3, ++*n);
}

/* split(text, at): at each `at`, or at white space. */
static int
split(lua_State *l)
{
    size_t len, n;
    const char *s = luaL_checklstring(l, 1, &len), *at = luaL_optlstring(l, 2, NULL, &n), *end = s + len;
    lua_Integer parts = 0;

    lua_settop(l, 2);
    lua_newtable(l);
    rh_list_mark(l, 3);
    if (at && !n)
        rh_script_raise(l, "the separator of 'split' must not be empty");
    while (at) {
        const char *next = memmem(s, (size_t)(end - s), at, n);

        add_part(l, &parts, s, (size_t)((next ? next : end) - s));
        if (!next)
            return 1;
        s = next + n;
    }
    while (s < end) {
        const char *start;

        while (s < end && is_space(*s))
            s++;
        for (start = s; s < end && !is_space(*s);)
            s++;
        if (s > start)
            add_part(l, &parts, start, (size_t)(s - start));
    }
    return 1;
}

static int
trim(lua_State *l)
{
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);

    for (; n && is_space(*s); n--)
        s++;
    while (n && is_space(s[n - 1]))
        n--;
    lua_pushlstring(l, s, n);
    return 1;
}

static int
starts_with(lua_State *l)
{
    size_t n, np;
    const char *s = luaL_checklstring(l, 1, &n), *p = luaL_checklstring(l, 2, &np);

    lua_pushboolean(l, np <= n && memcmp(s, p, np) == 0);
    return 1;
}

static int
ends_with(lua_State *l)
{
    size_t n, np;
    const char *s = luaL_checklstring(l, 1, &n), *p = luaL_checklstring(l, 2, &np);

    lua_pushboolean(l, np <= n && memcmp(s + n - np, p, np) == 0);
    return 1;
}

/* contains(text, text), contains(list, value), contains(hash, key) */
static int
contains(lua_State *l)
{
    lua_Integer n;
    size_t len, np;
    const char *s, *p;

    if (lua_type(l, 1) == LUA_TSTRING) {
        s = lua_tolstring(l, 1, &len);
        p = luaL_checklstring(l, 2, &np);
        lua_pushboolean(l, !np || memmem(s, len, p, np) != NULL);
        return 1;
    }
    luaL_checkany(l, 2);
    n = rh_check_list(l, 1);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(l, 1, i);
        if (lua_compare(l, -1, 2, LUA_OPEQ)) {
            lua_pushboolean(l, 1);
            return 1;
        }
        lua_pop(l, 1);
    }
    if (!n && !lua_isnil(l, 2)) {
        lua_pushvalue(l, 2);
        lua_gettable(l, 1);
        lua_pushboolean(l, !lua_isnil(l, -1));
    } else {
        lua_pushboolean(l, 0);
    }
    return 1;
}

/* replace(text, what, by): each `what` as it is written. */
static int
replace(lua_State *l)
{
    size_t len, n, with;
    const char *s = luaL_checklstring(l, 1, &len), *what = luaL_checklstring(l, 2, &n),
               *by = luaL_checklstring(l, 3, &with), *end = s + len, *next;
    struct rh_buf *b;

    if (!n)
        rh_script_raise(l, "the text that 'replace' searches for must not be empty");
    b = rh_buffer_push(l);
    for (; (next = memmem(s, (size_t)(end - s), what, n)); s = next + n) {
        rh_buffer_add(l, b, s, (size_t)(next - s));
        rh_buffer_add(l, b, by, with);
    }
    rh_buffer_add(l, b, s, (size_t)(end - s));
    rh_buffer_result(l, b);
    return 1;
}

static void
check_utf8(lua_State *l, int arg)
{
    size_t n;
    const char *s = luaL_checklstring(l, arg, &n);

    if (!rh_utf8_valid(s, n))
        rh_script_raise(l, "a regular expression can only be used on UTF-8 text");
}

/* match(text, regex): what its groups found, or all of it when there are none; else nil. */
static int
match(lua_State *l)
{
    const struct rh_matcher *m;
    size_t n, start, end;
    const char *s, *name;

    check_utf8(l, 1);
    (void)luaL_checkstring(l, 2);
    s = lua_tolstring(l, 1, &n);
    m = rh_matcher_regex(l, 2);
    if (!rh_matcher_find(l, m, s, n, 0, &start, &end)) {
        lua_pushnil(l);
        return 1;
    }
    lua_newtable(l);
    for (unsigned i = 0; i < (m->p.n ? m->p.n : 1); i++) {
        rh_matcher_push(l, m, s, i);
        name = m->p.n ? rh_matcher_name(m, i) : NULL;
        if (name)
            lua_setfield(l, -2, name);
        else
            lua_rawseti(l, -2, (lua_Integer)i + 1);
    }
    return 1;
}

static int
matches(lua_State *l)
{
    const struct rh_matcher *m;
    size_t n, start, end;
    const char *s;

    check_utf8(l, 1);
    (void)luaL_checkstring(l, 2);
    s = lua_tolstring(l, 1, &n);
    m = rh_matcher_regex(l, 2);
    lua_pushboolean(l, rh_matcher_find(l, m, s, n, 0, &start, &end));
    return 1;
}

/* regex_replace(text, regex, by): `by` as in string.gsub. */
static int
regex_replace(lua_State *l)
{
    int type = lua_type(l, 3);

    check_utf8(l, 1);
    (void)luaL_checkstring(l, 2);
    if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TFUNCTION)
        rh_check_table(l, 3);
    lua_settop(l, 3);
    (void)lua_tostring(l, 1);
    (void)rh_matcher_regex(l, 2);
    rh_gsub(l, lua_touserdata(l, 4), (lua_Integer)lua_rawlen(l, 1) + 1);
    lua_pop(l, 1);
    return 1;
}

/* One word for a shell, whatever is in it. */
static int
shell_quote(lua_State *l)
{
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);
    struct rh_buf *b;

    if (memchr(s, '\0', n))
        rh_script_raise(l, "a word of a command must not contain a NUL character");
    if (n && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,") == n) {
        lua_settop(l, 1);
        return 1;
    }
    b = rh_buffer_push(l);
    rh_buffer_add(l, b, "'", 1);
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\'')
            rh_buffer_add(l, b, "'\\''", 4);
        else
            rh_buffer_add(l, b, s + i, 1);
    }
    rh_buffer_add(l, b, "'", 1);
    rh_buffer_result(l, b);
    return 1;
}

/* RFC 3986: all but what is unreserved. */
static int
url_encode(lua_State *l)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);
    struct rh_buf *b = rh_buffer_push(l);

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        char escaped[3] = { '%', digits[c >> 4], digits[c & 15] };

        if (c < 128 && (isalnum(c) || (c && strchr("-._~", c))))
            rh_buffer_add(l, b, s + i, 1);
        else
            rh_buffer_add(l, b, escaped, 3);
    }
    rh_buffer_result(l, b);
    return 1;
}

static int
to_string(lua_State *l)
{
    int type = lua_type(l, 1);

    if (type != LUA_TSTRING && type != LUA_TNUMBER && type != LUA_TBOOLEAN)
        rh_wrong_argument(l, 1, "text, number or boolean");
    rh_script_text(l, 1);
    return 1;
}

static int
to_number(lua_State *l)
{
    size_t n;
    const char *s;

    if (lua_type(l, 1) == LUA_TNUMBER) {
        lua_settop(l, 1);
        return 1;
    }
    s = luaL_checklstring(l, 1, &n);
    if (lua_stringtonumber(l, s) != n + 1)
        rh_script_raise(l, "this text is not a number");
    return 1;
}

/* int(number): without its fraction. */
static int
to_integer(lua_State *l)
{
    lua_Number d;

    (void)to_number(l);
    if (lua_isinteger(l, -1))
        return 1;
    d = trunc(lua_tonumber(l, -1));
    if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0))
        rh_script_raise(l, "this number is too large for an integer");
    lua_pushinteger(l, (lua_Integer)d);
    return 1;
}

void
rh_lib_text_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "contains", contains },
        { "ends_with", ends_with },
        { "int", to_integer },
        { "join", join },
        { "match", match },
        { "matches", matches },
        { "regex_replace", regex_replace },
        { "replace", replace },
        { "shell_quote", shell_quote },
        { "split", split },
        { "starts_with", starts_with },
        { "to_number", to_number },
        { "to_string", to_string },
        { "trim", trim },
        { "url_encode", url_encode },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
    rh_library_borrow(l, luaopen_string, (const char *const[]){ "lower", "upper", NULL });
    rh_library_borrow(l, luaopen_math, (const char *const[]){ "ceil", "floor", NULL });
}
