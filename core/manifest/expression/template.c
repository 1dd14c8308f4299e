/* SPDX-License-Identifier: Apache-2.0 */
/* template - `template: FILE` in an entry. */
#include "config.h"

#include "manifest/expression/expression.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/source.h"
#include "base/suggest.h"
#include "base/value.h"
#include "manifest/expression/later.h"
#include "manifest/expression/template-file.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "script/script.h"

#include <stdint.h>
#include <string.h>

enum { LARGEST = 16 << 20 };

static const struct rh_template *
complain(struct rh_load *load, const struct rh_value *v, const char *message)
{
    rh_complain(load->complaints, rh_value_place(v), NULL, "%s", message);
    return NULL;
}

static const struct rh_template *
complain_error(struct rh_load *load, const struct rh_value *v, const struct rh_error *err)
{
    rh_complain_error(
        load->complaints, rh_value_place(v),
        strstr(err->message, "No such file") ? "the path is relative to the file that names it" : NULL, err);
    return NULL;
}

static const struct rh_template *
open_template(struct rh_load *load, const struct rh_value *v)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *name = NULL;
    const struct rh_template *t;
    char *text;
    size_t n = 0;

    if (strlen(v->u.string) != v->count)
        return complain(load, v, "the name of a file must not contain a NUL character");
    name = rh_roots_name(&load->roots, v->u.string, v->file, &err);
    if (!name)
        return complain_error(load, v, &err);
    t = rh_map_get(&load->expressions.templates, name);
    if (t)
        return t;
    text = rh_roots_read(&load->roots, name, v->file, LARGEST, &n, &err);
    if (!text)
        return complain_error(load, v, &err);
    t = rh_template_keep(load, name, v->file, text, n);
    return t ? t : complain(load, v, "cannot read the template: too many files");
}

/* No line of it is quoted. */
static void
hide(struct rh_load *load, const struct rh_template *t)
{
    const struct rh_place start = { .line = 1, .column = 1, .file = (uint16_t)t->file };

    rh_sources_span(load->catalog->sources, start, UINT32_MAX);
    rh_sources_hide(load->catalog->sources, start);
}

/* The names around it, and its own. */
static const struct rh_value *
scope_of(struct rh_load *load, const struct rh_value *variables)
{
    struct rh_value *scope;

    if (!rh_value_count(variables))
        return load->context.scope;
    scope =
        rh_value_hash(load->catalog->arena, rh_value_count(load->context.scope) + rh_value_count(variables));
    for (size_t i = 0; i < rh_value_count(load->context.scope); i++)
        rh_value_add_ref(scope, rh_value_entry(load->context.scope, i)->key,
                         rh_value_entry(load->context.scope, i)->value);
    for (size_t i = 0; i < rh_value_count(variables); i++)
        rh_value_put_ref(scope, rh_value_entry(variables, i)->key, rh_value_entry(variables, i)->value);
    return scope;
}

static int
check_keys(struct rh_load *load, const struct rh_value *source)
{
    int rc = 0;

    for (size_t i = 0; i < rh_value_count(source); i++) {
        const char *key = rh_value_entry(source, i)->key;
        rh_autofree char *hint = NULL;
        struct rh_suggest near;

        if (strcmp(key, "file") == 0 || strcmp(key, "variables") == 0)
            continue;
        rh_suggest_init(&near, key);
        rh_suggest_try(&near, "file");
        rh_suggest_try(&near, "variables");
        if (strcmp(key, "src") == 0 || strcmp(key, "source") == 0)
            near.best = "file";
        if (strcmp(key, "vars") == 0)
            near.best = "variables";
        hint = rh_did_you_mean(near.best, "it has: file, variables");
        rh_complain(load->complaints, rh_value_key_place(source, i), hint, "unknown key '%s' in 'template'",
                    key);
        rc = -1;
    }
    return rc;
}

static struct rh_value *
refuse_shape(struct rh_load *load, const struct rh_value *v, const char *what)
{
    if (!(v->marks & RH_INVALID))
        rh_complain(load->complaints, rh_value_place(v),
                    "write it like this: template: motd.tmpl, or template: {file: motd.tmpl, "
                    "variables: {port: 80}}",
                    "%s, not %s", what, rh_kind_name(v->kind));
    return NULL;
}

/* The results that it uses, where it uses any: others may have a function of that name. */
static void
scan(struct rh_load *load, const struct rh_template *t, struct rh_place place)
{
    if (memmem(t->text, t->n, "result", 6))
        rh_uses_scan(load, t->text, t->n, place);
}

struct rh_value *
rh_template_render(struct rh_load *load, struct rh_value *source, bool secret)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_value *file = source, *variables = NULL, *made;
    const struct rh_template *t;

    if (rh_substitute(load, source) < 0)
        return NULL;
    if (source->kind == RH_HASH) {
        if (check_keys(load, source) < 0)
            return NULL;
        file = rh_draft_get(source, "file");
        variables = rh_draft_get(source, "variables");
        if (!file) {
            rh_complain(load->complaints, rh_value_place(source), NULL, "missing key 'file' in 'template'");
            return NULL;
        }
    }
    if (file->kind != RH_STRING || rh_scalar_is_null(file))
        return refuse_shape(load, file, "'template' must be the name of a file");
    if (file->marks & RH_SENSITIVE) {
        rh_complain(load->complaints, rh_value_place(file), NULL, "the name of a template cannot be secret");
        return NULL;
    }
    if (variables) {
        if (!rh_scalar_is_null(variables) && variables->kind != RH_HASH)
            return refuse_shape(load, variables, "'variables' of a template must be a hash");
        (void)rh_scalar_read(load->catalog->arena, NULL, variables);
    }
    t = open_template(load, file);
    if (!t)
        return NULL;
    if (secret)
        hide(load, t);
    if (load->expressions.may_use_results && !load->expressions.results)
        scan(load, t, rh_value_place(file));
    made = rh_script_render(rh_load_script(load), t->text, t->n, t->file, scope_of(load, variables), &err);
    if (!made) {
        rh_complain_error(load->complaints, rh_value_place(file), NULL, &err);
        if (err.place.line)
            rh_complain_also(load->complaints, rh_value_place(file), "for the template named here");
        return NULL;
    }
    rh_load_keep_secret(load, made);
    rh_value_set_place(made, rh_value_place(file));
    return made;
}

int
rh_read_template(struct rh_load *load, struct rh_keyword_values *source, struct rh_value *v)
{
    (void)load;
    (void)source;
    (void)v;
    return 0;
}
