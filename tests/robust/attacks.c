/* SPDX-License-Identifier: Apache-2.0 */
/* attacks - what somebody might put into an expression, a template or a recipe, and how it ends.
 *
 * Each runs in a state of its own. With --whole its limits are those of an expression, but for the memory: 96
 * MiB. Without, they are a tenth of these, and an attack ends in the same way, but sooner. Prints one line
 * for each: name, how it ended, milliseconds. Fails when one is let through, does not say what it should, or
 * takes too long. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"
#include "node/node.h"
#include "script/script.h"
#include "script/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { MOST_MS = 20000, NESTED = 20000, BIG = 20000 };

static const struct rh_script_limits whole = {
    .memory = 96 << 20,
    .instructions = 20000000,
    .output = 16 << 20,
    .seconds = 6,
};

/* For what never ends by itself. */
static struct rh_script_limits fewer = {
    .memory = 96 << 20,
    .instructions = 2000000,
    .output = 16 << 20,
    .seconds = 1,
};

enum kind { EXPRESSION, RECIPE, TEMPLATE };

struct attack {
    const char *name;
    enum kind kind;
    const char *text;
    const char *ends; /* a part of the message, or "= value" */
};

#define LONG "takes too long"
#define STEPS "takes too many steps"
#define SPACE "needs too much memory"
#define TEXT "produces too much text"
#define DEEP "function calls are nested too deeply"
#define NO(name) "unknown name '" name "'"

