/* SPDX-License-Identifier: Apache-2.0 */
/* lib-password - the hash of a password as /etc/shadow has it, by crypt(3). The salt is given, or made of a
 * seed: with a random one the hash would be another in each run. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"

#include "base/suggest.h"

#include <crypt.h>
#include <rhost/sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

enum {
    LONGEST_SALT = 64,
    LONGEST_HASH = 384,
    LONGEST_SETTING = 128,
    LONGEST_PASSWORD = 511, /* CRYPT_MAX_PASSPHRASE_SIZE, with its NUL */
    LEAST_ROUNDS = 1000,
    MOST_ROUNDS = 1000000, /* docs/reference/expressions.md and the message have it too */
    USUAL_ROUNDS = 5000,
};

static const struct method {
    const char *name, *prefix;
    unsigned salt; /* characters that a seed makes; yescrypt reads four as three bytes */
    unsigned most; /* characters of a salt */
    unsigned cost; /* instructions that a hash, or one round, is worth */
    bool rounds;
} methods[] = {
    { "yescrypt", "$y$j9T$", 20, LONGEST_SALT, 2000000, false },
    { "sha512", "$6$", 16, 16, 10, true },
};

/* What the options of a call say. */
struct wanted {
    const struct method *method;
    const char *salt, *seed;
    size_t n_seed;
    lua_Integer rounds; /* 0: not given */
};

static const struct method *
find_method(lua_State *l, const char *name)
{
    struct rh_suggest suggest;

    rh_suggest_init(&suggest, name);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
        rh_suggest_try(&suggest, methods[i].name);
    }
    rh_script_raise_hint(l, suggest.best ? lua_pushfstring(l, "did you mean '%s'?", suggest.best) : NULL,
                         "unknown method '%s' for 'password_hash': it must be 'yescrypt' or 'sha512'", name);
}

static const char *
option_text(lua_State *l, const char *name, size_t *n)
{
    if (lua_type(l, -1) != LUA_TSTRING)
        rh_script_raise(l, "option '%s' of 'password_hash' must be text, not a %s", name,
                        rh_script_type(l, -1));
    return lua_tolstring(l, -1, n);
}

static void
read_option(lua_State *l, const char *name, struct wanted *w)
{
    static const char *const names[] = { "method", "rounds", "salt", "seed" };
    struct rh_suggest suggest;
    size_t n;

    if (strcmp(name, "method") == 0) {
        w->method = find_method(l, option_text(l, name, &n));
    } else if (strcmp(name, "salt") == 0) {
        w->salt = option_text(l, name, &n);
        if (!n || strspn(w->salt, digits) != n)
            rh_script_raise(l, "the salt of 'password_hash' must be characters of './0-9A-Za-z'");
    } else if (strcmp(name, "seed") == 0) {
        w->seed = option_text(l, name, &w->n_seed);
    } else if (strcmp(name, "rounds") == 0) {
        w->rounds = lua_isinteger(l, -1) ? lua_tointeger(l, -1) : 0;
        if (w->rounds < LEAST_ROUNDS || w->rounds > MOST_ROUNDS)
            rh_script_raise(l, "option 'rounds' of 'password_hash' must be an integer between %d and %d",
                            LEAST_ROUNDS, MOST_ROUNDS);
    } else {
        rh_suggest_init(&suggest, name);
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            rh_suggest_try(&suggest, names[i]);
        rh_script_raise_hint(l, suggest.best ? lua_pushfstring(l, "did you mean '%s'?", suggest.best) : NULL,
                             "unknown option '%s' for 'password_hash'", name);
    }
}

/* Reads the table at 2; the texts stay on the stack. */
static struct wanted
read_options(lua_State *l)
{
    struct wanted w = { .method = &methods[0] };
    lua_Integer n;

    rh_check_table(l, 2);
    lua_settop(l, 2);
    n = rh_push_keys(l, 2);
    luaL_checkstack(l, (int)(n < 100 ? n : 100) + 8, NULL);
    for (lua_Integer i = 1; i <= n; i++) {
        if (lua_rawgeti(l, 3, i) != LUA_TSTRING)
            rh_script_raise(l, "the options of 'password_hash' must be a hash, not a list");
        lua_pushvalue(l, -1);
        lua_gettable(l, 2);
        read_option(l, lua_tostring(l, -2), &w);
        lua_remove(l, -2);
    }
    if (w.salt && w.seed)
        rh_script_raise(l, "'password_hash' takes a salt or a seed, not both");
    if (!w.salt && !w.seed)
        rh_script_raise_hint(l, "for example {seed = node.fqdn .. \" anna\"}",
                             "'password_hash' needs a salt or a seed, so that each run makes the same hash");
    if (w.salt && strlen(w.salt) > w.method->most)
        rh_script_raise(l, "a salt of '%s' must have at most %u characters", w.method->name, w.method->most);
    if (w.rounds && !w.method->rounds)
        rh_script_raise(l, "option 'rounds' of 'password_hash' is for the method 'sha512' only");
    return w;
}

/* What crypt() calls a setting: the method, how often, and the salt. */
static void
make_setting(const struct wanted *w, char setting[LONGEST_SETTING])
{
    char salt[LONGEST_SALT + 1] = "", rounds[32] = "";
    unsigned char bytes[32];
    struct rhost_sha256 sum;

    if (w->seed) {
        rhost_sha256_init(&sum);
        rhost_sha256_add(&sum, w->seed, w->n_seed);
        rhost_sha256_bytes(&sum, bytes);
        for (unsigned i = 0; i < w->method->salt; i++)
            salt[i] = digits[bytes[i] & 63];
        salt[w->method->salt] = '\0';
    }
    if (w->rounds)
        (void)snprintf(rounds, sizeof rounds, "rounds=%d$", (int)w->rounds);
    (void)snprintf(setting, LONGEST_SETTING, "%s%s%s", w->method->prefix, rounds, w->salt ? w->salt : salt);
}

/* password_hash(password, options) */
static int
password_hash(lua_State *l)
{
    size_t n;
    const char *password = luaL_checklstring(l, 1, &n), *hash;
    struct wanted w = read_options(l);
    char setting[LONGEST_SETTING], made[LONGEST_HASH];
    struct crypt_data *data;

    if (!n || n > LONGEST_PASSWORD || memchr(password, '\0', n))
        rh_script_raise(l, "a password must have between 1 and %d bytes, and none of them NUL",
                        LONGEST_PASSWORD);
    rh_script_charge(l, (uint64_t)w.method->cost
                            * (!w.method->rounds ? 1
                               : w.rounds        ? (uint64_t)w.rounds
                                                 : USUAL_ROUNDS));
    make_setting(&w, setting);
    data = calloc(1, sizeof *data);
    if (!data)
        rh_script_stop(l, RH_STOP_MEMORY);
    hash = crypt_r(password, setting, data);
    /* Some say what is wrong by a hash that nothing has, "*0". */
    (void)snprintf(made, sizeof made, "%s", hash && strncmp(hash, w.method->prefix, 3) == 0 ? hash : "");
    explicit_bzero(data, sizeof *data);
    free(data);
    if (!*made)
        rh_script_raise(l, "the C library cannot make a hash by '%s' with this salt", w.method->name);
    lua_pushstring(l, made);
    return 1;
}

void
rh_lib_password_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "password_hash", password_hash },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
