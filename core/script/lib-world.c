/* SPDX-License-Identifier: Apache-2.0 */
/* lib-world - what scripts learn from outside: files, the environment, secrets, the machine. */
#include "config.h"

#include "script/library.h"

#include "script/arguments.h"
#include "script/parts.h"
#include "script/take.h"
#include "script/view.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_SECRET = 1 << 20,
    ASK = 20000, /* instructions that asking something else to look is worth */
};

/* Raises the error, whose message is freed. */
static void
raise_error(lua_State *l, struct rh_error *err, const char *otherwise)
{
    unsigned code = err->message ? rh_error_code(err) : rh_message_code(otherwise);
    const char *hint;
    char text[1000];

    (void)snprintf(text, sizeof text, "%s", err->message ? err->message : otherwise);
    hint = err->hint ? lua_pushstring(l, err->hint) : NULL;
    rh_error_clear(err);
    rh_script_raise_code(l, hint, code, text);
}

/* Pushes what stands for a secret that cannot be read, where that is asked for. In an expression it is
 * unknown, which fits every attribute. */
static bool
put_placeholder(lua_State *l, struct rh_error *err)
{
    struct rh_script *s = rh_script_of(l);

    if (!s->options.world.placeholders)
        return false;
    rh_error_clear(err);
    if (!s->now.recipe)
        rh_script_stop(l, RH_STOP_UNKNOWN);
    lua_pushliteral(l, "placeholder");
    return true;
}

typedef const char *reader(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n,
                           struct rh_error *err);

static void
read_by(lua_State *l, reader *read, const char *path, bool secret, const char *otherwise)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_error err = { 0 };
    const char *text;
    size_t n = 0;

    if (!*path)
        rh_script_raise(l, "the path of a file is empty");
    text = read(s->options.world.data, path, s->now.file, s->options.arena, &n, &err);
    if (!text && secret && put_placeholder(l, &err))
        return;
    if (!text)
        raise_error(l, &err, otherwise);
    rh_error_clear(&err);
    rh_script_charge_text(l, n);
    rh_script_count(l, n);
    lua_pushlstring(l, text, n);
}

void
rh_script_read(lua_State *l, const char *path)
{
    struct rh_script *s = rh_script_of(l);

    if (!s->options.world.read_file)
        rh_script_raise(l, "files cannot be read here");
    read_by(l, s->options.world.read_file, path, false, "the file cannot be read");
}

/* A secret that is one line does not have the line's end in it. */
static void
drop_line_end(lua_State *l)
{
    size_t n;
    const char *text = lua_tolstring(l, -1, &n);

    if (n && memchr(text, '\n', n) == text + n - 1) {
        lua_pushlstring(l, text, n - 1);
        lua_remove(l, -2);
    }
}

static int
lib_file(lua_State *l)
{
    rh_script_read(l, luaL_checkstring(l, 1));
    return 1;
}

static int
secret_file(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *path = luaL_checkstring(l, 1);

    rh_arena_keep_secret(s->options.arena);
    if (s->options.world.read_secret)
        read_by(l, s->options.world.read_secret, path, true, "the file cannot be read");
    else
        rh_script_read(l, path);
    drop_line_end(l);
    rh_script_touch(l, -1);
    return 1;
}

static const char *
variable(lua_State *l)
{
    const char *name = luaL_checkstring(l, 1);

    if (!*name || strchr(name, '='))
        rh_script_raise(l, "'%s' is not a valid name for an environment variable", name);
    return getenv(name);
}

static int
lib_env(lua_State *l)
{
    const char *value = variable(l);

    if (value)
        lua_pushstring(l, value);
    else
        lua_settop(l, 2); /* what the caller says instead, or nil */
    return 1;
}

static int
secret_env(lua_State *l)
{
    const char *value = variable(l);
    struct rh_error none = { 0 };

    if (value)
        lua_pushstring(l, value);
    else if (!put_placeholder(l, &none))
        rh_script_raise(l, "environment variable '%s' is not set", lua_tostring(l, 1));
    rh_script_touch(l, -1);
    return 1;
}

static int
take_credential(lua_State *l)
{
    drop_line_end(l);
    rh_script_touch(l, -1);
    return 1;
}

/* From where systemd puts what LoadCredential= and SetCredentialEncrypted= say: opened already. */
static int
credential(lua_State *l)
{
    const char *name = luaL_checkstring(l, 1), *folder = getenv("CREDENTIALS_DIRECTORY");
    struct rh_error err = { 0 };
    size_t n = 0;
    char *text;

    if (!*name || *name == '.' || strchr(name, '/'))
        rh_script_raise(l, "'%s' is not a valid name for a credential", name);
    if ((!folder || *folder != '/') && put_placeholder(l, &err))
        return take_credential(l);
    if (!folder || *folder != '/')
        rh_script_raise_hint(l, "LoadCredential= in the unit, or systemd-run --property, sets it",
                             "cannot read a credential: $CREDENTIALS_DIRECTORY is not set");
    lua_pushfstring(l, "%s/%s", folder, name);
    text = rh_read_file(lua_tostring(l, -1), LONGEST_SECRET, &n, &err);
    if (!text && put_placeholder(l, &err))
        return take_credential(l);
    if (!text)
        raise_error(l, &err, "the credential cannot be read");
    /* Not into the arena, which has no use for it: Lua's own copy goes with the state. */
    if (!lua_checkstack(l, 4)) {
        free(text);
        rh_script_stop(l, RH_STOP_DEPTH);
    }
    rh_secrets_add(&rh_script_of(l)->secrets, text, n);
    lua_pushlstring(l, text, n);
    explicit_bzero(text, n);
    free(text);
    return take_credential(l);
}

