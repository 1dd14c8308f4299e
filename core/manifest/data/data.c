/* SPDX-License-Identifier: Apache-2.0 */
/* data - attributes from data files: what can be put into the node at once, and what waits until it is read.
 */
#include "config.h"

#include "manifest/data/data.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/data/parts.h"
#include "manifest/expression/later.h"
#include "manifest/load/file.h"
#include "manifest/load/load.h"
#include "manifest/text/scalar.h"
#include "node/node.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200 }; /* attributes whose expressions name the next one */

/* Evaluating a unit: what its expressions plainly name comes first. */

static void evaluate(struct rh_load *load, struct rh_data_unit *unit);

static const char *
key_of(const struct rh_data_unit *unit)
{
    return rh_value_at(unit->path, 0)->u.string;
}

struct needs {
    struct rh_load *load;
    struct rh_data_unit *unit;
    const struct rh_value *v;
    bool failed;
};

static char *
path_text(const struct rh_value *path)
{
    rh_autobuf struct rh_buf b = { 0 };

    for (size_t i = 0; i < path->count; i++)
        rh_buf_addf(&b, "%s%s", i ? "." : "", rh_value_at(path, i)->u.string);
    return rh_xstrdup(rh_buf_text(&b));
}

static void
refuse_circle(struct needs *n, const struct rh_data_unit *other)
{
    rh_autofree char *mine = path_text(n->unit->path), *theirs = path_text(other->path);

    rh_complain(n->load->complaints, rh_value_place(n->v), NULL,
                "attribute '%s' depends on itself: it names '%s', whose value needs it", mine, theirs);
    n->failed = true;
}

static void
need_path(void *to, const struct rh_value *path)
{
    struct needs *n = to;
    struct rh_data_unit *unit = rh_map_get(&n->load->data->by_key, rh_value_at(path, 0)->u.string);

    for (; unit && !n->failed; unit = unit->next_of_key) {
        if (unit == n->unit || !rh_data_overlap(unit->path, path))
            continue; /* its own path is what more general files say */
        if (unit->state == RH_UNIT_ACTIVE)
            refuse_circle(n, unit);
        else if (unit->state == RH_UNIT_WAITS)
            evaluate(n->load, unit);
    }
}

static bool
evaluate_needs(struct rh_load *load, struct rh_data_unit *unit)
{
    struct needs n = { .load = load, .unit = unit };
    size_t counts = rh_data_counts(unit);

    if (load->data->depth > DEEPEST) {
        rh_complain(load->complaints, rh_value_place(unit->v[0]), NULL,
                    "attributes of data files name one another more than %d deep", DEEPEST);
        return false;
    }
    for (size_t i = 0; i < counts && !n.failed; i++) {
        n.v = unit->v[i];
        rh_data_references(load, n.v, need_path, &n);
    }
    return !n.failed;
}

/* Nothing complains again about what can't be known. */
static void
give_up(struct rh_load *load, const struct rh_data_unit *unit)
{
    struct rh_value *v = rh_value_new(load->catalog->arena, RH_UNKNOWN);
    struct rh_place place = rh_value_place(unit->v[0]);
    struct rh_node_edit edit = rh_node_edit_begin(load->attributes.node, RH_LEVEL_NORMAL,
                                                  rh_data_merge_name(unit->merge), unit->path, place);

    v->marks = RH_INVALID;
    rh_value_set_place(v, place);
    rh_node_edit_put(&edit, unit->path, v);
}

/* Whoever reads it may be an expression, with names that are not known here. */
static void
evaluate(struct rh_load *load, struct rh_data_unit *unit)
{
    const struct rh_load_context context = load->context;
    struct rh_load_expressions *expressions = &load->expressions;
    const bool unasked = expressions->unasked, may_use = expressions->may_use_results;
    const char *answer = expressions->answer;
    const struct rh_place place = expressions->place;
    struct rh_data_unit *outer = load->data->evaluated;
    struct rh_use *uses = rh_uses_begin(load);

    unit->state = RH_UNIT_ACTIVE;
    load->data->depth++;
    load->context = (struct rh_load_context){ 0 };
    expressions->may_use_results = false;
    if (evaluate_needs(load, unit)) {
        load->data->evaluated = unit;
        rh_data_lay(load, unit);
    } else {
        give_up(load, unit);
    }
    unit->state = RH_UNIT_DONE;
    load->data->evaluated = outer;
    load->data->depth--;
    load->context = context;
    rh_uses_end(load, uses);
    expressions->unasked = unasked;
    expressions->may_use_results = may_use;
    expressions->answer = answer;
    expressions->place = place;
}

