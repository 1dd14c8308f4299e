/* SPDX-License-Identifier: Apache-2.0 */
/* lib-seed - numbers that look random and are the same each time, by SHA-256 of a seed.
 *
 * docs/reference/expressions.md says how they are made, for those who want the same elsewhere: that must not
 * change. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"
#include "script/take.h"

#include <inttypes.h>
#include <rhost/sha256.h>
#include <stdio.h>

enum { DRAW = 60 }; /* instructions that a digest is worth */

/* Draws from a seed, in order. */
struct seed {
    const char *text;
    size_t n;
    uint64_t drawn;
};

static struct seed
check_seed(lua_State *l)
{
    struct seed seed = { 0 };

    seed.text = luaL_checklstring(l, 1, &seed.n);
    return seed;
}

/* The first eight bytes of the digest of the seed, a NUL, and the number of the draw in decimal. */
static uint64_t
draw(lua_State *l, struct seed *seed)
{
    struct rhost_sha256 sum;
    unsigned char bytes[32];
    char number[24];
    uint64_t drawn = 0;

    rh_script_charge(l, DRAW + seed->n);
    rhost_sha256_init(&sum);
    rhost_sha256_add(&sum, seed->text, seed->n);
    rhost_sha256_add(&sum, "", 1);
    rhost_sha256_add(&sum, number, (size_t)snprintf(number, sizeof number, "%" PRIu64, seed->drawn++));
    rhost_sha256_bytes(&sum, bytes);
    for (int i = 0; i < 8; i++)
        drawn = drawn << 8 | bytes[i];
    return drawn;
}

/* A number below `n`, 0 for 2^64. What is drawn above the last multiple of n is drawn again, so that each
 * number is as likely as any other. */
static uint64_t
draw_below(lua_State *l, struct seed *seed, uint64_t n)
{
    uint64_t drawn, rest = n ? (0 - n) % n : 0; /* 2^64 mod n */

    do
        drawn = draw(l, seed);
    while (rest && drawn > UINT64_MAX - rest);
    return n ? drawn % n : drawn;
}

/* seeded_random(seed, from, to): a whole number between both, which can be drawn too. */
static int
seeded_random(lua_State *l)
{
    struct seed seed = check_seed(l);
    lua_Integer from = luaL_checkinteger(l, 2), to = luaL_checkinteger(l, 3);

    if (from > to)
        rh_script_raise(l, "'seeded_random' needs two bounds, the lower one first");
    lua_pushinteger(l,
                    (lua_Integer)((uint64_t)from + draw_below(l, &seed, (uint64_t)to - (uint64_t)from + 1)));
    return 1;
}

/* seeded_pick(seed, list): one of its elements. */
static int
seeded_pick(lua_State *l)
{
    struct seed seed = check_seed(l);
    lua_Integer n = rh_check_list(l, 2);

    if (!n)
        rh_script_raise(l, "'seeded_pick' needs a list that has elements");
    lua_geti(l, 2, 1 + (lua_Integer)draw_below(l, &seed, (uint64_t)n));
    return 1;
}

/* seeded_shuffle(seed, list): all of them in another order: from the last position down to the second, each
 * element changes places with one that is not after it. */
static int
seeded_shuffle(lua_State *l)
{
    struct seed seed = check_seed(l);
    lua_Integer n = rh_check_list(l, 2);

    lua_settop(l, 2);
    lua_newtable(l);
    rh_list_mark(l, 3);
    for (lua_Integer i = 1; i <= n; i++) {
        lua_geti(l, 2, i);
        lua_rawseti(l, 3, i);
    }
    for (lua_Integer i = n; i > 1; i--) {
        lua_Integer k = 1 + (lua_Integer)draw_below(l, &seed, (uint64_t)i);

        lua_rawgeti(l, 3, i);
        lua_rawgeti(l, 3, k);
        lua_rawseti(l, 3, i);
        lua_rawseti(l, 3, k);
    }
    return 1;
}

void
rh_lib_seed_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "seeded_pick", seeded_pick },
        { "seeded_random", seeded_random },
        { "seeded_shuffle", seeded_shuffle },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
