/* SPDX-License-Identifier: Apache-2.0 */
/* match - patterns and regular expressions are searched for, on the evaluation's budget.
 *
 * PCRE2 counts its steps, but does not say how many it took, and counts anew at each byte where a
 * match might start. So each start is a search of its own, first with few steps; when these don't
 * suffice they are paid for, and it tries again with more. */
#include "config.h"

#include "script/match.h"

#include "script/buffer.h"
#include "script/parts.h"

#include "datatype/ruby-regex.h"

#include "base/error.h"
#include "base/message-code.h"
#include "base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    START = 12, /* instructions for trying at one byte */
    FEW_STEPS = 128,
    MORE = 8,         /* times as many */
    STEP = 4,         /* instructions for each step */
    SKIPPED = 16,     /* bytes that are only looked at, for one instruction */
    HEAP = 64 * 1024, /* KiB */
    LONGEST = 32 * 1024,
    NESTED = 100,
    MOST_KEPT = 200,
};

struct contexts {
    pcre2_general_context *general;
    pcre2_compile_context *compile;
    pcre2_match_context *match;
};

/* What PCRE2 gets counts as the script's. It does not say how large what it frees was. */
struct block {
    size_t n;
    max_align_t bytes[];
};

static void *
get(PCRE2_SIZE n, void *data)
{
    struct rh_script *s = data;
    struct block *b;

    if (n > rh_script_room(s) || !(b = malloc(sizeof *b + n)))
        return NULL;
    b->n = n;
    s->used += n;
    return b->bytes;
}

static void
give_back(void *p, void *data)
{
    struct rh_script *s = data;
    struct block *b;

    if (!p)
        return;
    b = (struct block *)((char *)p - offsetof(struct block, bytes));
    s->used -= b->n;
    free(b);
}

static int
free_matcher(lua_State *l)
{
    struct rh_matcher *m = lua_touserdata(l, 1);

    pcre2_match_data_free(m->data);
    pcre2_code_free(m->code);
    m->data = m->code = NULL;
    return 0;
}

void
rh_matcher_open(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    struct contexts *c = calloc(1, sizeof *c);

    s->matching = c;
    if (c)
        c->general = pcre2_general_context_create(get, give_back, s);
    if (c && c->general) {
        c->compile = pcre2_compile_context_create(c->general);
        c->match = pcre2_match_context_create(c->general);
    }
    if (!c || !c->compile || !c->match || pcre2_set_heap_limit(c->match, HEAP) != 0
        || pcre2_set_max_pattern_length(c->compile, LONGEST) != 0
        || pcre2_set_newline(c->compile, PCRE2_NEWLINE_LF) != 0
        || pcre2_set_parens_nest_limit(c->compile, NESTED) != 0)
        luaL_error(l, "out of memory");
    lua_newtable(l);
    lua_pushcfunction(l, free_matcher);
    lua_setfield(l, -2, "__gc");
    s->matchers = luaL_ref(l, LUA_REGISTRYINDEX);
    lua_newtable(l);
    s->patterns = luaL_ref(l, LUA_REGISTRYINDEX);
}

void
rh_matcher_close(struct rh_script *s)
{
    struct contexts *c = s->matching;

    if (!c)
        return;
    pcre2_match_context_free(c->match);
    pcre2_compile_context_free(c->compile);
    pcre2_general_context_free(c->general);
    free(c);
}

static struct rh_matcher *
push_matcher(lua_State *l)
{
    struct rh_matcher *m = lua_newuserdatauv(l, sizeof *m, 0);

    *m = (struct rh_matcher){ 0 };
    lua_rawgeti(l, LUA_REGISTRYINDEX, rh_script_of(l)->matchers);
    lua_setmetatable(l, -2);
    return m;
}

/* Pushes what is kept for the text at `index` as `kind`, or nil. */
static struct rh_matcher *
push_kept(lua_State *l, int index, const char *kind)
{
    lua_rawgeti(l, LUA_REGISTRYINDEX, rh_script_of(l)->patterns);
    if (lua_getfield(l, -1, kind) == LUA_TTABLE) {
        lua_pushvalue(l, index);
        if (lua_rawget(l, -2) == LUA_TUSERDATA) {
            lua_replace(l, -3);
            lua_pop(l, 1);
            return lua_touserdata(l, -1);
        }
        lua_pop(l, 1);
    }
    lua_pop(l, 2);
    return NULL;
}

