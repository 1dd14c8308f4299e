/* SPDX-License-Identifier: Apache-2.0 */
/* view - values as scripts see them: tables that can't be written. A view remembers what it was
 * found in, for messages. */
#include "config.h"

#include "script/view.h"

#include "script/optional.h"
#include "script/parts.h"

#include "base/suggest.h"
#include "base/value.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { KEYS_PER_INSTRUCTION = 16, DEEPEST_PATH = 32, COST_OF_GUESS = 20 };

struct view {
    const struct rh_value *v;
    const char *name; /* of what is in nothing else */
    bool sensitive;
};

/* What a view is within: the first of its user values; and its key there: the second. */
enum { PARENT = 1, KEY };

static char is_view; /* its address tells our metatable from others */

static struct view *
view_at(lua_State *l, int index)
{
    struct view *view;

    if (lua_type(l, index) != LUA_TUSERDATA || !lua_getmetatable(l, index))
        return NULL;
    lua_rawgetp(l, -1, &is_view);
    view = lua_isnil(l, -1) ? NULL : lua_touserdata(l, index);
    lua_pop(l, 2);
    return view;
}

const struct rh_value *
rh_view_of(lua_State *l, int index, bool *sensitive)
{
    const struct view *view = view_at(l, index);

    if (view && sensitive)
        *sensitive = view->sensitive;
    if (view && !view->v)
        return rh_node_view_whole(rh_script_of(l));
    return view ? view->v : NULL;
}

void
rh_script_touch(lua_State *l, int index)
{
    struct rh_script *s = rh_script_of(l);
    const char *text;
    size_t n;

    s->now.touched = true;
    index = lua_absindex(l, index);
    if (lua_type(l, index) == LUA_TNUMBER) {
        lua_pushvalue(l, index);
        text = lua_tolstring(l, -1, &n);
        rh_secrets_add(&s->secrets, text, n);
        lua_pop(l, 1);
    } else if (lua_type(l, index) == LUA_TSTRING) {
        text = lua_tolstring(l, index, &n);
        if (!n)
            return;
        rh_secrets_add(&s->secrets, text, n);
    } else {
        return;
    }
    if (!s->now.recipe)
        return;
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->secret_values);
    lua_pushvalue(l, index);
    lua_pushboolean(l, 1);
    lua_rawset(l, -3);
    lua_pop(l, 1);
    s->n_secret++;
}

bool
rh_script_is_secret(lua_State *l, int index)
{
    struct rh_script *s = rh_script_of(l);
    int type = lua_type(l, index);
    bool yes;

    if (!s->n_secret || (type != LUA_TSTRING && type != LUA_TNUMBER))
        return false;
    index = lua_absindex(l, index);
    lua_rawgeti(l, LUA_REGISTRYINDEX, s->secret_values);
    lua_pushvalue(l, index);
    lua_rawget(l, -2);
    yes = lua_toboolean(l, -1);
    lua_pop(l, 2);
    return yes;
}

static void
push_view(lua_State *l, const struct rh_value *v, const char *name, bool sensitive, int parent, int key)
{
    struct view *view = lua_newuserdatauv(l, sizeof *view, parent ? KEY : 0);

    *view = (struct view){ .v = v, .name = name, .sensitive = sensitive };
    if (parent) {
        lua_pushvalue(l, parent);
        lua_setiuservalue(l, -2, PARENT);
        lua_pushvalue(l, key);
        lua_setiuservalue(l, -2, KEY);
    }
    lua_rawgeti(l, LUA_REGISTRYINDEX, rh_script_of(l)->views);
    lua_setmetatable(l, -2);
}

/* A recipe has it, and nothing can be said of it. */
static void
refuse_unknown(lua_State *l, const struct view *view)
{
    if (view->v && view->v->kind == RH_UNKNOWN)
        rh_script_raise_hint(l, "hand it to an attribute as it is, or write expression(\"...\")",
                             "this value is known only after %s was applied",
                             rh_value_deferred(view->v)->after);
}