static const struct attack attacks[] = {
    { "endless loop", RECIPE, "while true do end", STEPS },
    { "endless loop inside pcall, again and again", RECIPE,
      "while true do pcall(function() while true do end end) end", STEPS },
    { "goto loop", RECIPE, "::again:: goto again", STEPS },
    { "for loop over all integers", RECIPE, "for i = math.mininteger, math.maxinteger do end", STEPS },
    { "repeat with a local function", EXPRESSION,
      "(function() repeat local f = function() end until f() end)()", STEPS },
    { "recursion", RECIPE, "local function f() return 1 + f() end f()", DEEP },
    { "recursion, caught and tried again", RECIPE,
      "local function f() return 1 + f() end while true do pcall(f) end", STEPS },
    { "endless tail calls", RECIPE, "local function f() return f() end f()", STEPS },
    { "recursion through pcall", RECIPE, "local function f() pcall(f) end f() while true do f() end", STEPS },
    { "recursion through sort's comparison", RECIPE, "local function f() table.sort({1, 2}, f) end f()",
      DEEP },
    { "recursion through gsub's function", RECIPE, "local function f() string.gsub('x', 'x', f) end f()",
      DEEP },
    { "memory: a text that doubles", RECIPE, "local s = 'x' while true do s = s .. s end", SPACE },
    { "memory: a text that doubles, inside pcall", RECIPE,
      "local s = 'x' while true do pcall(function() s = s .. s end) end", SPACE },
    { "memory: a table that grows", RECIPE, "local t = {} for i = 1, 1e9 do t[i] = i end", SPACE },
    { "memory: tables in tables", RECIPE, "local t = {} while true do t = {t, {}} end", SPACE },
    { "memory: kept near the limit, with garbage", RECIPE,
      "local t = {} pcall(function() for i = 1, 300000 do t[i] = {i} end end) "
      "while true do local x = {{}, {}, {}} end",
      STEPS },
    { "memory: closures", RECIPE, "local t = {} while true do t[#t + 1] = function() return t end end",
      SPACE },
    { "string.rep", EXPRESSION, "string.rep('x', 1 << 40)", TEXT },
    { "string.rep of string.rep", EXPRESSION, "(('x'):rep(1e7)):rep(1e7)", TEXT },
    { "string.rep with a separator, overflowing", EXPRESSION, "('xx'):rep(math.maxinteger, 'yyyyyyyy')",
      TEXT },
    { "string.rep in a loop", RECIPE, "while true do local s = ('x'):rep(1e6) end", STEPS },
    { "string.format with wide fields", RECIPE,
      "local f = ('%99d'):rep(200) local t = {} for i = 1, 200 do t[i] = 1 end "
      "while true do local s = f:format(table.unpack(t)) end",
      STEPS },
    { "string.format of an address", EXPRESSION, "('%p'):format({})", "'format' does not support '%p'" },
    { "gsub that multiplies", RECIPE, "local s = 'x' while true do s = s:gsub('x', ('x'):rep(100)) end",
      TEXT },
    { "gsub by a function that loops", RECIPE, "('x'):gsub('x', function() while true do end end)", STEPS },
    { "table.concat of one text many times", RECIPE,
      "local s = ('x'):rep(1e6) local t = {} for i = 1, 1000 do t[i] = s end return "
      "table.concat(t)",
      TEXT },
    { "table.insert with a length that lies", RECIPE,
      "local t = {} for k = 0, 61 do t[1 << k] = 1 end table.insert(t, 1, 1)", "= null" },
    { "table.concat over all integers", RECIPE, "table.concat({}, 'x', math.mininteger, math.maxinteger)",
      "cannot be joined" },
    { "table.unpack of very much", EXPRESSION, "table.unpack({}, 1, 1e8)", "returns at most" },
    { "table.move over all integers", RECIPE, "table.move({}, 1, math.maxinteger - 1, 2)", STEPS },
    { "sort with a comparison that contradicts itself", RECIPE,
      "local t = {} for i = 1, 1000 do t[i] = i end table.sort(t, function() return true end) "
      "result(#t)",
      "= 1000" },
    { "sort with a comparison that loops", RECIPE, "table.sort({1, 2}, function() while true do end end)",
      STEPS },
    { "pattern: nested repeats", RECIPE, "local s = ('a'):rep(3000) s:find(('a-'):rep(20) .. 'b')", STEPS },
    { "pattern: many stars", RECIPE, "local s = ('a'):rep(1000) s:match(('.*'):rep(20) .. 'x')", STEPS },
    { "pattern: back references", RECIPE, "local s = ('a'):rep(100000) s:find('(.-)(.-)(.-)%1%2%3b')",
      STEPS },
    { "pattern: balance, unbalanced", RECIPE, "local s = ('('):rep(200000) s:find('%b()x')", "" },
    { "pattern: small, again and again", RECIPE,
      "local s = ('a'):rep(60) while true do s:find('.-.-.-.-b') end", STEPS },
    { "pattern: very long", RECIPE, "('x'):find(('a?'):rep(100000))", "a pattern must not be longer than" },
    { "regular expression: (a+)+$", EXPRESSION, "matches(('a'):rep(100) .. 'b', '(a+)+$')", STEPS },
    { "regular expression: (.*)*x in a long text", EXPRESSION, "matches(('ab'):rep(100000), '(?:.*)*x')",
      STEPS },
    { "regular expression: recursion", EXPRESSION, "matches(('('):rep(100000), '\\\\((?R)*')", "" },
    { "regular expression: verbs that lift limits", EXPRESSION, "matches('x', '(*LIMIT_MATCH=4294967295)x')",
      "pattern" },
    { "source nested deeply: parentheses", EXPRESSION, "@(", "nested too deeply" },
    { "source nested deeply: tables", EXPRESSION, "@{", "nested too deeply" },
    { "source nested deeply: unary operators", EXPRESSION, "@-", "nested too deeply" },
    { "result nested deeply", EXPRESSION,
      "(function() local t = {} for i = 1, 1000 do t = {t} end return t end)()", "nested too deeply" },
    { "result that contains itself", EXPRESSION, "(function() local t = {} t[1] = t return t end)()",
      "nested too deeply" },
    { "result that is shared very often", EXPRESSION,
      "(function() local t = {} for i = 1, 40 do t = {t, t} end return t end)()", "" },
    { "string.dump", EXPRESSION, "string.dump(function() end)", NO("dump") },
    { "bytecode as source", EXPRESSION, "\x1bLua\x54", "unexpected symbol" },
    { "load", EXPRESSION, "load('return 1')", NO("load") },
    { "loadstring, dofile", EXPRESSION, "dofile('/etc/passwd')", NO("dofile") },
    { "io", EXPRESSION, "io.open('/etc/passwd')", NO("io") },
    { "os", EXPRESSION, "os.execute('id')", NO("os") },
    { "debug", EXPRESSION, "debug.getregistry()", NO("debug") },
    { "package", EXPRESSION, "package.loaded", NO("package") },
    { "require", EXPRESSION, "require('os')", NO("require") },
    { "_G", EXPRESSION, "_G", NO("_G") },
    { "_ENV to get at names", EXPRESSION, "_ENV.io", NO("io") },
    { "_ENV replaced", RECIPE, "local _ENV = {} x = 1 io.open('x')", "attempt to index a nil value" },
    { "metatable of strings", EXPRESSION, "getmetatable('').__index", NO("getmetatable") },
    { "metatable of views", EXPRESSION, "getmetatable(big)", NO("getmetatable") },
    { "writing to the string library", RECIPE, "string.upper = print", "cannot be changed" },
    { "writing to the string library by rawset", RECIPE, "rawset(string, 'upper', 1)", NO("rawset") },
    { "writing to a text", RECIPE, "('x').y = 1", "attempt to index a string value" },
    { "table.insert into the library", RECIPE, "table.insert(string, 1)", "must be a table" },
    { "writing to a view", RECIPE, "big.x = 1", "is read-only" },
    { "fields of a view's inside", EXPRESSION, "big.__index", "does not exist" },
    { "__index chains", RECIPE, "setmetatable({}, {__index = function() end})", NO("setmetatable") },
    { "__gc", RECIPE, "setmetatable({}, {__gc = function() while true do end end})", NO("setmetatable") },
    { "__close", RECIPE, "local x <close> = big", "non-closable" },
    { "__tostring in an error object", RECIPE, "error({__tostring = function() while true do end end})",
      "called with a table" },
    { "an endless loop while an error is handled", RECIPE,
      "while true do local ok, e = pcall(error, {}) while true do end end", STEPS },
    { "coroutine", EXPRESSION, "coroutine.wrap(function() while true do end end)()", NO("coroutine") },
    { "utf8.char with very much", EXPRESSION,
      "utf8.char(table.unpack((function() local t = {} for i = 1, 90000 do t[i] = 0x10ffff end "
      "return t end)())):rep(1e6)",
      TEXT },
    { "utf8.codes over a bomb", RECIPE,
      "local s = ('\\u{10ffff}'):rep(1e6) while true do for _ in utf8.codes(s) do end end", STEPS },
    { "a view of something big, again and again", EXPRESSION,
      "(function() while true do local x = json(big) end end)()", "" },
    { "a view of something big, copied into the result", EXPRESSION,
      "(function() local t = {} for i = 1, 1000 do t[i] = big end return t end)()", SPACE },
    { "a view of something big, gone through", EXPRESSION,
      "(function() while true do for k, v in pairs(big) do end end end)()", STEPS },
    { "a view of something big, merged", EXPRESSION,
      "(function() local t = {} while true do t = merge({a = 1, b = {c = big}}, t) end end)()", STEPS },
    { "a template that loops", TEMPLATE, "{% while true do %}x{% end %}", "" },
    { "a template that writes very much", TEMPLATE,
      "{% local s = ('x'):rep(1e6) for i = 1, 1e6 do %}{{ s }}{% end %}", TEXT },
    { "a template that includes itself", TEMPLATE, "{{ include('x') }}", "templates are nested" },
    { "a template that breaks out of its tag", TEMPLATE, "{{ 1) ; io.open('x' }}", NO("io") },
    { "joining very much", EXPRESSION,
      "join((function() local t, s = {}, ('x'):rep(1e6) for i = 1, 1000 do t[i] = s end return t "
      "end)())",
      TEXT },
    { "JSON that becomes much larger", EXPRESSION, "from_json('[' .. ('1,'):rep(5e6) .. '1]')", SPACE },
    { "JSON nested deeply", EXPRESSION, "from_json(('['):rep(1e5))", "invalid JSON" },
    { "range over very much", EXPRESSION, "range(1, 1e15 // 1 | 0)", "returns at most" },
    { "unique of many tables", EXPRESSION, "unique(map(range(1, 100000), function(i) return {i} end))",
      STEPS },
    { "texts that are joined to large ones", EXPRESSION,
      "(function() local s = ('x'):rep(8e6) while true do local t = s .. 'y' end end)()", STEPS },
    { "large texts that are compared", EXPRESSION,
      "(function() local s = ('x'):rep(2e6) local a, b = s .. 'a', s .. 'b' "
      "while true do local t = a < b end end)()",
      LONG },
    { "the inside of utf8.codes with another text", EXPRESSION,
      "(function() local f, s = utf8.codes('a'), 'a' .. ('\\x80'):rep(8e6) "
      "while true do f(s, 1) end end)()",
      STEPS },
    { "a secret in a table that is within itself twice", RECIPE,
      "local t = { secret('hunter2') } t[2] = t t[3] = t values(t)", STEPS },
    { "a large table, looked through for secrets", RECIPE,
      "local t = range(1, 50000) secret('hunter2') while true do tostring(t) end", STEPS },
    { "JSON of control characters", EXPRESSION,
      "(function() local s, t = ('\\1'):rep(1e6), {} for i = 1, 20 do t[i] = s end "
      "return json(t) end)()",
      TEXT },
    { "a pattern of the shell that tries everywhere", EXPRESSION,
      "glob_matches(('a'):rep(1000000), ('*a'):rep(1000) .. ('a'):rep(1000) .. 'b')", "too many steps" },
    { "password hashes by the dozen", EXPRESSION,
      "map(range(1, 100), function(i) return password_hash('x', {seed = 's' .. i}) end)", "too many steps" },
    { "the inside of a template, called by hand", TEMPLATE, "{% __value() %}", "is missing" },
    { "the inside of a template, with a table", TEMPLATE, "{% __text({}) %}", "must be a string" },
    { "attributes that are written and read", RECIPE,
      "for i = 1, 10000 do node.default['k' .. i] = i end "
      "while true do node.default.k1 = 1 for _ in pairs(node.attributes.merged) do break end end",
      "" },
    { "a list of attributes that grows", RECIPE,
      "node.default.l = list {} while true do node:append('default', 'l', 1) end", "" },
    { "print very much", RECIPE, "local s = ('x'):rep(1e6) while true do print(s) end", STEPS },
    { "global names that are never there", RECIPE, "while true do pcall(function() return nowhere end) end",
      STEPS },
};

