/* SPDX-License-Identifier: Apache-2.0 */
/* Lua's own functions in a script do what they do in Lua: each chunk is run by both. */
#include "config.h"

#include "script-fixture.h"

#include "base/error.h"
#include "base/text.h"
#include "base/value.h"

#include <lauxlib.h>
#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Functions for the chunks: what is in a list, and whether a call fails. */
static const char prelude[] =
    "local function show(t, n) local r = '' for i = 0, n or 9 do "
    "local v = t[i] r = r .. (v == nil and '.' or tostring(v)) .. ' ' end return r end "
    "local function fails(...) return pcall(...) and 'works' or 'fails' end "
    "local function all(...) local r = '' for i = 1, select('#', ...) do local v = select(i, ...) "
    "r = r .. tostring(v) .. ' ' end return r end ";

/* Each returns a text. */
static const char *const chunks[] = {
    /* table.insert */
    "local t = {} table.insert(t, 'a') table.insert(t, 'b') return show(t)",
    "local t = {1, 2, 3} table.insert(t, 1, 'a') return show(t)",
    "local t = {1, 2, 3} table.insert(t, 2, 'a') return show(t)",
    "local t = {1, 2, 3} table.insert(t, 3, 'a') return show(t)",
    "local t = {1, 2, 3} table.insert(t, 4, 'a') return show(t)",
    "local t = {1, 2, 3} return fails(table.insert, t, 5, 'a') .. show(t)",
    "local t = {1, 2, 3} return fails(table.insert, t, 0, 'a') .. show(t)",
    "local t = {1, 2, 3} return fails(table.insert, t) .. fails(table.insert, t, 1, 2, 3) .. show(t)",
    "return fails(table.insert, 1, 2) .. fails(table.insert, {}, 'x', 2)",
    /* table.remove */
    "local t = {1, 2, 3} return all(table.remove(t)) .. show(t)",
    "local t = {1, 2, 3} return all(table.remove(t, 1)) .. show(t)",
    "local t = {1, 2, 3} return all(table.remove(t, 2)) .. show(t)",
    "local t = {1, 2, 3} return all(table.remove(t, 3)) .. show(t)",
    "local t = {1, 2, 3} t[4] = nil return all(table.remove(t, 4)) .. show(t)",
    "local t = {1, 2, 3} return fails(table.remove, t, 5) .. fails(table.remove, t, 0) .. show(t)",
    "local t = {} return all(table.remove(t)) .. all(table.remove(t, 0)) .. fails(table.remove, t, 2) .. "
    "show(t)",
    "local t = {[0] = 'z'} return all(table.remove(t, 0)) .. show(t)",
    "local t = {} return all(table.remove(t, 1)) .. fails(table.remove, t, -1)",
    "return fails(table.remove, 'x')",
    /* table.concat */
    "return table.concat({}) .. '|' .. table.concat({}, ',') .. '|' .. table.concat({'a'}, ',')",
    "return table.concat({'a', 2, 3.5}, ', ')",
    "return table.concat({'a', 'b', 'c', 'd'}, '-', 2) .. '|' .. table.concat({'a', 'b', 'c'}, '-', 2, 3)",
    "return table.concat({'a', 'b'}, '-', 3) .. '|' .. table.concat({'a', 'b'}, '-', 2, 1)",
    "return table.concat({'a', 'b'}, '-', 1, 1) .. fails(table.concat, {'a', 'b'}, '-', 1, 3)",
    "return fails(table.concat, {{}}) .. fails(table.concat, {true}, ',') .. fails(table.concat, 1)",
    /* table.pack, table.unpack, select */
    "local t = table.pack() return t.n .. show(t)",
    "local t = table.pack('a', nil, 'c', nil) return t.n .. show(t)",
    "return all(table.unpack({1, 2, 3})) .. '|' .. all(table.unpack({1, 2, 3}, 2)) .. '|' .. "
    "all(table.unpack({1, 2, 3}, 2, 2)) .. '|' .. all(table.unpack({1, 2, 3}, 3, 2)) .. '|' .. "
    "all(table.unpack({1, 2, 3}, 0, 4)) .. '|' .. all(table.unpack({}))",
    "return fails(table.unpack, {}, 1, 1e8) .. fails(table.unpack, 1)",
    "return all(select('#', table.unpack({}, 1, 1000)))",
    "return all(select(2, 'a', 'b', 'c')) .. all(select(-1, 'a', 'b', 'c')) .. all(select('#')) .. "
    "fails(select, 0) .. fails(select, -4, 1)",
    /* table.move */
    "return show(table.move({1, 2, 3}, 1, 3, 2))",
    "return show(table.move({1, 2, 3}, 1, 3, 3))",
    "return show(table.move({1, 2, 3}, 1, 3, 4))",
    "return show(table.move({1, 2, 3}, 2, 3, 1))",
    "return show(table.move({1, 2, 3}, 1, 3, 1))",
    "return show(table.move({1, 2, 3}, 2, 1, 1))",
    "return show(table.move({1, 2, 3}, 2, 2, 1))",
    "return show(table.move({1, 2, 3}, 1, 3, 2, {7, 8, 9, 10, 11}))",
    "local t = {1, 2, 3} local u = table.move(t, 1, 2, 2, {'a'}) return show(t) .. show(u) .. tostring(t == "
    "u)",
    "return fails(table.move, 1, 1, 1, 1) .. fails(table.move, {}, 1, 1, 1, 5) .. fails(table.move, {}, 1)",
    "return fails(table.move, {}, math.mininteger, 1, 1) .. fails(table.move, {}, 1, 2, math.maxinteger)",
    "return show(table.move({1}, 1, 1, 0)) .. fails(table.move, {1}, 1, 1, math.maxinteger)",
    "return fails(table.move, {}, 0, math.maxinteger, 1)",
    /* table.sort */
    "local t = {3, 1, 2} table.sort(t) return show(t)",
    "local t = {} table.sort(t) return show(t)",
    "local t = {'b', 'a', 'B', ''} table.sort(t) return show(t)",
    "local t = {5, 3, 8, 1, 9, 2, 7, 4, 6} table.sort(t, function(a, b) return a > b end) return show(t)",
    "local t = {2.5, 1, -1, 1e3, 0.5} table.sort(t) return show(t)",
    "return fails(table.sort, {1, 'a'}) .. fails(table.sort, {true, false}) .. fails(table.sort, {1, 2}, 1)",
    "return fails(table.sort, 'x') .. fails(table.sort, {{}, {}})",
    /* string */
    "return ('ab'):rep(0) .. '|' .. ('ab'):rep(-1) .. '|' .. ('ab'):rep(1) .. '|' .. ('ab'):rep(3) .. '|' .. "
    "('ab'):rep(3, '-') .. '|' .. ('ab'):rep(1, '-') .. '|' .. (''):rep(3, '-') .. '|' .. (''):rep(5)",
    "return string.format('%d|%5d|%-5d|%05d|%+d|%x|%X|%o|%c', 3, 42, 42, 42, 7, 255, 255, 8, 65)",
    "return string.format('%s|%5s|%-5s|%.2s|%q|%%', 'ab', 'ab', 'ab', 'abc', 'a\"b')",
    "return string.format('%g|%.3f|%e|%i', 0.5, 1.5, 12.5, 9)",
    "return fails(string.format, '%d') .. fails(string.format, '%d', 'x') .. fails(string.format, '%y', 1)",
    "return fails(string.format, '%d', 1.5) .. fails(string.format, '%s', 1, 2) .. fails(string.format, '%')",
    "return string.format('%s %s %s', nil, true, 1.0) .. string.format('%5.1f', 3.14159)",
    "return ('abc'):sub(2) .. ('abc'):sub(-2) .. ('abc'):sub(2, 2) .. ('abc'):sub(0) .. ('abc'):sub(4) .. "
    "'|'",
    "return ('aBc'):upper() .. ('aBc'):lower() .. ('abc'):reverse() .. ('abc'):len() .. #'abc'",
    "return all(('abc'):byte(1, -1)) .. all(('abc'):byte(4)) .. string.char() .. string.char(97, 98)",
    "return all(('hello world'):find('o')) .. all(('hello'):find('l', 4)) .. all(('hello'):find('x'))",
    "return all(('a.b'):find('.', 1, true)) .. all(('a.b'):find('.', 3, true)) .. all((''):find('')) .. "
    "all(('abc'):find('', 4)) .. all(('abc'):find('', 5)) .. all(('abc'):find('b', -1)) .. "
    "all(('abc'):find('b', -2))",
    "return all(('key = value'):match('(%w+)%s*=%s*(%w+)')) .. all(('abc'):match('b')) .. "
    "all(('abc'):match('()b()'))",
    "return all(('abc'):match('^b')) .. all(('abc'):match('c$')) .. all(('a$c'):match('a$c')) .. "
    "all(('abc'):match('b', 3))",
    "return all(('[[x]]'):match('%[%[(.-)%]%]')) .. all(('f(a(b)c)d'):match('%b()')) .. all(('THE (quick) "
    "fox'):find('%((%a+)%)'))",
    "return all(('THE (quick) fox'):gsub('%f[%a]%a+', 'x')) .. all(('x'):match('%f[%z]')) .. "
    "all(('aXb'):find('%f[%u]'))",
    "return all(('abcabc'):match('(a)(b)c%1%2')) .. fails(string.match, 'x', '%1') .. fails(string.match, "
    "'x', '(')",
    "return fails(string.match, 'x', 'x)') .. fails(string.match, 'x', '[a') .. fails(string.match, 'x', "
    "'%')",
    "return fails(string.match, 'x', '%b') .. fails(string.match, 'x', '%f') .. fails(string.match, 'x', "
    "'(()')",
    "return all(('a-b]c^d'):gsub('[]^-]', '_')) .. all(('a5 z'):gsub('[^%a%s]', '_')) .. "
    "all(('a-z'):gsub('[a-]', '_'))",
    "return all(('0x1F'):match('^0[xX](%x+)$')) .. all(('a\\0b'):find('%z')) .. all(('\\tx'):match('%c')) .. "
    "all(('a.b,c'):gsub('%p', '')) .. all(('aé'):gsub('[\\128-\\255]', '?'))",
    "return all(('aaa'):match('a*')) .. all(('aaa'):match('a-')) .. all(('aaa'):match('a-$')) .. "
    "all(('b'):match('a?b')) .. "
    "all(('ab'):match('a?b')) .. all(('b'):match('a+'))",
    "return all(('%%%'):gsub('%%', 'x')) .. all(('a+b'):match('a%+b')) .. all(('a.c'):match('a%.c')) .. "
    "all(('^a'):match('%^a'))",
    "return all(('hello world'):gsub('o', '0')) .. all(('hello'):gsub('l', 'L', 1)) .. "
    "all(('hello'):gsub('l', 'L', 0)) .. "
    "all(('abc'):gsub('', '-')) .. all(('abc'):gsub('%w', '%0%0')) .. all(('ab cd'):gsub('(%w)(%w)', "
    "'%2%1'))",
    "return all(('$name is $age'):gsub('%$(%w+)', {name = 'Bob', age = 7})) .. all(('$x'):gsub('%$(%w+)', "
    "{}))",
    "return all(('abc'):gsub('%w', function(c) if c == 'b' then return 'X' end end)) .. "
    "all(('abc'):gsub('(a)(b)', function(a, b) return b .. a end)) .. all(('abc'):gsub('b', function() "
    "return false end))",
    "return all(('a%'):gsub('%%', '%%')) .. fails(string.gsub, 'x', 'x', '%2') .. fails(string.gsub, 'x', "
    "'x', '%')",
    "return fails(string.gsub, 'x', 'x', '%a') .. fails(string.gsub, 'x', 'x', function() return {} end) .. "
    "fails(string.gsub, 'x', 'x', true) .. fails(string.gsub, 'x', '(x)', '%2') .. all(('x'):gsub('x', "
    "'%1'))",
    "return all(('abc'):gsub('^a', 'x')) .. all(('aaa'):gsub('^a', 'x')) .. all(('abc'):gsub('c$', 'x'))",
    "local r = '' for k, v in ('a=1, b=2'):gmatch('(%w+)=(%w+)') do r = r .. k .. v .. ';' end return r",
    "local r = '' for w in ('one two'):gmatch('%a+') do r = r .. w .. ';' end return r",
    "local r = '' for p in ('ab'):gmatch('()') do r = r .. p .. ';' end return r",
    "local r = '' for w in ('abc'):gmatch('^a') do r = r .. w .. ';' end return r",
    "local r = '' for w in ('xaxbx'):gmatch('x*') do r = r .. w .. ';' end return r",
    /* utf8 */
    "local r = '' for p, c in utf8.codes('a\\xc3\\xa9\\xe2\\x82\\xacz') do r = r .. p .. ':' .. c .. ' ' end "
    "return r",
    "return utf8.len('a\\xc3\\xa9') .. all(utf8.len('\\xff')) .. all(utf8.codepoint('a\\xc3\\xa9', 1, -1)) "
    ".. "
    "utf8.char(233, 8364) .. all(utf8.offset('a\\xc3\\xa9z', 3)) .. fails(utf8.codepoint, '\\xff')",
    "return fails(function() for _ in utf8.codes('a\\xff') do end end) .. fails(utf8.codes)",
    /* the rest of the base */
    "return all(assert(1, 'x')) .. fails(assert, false, 'no') .. fails(assert, nil) .. fails(assert) .. "
    "all(assert('', 2))",
    "return all(pcall(error, 'x', 0)) .. all(pcall(error)) .. all(select('#', pcall(function() return 1, nil "
    "end)))",
    "return all(tonumber('10')) .. all(tonumber('0x10')) .. all(tonumber('10', 2)) .. all(tonumber('z', 36)) "
    ".. "
    "all(tonumber('8', 8)) .. all(tonumber('x')) .. all(tonumber('')) .. all(tonumber(' 5 ')) .. "
    "all(tonumber('1e1'))",
    "return all(type(1)) .. all(type('')) .. all(type({})) .. all(type(nil)) .. all(type(print)) .. "
    "fails(type)",
    "return tostring(1) .. tostring(1.0) .. tostring(-0.0) .. tostring(true) .. tostring(nil) .. "
    "tostring('x')",
    "local r = '' for i, v in ipairs({1, 2, nil, 4}) do r = r .. i .. v end return r",
    "return math.max(1, 5, 3) .. math.min(4, 2, 8) .. math.floor(3.7) .. math.ceil(3.2) .. math.abs(-4) .. "
    "math.tointeger(3.0) .. all(math.tointeger(3.5)) .. math.type(1) .. math.type(1.0) .. "
    "all(math.type('1')) .. "
    "math.fmod(7, 3) .. all(math.modf(3.5)) .. all(math.ult(1, -1)) .. math.maxinteger",
};