/* A value within the view at `parent` (0: in nothing), where the key at `key` has it. */
static void
push(lua_State *l, const struct rh_value *v, const char *name, bool sensitive, int parent, int key)
{
    const struct rh_script *s = rh_script_of(l);

    if (!v) {
        lua_pushnil(l);
        return;
    }
    luaL_checkstack(l, 4, NULL);
    sensitive |= (v->marks & RH_SENSITIVE) != 0;
    switch ((enum rh_kind)v->kind) {
    case RH_UNDEF:
        lua_pushnil(l);
        break;
    case RH_BOOLEAN:
        lua_pushboolean(l, v->u.integer != 0);
        break;
    case RH_INTEGER:
        lua_pushinteger(l, v->u.integer);
        break;
    case RH_FLOAT:
        lua_pushnumber(l, v->u.real);
        break;
    case RH_UNKNOWN:
        if (s->now.recipe && rh_value_deferred(v)) { /* it may be handed on */
            push_view(l, v, name, sensitive, parent, key);
            return;
        }
        push(l, rh_script_resolve(l, v), name, sensitive, parent, key);
        return;
    case RH_DEFAULT:
        lua_pushliteral(l, "default");
        break;
    case RH_STRING:
    case RH_BINARY:
    case RH_REGEXP:
    case RH_SEMVER:
    case RH_SEMVER_RANGE:
    case RH_TIMESTAMP:
    case RH_TIMESPAN:
    case RH_URI:
    case RH_TYPE:
        lua_pushlstring(l, v->u.string ? v->u.string : "", v->count);
        break;
    case RH_WRAPPED:
        push(l, rh_value_at(v, 0), name, true, parent, key);
        return;
    case RH_ARRAY:
    case RH_HASH:
    case RH_MAP:
        push_view(l, v, name, sensitive, parent, key);
        return;
    }
    if (sensitive)
        rh_script_touch(l, -1);
}

void
rh_view_push(lua_State *l, const struct rh_value *v, const char *name)
{
    push(l, v, name, false, 0, 0);
}

void
rh_script_push(lua_State *l, const struct rh_value *v)
{
    push(l, v, NULL, false, 0, 0);
}

void
rh_view_push_entry(lua_State *l, int index, size_t i)
{
    struct view *view = lua_touserdata(l, index);
    const struct rh_value *v = rh_view_of(l, index, NULL);
    const struct rh_entry *e;

    index = lua_absindex(l, index);
    if (v->kind == RH_HASH) {
        e = rh_value_entry(v, i);
        lua_pushstring(l, e->key);
        push(l, e->value, NULL, view->sensitive, index, lua_gettop(l));
    } else {
        lua_pushinteger(l, (lua_Integer)i + 1);
        push(l, rh_value_at(v, i), NULL, view->sensitive, index, lua_gettop(l));
    }
}

/* Adds how the view is written to `buf`: "node.web.ports[2]". */
static void
write_path(lua_State *l, int index, char *buf, size_t size, int depth)
{
    const struct view *view = lua_touserdata(l, index);
    size_t n;

    if (depth < DEEPEST_PATH && lua_checkstack(l, 3)) {
        if (lua_getiuservalue(l, index, PARENT) == LUA_TUSERDATA)
            write_path(l, lua_gettop(l), buf, size, depth + 1);
        n = strlen(buf);
        if (lua_getiuservalue(l, index, KEY) == LUA_TSTRING)
            (void)snprintf(buf + n, size - n, "%s%s", n ? "." : "", lua_tostring(l, -1));
        else if (lua_isinteger(l, -1))
            (void)snprintf(buf + n, size - n, "[%lld]", lua_tointeger(l, -1));
        lua_pop(l, 2);
    }
    if (view->name)
        (void)snprintf(buf, size, "%s", view->name);
}