static int
keep_result(lua_State *l)
{
    struct rh_value **result = lua_touserdata(l, lua_upvalueindex(1));

    *result = rh_script_take(l, 1);
    return 0;
}

static void
ignore_print(void *data, const char *text, size_t n, struct rh_place place)
{
    (void)data;
    (void)text;
    (void)n;
    (void)place;
}

static const char *
read_itself(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n, struct rh_error *err)
{
    static const char text[] = "{{ include('x') }}";

    (void)data;
    (void)path;
    (void)from;
    (void)a;
    (void)err;
    *n = sizeof text - 1;
    return text;
}

/* "@(": many of it. */
static char *
text_of(const struct attack *attack)
{
    char *text;

    if (*attack->text != '@')
        return rh_xstrdup(attack->text);
    text = rh_xalloc(NESTED + 1);
    memset(text, attack->text[1], NESTED);
    /* "--" would be a comment. */
    for (int i = 1; attack->text[1] == '-' && i < NESTED; i += 2)
        text[i] = ' ';
    return text;
}

struct recipe {
    const struct rh_value *big;
    struct rh_value *result;
};

static int
push_globals(lua_State *l)
{
    struct recipe *r = lua_touserdata(l, 1);

    lua_newtable(l);
    lua_pushlightuserdata(l, &r->result);
    lua_pushcclosure(l, keep_result, 1);
    lua_setfield(l, -2, "result");
    rh_script_push(l, r->big);
    lua_setfield(l, -2, "big");
    return 1;
}

