/* SPDX-License-Identifier: Apache-2.0 */
/* lib-address - IP addresses and networks, of both families, as numbers of 4 or 16 bytes. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct address {
    unsigned char bytes[16];
    unsigned n; /* 4, 16; 0: none */
};

struct network {
    struct address address; /* as it was given: bits of the host may be set */
    unsigned bits;
};

static struct address
read_address(const char *text)
{
    struct address a = { 0 };

    if (inet_pton(AF_INET, text, a.bytes) == 1)
        a.n = 4;
    else if (inet_pton(AF_INET6, text, a.bytes) == 1)
        a.n = 16;
    return a;
}

static struct address
check_address(lua_State *l, int arg)
{
    const char *text = luaL_checkstring(l, arg);
    struct address a = read_address(text);

    if (!a.n)
        rh_script_raise(l, "'%s' is not an IP address", text);
    return a;
}

static struct network
check_network(lua_State *l, int arg)
{
    const char *net = luaL_checkstring(l, arg), *slash = strchr(net, '/');
    struct network read = { 0 };
    char text[64], *end = NULL;
    unsigned long bits = 1000;

    if (slash && slash - net < (long)sizeof text) {
        (void)snprintf(text, sizeof text, "%.*s", (int)(slash - net), net);
        read.address = read_address(text);
    }
    if (slash && slash[1] >= '0' && slash[1] <= '9')
        bits = strtoul(slash + 1, &end, 10);
    if (!read.address.n || bits > read.address.n * 8 || *end)
        rh_script_raise(l, "'%s' is not a network: write ADDRESS/BITS", net);
    read.bits = (unsigned)bits;
    return read;
}

static void
push_address(lua_State *l, const struct address *a)
{
    char text[INET6_ADDRSTRLEN];

    lua_pushstring(l, inet_ntop(a->n == 4 ? AF_INET : AF_INET6, a->bytes, text, sizeof text));
}

/* Sets the bits from `from` on to `to`. */
static void
set_bits(struct address *a, unsigned from, bool to)
{
    for (unsigned i = from; i < a->n * 8; i++) {
        unsigned char bit = (unsigned char)(0x80 >> i % 8);

        a->bytes[i / 8] = (unsigned char)(to ? a->bytes[i / 8] | bit : a->bytes[i / 8] & ~bit);
    }
}

/* Adds `number` where bit `last` is the lowest; false when it is too large for `bits` bits above it. */
static bool
put_number(struct address *a, unsigned last, unsigned bits, uint64_t number)
{
    if (bits < 64 && number >> bits)
        return false;
    for (unsigned i = 0; i < bits && i < 64; i++)
        if (number >> i & 1)
            a->bytes[(last - i) / 8] |= (unsigned char)(0x80 >> (last - i) % 8);
    return true;
}

/* ip_version("10.0.0.1") is 4, ip_version("::1") is 6; nil for what is no address. */
static int
ip_version(lua_State *l)
{
    struct address a;

    if (lua_type(l, 1) != LUA_TSTRING) {
        luaL_checkany(l, 1);
        lua_pushnil(l);
        return 1;
    }
    a = read_address(lua_tostring(l, 1));
    if (a.n && strlen(lua_tostring(l, 1)) == lua_rawlen(l, 1))
        lua_pushinteger(l, a.n == 4 ? 4 : 6);
    else
        lua_pushnil(l);
    return 1;
}

/* The shortest form: ip_canonical("FE80:0::1") is "fe80::1". */
static int
ip_canonical(lua_State *l)
{
    struct address a = check_address(l, 1);

    push_address(l, &a);
    return 1;
}

static int
cidr_contains(lua_State *l)
{
    struct network net = check_network(l, 1);
    struct address a = check_address(l, 2);
    bool same = a.n == net.address.n;

    for (unsigned i = 0; same && i < net.bits; i++)
        same = !((net.address.bytes[i / 8] ^ a.bytes[i / 8]) >> (7 - i % 8) & 1);
    lua_pushboolean(l, same);
    return 1;
}

static int
cidr_bits(lua_State *l)
{
    lua_pushinteger(l, check_network(l, 1).bits);
    return 1;
}

static int
cidr_address(lua_State *l)
{
    struct network net = check_network(l, 1);

    push_address(l, &net.address);
    return 1;
}

static int
cidr_network(lua_State *l)
{
    struct network net = check_network(l, 1);

    set_bits(&net.address, net.bits, false);
    push_address(l, &net.address);
    return 1;
}

/* The last address, which is the broadcast address of IPv4. */
static int
cidr_last(lua_State *l)
{
    struct network net = check_network(l, 1);

    set_bits(&net.address, net.bits, true);
    push_address(l, &net.address);
    return 1;
}

static int
cidr_netmask(lua_State *l)
{
    struct network net = check_network(l, 1);

    set_bits(&net.address, 0, true);
    set_bits(&net.address, net.bits, false);
    push_address(l, &net.address);
    return 1;
}

/* cidr_host(network, number): number 0 is the network itself, -1 the last address. */
static int
cidr_host(lua_State *l)
{
    struct network net = check_network(l, 1);
    lua_Integer number = luaL_checkinteger(l, 2);
    unsigned all = net.address.n * 8, bits = all - net.bits;
    struct address a = net.address;

    set_bits(&a, net.bits, false);
    if (!put_number(&a, all - 1, bits, number < 0 ? (uint64_t) - (number + 1) : (uint64_t)number))
        rh_script_raise(l, "the network '%s' has no address with the number %lld", lua_tostring(l, 1),
                        number);
    if (number < 0) /* counted from the end: all that is 0 is 1 */
        for (unsigned i = net.bits; i < all; i++)
            a.bytes[i / 8] ^= (unsigned char)(0x80 >> i % 8);
    push_address(l, &a);
    return 1;
}

/* cidr_subnet("10.0.0.0/8", 8, 5) is "10.5.0.0/16": of networks with so many more bits, this one. */
static int
cidr_subnet(lua_State *l)
{
    struct network net = check_network(l, 1);
    lua_Integer more = luaL_checkinteger(l, 2), number = luaL_checkinteger(l, 3);
    struct address a = net.address;

    if (more < 0 || more > (lua_Integer)(a.n * 8 - net.bits))
        rh_script_raise(l, "the network '%s' cannot have %lld more bits", lua_tostring(l, 1), more);
    set_bits(&a, net.bits, false);
    if (number < 0 || (!more && number)
        || (more && !put_number(&a, net.bits + (unsigned)more - 1, (unsigned)more, (uint64_t)number)))
        rh_script_raise(l, "the network '%s' has no part with the number %lld", lua_tostring(l, 1), number);
    push_address(l, &a);
    lua_pushfstring(l, "%s/%d", lua_tostring(l, -1), (int)(net.bits + (unsigned)more));
    return 1;
}

void
rh_lib_address_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "cidr_address", cidr_address },
        { "cidr_bits", cidr_bits },
        { "cidr_contains", cidr_contains },
        { "cidr_host", cidr_host },
        { "cidr_last", cidr_last },
        { "cidr_netmask", cidr_netmask },
        { "cidr_network", cidr_network },
        { "cidr_subnet", cidr_subnet },
        { "ip_canonical", ip_canonical },
        { "ip_version", ip_version },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