/* Keeps the matcher at the top for the text at `index`. */
static void
keep(lua_State *l, int index, const char *kind)
{
    struct rh_script *s = rh_script_of(l);

    lua_rawgeti(l, LUA_REGISTRYINDEX, s->patterns);
    if (++s->n_patterns > MOST_KEPT) {
        s->n_patterns = 1;
        lua_pop(l, 1);
        lua_newtable(l);
        lua_pushvalue(l, -1);
        lua_rawseti(l, LUA_REGISTRYINDEX, s->patterns);
    }
    if (lua_getfield(l, -1, kind) != LUA_TTABLE) {
        lua_pop(l, 1);
        lua_newtable(l);
        lua_pushvalue(l, -1);
        lua_setfield(l, -3, kind);
    }
    lua_pushvalue(l, index);
    lua_pushvalue(l, -4);
    lua_rawset(l, -3);
    lua_pop(l, 2);
}

static void
compile(lua_State *l, struct rh_matcher *m, const char *pattern, size_t n, uint32_t options)
{
    struct contexts *c = rh_script_of(l)->matching;
    int number;
    PCRE2_SIZE at;

    m->code =
        pcre2_compile((PCRE2_SPTR)pattern, n,
                      options | PCRE2_NO_AUTO_POSSESS | PCRE2_NO_START_OPTIMIZE | PCRE2_NEVER_BACKSLASH_C,
                      &number, &at, c->compile);
    if (!m->code) {
        unsigned char text[160] = "out of memory";

        (void)pcre2_get_error_message(number, text, sizeof text);
        rh_script_raise(l, "bad pattern: %s", (char *)text);
    }
    m->data = pcre2_match_data_create_from_pattern(m->code, c->general);
    if (!m->data)
        rh_script_stop(l, RH_STOP_MEMORY);
}

const struct rh_matcher *
rh_matcher_pattern(lua_State *l, int index, bool anchors)
{
    const char *kind = anchors ? "pattern" : "search", *s, *wrong;
    struct rh_matcher *m;
    struct rh_buf *out;
    size_t n;

    index = lua_absindex(l, index);
    m = push_kept(l, index, kind);
    if (m)
        return m;
    s = lua_tolstring(l, index, &n);
    if (n > LONGEST)
        rh_script_raise(l, "a pattern must not be longer than %d bytes", LONGEST);
    rh_script_charge(l, 100 + n * 8);
    m = push_matcher(l);
    out = rh_buffer_push(l);
    wrong = rh_pattern_translate(s, n, anchors, out, &m->p);
    if (wrong)
        rh_script_raise_code(l, NULL, rh_message_code(wrong), wrong);
    compile(l, m, rh_buf_text(out), out->n, PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY);
    lua_pop(l, 1);
    keep(l, index, kind);
    return m;
}

/* The regular expression in PCRE2's notation. */
static struct rh_buf *
push_rewritten(lua_State *l, int index)
{
    struct rh_error err = { 0 };
    size_t n;
    const char *s = lua_tolstring(l, index, &n);
    struct rh_buf *out;
    char wrong[200];
    unsigned code;

    if (n > LONGEST)
        rh_script_raise(l, "a regular expression must not be longer than %d bytes", LONGEST);
    if (!rh_utf8_valid(s, n))
        rh_script_raise(l, "a regular expression must be UTF-8");
    rh_script_charge(l, 100 + n * 8);
    out = rh_buffer_push(l);
    if (rh_ruby_regex(s, n, out, &err) < 0) {
        (void)snprintf(wrong, sizeof wrong, "%s", err.message);
        code = rh_error_code(&err);
        rh_error_clear(&err);
        rh_script_raise_code(l, NULL, code, wrong);
    }
    return out;
}

