/* SPDX-License-Identifier: Apache-2.0 */
/* lib-notation - values as YAML and TOML, and both read. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/buffer.h"
#include "script/parts.h"
#include "script/take.h"

#include "base/error.h"
#include "base/text.h"
#include "base/value-toml.h"
#include "base/value-yaml.h"
#include "base/value.h"

#include <stdio.h>
#include <string.h>

/* What a byte takes as a value, at most, and what each value takes that comes of aliases. */
enum { BYTES_OF_YAML = 24, BYTES_OF_TOML = 72, BYTES_OF_VALUE = 48, LARGEST = 16 << 20 };

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

/* What the names of tables take in their headers, each with those of the tables that it is in. */
static uint64_t
headers_size(const struct rh_value *v, uint64_t above)
{
    uint64_t size = 0;

    for (size_t i = 0; i < rh_value_count(v); i++) {
        const struct rh_value *part = rh_value_part(v, i);
        uint64_t path = above + (v->kind == RH_HASH ? 6 * strlen(rh_value_entry(v, i)->key) + 3 : 0);

        if (part->kind == RH_HASH)
            size += path + 6;
        if (rh_value_count(part))
            size += headers_size(part, path);
    }
    return size;
}

/* toml(hash): values first, then a table for each hash in it. */
static int
toml(lua_State *l)
{
    struct rh_error err = { 0 };
    struct rh_buf *b;
    const struct rh_value *v;
    char why[300];

    lua_settop(l, 1);
    rh_check_table(l, 1);
    b = rh_buffer_push(l);
    v = take(l);
    if (v->kind == RH_ARRAY && rh_value_count(v))
        rh_script_raise(l, "argument %d must be a hash, not a list", 1);
    rh_script_charge_value(l, v, 2);
    rh_script_charge_text(l, headers_size(v, 0));
    if (rh_toml_add(b, v, &err) < 0) {
        (void)snprintf(why, sizeof why, "%s", err.message);
        rh_error_clear(&err);
        rh_script_raise(l, "this cannot be written as TOML: %s", why);
    }
    rh_buffer_account(l, b);
    rh_buffer_result(l, b);
    if (rh_value_sensitive(v))
        rh_script_touch(l, -1);
    return 1;
}

static int
from_toml(lua_State *l)
{
    struct rh_error err = { 0 };
    size_t n;
    const char *text = luaL_checklstring(l, 1, &n);
    struct rh_value *v;
    char why[300];
    unsigned line;

    if (n > LARGEST)
        rh_script_raise(l, "'%s' takes at most %d MiB", "from_toml", LARGEST >> 20);
    rh_script_count(l, n * BYTES_OF_TOML);
    v = rh_value_from_toml(rh_script_of(l)->options.arena, text, n, &err);
    if (!v) {
        (void)snprintf(why, sizeof why, "%s", err.message ? err.message : "it cannot be read");
        line = err.place.line;
        rh_error_clear(&err);
        rh_script_raise(l, "this is not TOML: line %u: %s", line, why);
    }
    if (rh_script_is_secret(l, 1))
        v->marks |= RH_SENSITIVE;
    rh_script_push(l, v);
    return 1;
}

void
rh_lib_notation_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "from_toml", from_toml },
        { "from_yaml", from_yaml },
        { "toml", toml },
        { "yaml", yaml },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