/* Reading. */

struct naming {
    const char *key;
    bool named;
};

static void
match_key(void *to, const struct rh_value *path)
{
    struct naming *n = to;

    n->named |= strcmp(rh_value_at(path, 0)->u.string, n->key) == 0;
}

/* Whether the unit that is being evaluated plainly names what is read: that was evaluated before. */
static bool
was_evaluated(struct rh_load *load, const char *key)
{
    const struct rh_data_unit *unit = load->data->evaluated;
    struct naming n = { .key = key };

    for (size_t i = 0; unit && i < unit->n && !n.named; i++)
        rh_data_references(load, unit->v[i], match_key, &n);
    return n.named;
}

static void
need(void *data, const char *key)
{
    struct rh_load *load = data;
    struct rh_data_unit *unit = load->data->first;

    if (key) {
        unit = rh_map_get(&load->data->by_key, key);
        if (!unit || was_evaluated(load, key))
            return;
    }
    for (; unit; unit = key ? unit->next_of_key : unit->next)
        if (unit->state == RH_UNIT_WAITS)
            evaluate(load, unit);
}

void
rh_data_evaluate_all(struct rh_load *load)
{
    if (load->data)
        need(load, NULL);
}

bool
rh_data_waits(const struct rh_load *load)
{
    for (const struct rh_data_unit *u = load->data ? load->data->first : NULL; u; u = u->next)
        if (u->state == RH_UNIT_WAITS)
            return true;
    return false;
}

void
rh_data_close(struct rh_load *load)
{
    static const struct rh_node_source none = { 0 };

    if (!load->data)
        return;
    rh_node_set_source(load->attributes.node, &none);
    free((void *)load->data->files);
    free(load->data->options);
    rh_map_clear(&load->data->by_key);
    load->data = NULL;
}

/* Files. */

/* Which manifest names them: one alone. */
static const struct rh_value *
templates_of(struct rh_load *load, struct rh_file *const *arguments, size_t n)
{
    const struct rh_value *found = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct rh_value *v = arguments[i] && arguments[i]->kind == RH_FILE_MANIFEST
                                       ? rh_value_get(arguments[i]->tree, "data")
                                       : NULL;

        if (!v || v->kind == RH_UNKNOWN || rh_scalar_is_null(v))
            continue;
        if (!found) {
            found = v;
            continue;
        }
        rh_complain(load->complaints, rh_value_place(v), "write all of the paths in one of the manifests",
                    "'data' is written in two manifests");
        rh_complain_also(load->complaints, rh_value_place(found), "the other 'data'");
    }
    return found;
}

static bool
has_waiting_value(const struct rh_data_unit *unit)
{
    size_t counts = rh_data_counts(unit);

    for (size_t i = 0; i < counts; i++)
        if (rh_data_has_expression(unit->v[i]))
            return true;
    return false;
}

/* What has no expressions is put into the node at once; the rest can be found by its key. */
static void
open_units(struct rh_load *load)
{
    struct rh_data *data = load->data;
    struct rh_map last = { 0 };
    bool waits = false;

    for (struct rh_data_unit *unit = data->first; unit; unit = unit->next) {
        struct rh_data_unit *before;

        if (!unit->path->count || !has_waiting_value(unit)) {
            rh_data_lay(load, unit);
            unit->state = RH_UNIT_DONE;
            continue;
        }
        waits = true;
        before = rh_map_get(&last, key_of(unit));
        if (before)
            before->next_of_key = unit;
        else
            rh_map_put(&data->by_key, key_of(unit), unit);
        rh_map_replace(&last, key_of(unit), unit);
    }
    rh_map_clear(&last);
    if (waits)
        rh_node_set_source(load->attributes.node, &(struct rh_node_source){ .data = load, .need = need });
}

void
rh_data_read(struct rh_load *load, struct rh_file *const *arguments, size_t n)
{
    const struct rh_value *templates = templates_of(load, arguments, n);
    struct rh_data *data;

    if (!templates)
        return;
    data = load->data = rh_arena_alloc(load->catalog->arena, sizeof *data);
    *data = (struct rh_data){ 0 };
    rh_data_find(load, data, templates);
    rh_data_options_read(load, data);
    rh_data_divide(load, data);
    open_units(load);
}
