/* SPDX-License-Identifier: Apache-2.0 */
/* lib-ini - INI files, written and read. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/buffer.h"
#include "script/parts.h"
#include "script/take.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value-yaml.h"
#include "base/value.h"

#include <string.h>

/* A key, or the name of a section: what an INI file could not tell from something else is refused. */
static void
check_name(lua_State *l, const char *name)
{
    size_t n = strlen(name);

    if (!n || strpbrk(name, "=[]\r\n") || strchr(" \t;#", *name) || strchr(" \t", name[n - 1]))
        rh_script_raise(l, "'%s' cannot be the name of a key or a section of an INI file", name);
}

static void
add_setting(lua_State *l, struct rh_buf *b, const char *key, const struct rh_value *v)
{
    check_name(l, key);
    switch (v->kind) {
    case RH_STRING:
        if (memchr(v->u.string, '\n', v->count) || memchr(v->u.string, '\r', v->count))
            rh_script_raise(l, "the value of '%s' has several lines, which an INI file cannot have", key);
        break;
    case RH_BOOLEAN:
    case RH_INTEGER:
    case RH_FLOAT:
        break;
    default:
        rh_script_raise(l, "the value of '%s' must be text, a number, a boolean, or a list of them", key);
    }
    rh_buf_add(b, key);
    rh_buf_add(b, " = ");
    if (v->kind != RH_STRING) {
        rh_yaml_add_block(b, v,
                          true); /* with the end of the line; the whole text is sensitive where this is */
        return;
    }
    rh_buf_addn(b, v->u.string, v->count);
    rh_buf_addc(b, '\n');
}

/* A list is a line for each of its elements; what is null is left out. */
static void
add_settings(lua_State *l, struct rh_buf *b, const struct rh_value *hash, bool sections)
{
    for (size_t i = 0; i < rh_value_count(hash); i++) {
        const struct rh_entry *e = rh_value_entry(hash, i);

        if (e->value->kind == RH_UNDEF || (sections && e->value->kind == RH_HASH))
            continue;
        if (e->value->kind != RH_ARRAY) {
            add_setting(l, b, e->key, e->value);
            continue;
        }
        for (size_t k = 0; k < rh_value_count(e->value); k++)
            add_setting(l, b, e->key, rh_value_at(e->value, k));
    }
}

/* ini(hash): settings first, then a section for each hash in it. */
static int
ini(lua_State *l)
{
    struct rh_buf *b;
    const struct rh_value *v;

    lua_settop(l, 1);
    rh_check_table(l, 1);
    b = rh_buffer_push(l);
    v = rh_script_resolve_all(l, rh_script_take(l, 1));
    rh_script_charge_value(l, v, 0);
    if (v->kind == RH_ARRAY && rh_value_count(v))
        rh_script_raise(l, "argument %d must be a hash, not a list", 1);
    add_settings(l, b, v, true);
    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_entry *e = rh_value_entry(v, i);

        if (v->kind != RH_HASH || e->value->kind != RH_HASH)
            continue;
        check_name(l, e->key);
        if (b->n)
            rh_buf_addc(b, '\n');
        rh_buf_addf(b, "[%s]\n", e->key);
        add_settings(l, b, e->value, false);
    }
    rh_buffer_account(l, b);
    rh_buffer_result(l, b);
    if (rh_value_sensitive(v))
        rh_script_touch(l, -1);
    return 1;
}

/* A line without the blanks around it. */
struct line {
    const char *at;
    size_t n;
};

static struct line
trimmed(const char *at, size_t n)
{
    while (n && (*at == ' ' || *at == '\t')) {
        at++;
        n--;
    }
    while (n && (at[n - 1] == ' ' || at[n - 1] == '\t' || at[n - 1] == '\r'))
        n--;
    return (struct line){ at, n };
}

/* One more value of a setting: the second makes a list of them, as ini() writes one. */
static void
add_read(lua_State *l, int section, struct line key, struct line value)
{
    lua_pushlstring(l, key.at, key.n);
    lua_pushvalue(l, -1);
    lua_rawget(l, section); /* key, what it has */
    if (lua_isnil(l, -1)) {
        lua_pop(l, 1);
        lua_pushlstring(l, value.at, value.n);
        lua_rawset(l, section);
        return;
    }
    if (!lua_istable(l, -1)) {
        lua_newtable(l);
        lua_insert(l, -2);
        lua_rawseti(l, -2, 1);
        lua_pushvalue(l, -2);
        lua_pushvalue(l, -2);
        lua_rawset(l, section);
    }
    lua_pushlstring(l, value.at, value.n);
    lua_rawseti(l, -2, (lua_Integer)lua_rawlen(l, -2) + 1);
    lua_pop(l, 2);
}

/* Replaces the table at the top, a section, by that of another name, new where there is none. `names` is a
 * table of the names of sections. */
static void
open_section(lua_State *l, int result, int names, struct line name, unsigned number)
{
    lua_pop(l, 1);
    lua_pushlstring(l, name.at, name.n);
    lua_pushvalue(l, -1);
    lua_rawget(l, result);
    if (lua_istable(l, -1)) {
        lua_pushvalue(l, -2);
        lua_rawget(l, names);
        if (lua_toboolean(l, -1)) {
            lua_pop(l, 1);
            lua_remove(l, -2);
            return;
        }
        lua_pop(l, 1);
    }
    if (!lua_isnil(l, -1))
        rh_script_raise(l, "this is not an INI file: line %u: '%s' is a setting and a section", number,
                        lua_tostring(l, -2));
    lua_pop(l, 1);
    lua_pushvalue(l, -1);
    lua_pushboolean(l, 1);
    lua_rawset(l, names);
    lua_newtable(l);
    lua_insert(l, -2);
    lua_pushvalue(l, -2);
    lua_rawset(l, result);
}

/* from_ini(text): what stands before the first section, and a hash for each section. */
static int
from_ini(lua_State *l)
{
    enum { RESULT = 2, NAMES, SECTION };
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n), *end = s + n;

    if (!rh_utf8_valid(s, n) || memchr(s, '\0', n))
        rh_script_raise(l, "'from_ini' takes UTF-8 text without NUL characters");
    lua_settop(l, 1);
    lua_newtable(l);
    lua_newtable(l);
    lua_pushvalue(l, RESULT);
    for (unsigned number = 1; s < end; number++) {
        const char *next = memchr(s, '\n', (size_t)(end - s)), *equals;
        struct line line = trimmed(s, (size_t)((next ? next : end) - s)), key;

        rh_script_charge(l, 8 + line.n / 8);
        s = next ? next + 1 : end;
        if (!line.n || *line.at == ';' || *line.at == '#')
            continue;
        if (*line.at == '[') {
            if (line.n < 3 || line.at[line.n - 1] != ']')
                rh_script_raise(l, "this is not an INI file: line %u: expected '[NAME]'", number);
            open_section(l, RESULT, NAMES, trimmed(line.at + 1, line.n - 2), number);
            continue;
        }
        equals = memchr(line.at, '=', line.n);
        key = trimmed(line.at, equals ? (size_t)(equals - line.at) : 0);
        if (!key.n)
            rh_script_raise(l, "this is not an INI file: line %u: expected '[NAME]' or 'KEY = VALUE'",
                            number);
        add_read(l, SECTION, key, trimmed(equals + 1, line.n - (size_t)(equals + 1 - line.at)));
    }
    lua_settop(l, RESULT);
    return 1;
}

void
rh_lib_ini_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "from_ini", from_ini },
        { "ini", ini },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
