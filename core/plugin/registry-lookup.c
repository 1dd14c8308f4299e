/* SPDX-License-Identifier: Apache-2.0 */
/* registry-lookup - the lookups and facts that the installed plugins have. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value-json.h"
#include "base/value.h"
#include "plugin/policy.h"
#include "plugin/registry-parts.h"
#include "schema/type.h"

#include <string.h>

static void
say_unused(struct rh_registry *r, const char *path, const struct rh_error *err)
{
    rh_registry_add_problem(r, "the lookups and facts of plugin '%s' are not used: %s", path, err->message);
}

/* What is wrong with one is a problem, and the plugin's types are used all the same. */
static struct rh_type *
read_type(struct rh_registry *r, const char *path, const struct rh_value *description)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_type *t = rh_type_read_question(r->arena, description, &err);

    if (!t)
        say_unused(r, path, &err);
    return t;
}

static void
ignore_second(struct rh_registry *r, const char *what, const char *name, const struct rh_type *first,
              const char *path)
{
    rh_registry_add_problem(r,
                            "ignoring the %s '%s' of plugin '%s': plugin '%s' is found first and has it too",
                            what, name, path, first->path);
}

static void
add_lookup(struct rh_registry *r, const struct rh_type *source, const struct rh_type *t)
{
    const struct rh_lookup *other = rh_registry_lookup(r, t->type);

    if (other) {
        ignore_second(r, "lookup", t->type, other->source, source->path);
        return;
    }
    r->lookups = rh_xgrow(r->lookups, &r->cap_lookups, r->n_lookups, sizeof *r->lookups);
    r->lookups[r->n_lookups++] = (struct rh_lookup){ .type = t, .source = source };
}

static void
add_fact(struct rh_registry *r, const struct rh_type *source, const struct rh_attr *attr)
{
    const struct rh_fact *other = rh_registry_fact(r, attr->name);

    if (other) {
        ignore_second(r, "fact", attr->name, other->source, source->path);
        return;
    }
    r->facts = rh_xgrow(r->facts, &r->cap_facts, r->n_facts, sizeof *r->facts);
    r->facts[r->n_facts++] = (struct rh_fact){ .attr = attr, .source = source };
}

void
rh_registry_add_source(struct rh_registry *r, const char *path, const char *description)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v, *lookups;
    const struct rh_type **types;
    struct rh_type *source;

    if (!description)
        return;
    v = rh_value_from_json(r->arena, description, strlen(description), &err);
    source = v ? read_type(r, path, v) : NULL;
    if (err.message)
        say_unused(r, path, &err);
    if (!source)
        return;
    lookups = rh_value_get(v, "lookups");
    source->path = path;
    source->description = description;
    source->source = true;
    source->lookups = types = rh_arena_alloc(r->arena, rh_value_count(lookups) * sizeof(struct rh_type *));
    for (size_t i = 0; i < rh_value_count(lookups); i++) {
        struct rh_type *t = read_type(r, path, rh_value_at(lookups, i));

        if (!t)
            continue;
        t->path = path;
        types[source->n_lookups++] = t;
    }
    if (rh_policy_check(r->policy, source, &err) < 0) {
        say_unused(r, path, &err);
        return;
    }
    for (size_t i = 0; i < source->n_lookups; i++)
        add_lookup(r, source, source->lookups[i]);
    for (size_t i = 0; i < source->n_attrs; i++)
        if (source->attrs[i].behaviour & RH_READ_ONLY)
            add_fact(r, source, &source->attrs[i]);
}

const struct rh_lookup *
rh_registry_lookup(const struct rh_registry *r, const char *name)
{
    for (size_t i = 0; i < r->n_lookups; i++)
        if (strcmp(r->lookups[i].type->type, name) == 0)
            return &r->lookups[i];
    return NULL;
}

const struct rh_fact *
rh_registry_fact(const struct rh_registry *r, const char *name)
{
    for (size_t i = 0; i < r->n_facts; i++)
        if (strcmp(r->facts[i].attr->name, name) == 0)
            return &r->facts[i];
    return NULL;
}

const struct rh_lookup *
rh_registry_lookup_at(const struct rh_registry *r, size_t i)
{
    return i < r->n_lookups ? &r->lookups[i] : NULL;
}

const struct rh_fact *
rh_registry_fact_at(const struct rh_registry *r, size_t i)
{
    return i < r->n_facts ? &r->facts[i] : NULL;
}

void
rh_registry_suggest_lookup(const struct rh_registry *r, struct rh_suggest *s)
{
    for (size_t i = 0; i < r->n_lookups; i++)
        rh_suggest_try(s, r->lookups[i].type->type);
}