static const char *
by_lua(lua_State *l, const char *chunk, struct rh_buf *text)
{
    size_t n;

    rh_buf_truncate(text, 0);
    rh_buf_addf(text, "%s%s", prelude, chunk);
    if (luaL_loadstring(l, rh_buf_text(text)) || lua_pcall(l, 0, 1, 0))
        fail_msg("Lua refuses: %s\n%s", chunk, lua_tostring(l, -1));
    (void)luaL_tolstring(l, -1, &n);
    return lua_tostring(l, -1);
}

static void
lua_s_own_functions_do_what_they_do_in_lua(void **state)
{
    struct script_fixture *f = *state;
    lua_State *l = luaL_newstate();
    struct rh_buf text = { 0 };

    assert_non_null(l);
    luaL_openlibs(l);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        struct rh_error problem = { 0 };
        const char *expected = by_lua(l, chunks[i], &text);
        const struct rh_value *v;

        rh_buf_truncate(&text, 0);
        rh_buf_addf(&text, "(function() %s %s end)()", prelude, chunks[i]);
        v = rh_script_evaluate(f->script, rh_buf_text(&text), strlen(rh_buf_text(&text)), NULL, 1, &problem);
        if (!v)
            fail_msg("refused: %s\n%s", chunks[i], problem.message);
        if (v->kind != RH_STRING || strcmp(v->u.string, expected) != 0)
            fail_msg("%s\n is  %s\n not %s", chunks[i], v->kind == RH_STRING ? v->u.string : "no text",
                     expected);
        lua_settop(l, 0);
    }
    rh_buf_clear(&text);
    lua_close(l);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(lua_s_own_functions_do_what_they_do_in_lua),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
