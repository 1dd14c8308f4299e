/* SPDX-License-Identifier: Apache-2.0 */
/* script-fixture - a script with what its tests look at. */
#include "config.h"

#include "script-fixture.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/value-json.h"
#include "base/value.h"
#include "manifest/text/yaml.h"
#include "node/node.h"
#include "script/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
keep_print(void *data, const char *text, size_t n, struct rh_place place)
{
    struct script_fixture *f = data;

    (void)place;
    rh_buf_addn(&f->printed, text, n);
    rh_buf_addc(&f->printed, '\n');
}

static const char *
read_file(void *data, const char *path, unsigned from, struct rh_arena *a, size_t *n, struct rh_error *err)
{
    struct script_fixture *f = data;
    const char *text;

    (void)from;
    (void)a;
    text = rh_value_get_str(f->files, path, NULL);
    if (!text) {
        rh_error_set(err, RH_EINPUT, "cannot open '%s'", path);
        return NULL;
    }
    *n = strlen(text);
    return text;
}

static struct rh_value *
read_yaml(void *data, const char *text, size_t n, struct rh_arena *a, struct rh_error *err)
{
    (void)data;
    return rh_yaml_value(a, text, n, err);
}

/* The title says what there is. */
static const struct rh_value *
current(void *data, const char *type, const char *title, struct rh_arena *a, struct rh_error *err)
{
    struct rh_value *v;

    (void)data;
    if (strcmp(title, "unknown") == 0)
        return rh_value_new(a, RH_UNKNOWN);
    if (strcmp(title, "absent") == 0)
        return rh_value_new(a, RH_UNDEF);
    if (strcmp(title, "broken") == 0) {
        rh_error_set(err, RH_EPROVIDER, "provider '%s' crashed", type);
        return NULL;
    }
    v = rh_value_hash(a, 1);
    rh_value_put(v, "content", rh_value_string(a, title));
    return v;
}

void
script_reopen(struct script_fixture *f)
{
    rh_script_free(f->script);
    f->script = rh_script_new(&(struct rh_script_options){
        .arena = f->arena,
        .node = f->node,
        .sources = &f->sources,
        .world = { .data = f,
                   .print = keep_print,
                   .read_file = read_file,
                   .decrypt = read_file,
                   .read_yaml = read_yaml,
                   .current = current },
        .limits = f->limits,
    });
    assert_non_null(f->script);
}

int
script_open(void **state)
{
    struct script_fixture *f = rh_xalloc(sizeof *f);

    f->arena = rh_arena_new(NULL);
    rh_sources_add(&f->sources, "site.tmpl", "", 0);
    f->node = rh_node_new();
    script_reopen(f);
    *state = f;
    return 0;
}

int
script_close(void **state)
{
    struct script_fixture *f = *state;

    rh_script_free(f->script);
    rh_node_free(f->node);
    rh_sources_clear(&f->sources);
    rh_arena_free(f->arena);
    rh_buf_clear(&f->said);
    rh_buf_clear(&f->printed);
    free(f);
    return 0;
}

void
script_scope(struct script_fixture *f, const char *json)
{
    f->scope = rh_value_from_json(f->arena, json, strlen(json), NULL);
    assert_non_null(f->scope);
}

static void
say(struct script_fixture *f, struct rh_error *p, size_t at)
{
    assert_non_null(p->message);
    rh_buf_addf(&f->said, "%zu: %s%s%s", at, p->message, p->hint ? " | " : "", p->hint ? p->hint : "");
    rh_error_clear(p);
}

static const char *
show(struct script_fixture *f, const struct rh_value *v, struct rh_error *p, size_t at)
{
    rh_buf_truncate(&f->said, 0);
    if (v && v->kind == RH_UNKNOWN)
        return "unknown";
    if (v)
        rh_value_to_json(&f->said, v, false);
    else
        say(f, p, at);
    return rh_buf_text(&f->said);
}

const char *
script_json(struct script_fixture *f, const char *text)
{
    struct rh_error p = { 0 };
    const struct rh_value *v = rh_script_evaluate(f->script, text, strlen(text), f->scope, 1, &p);

    return show(f, v, &p, p.at);
}

const char *
script_rendered(struct script_fixture *f, const char *text)
{
    struct rh_error p = { 0 };
    const struct rh_value *v = rh_script_render(f->script, text, strlen(text), 1, f->scope, &p);

    if (v && v->kind == RH_STRING && !rh_value_sensitive(v))
        return v->u.string;
    return show(f, v, &p, p.place.line * 1000 + p.place.column);
}

const char *
script_error(struct script_fixture *f, const char *text)
{
    return script_json(f, text);
}

void
script_files(struct script_fixture *f, const char *json)
{
    f->files = rh_value_from_json(f->arena, json, strlen(json), NULL);
    assert_non_null(f->files);
}

/* `result(value)`, for recipes. */
static int
keep_result(lua_State *l)
{
    struct script_fixture *f = lua_touserdata(l, lua_upvalueindex(1));

    f->result = rh_script_take(l, 1);
    return 0;
}

static int
push_names(lua_State *l)
{
    struct script_fixture *f = lua_touserdata(l, 1);

    lua_newtable(l);
    lua_pushlightuserdata(l, f);
    lua_pushcclosure(l, keep_result, 1);
    lua_setfield(l, -2, "result");
    rh_script_push(l, f->scope);
    lua_setfield(l, -2, "given");
    return 1;
}

const char *
script_run(struct script_fixture *f, const char *text)
{
    struct rh_error p = { 0 };
    int rc;

    f->result = NULL;
    rc = rh_script_run(f->script, text, strlen(text), 1, push_names, f, &p);
    return show(f, rc == 0 ? f->result : NULL, &p, p.place.line);
}