/* What may have been meant in `in`; NULL when nothing was. */
static const char *
suggest(lua_State *l, const struct rh_value *in, const char *name)
{
    struct rh_suggest suggest;

    rh_script_charge(l, COST_OF_GUESS * (1 + rh_value_count(in)));
    rh_suggest_init(&suggest, name);
    for (size_t i = 0; rh_value_entry(in, i); i++)
        rh_suggest_try(&suggest, rh_value_entry(in, i)->key);
    return suggest.best;
}

/* Raises that the view has nothing under the key at index 2. A name may have been made of a secret: it is not
 * shown then, nor are the names within a secret. */
static void
refuse_missing(lua_State *l, const struct view *view)
{
    struct rh_script *s = rh_script_of(l);
    const char *key = lua_type(l, 2) == LUA_TSTRING ? lua_tostring(l, 2) : NULL, *meant;
    char path[256] = "";

    if (s->now.optional)
        rh_optional_leave(l);
    write_path(l, 1, path, sizeof path, 0);
    if (view->sensitive || (s->now.touched && !s->now.recipe))
        rh_script_raise(l, "unknown attribute: an attribute that is read here does not exist");
    if (!key && view->v && view->v->kind == RH_ARRAY)
        rh_script_raise(l, "element %s of '%s' does not exist: the list has %zu", luaL_tolstring(l, 2, NULL),
                        path[0] ? path : "the list", (size_t)rh_value_count(view->v));
    if (!key)
        key = luaL_tolstring(l, 2, NULL);
    meant = suggest(l, view->v ? view->v : rh_node_view_whole(s), key);
    if (!path[0])
        rh_script_raise_hint(l, meant ? lua_pushfstring(l, "did you mean '%s'?", meant) : NULL,
                             "unknown attribute '%s' of this value", key);
    rh_script_raise_hint(l,
                         meant ? lua_pushfstring(l, "did you mean '%s'?", meant)
                               : lua_pushfstring(l,
                                                 "where it may be missing, write default(%s.%s, VALUE) "
                                                 "or exists(%s.%s)",
                                                 path, key, path, key),
                         "unknown attribute '%s': %s.%s does not exist", key, path, key);
}

static int
view_index(lua_State *l)
{
    const struct view *view = lua_touserdata(l, 1);
    const struct rh_value *v = NULL;

    rh_script_charge(l, 1 + rh_value_count(view->v) / KEYS_PER_INSTRUCTION);
    refuse_unknown(l, view);
    if (view->v->kind == RH_HASH) {
        if (lua_type(l, 2) == LUA_TSTRING) {
            size_t n;
            const char *key = lua_tolstring(l, 2, &n);

            v = strlen(key) == n ? rh_value_get(view->v, key) : NULL;
        } else if (lua_isinteger(l, 2)) {
            lua_pushvalue(l, 2);
            v = rh_value_get(view->v, lua_tostring(l, -1));
            lua_settop(l, 2);
        }
    } else if (lua_type(l, 2) == LUA_TNUMBER) {
        int exact;
        lua_Integer i = lua_tointegerx(l, 2, &exact);

        v = exact && i > 0 ? rh_value_at(view->v, (size_t)i - 1) : NULL;
    }
    rh_view_push_found(l, v);
    return 1;
}

/* The view at index 1 has something under the key at index 2. Positions in lists are left out: a list is
 * what the levels have. */
static void
note_read(lua_State *l)
{
    const struct rh_script *s = rh_script_of(l);
    char path[256] = "";
    size_t n;

    write_path(l, 1, path, sizeof path, 0);
    if (strncmp(path, "node", 4) != 0 || (path[4] != '.' && path[4]))
        return;
    n = strlen(path);
    if (lua_type(l, 2) == LUA_TSTRING)
        (void)snprintf(path + n, sizeof path - n, ".%s", lua_tostring(l, 2));
    path[strcspn(path, "[")] = '\0';
    if (strlen(path) + 1 < sizeof path && path[4] == '.')
        s->options.world.read(s->options.world.data, path + 5);
}

