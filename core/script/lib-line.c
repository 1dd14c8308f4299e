/* SPDX-License-Identifier: Apache-2.0 */
/* lib-line - texts of several lines, paths, versions, and all matches of a regular expression. */
#include "config.h"

#include "script/library.h"

#include "base/version.h"
#include "script/arguments.h"
#include "script/buffer.h"
#include "script/match.h"
#include "script/parts.h"
#include "script/take.h"

#include <ctype.h>
#include <string.h>

enum { WIDEST = 10000 };

/* indent(text, by, skip_first): `by` is a number of blanks, or a text. Lines with nothing in them stay so. */
static int
indent(lua_State *l)
{
    size_t n, width;
    const char *s = luaL_checklstring(l, 1, &n), *by, *end = s + n;
    bool skip = lua_toboolean(l, 3);
    struct rh_buf *b;

    lua_settop(l, 2);
    if (lua_isinteger(l, 2)) {
        lua_Integer blanks = lua_tointeger(l, 2);

        if (blanks < 0 || blanks > WIDEST)
            rh_script_raise(l, "an indentation has 0 to %d blanks", WIDEST);
        b = rh_buffer_push(l);
        for (lua_Integer i = 0; i < blanks; i++)
            rh_buffer_add(l, b, " ", 1);
        rh_buffer_result(l, b);
        lua_replace(l, 2);
        lua_settop(l, 2);
    }
    by = luaL_checklstring(l, 2, &width);
    b = rh_buffer_push(l);
    while (s < end) {
        const char *next = memchr(s, '\n', (size_t)(end - s));
        size_t length = (size_t)((next ? next + 1 : end) - s);

        if (!skip && *s != '\n' && *s != '\r')
            rh_buffer_add(l, b, by, width);
        rh_buffer_add(l, b, s, length);
        s += length;
        skip = false;
    }
    rh_buffer_result(l, b);
    return 1;
}

/* Characters of UTF-8, one column each. */
static size_t
columns(const char *s, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += ((unsigned char)s[i] & 0xC0) != 0x80;
    return count;
}

/* wrap(text, width): words of lines that are too long go to the next line; ends of lines stay. */
static int
wrap(lua_State *l)
{
    size_t n, used = 0;
    const char *s = luaL_checklstring(l, 1, &n), *end = s + n;
    lua_Integer width = luaL_checkinteger(l, 2);
    struct rh_buf *b;

    if (width < 1 || width > WIDEST)
        rh_script_raise(l, "the width of 'wrap' must be 1 to %d", WIDEST);
    b = rh_buffer_push(l);
    while (s < end) {
        size_t blanks = 0, word = 0;

        while (s + blanks < end && (s[blanks] == ' ' || s[blanks] == '\t'))
            blanks++;
        while (s + blanks + word < end && !strchr(" \t\n", s[blanks + word]))
            word++;
        if (!word) { /* the end of a line, or of the text */
            s += blanks;
            if (s < end)
                rh_buffer_add(l, b, s++, 1);
            used = 0;
            continue;
        }
        if (used && used + columns(s, blanks + word) > (size_t)width) {
            rh_buffer_add(l, b, "\n", 1);
            used = 0;
            s += blanks;
            blanks = 0;
        }
        rh_buffer_add(l, b, s, blanks + word);
        used += columns(s, blanks + word);
        s += blanks + word;
    }
    rh_buffer_result(l, b);
    return 1;
}

/* basename("/a/b/") is "b", that of "/" is "/", as of the program. */
static int
base_name(lua_State *l)
{
    size_t n, ending;
    const char *s = luaL_checklstring(l, 1, &n), *suffix = luaL_optlstring(l, 2, "", &ending), *slash;

    while (n > 1 && s[n - 1] == '/')
        n--;
    slash = n > 1 ? memrchr(s, '/', n) : NULL;
    if (slash) {
        n -= (size_t)(slash + 1 - s);
        s = slash + 1;
    }
    if (n > ending && memcmp(s + n - ending, suffix, ending) == 0)
        n -= ending;
    lua_pushlstring(l, s, n);
    return 1;
}

/* dirname("/a/b/") is "/a", that of "b" is ".", as of the program. */
static int
directory_name(lua_State *l)
{
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);

    while (n > 1 && s[n - 1] == '/')
        n--;
    while (n && s[n - 1] != '/')
        n--;
    while (n > 1 && s[n - 1] == '/')
        n--;
    lua_pushlstring(l, n ? s : ".", n ? n : 1);
    return 1;
}

/* So that the text stands for itself in a regular expression. */
static int
regex_escape(lua_State *l)
{
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);
    struct rh_buf *b = rh_buffer_push(l);

    for (size_t i = 0; i < n; i++) {
        if (s[i] && strchr("\\^$.|?*+()[]{}-#/ \t", s[i]))
            rh_buffer_add(l, b, "\\", 1);
        if (s[i] == '\n')
            rh_buffer_add(l, b, "\\n", 2);
        else
            rh_buffer_add(l, b, s + i, 1);
    }
    rh_buffer_result(l, b);
    return 1;
}

/* Pushes what one match gives: all of it without groups, else a table of them, by number or name. */
static void
push_match(lua_State *l, const struct rh_matcher *m, const char *s)
{
    if (!m->p.n) {
        rh_matcher_push(l, m, s, 0);
        return;
    }
    lua_newtable(l);
    for (unsigned i = 0; i < m->p.n; i++) {
        const char *name = rh_matcher_name(m, i);

        rh_matcher_push(l, m, s, i);
        if (name)
            lua_setfield(l, -2, name);
        else
            lua_rawseti(l, -2, (lua_Integer)i + 1);
    }
}

/* match_all(text, regex): a list of what match() returns for each match. */
static int
match_all(lua_State *l)
{
    const struct rh_matcher *m;
    size_t n, start, end, from = 0;
    lua_Integer kept = 0;
    const char *s = luaL_checklstring(l, 1, &n);

    if (!rh_utf8_valid(s, n))
        rh_script_raise(l, "a regular expression can only be used on UTF-8 text");
    (void)luaL_checkstring(l, 2);
    lua_settop(l, 2);
    m = rh_matcher_regex(l, 2);
    lua_newtable(l);
    rh_list_mark(l, -1);
    while (from <= n && rh_matcher_find(l, m, s, n, from, &start, &end)) {
        rh_script_charge(l, 8);
        push_match(l, m, s);
        lua_rawseti(l, -2, ++kept);
        from = end;
        if (start == end) /* nothing: the next character may give more */
            do
                from++;
            while (from < n && ((unsigned char)s[from] & 0xC0) == 0x80);
    }
    return 1;
}

static const char *
check_version(lua_State *l, int arg)
{
    size_t n;
    const char *s = luaL_checklstring(l, arg, &n);

    if (strlen(s) != n)
        rh_script_raise(l, "a version must not contain a NUL character");
    rh_script_charge(l, n / 8);
    return s;
}

/* version_compare(a, b): -1, 0 or 1. */
static int
version_compare(lua_State *l)
{
    lua_settop(l, 2);
    lua_pushinteger(l, rh_version_compare(check_version(l, 1), check_version(l, 2)));
    return 1;
}

void
rh_lib_line_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "basename", base_name },
        { "dirname", directory_name },
        { "indent", indent },
        { "match_all", match_all },
        { "regex_escape", regex_escape },
        { "version_compare", version_compare },
        { "wrap", wrap },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