const struct rh_matcher *
rh_matcher_regex(lua_State *l, int index)
{
    struct rh_matcher *m;
    struct rh_buf *out;
    uint32_t groups = 0, back = 0;

    index = lua_absindex(l, index);
    m = push_kept(l, index, "regex");
    if (m)
        return m;
    m = push_matcher(l);
    m->utf = true;
    out = push_rewritten(l, index);
    compile(l, m, rh_buf_text(out), out->n, PCRE2_UTF | PCRE2_MULTILINE | PCRE2_DUPNAMES);
    lua_pop(l, 1);
    (void)pcre2_pattern_info(m->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    (void)pcre2_pattern_info(m->code, PCRE2_INFO_BACKREFMAX, &back);
    if (groups > RH_PATTERN_CAPTURES)
        rh_script_raise(l, "a regular expression must not have more than %d groups", RH_PATTERN_CAPTURES);
    m->p.any = true;
    m->p.back = back > 0;
    m->p.n = groups;
    for (unsigned i = 0; i < groups; i++)
        m->p.capture[i].group = i + 1;
    keep(l, index, "regex");
    return m;
}

/* Whether it matches at this very byte. */
static bool
try_at(lua_State *l, const struct rh_matcher *m, const char *s, size_t n, size_t at)
{
    struct contexts *c = rh_script_of(l)->matching;
    uint32_t steps = FEW_STEPS;
    uint64_t far = m->p.back ? 1 + (n - at) / SKIPPED : 1;
    int rc;

    rh_script_charge(l, START + far);
    for (;;) {
        (void)pcre2_set_match_limit(c->match, steps);
        rc = pcre2_match(m->code, (PCRE2_SPTR)s, n, at, PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, m->data,
                         c->match);
        if (rc != PCRE2_ERROR_MATCHLIMIT)
            break;
        rh_script_charge(l, (uint64_t)steps * STEP * far);
        steps = steps < UINT32_MAX / MORE ? steps * MORE : UINT32_MAX;
    }
    if (rc == PCRE2_ERROR_HEAPLIMIT || rc == PCRE2_ERROR_DEPTHLIMIT || rc == PCRE2_ERROR_NOMEMORY)
        rh_script_stop(l, RH_STOP_MEMORY);
    if (rc < 0 && rc != PCRE2_ERROR_NOMATCH && rc != PCRE2_ERROR_PARTIAL)
        rh_script_raise(l, "cannot search with this pattern");
    return rc >= 0;
}

static bool
may_start(const struct rh_pattern *p, unsigned char c)
{
    return p->first[c >> 6] >> (c & 63) & 1;
}

bool
rh_matcher_find(lua_State *l, const struct rh_matcher *m, const char *s, size_t n, size_t from, size_t *start,
                size_t *end)
{
    for (size_t at = from; at <= n; at++) {
        if (!m->p.any && !m->p.anchored) {
            size_t was = at;

            while (at < n && !may_start(&m->p, (unsigned char)s[at]))
                at++;
            rh_script_charge(l, (at - was) / SKIPPED);
            if (at == n)
                return false;
        }
        if (m->utf && at < n && ((unsigned char)s[at] & 0xc0) == 0x80)
            continue;
        if (try_at(l, m, s, n, at)) {
            const PCRE2_SIZE *where = pcre2_get_ovector_pointer(m->data);

            *start = at;
            *end = where[1];
            rh_script_charge(l, (where[1] - at) / SKIPPED);
            return true;
        }
        if (m->p.anchored)
            return false;
    }
    return false;
}

/* The bounds of capture `i`; false when it took no part in the match. */
static bool
capture(const struct rh_matcher *m, unsigned i, size_t *start, size_t *end)
{
    const PCRE2_SIZE *where = pcre2_get_ovector_pointer(m->data);
    size_t group = m->p.n ? m->p.capture[i].group : 0;

    if (where[2 * group] == PCRE2_UNSET || where[2 * group + 1] < where[2 * group])
        return false;
    *start = where[2 * group];
    *end = where[2 * group + 1];
    return true;
}

void
rh_matcher_push(lua_State *l, const struct rh_matcher *m, const char *s, unsigned i)
{
    size_t start, end;

    if (!capture(m, i, &start, &end))
        lua_pushliteral(l, "");
    else if (m->p.n && m->p.capture[i].position)
        lua_pushinteger(l, (lua_Integer)start + 1);
    else
        lua_pushlstring(l, s + start, end - start);
}

const char *
rh_matcher_name(const struct rh_matcher *m, unsigned i)
{
    PCRE2_SPTR table = NULL;
    uint32_t names = 0, size = 0;

    if (pcre2_pattern_info(m->code, PCRE2_INFO_NAMECOUNT, &names) != 0
        || pcre2_pattern_info(m->code, PCRE2_INFO_NAMETABLE, &table) != 0
        || pcre2_pattern_info(m->code, PCRE2_INFO_NAMEENTRYSIZE, &size) != 0)
        return NULL;
    for (uint32_t k = 0; k < names; k++, table += size)
        if (((unsigned)table[0] << 8 | table[1]) == i + 1)
            return (const char *)table + 2;
    return NULL;
}