void
rh_view_push_found(lua_State *l, const struct rh_value *v)
{
    const struct view *view = lua_touserdata(l, 1);
    struct rh_script_run *now = &rh_script_of(l)->now;
    bool lenient = now->lenient;

    now->lenient = false;
    if (!v && !lenient)
        refuse_missing(l, view);
    if (v && rh_script_of(l)->options.world.read)
        note_read(l);
    push(l, v, NULL, view->sensitive, 1, 2);
}

void
rh_view_get(lua_State *l, int index)
{
    index = lua_absindex(l, index);
    rh_script_of(l)->now.lenient = view_at(l, index) != NULL;
    lua_gettable(l, index);
}

void
rh_view_push_root(lua_State *l, const char *name)
{
    struct view *view = lua_newuserdatauv(l, sizeof *view, 0);

    *view = (struct view){ .name = name };
    lua_insert(l, -2);
    lua_pushboolean(l, 1);
    lua_rawsetp(l, -2, &is_view);
    lua_setmetatable(l, -2);
}

static int
view_len(lua_State *l)
{
    const struct view *view = lua_touserdata(l, 1);

    refuse_unknown(l, view);
    lua_pushinteger(l, view->v->kind == RH_HASH ? 0 : (lua_Integer)rh_value_count(view->v));
    rh_script_of(l)->now.touched |= view->sensitive;
    return 1;
}

/* What comparing it may take: hashes are looked through for each of their keys. */
static uint64_t
cost_of(const struct rh_value *v, int depth)
{
    uint64_t n = rh_value_count(v), cost = 1 + n;

    if (v->kind == RH_HASH)
        cost += n * n / KEYS_PER_INSTRUCTION;
    for (uint64_t i = 0; i < n && depth < RH_SCRIPT_DEEPEST; i++)
        cost += cost_of(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i), depth + 1);
    return cost;
}

static int
view_equal(lua_State *l)
{
    bool one_secret = false, other_secret = false;
    const struct rh_value *a = rh_view_of(l, 1, &one_secret), *b = rh_view_of(l, 2, &other_secret);

    if (a && b)
        rh_script_charge(l, cost_of(a, 0) + cost_of(b, 0));
    if (a && b && a != b) {
        a = rh_script_resolve_all(l, a);
        b = rh_script_resolve_all(l, b);
    }
    lua_pushboolean(l, a && b && rh_value_equal(a, b));
    if (a && b && (one_secret || other_secret || rh_value_sensitive(a) || rh_value_sensitive(b)))
        rh_script_touch(l, -1);
    return 1;
}

int
rh_view_refuse(lua_State *l)
{
    char path[256] = "";

    write_path(l, 1, path, sizeof path, 0);
    if (strncmp(path, "node", 4) == 0 && (path[4] == '.' || path[4] == '\0'))
        rh_script_raise_hint(l, "write to a level: node.default, node.override, or node:rm()",
                             "'%s' is a merged value and cannot be written", path);
    rh_script_raise_hint(l, "use merge, or fill a table of your own", "'%s' is read-only",
                         path[0] ? path : "this value");
}

void
rh_views_open(lua_State *l)
{
    static const luaL_Reg slots[] = {
        { "__index", view_index },
        { "__newindex", rh_view_refuse },
        { "__len", view_len },
        { "__eq", view_equal },
        { NULL, NULL },
    };
    struct rh_script *s = rh_script_of(l);

    lua_newtable(l);
    luaL_setfuncs(l, slots, 0);
    lua_pushliteral(l, "table"); /* what messages call it */
    lua_setfield(l, -2, "__name");
    lua_pushboolean(l, 1);
    lua_rawsetp(l, -2, &is_view);
    s->views = luaL_ref(l, LUA_REGISTRYINDEX);
}
