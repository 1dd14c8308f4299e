/* SPDX-License-Identifier: Apache-2.0 */
/* lib-notation - values as YAML and as INI files, and YAML read. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/buffer.h"
#include "script/parts.h"
#include "script/take.h"

#include "base/error.h"
#include "base/text.h"
#include "base/value-yaml.h"
#include "base/value.h"

#include <stdio.h>
#include <string.h>

/* What a byte of YAML takes as a value, at most, and what each value takes that comes of aliases. */
enum { BYTES_OF_YAML = 24, BYTES_OF_VALUE = 48, LARGEST = 16 << 20 };

static const struct rh_value *
take(lua_State *l)
{
    const struct rh_value *v;

    luaL_checkany(l, 1);
    v = rh_script_take(l, 1);
    return rh_script_resolve_all(l, v);
}

/* yaml(value): in blocks, as people write it. */
static int
yaml(lua_State *l)
{
    struct rh_buf *b;
    const struct rh_value *v;

    lua_settop(l, 1);
    b = rh_buffer_push(l);
    v = take(l);
    rh_script_charge_value(l, v, 2);
    rh_yaml_add_block(b, v, true);
    rh_buffer_account(l, b);
    rh_buffer_result(l, b);
    if (rh_value_sensitive(v))
        rh_script_touch(l, -1);
    return 1;
}

static size_t
count_values(const struct rh_value *v)
{
    size_t n = 1;

    for (size_t i = 0; i < rh_value_count(v); i++)
        n += count_values(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i));
    return n;
}

static int
from_yaml(lua_State *l)
{
    const struct rh_script *s = rh_script_of(l);
    struct rh_error err = { 0 };
    size_t n;
    const char *text = luaL_checklstring(l, 1, &n);
    struct rh_value *v;
    char why[300];
    unsigned line;

    if (!s->options.world.read_yaml)
        rh_script_raise(l, "'from_yaml' cannot be used here");
    if (n > LARGEST)
        rh_script_raise(l, "'from_yaml' takes at most %d MiB", LARGEST >> 20);
    rh_script_count(l, n * BYTES_OF_YAML);
    v = s->options.world.read_yaml(s->options.world.data, text, n, s->options.arena, &err);
    if (!v) {
        (void)snprintf(why, sizeof why, "%s", err.message ? err.message : "it cannot be read");
        line = err.place.line;
        rh_error_clear(&err);
        rh_script_raise(l, "this is not YAML: line %u: %s", line, why);
    }
    rh_script_count(l, count_values(v) * BYTES_OF_VALUE);
    if (rh_script_is_secret(l, 1))
        v->marks |= RH_SENSITIVE;
    rh_script_push(l, v);
    return 1;
}

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
    v = take(l);
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

void
rh_lib_notation_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "from_yaml", from_yaml },
        { "ini", ini },
        { "yaml", yaml },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