/* decrypt(path): a file that `systemd-creds encrypt` made, opened by whoever runs us. */
static int
decrypt(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *path = luaL_checkstring(l, 1);

    if (!s->options.world.decrypt)
        rh_script_raise(l, "encrypted files cannot be read here");
    rh_script_charge(l, ASK);
    rh_arena_keep_secret(s->options.arena);
    read_by(l, s->options.world.decrypt, path, true, "the file cannot be decrypted");
    drop_line_end(l);
    rh_script_touch(l, -1);
    return 1;
}

static void
mark(lua_State *l, int index, int depth)
{
    if (lua_type(l, index) != LUA_TTABLE) {
        rh_script_touch(l, index);
        return;
    }
    if (depth > RH_SCRIPT_DEEPEST)
        rh_script_raise(l, "tables are nested too deeply or contain themselves");
    luaL_checkstack(l, 6, NULL);
    index = lua_absindex(l, index);
    rh_script_of(l)->now.touched = true;
    for (lua_pushnil(l); lua_next(l, index); lua_pop(l, 1)) {
        rh_script_charge(l, 4);
        mark(l, -1, depth + 1);
    }
}

static int
secret(lua_State *l)
{
    luaL_checkany(l, 1);
    if (lua_type(l, 1) == LUA_TUSERDATA)
        rh_script_raise(l, "'secret' cannot mark a read-only value");
    lua_settop(l, 1);
    mark(l, 1, 0);
    return 1;
}

static const char *
check_plain(lua_State *l, int index, size_t *n)
{
    const char *text = luaL_checklstring(l, index, n);

    if (memchr(text, '\0', *n))
        rh_script_raise(l, "a reference must not contain a NUL character");
    rh_script_count(l, *n);
    return text;
}

/* A reference to a resource: ("type", "title") or ("type[title]"). Both texts are the arena's. */
static void
take_reference(lua_State *l, const char **type, const char **title)
{
    struct rh_arena *a = rh_script_of(l)->options.arena;
    size_t n, len;
    const char *text = check_plain(l, 1, &n);

    if (!lua_isnoneornil(l, 2)) {
        *type = rh_arena_strndup(a, text, n);
        text = check_plain(l, 2, &n);
        *title = rh_arena_strndup(a, text, n);
        return;
    }
    len = strcspn(text, "[");
    if (!len || n < len + 3 || text[n - 1] != ']')
        rh_script_raise_hint(l, "write the type and the title: \"exec[generate key]\"",
                             "expected a reference to a resource");
    *type = rh_arena_strndup(a, text, len);
    *title = rh_arena_strndup(a, text + len + 1, n - len - 2);
}

/* result("type[title]"): what a resource is after its turn. */
static int
result(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_arena *a = s->options.arena;
    struct rh_error err = { 0 };
    const struct rh_value *v;
    const char *type, *title;

    take_reference(l, &type, &title);
    if (s->now.recipe)
        rh_script_raise_hint(l, "write expression('result(\"...\")...') as the value of an attribute",
                             "a recipe runs before any resource is applied, so it cannot use a result");
    if (!s->options.world.result)
        rh_script_raise(l, "the results of resources cannot be used here");
    rh_script_charge(l, ASK);
    v = s->options.world.result(s->options.world.data, type, title, a, &err);
    if (!v)
        raise_error(l, &err, "the result cannot be used");
    rh_error_clear(&err);
    if (v->kind == RH_UNKNOWN)
        rh_script_stop(l, RH_STOP_UNKNOWN);
    rh_view_push(l, v, rh_arena_printf(a, "%s[%s]", type, title));
    return 1;
}

static int
current(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const struct rh_value *v;
    struct rh_error err = { 0 };
    const char *type, *title;

    take_reference(l, &type, &title);
    if (!s->options.world.current)
        rh_script_raise(l, "the current state of resources cannot be read here");
    rh_script_charge(l, ASK);
    v = s->options.world.current(s->options.world.data, type, title, s->options.arena, &err);
    if (!v)
        raise_error(l, &err, "the current state cannot be read");
    rh_error_clear(&err);
    rh_script_push(l, v);
    return 1;
}

/* lookup(name, ...): what a plugin answers. */
static int
lookup(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    const char *name = luaL_checkstring(l, 1);
    struct rh_value *arguments;
    const struct rh_value *v;
    struct rh_error err = { 0 };
    int n = lua_gettop(l);

    if (!s->options.world.lookup)
        rh_script_raise(l, "lookups cannot be used here");
    rh_script_charge(l, ASK);
    arguments = rh_value_new(s->options.arena, RH_ARRAY);
    for (int i = 2; i <= n; i++)
        rh_value_append(arguments, rh_script_take(l, i));
    v = s->options.world.lookup(s->options.world.data, name, arguments, s->options.arena, &err);
    if (!v)
        raise_error(l, &err, "the lookup cannot be used");
    rh_error_clear(&err);
    if (rh_value_is(v, RH_UNKNOWN))
        rh_script_stop(l, RH_STOP_UNKNOWN); /* a recipe too: see rh_script_run */
    rh_script_push(l, v);
    return 1;
}

void
rh_lib_world_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "credential", credential }, { "current", current },         { "decrypt", decrypt },
        { "env", lib_env },           { "file", lib_file },           { "lookup", lookup },
        { "read_file", lib_file },    { "result", result },           { "secret", secret },
        { "secret_env", secret_env }, { "secret_file", secret_file }, { NULL, NULL },
    };

    rh_library_add(l, functions);
}
