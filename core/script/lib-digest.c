/* SPDX-License-Identifier: Apache-2.0 */
/* lib-digest - digests of texts, and names that are made of them. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"

#include "base/digest.h"

#include <rhost/sha256.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64, UUID = 16, UUID_TEXT = 36 };

static void
push_hex(lua_State *l, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * LONGEST];

    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    lua_pushlstring(l, text, 2 * n);
}

static void
sum_sha256(const void *text, size_t n, unsigned char bytes[32])
{
    struct rhost_sha256 sum;

    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, text, n);
    rhost_sha256_bytes(&sum, bytes);
}

static int
digest(lua_State *l, void (*sum)(const void *text, size_t n, unsigned char *bytes), size_t length)
{
    unsigned char bytes[LONGEST];
    size_t n;
    const char *s = luaL_checklstring(l, 1, &n);

    rh_script_charge(l, n);
    sum(s, n, bytes);
    push_hex(l, bytes, length);
    return 1;
}

static int
md5(lua_State *l)
{
    return digest(l, rh_md5, 16);
}

static int
sha1(lua_State *l)
{
    return digest(l, rh_sha1, 20);
}

static int
sha256(lua_State *l)
{
    return digest(l, sum_sha256, 32);
}

static int
sha384(lua_State *l)
{
    return digest(l, rh_sha384, 48);
}

static int
sha512(lua_State *l)
{
    return digest(l, rh_sha512, 64);
}

static bool
is_dash(size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

/* The bytes of a UUID in its usual form; false: it is none. */
static bool
read_uuid(const char *s, size_t n, unsigned char uuid[UUID])
{
    size_t digits = 0;

    for (size_t i = 0; i < n && n == UUID_TEXT; i++) {
        const char *hex = "0123456789abcdefABCDEF", *found;

        if (is_dash(i)) {
            if (s[i] != '-')
                return false;
            continue;
        }
        found = s[i] ? strchr(hex, s[i]) : NULL;
        if (!found)
            return false;
        uuid[digits / 2] =
            (unsigned char)(uuid[digits / 2] << 4 | (found - hex > 15 ? found - hex - 6 : found - hex));
        digits++;
    }
    return digits == (size_t)2 * UUID;
}

/* Those of RFC 9562 differ in one byte. */
static bool
find_namespace(const char *name, size_t n, unsigned char uuid[UUID])
{
    static const unsigned char first[UUID] = { 0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1,
                                               0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8 };
    static const char *const names[] = { "dns", "url", "oid", NULL, "x500" };

    for (unsigned char i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && strlen(names[i]) == n && memcmp(names[i], name, n) == 0) {
            memcpy(uuid, first, UUID);
            uuid[3] = (unsigned char)(uuid[3] + i);
            return true;
        }
    memset(uuid, 0, UUID);
    return read_uuid(name, n, uuid);
}

/* uuid5(namespace, name): the namespace is a UUID, or one of the four names. */
static int
uuid5(lua_State *l)
{
    unsigned char uuid[UUID], bytes[20];
    size_t n, length;
    const char *space = luaL_checklstring(l, 1, &n), *name = luaL_checklstring(l, 2, &length);
    luaL_Buffer b;
    const char *all, *hex;
    char text[UUID_TEXT];

    if (!find_namespace(space, n, uuid))
        rh_script_raise(l, "the namespace of 'uuid5' must be a UUID, 'dns', 'url', 'oid' or 'x500'");
    rh_script_charge_text(l, UUID + length);
    rh_script_charge(l, length);
    luaL_buffinit(l, &b);
    luaL_addlstring(&b, (const char *)uuid, UUID);
    luaL_addlstring(&b, name, length);
    luaL_pushresult(&b);
    all = lua_tolstring(l, -1, &n);
    rh_sha1(all, n, bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x50;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    push_hex(l, bytes, UUID);
    hex = lua_tostring(l, -1);
    for (size_t i = 0; i < UUID_TEXT; i++)
        text[i] = is_dash(i) ? '-' : *hex++;
    lua_pushlstring(l, text, UUID_TEXT);
    return 1;
}

void
rh_lib_digest_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "md5", md5 },       { "sha1", sha1 },   { "sha256", sha256 }, { "sha384", sha384 },
        { "sha512", sha512 }, { "uuid5", uuid5 }, { NULL, NULL },
    };

    rh_library_add(l, functions);
}
