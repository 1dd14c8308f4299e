/* SPDX-License-Identifier: Apache-2.0 */
/* lib-encode - values and bytes in other notations. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/buffer.h"
#include "script/parts.h"
#include "script/take.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a byte of JSON takes as a value, at most: "[[],[],...". */
enum { BYTES_OF_JSON = 24 };

static int
write_json(lua_State *l, bool pretty)
{
    struct rh_buf *b;
    const struct rh_value *v;

    luaL_checkany(l, 1);
    lua_settop(l, 1);
    b = rh_buffer_push(l);
    v = rh_script_take(l, 1);
    v = rh_script_resolve_all(l, v);
    rh_script_charge_value(l, v, pretty ? 2 : 0);
    if (pretty)
        rh_value_to_json_pretty(b, v, true);
    else
        rh_value_to_json(b, v, true);
    rh_buffer_account(l, b);
    rh_buffer_result(l, b);
    if (rh_value_sensitive(v))
        rh_script_touch(l, -1);
    return 1;
}

static int
json(lua_State *l)
{
    return write_json(l, false);
}

static int
json_pretty(lua_State *l)
{
    return write_json(l, true);
}

static int
from_json(lua_State *l)
{
    struct rh_error err = { 0 };
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);
    struct rh_value *v;
    char text[300];

    rh_script_count(l, n * BYTES_OF_JSON);
    v = rh_value_from_json(rh_script_of(l)->options.arena, s, n, &err);
    if (!v) {
        (void)snprintf(text, sizeof text, "%s", err.message ? err.message : "not JSON");
        rh_error_clear(&err);
        rh_script_raise(l, "this is %s", text);
    }
    if (rh_script_is_secret(l, 1))
        v->marks |= RH_SENSITIVE;
    rh_script_push(l, v);
    return 1;
}

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
base64(lua_State *l)
{
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);
    luaL_Buffer b;
    char *at;
    size_t size = (n + 2) / 3 * 4;

    rh_script_charge_text(l, size);
    at = luaL_buffinitsize(l, &b, size);
    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits = (uint32_t)(unsigned char)s[i] << 16;

        bits |= i + 1 < n ? (uint32_t)(unsigned char)s[i + 1] << 8 : 0;
        bits |= i + 2 < n ? (unsigned char)s[i + 2] : 0;
        *at++ = alphabet[bits >> 18];
        *at++ = alphabet[bits >> 12 & 63];
        *at++ = i + 1 < n ? alphabet[bits >> 6 & 63] : '=';
        *at++ = i + 2 < n ? alphabet[bits & 63] : '=';
    }
    luaL_pushresultsize(&b, size);
    return 1;
}

static int
value_of_digit(char c)
{
    const char *at = c ? strchr(alphabet, c) : NULL;

    return at ? (int)(at - alphabet) : -1;
}

/* White space is passed over; anything else that is no digit is refused. */
static int
from_base64(lua_State *l)
{
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);
    struct rh_buf *b = rh_buffer_push(l);
    uint32_t bits = 0;
    unsigned digits = 0, padding = 0;

    for (size_t i = 0; i < n; i++) {
        int d = value_of_digit(s[i]);
        char byte;

        if (s[i] && strchr(" \t\r\n", s[i]))
            continue;
        padding += s[i] == '=';
        if ((d < 0 && s[i] != '=') || (d >= 0 && padding))
            rh_script_raise(l, "invalid base64: unexpected character at byte %zu", i + 1);
        if (d < 0)
            continue;
        bits = bits << 6 | (uint32_t)d;
        if (++digits % 4 == 1)
            continue;
        byte = (char)(bits >> (digits % 4 == 2 ? 4 : digits % 4 == 3 ? 2 : 0));
        rh_buffer_add(l, b, &byte, 1);
    }
    if (digits % 4 == 1 || padding > 2 || (padding && (digits + padding) % 4))
        rh_script_raise(l, "invalid base64: unexpected end");
    rh_buffer_result(l, b);
    return 1;
}

static int
hex(lua_State *l)
{
    static const char digits[] = "0123456789abcdef";
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);
    luaL_Buffer b;
    char *at;

    rh_script_charge_text(l, 2 * n);
    at = luaL_buffinitsize(l, &b, 2 * n);
    for (size_t i = 0; i < n; i++) {
        *at++ = digits[(unsigned char)s[i] >> 4];
        *at++ = digits[(unsigned char)s[i] & 15];
    }
    luaL_pushresultsize(&b, 2 * n);
    return 1;
}

void
rh_lib_encode_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "base64", base64 },
        { "from_base64", from_base64 },
        { "from_json", from_json },
        { "hex", hex },
        { "json", json },
        { "json_pretty", json_pretty },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
