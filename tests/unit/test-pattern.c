/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns, against Lua's own string library: what find, match, gmatch and gsub return for many
 * thousands of patterns and subjects must be the same. */
#include "config.h"

#include "base/error.h"
#include "script-fixture.h"

#include "script/state.h"

#include <lauxlib.h>
#include <lualib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What both run: all results as one text, and "error" for any error. `s`, `p`, `r`, `i` are set. */
static const char program[] = "local out = {}\n"
                              "local function show(name, ok, ...)\n"
                              "  out[#out + 1] = name\n"
                              "  if not ok then out[#out + 1] = 'error' return end\n"
                              "  for k = 1, select('#', ...) do\n"
                              "    local v = select(k, ...)\n"
                              "    out[#out + 1] = type(v) .. ':' .. tostring(v)\n"
                              "  end\n"
                              "end\n"
                              "show('find', pcall(string.find, s, p, i))\n"
                              "show('match', pcall(string.match, s, p, i))\n"
                              "show('gsub', pcall(string.gsub, s, p, r))\n"
                              "show('gsub1', pcall(string.gsub, s, p, '<%0>', 2))\n"
                              "show('gsubf', pcall(string.gsub, s, p, function(a, b) return b or a end))\n"
                              "show('gmatch', pcall(function()\n"
                              "  local n = 0\n"
                              "  for a, b in string.gmatch(s, p, i) do\n"
                              "    out[#out + 1] = '[' .. tostring(a) .. ',' .. tostring(b) .. ']'\n"
                              "    n = n + 1\n"
                              "    if n > 50 then break end\n"
                              "  end\n"
                              "end))\n"
                              "answer(table.concat(out, ' '))\n";

static uint32_t seed = 12345;

static unsigned
pick(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % n;
}

static size_t
make_pattern(char *to)
{
    static const char *const items[] = {
        "a",      "b",     ".",     "%a",      "%d",     "%s",     "%w",          "%x",     "%p",
        "%u",     "%l",    "%c",    "%g",      "%A",     "%D",     "%S",          "%W",     "[ab]",
        "[^a]",   "[a-c]", "[%a_]", "[^%s]",   "%.",     "%%",     "%-",          "[]]",    "[^]]",
        "[a-]",   "[%-a]", "()",    "%1",      "%z",     "%b()",   "%bxx",        "%f[%w]", "%f[%W]",
        "%f[^a]", "$",     "^",     "*",       "+",      "-",      "?",           "x",      "1",
        " ",      ",",     "[%z]",  "[a-c-e]", "[%d-z]", "[b-%a]", "[\x80-\xff]", "\xc3",
    };
    size_t n = 0;
    unsigned count = 1 + pick(6), open = 0;

    if (pick(5) == 0)
        to[n++] = '^';
    for (unsigned i = 0; i < count; i++) {
        const char *item = items[pick(sizeof items / sizeof *items)];

        if (pick(4) == 0) {
            to[n++] = '(';
            open++;
        }
        memcpy(to + n, item, strlen(item));
        n += strlen(item);
        if (pick(3) == 0)
            to[n++] = "*+-?"[pick(4)];
        if (open && pick(3) == 0) {
            to[n++] = ')';
            open--;
        }
    }
    for (; open; open--)
        to[n++] = ')';
    if (pick(5) == 0)
        to[n++] = '$';
    return n;
}

static size_t
make_subject(char *to)
{
    static const char bytes[] = "aabbc xx1(()),.%-]_A\n\0\xc3\xa9z";
    unsigned n = pick(16);

    for (unsigned i = 0; i < n; i++)
        to[i] = bytes[pick(sizeof bytes - 1)];
    return n;
}

static char answers[2][8192];

static int
answer(lua_State *l)
{
    char *to = lua_touserdata(l, lua_upvalueindex(1));
    size_t n;
    const char *text = lua_tolstring(l, 1, &n);

    if (n > sizeof answers[0] - 1)
        n = sizeof answers[0] - 1;
    memset(to, 0, sizeof answers[0]);
    memcpy(to, text, n);
    return 0;
}

static void
set_globals(lua_State *l, char *to, const char *s, size_t ns, const char *p, size_t np, int from)
{
    lua_pushlightuserdata(l, to);
    lua_pushcclosure(l, answer, 1);
    lua_setfield(l, -2, "answer");
    lua_pushlstring(l, s, ns);
    lua_setfield(l, -2, "s");
    lua_pushlstring(l, p, np);
    lua_setfield(l, -2, "p");
    lua_pushliteral(l, "%0-%1");
    lua_setfield(l, -2, "r");
    lua_pushinteger(l, from);
    lua_setfield(l, -2, "i");
}

/* What one round is about. */
struct round {
    const char *s, *p;
    size_t ns, np;
    int from;
};

static int
push_globals(lua_State *l)
{
    const struct round *r = lua_touserdata(l, 1);

    lua_newtable(l);
    set_globals(l, answers[1], r->s, r->ns, r->p, r->np, r->from);
    return 1;
}

/* A pattern that is malformed is always refused here; Lua notices only where it gets there. */
static bool
is_refused(const char *text)
{
    return strstr(text, "gsub1 error") != NULL;
}

static void
patterns_find_what_luas_own_find(void **state)
{
    enum { ROUNDS = 20000 };
    struct script_fixture *f = *state;
    lua_State *theirs = luaL_newstate();
    unsigned compared = 0, refused = 0;

    luaL_openlibs(theirs);
    for (unsigned round = 0; round < ROUNDS; round++) {
        char s[32], p[64];
        size_t ns = make_subject(s), np = make_pattern(p);
        int from = (int)pick(8) - 2;
        struct rh_error problem = { 0 };

        lua_pushglobaltable(theirs);
        set_globals(theirs, answers[0], s, ns, p, np, from);
        lua_pop(theirs, 1);
        assert_int_equal(luaL_dostring(theirs, program), LUA_OK);
        if (rh_script_run(f->script, program, sizeof program - 1, 1, push_globals,
                          &(struct round){ s, p, ns, np, from }, &problem)
            < 0)
            fail_msg("%s", problem.message);
        if (is_refused(answers[1])) {
            refused++;
            continue;
        }
        compared++;
        if (memcmp(answers[0], answers[1], sizeof answers[0]) != 0)
            fail_msg("'%.*s' in '%.*s' from %d:\n theirs %s\n ours   %s", (int)np, p, (int)ns, s, from,
                     answers[0], answers[1]);
    }
    lua_close(theirs);
    printf("%u compared, %u refused\n", compared, refused);
    assert_true(compared > ROUNDS / 2);
}

static void
what_is_malformed_is_refused(void **state)
{
    static const char *const patterns[] = { "%",  "[a",  "[%", "(a", "a)", "%1",   "(%1)", "%b", "%bx",
                                            "%f", "%fa", "%0", "[^", "[]", "[a%]", "(()",  "%f[" };
    struct script_fixture *f = *state;
    char text[64];

    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        (void)snprintf(text, sizeof text, "pcall(string.match, 'x', '%s')", patterns[i]);
        assert_string_equal(script_json(f, text), "false");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPT_TEST(patterns_find_what_luas_own_find),
        SCRIPT_TEST(what_is_malformed_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
