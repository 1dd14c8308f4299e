/* SPDX-License-Identifier: Apache-2.0 */
/* render - templates are run: each gets its names, and adds to a text. */
#include "config.h"

#include "script/arguments.h"
#include "script/buffer.h"
#include "script/library.h"
#include "script/parts.h"
#include "script/problem.h"
#include "script/template.h"
#include "script/view.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/source.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

enum { MOST_TEMPLATES = 20, LONGEST_TEMPLATE = 16 * 1024 * 1024, SHOWN = 60 };

/* What a template makes. */
struct output {
    struct rh_buf *b;
    bool secret; /* in a recipe: a secret is in it */
};

static int
add_text(lua_State *l)
{
    struct output *out = lua_touserdata(l, lua_upvalueindex(1));
    size_t n;
    const char *text = luaL_checklstring(l, 1, &n);

    out->secret |= rh_script_is_secret(l, 1);
    rh_buffer_add(l, out->b, text, n);
    return 0;
}

static int
add_value(lua_State *l)
{
    struct output *out = lua_touserdata(l, lua_upvalueindex(1));
    const char *what = luaL_checkstring(l, 1);
    size_t n;

    if (lua_isnoneornil(l, 2))
        rh_script_raise_hint(l, "default(VALUE, OTHER) gives another value when it is nil",
                             "cannot insert '%.*s' into text: it is nil", SHOWN, what);
    if (lua_type(l, 2) != LUA_TSTRING && lua_type(l, 2) != LUA_TNUMBER && lua_type(l, 2) != LUA_TBOOLEAN)
        rh_script_raise_hint(l, "write join(list, \", \") or json(value), or loop over it",
                             "cannot insert '%.*s' into text: it is a %s", SHOWN, what, rh_script_type(l, 2));
    out->secret |= rh_script_is_secret(l, 2);
    rh_script_text(l, 2);
    what = lua_tolstring(l, -1, &n);
    rh_buffer_add(l, out->b, what, n);
    return 0;
}

/* The names of a template. Upvalues: what it was given, the names of what includes it. Either may
 * be nil. */
static int
names_index(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);

    lua_settop(l, 2);
    for (int i = 1; i <= 2; i++) {
        if (lua_isnil(l, lua_upvalueindex(i)))
            continue;
        lua_pushvalue(l, 2);
        rh_view_get(l, lua_upvalueindex(i));
        if (!lua_isnil(l, -1))
            return 1;
        lua_settop(l, 2);
    }
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->environment);
    lua_pushvalue(l, 2);
    lua_gettable(l, -2);
    return 1;
}

static int include(lua_State *l);

/* Pushes the names for a template that is given what is at `own`, and is included where the
 * names at `outer` hold (0: nowhere). */
static void
push_names(lua_State *l, int own, int outer)
{
    static const struct rh_function include_function = { "include", include };

    own = lua_absindex(l, own);
    outer = outer ? lua_absindex(l, outer) : 0;
    lua_newtable(l);
    lua_pushvalue(l, -1);
    rh_library_push(l, &include_function);
    lua_setfield(l, -2, "include");
    lua_newtable(l);
    lua_pushvalue(l, own);
    if (outer)
        lua_pushvalue(l, outer);
    else
        lua_pushnil(l);
    lua_pushcclosure(l, names_index, 2);
    lua_setfield(l, -2, "__index");
    lua_setmetatable(l, -2);
}

static void
raise_fault(lua_State *l, const struct rh_template_fault *fault, unsigned file)
{
    const struct rh_place place = { .line = fault->line, .file = file };

    if (fault->statement)
        rh_script_raise_at(l, place, RH_WORDING("unknown statement '%s' in a template"),
                           lua_pushfstring(l, "unknown statement '%s' in a template", fault->statement));
    rh_script_raise_at(l, place, fault->message, fault->message);
}

/* Pushes the function that the text at `index` is, of file `file`. */
static void
push_compiled(lua_State *l, int index, unsigned file)
{
    struct rh_script *s = rh_script_of(l);
    struct rh_template_fault fault;
    struct rh_buf *chunk;
    size_t n;
    const char *text = lua_tolstring(l, index, &n);

    lua_rawgeti(l, LUA_REGISTRYINDEX, s->templates);
    if (lua_rawgeti(l, -1, file) == LUA_TTABLE && lua_rawgeti(l, -1, 1) == LUA_TSTRING
        && lua_rawequal(l, -1, index)) {
        lua_rawgeti(l, -2, 2);
        return;
    }
    if (n > LONGEST_TEMPLATE)
        rh_script_raise(l, "a template must not be longer than %d bytes, and this one has %zu",
                        LONGEST_TEMPLATE, n);
    rh_script_charge(l, n);
    chunk = rh_buffer_push(l);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->texts);
    lua_pushvalue(l, index);
    lua_rawseti(l, -2, file);
    if (rh_template_translate(text, n, chunk, &fault) < 0)
        raise_fault(l, &fault, file);
    rh_script_load(l, "", chunk->s, chunk->n, file);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->templates);
    lua_createtable(l, 2, 0);
    lua_pushvalue(l, index);
    lua_rawseti(l, -2, 1);
    lua_pushvalue(l, -3);
    lua_rawseti(l, -2, 2);
    lua_rawseti(l, -2, file);
    lua_pop(l, 1);
}