static struct rh_value *
run_recipe(struct rh_script *s, const char *text, const struct rh_value *big, struct rh_error *problem)
{
    struct recipe r = { .big = big };

    rh_discard(rh_script_run(s, text, strlen(text), 1, push_globals, &r, problem));
    return r.result;
}

static struct rh_value *
attack_with(const struct attack *attack, struct rh_arena *a, struct rh_error *problem)
{
    struct rh_sources sources = { 0 };
    struct rh_value *big = rh_value_new(a, RH_ARRAY), *scope = rh_value_hash(a, 1), *result;
    struct rh_node *node = rh_node_new();
    struct rh_script *s;
    char *text = text_of(attack);
    bool endless = strcmp(attack->ends, STEPS) == 0 || strcmp(attack->ends, LONG) == 0;

    rh_sources_add(&sources, "attack", "", 0);
    for (int i = 0; i < BIG; i++)
        rh_value_append(big, rh_value_integer(a, i));
    rh_value_put(scope, "big", big);
    s = rh_script_new(&(struct rh_script_options){
        .arena = a,
        .node = node,
        .sources = &sources,
        .world = { .print = ignore_print, .read_file = read_itself },
        .limits = endless ? fewer : whole,
    });
    if (attack->kind == RECIPE)
        result = run_recipe(s, text, big, problem);
    else if (attack->kind == TEMPLATE)
        result = rh_script_render(s, text, strlen(text), 1, scope, problem);
    else
        result = rh_script_evaluate(s, text, strlen(text), scope, 1, problem);
    rh_script_free(s);
    rh_node_free(node);
    rh_sources_clear(&sources);
    free(text);
    return result;
}

