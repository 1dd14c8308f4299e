/* SPDX-License-Identifier: Apache-2.0 */
/* resolve - values that were known later, at their time: when the resource that has them is applied. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/draft.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/later.h"
#include "datatype/datatype.h"
#include "manifest/expression/expression.h"
#include "manifest/expression/later.h"
#include "manifest/load/input.h"
#include "manifest/load/load.h"
#include "schema/type.h"
#include "script/script.h"

#include <string.h>

static const struct rh_value *resolve(struct rh_load *load, const struct rh_value *v, struct rh_error *err);

/* Another value, held against the type of the parameter. */
static const struct rh_value *
resolve_parameter(struct rh_load *load, const struct rh_later *later, struct rh_error *err)
{
    const struct rh_value *v = resolve(load, later->source, err);
    rh_autobuf struct rh_buf why = { 0 };

    if (!v || v->kind == RH_UNKNOWN || rh_datatype_match(later->type, v))
        return v;
    rh_datatype_explain(later->type, later->what, v, &why);
    (void)rh_error_set_code(err, RH_EINPUT, rh_message_code(RH_DOES_NOT_FIT), "%s", rh_buf_text(&why));
    return NULL;
}

/* The names around a judgement, and `result`. */
static const struct rh_value *
scope_with(struct rh_load *load, const struct rh_value *around, const struct rh_value *result)
{
    struct rh_value *scope = rh_value_hash(load->catalog->arena, rh_value_count(around) + 1);

    for (size_t i = 0; i < rh_value_count(around); i++)
        rh_value_put_ref(scope, rh_value_entry(around, i)->key, rh_value_entry(around, i)->value);
    rh_value_put_ref(scope, "result", result);
    return scope;
}

const struct rh_value *
rh_later_judgement(struct rh_load *load, const struct rh_value *text)
{
    const struct rh_value *around = load->context.scope, *found;

    load->context.scope = scope_with(load, around, rh_value_new(load->catalog->arena, RH_UNKNOWN));
    found = rh_evaluate_bare(load, text);
    load->context.scope = around;
    return found ? rh_later_new(load, text, RH_LATER_JUDGEMENT) : NULL;
}

static const struct rh_value *
evaluate(struct rh_load *load, const struct rh_later *later)
{
    struct rh_value *v = rh_value_copy_sharing(load->catalog->arena, later->source);

    if (later->kind == RH_LATER_TEMPLATE)
        return rh_template_render(load, v, later->secret);
    if (later->kind == RH_LATER_EXPRESSION || later->kind == RH_LATER_JUDGEMENT)
        return rh_evaluate_bare(load, v);
    return rh_substitute(load, v) < 0 ? NULL : v;
}

static const struct rh_value *
resolve_text(struct rh_load *load, const struct rh_later *later, struct rh_error *err)
{
    struct rh_complaints *outer = load->complaints;
    struct rh_complaints complaints = { .sources = load->catalog->sources };
    const struct rh_load_context context = load->context;
    bool may_use = load->expressions.may_use_results;
    const struct rh_value *v;

    load->complaints = &complaints;
    load->context = (struct rh_load_context){ .scope = later->scope, .secret = later->secret };
    if (later->kind == RH_LATER_JUDGEMENT)
        load->context.scope = scope_with(load, later->scope, load->expressions.results->own);
    load->expressions.may_use_results = true;
    v = evaluate(load, later);
    load->expressions.may_use_results = may_use;
    load->context = context;
    load->complaints = outer;
    if (!v)
        rh_complaints_take_first(&complaints, err);
    if (!v && !err->message)
        (void)rh_error_set(err, RH_EINPUT, "an expression cannot be evaluated");
    rh_complaints_clear(&complaints);
    return v;
}

/* What the marks of the place where it stands say stays so. */
static const struct rh_value *
resolve(struct rh_load *load, const struct rh_value *v, struct rh_error *err)
{
    const struct rh_later *later = (const struct rh_later *)(const void *)rh_value_deferred(v);
    const struct rh_value *found;

    if (v->kind != RH_UNKNOWN || !later)
        return v;
    found = later->kind == RH_LATER_PARAMETER ? resolve_parameter(load, later, err)
                                              : resolve_text(load, later, err);
    if (found && rh_value_is_later(found))
        found = rh_catalog_resolve(load->catalog, found, load->expressions.results, err);
    if (!found || rh_value_unknown(found))
        return found ? v : NULL;
    return rh_value_marked(load->catalog->arena, found, v->marks & RH_SENSITIVE);
}

const struct rh_value *
rh_later_expression(struct rh_load *load, const struct rh_value *text, const struct rh_value *scope)
{
    struct rh_use *outer = rh_uses_begin(load);
    const struct rh_value *around = load->context.scope;
    bool may_use = load->expressions.may_use_results;
    struct rh_value *found;

    load->context.scope = scope;
    load->expressions.may_use_results = true;
    found = rh_evaluate_bare(load, text);
    if (found && found->kind == RH_UNKNOWN && !(found->marks & RH_INVALID))
        rh_later_defer(load, found, text, RH_LATER_EXPRESSION);
    load->expressions.may_use_results = may_use;
    load->context.scope = around;
    rh_uses_end(load, outer);
    return found;
}

static const struct rh_value *
resolve_for_catalog(void *data, const struct rh_value *v, const struct rh_results *results,
                    struct rh_error *err)
{
    struct rh_load *load = data;
    const struct rh_value *found;

    /* What is there may have changed since it was asked for. */
    rh_map_clear(&load->expressions.states);
    load->expressions.results = results;
    found = resolve(load, v, err);
    load->expressions.results = NULL;
    if (load->types->secrets)
        rh_script_add_secrets(load->expressions.script, load->types->secrets);
    return found;
}

void
rh_resolve_open(struct rh_load *load)
{
    load->expressions.resolve = resolve;
    load->catalog->later.resolve = resolve_for_catalog;
    load->catalog->later.data = load;
}