/* Pushes what the text at `index` makes of the names at `names`. */
static void
render(lua_State *l, int index, int names, unsigned file)
{
    struct rh_script *s = rh_script_of(l);
    unsigned outer = s->now.file;
    struct output *out;
    int at;

    luaL_checkstack(l, 20, NULL);
    index = lua_absindex(l, index);
    names = lua_absindex(l, names);
    if (++s->now.templates > MOST_TEMPLATES)
        rh_script_raise(l, "templates are nested more than %d deep", MOST_TEMPLATES);
    s->now.file = file;
    out = lua_newuserdatauv(l, sizeof *out, 1);
    *out = (struct output){ 0 };
    at = lua_gettop(l);
    out->b = rh_buffer_push(l);
    lua_setiuservalue(l, at, 1); /* keeps it */
    push_compiled(l, index, file);
    lua_pushvalue(l, names);
    lua_pushvalue(l, at);
    lua_pushcclosure(l, add_text, 1);
    lua_pushvalue(l, at);
    lua_pushcclosure(l, add_value, 1);
    lua_call(l, 3, 0);
    s->now.templates--;
    s->now.file = outer;
    rh_buffer_result(l, out->b);
    if (out->secret)
        rh_script_touch(l, -1);
}

/* The number of the file that `path` names, whose text is pushed. */
static unsigned
push_file(lua_State *l, const char *path)
{
    struct rh_script *s = rh_script_of(l);
    const char *text;
    size_t n;
    unsigned file;

    rh_script_read(l, path); /* pushes the text */
    text = lua_tolstring(l, -1, &n);
    if (s->options.world.add_file)
        return s->options.world.add_file(s->options.world.data, path, s->now.file, text, n);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->files);
    lua_pushfstring(l, "%s:", path);
    lua_pushvalue(l, -3);
    lua_concat(l, 2);
    lua_pushvalue(l, -1);
    lua_rawget(l, -3);
    file = (unsigned)lua_tointeger(l, -1);
    lua_pop(l, 1);
    if (!file) {
        file = s->options.sources ? rh_sources_add(s->options.sources, path, text, n) : s->now.file;
        lua_pushvalue(l, -1);
        lua_pushinteger(l, file);
        lua_rawset(l, -4);
    }
    lua_pop(l, 2);
    return file;
}

/* The template of the path that is given, with the values that are, and `outer` names (0: none). */
static int
render_file(lua_State *l, int outer)
{
    const char *path = luaL_checkstring(l, 1);
    unsigned file;

    if (!lua_isnoneornil(l, 2))
        rh_check_table(l, 2);
    lua_settop(l, 2);
    file = push_file(l, path);
    push_names(l, 2, outer);
    render(l, 3, 4, file);
    return 1;
}

/* template(path, values) */
static int
lib_template(lua_State *l)
{
    return render_file(l, 0);
}

/* include(path, values), within a template; upvalue: the template's names. */
static int
include(lua_State *l)
{
    return render_file(l, lua_upvalueindex(2));
}

/* render(text, values): lines are counted within the text, whose name is "template". */
static int
lib_render(lua_State *l)
{
    struct rh_script *s = rh_script_of(l);
    unsigned file = s->now.file;

    luaL_checkstring(l, 1);
    if (!lua_isnoneornil(l, 2))
        rh_check_table(l, 2);
    lua_settop(l, 2);
    if (s->options.sources) {
        if (!s->inline_file)
            s->inline_file = rh_sources_add(s->options.sources, "template", "", 0);
        file = s->inline_file;
    }
    push_names(l, 2, 0);
    render(l, 1, 3, file);
    return 1;
}

struct job {
    const char *text;
    size_t n;
    unsigned file;
    struct rh_value *result;
};

static int
run(lua_State *l)
{
    struct job *job = lua_touserdata(l, 1);

    lua_settop(l, 0);
    lua_pushlstring(l, job->text, job->n);
    lua_pushnil(l);
    push_names(l, 2, 0);
    render(l, 1, 3, job->file);
    job->result = rh_script_take(l, -1);
    return 0;
}

struct rh_value *
rh_script_render(struct rh_script *s, const char *text, size_t n, unsigned file, const struct rh_value *scope,
                 struct rh_error *err)
{
    struct job job = { .text = text, .n = n, .file = file };
    int rc = rh_script_protected(s, false, file, scope, run, &job, err);

    if (rc > 0)
        return rh_value_new(s->options.arena, RH_UNKNOWN);
    return rc == 0 ? job.result : NULL;
}

void
rh_lib_render_open(lua_State *l)
{
    static const struct rh_function functions[] = {
        { "render", lib_render },
        { "template", lib_template },
        { NULL, NULL },
    };

    rh_library_add(l, functions);
}