static double
now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others may be busy, too */
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int
run(const struct attack *attack)
{
    struct rh_arena *a = rh_arena_new(NULL);
    struct rh_error problem = { 0 };
    struct rh_buf shown = { 0 };
    double start = now(), took;
    const struct rh_value *result = attack_with(attack, a, &problem);
    bool right;

    took = now() - start;
    if (problem.message)
        rh_buf_add(&shown, problem.message);
    else
        rh_buf_add(&shown, "= ");
    if (!problem.message && !result)
        rh_buf_add(&shown, "null");
    else if (!problem.message)
        rh_value_show(&shown, result->kind == RH_UNDEF ? NULL : result, 60);
    right = problem.message
                ? strstr(shown.s, attack->ends) != NULL
                : strcmp(shown.s, attack->ends) == 0
                      || (result && result->kind == RH_UNDEF && strcmp(attack->ends, "= null") == 0);
    printf("| %s | %s | %.1f |%s\n", attack->name, rh_buf_text(&shown), took,
           right && took < MOST_MS ? "" : " WRONG");
    rh_buf_clear(&shown);
    rh_error_clear(&problem);
    rh_arena_free(a);
    return right && took < MOST_MS ? 0 : 1;
}

int
main(int argc, char **argv)
{
    struct rusage usage;
    int wrong = 0;

    if (argc > 1 && strcmp(argv[1], "--whole") == 0) {
        fewer = whole;
        argc--;
        argv++;
    }
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        if (argc < 2 || strstr(attacks[i].name, argv[1])) {
            (void)fflush(stdout);
            wrong += run(&attacks[i]);
        }
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("%zu attacks, %d wrong, %ld MiB at most\n", sizeof attacks / sizeof *attacks, wrong,
           usage.ru_maxrss >> 10);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
