/* SPDX-License-Identifier: Apache-2.0 */
/* registry - the types that are installed here. */
#include "config.h"

#include "plugin/registry.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/map.h"
#include "base/suggest.h"
#include "base/value-json.h"
#include "plugin/policy.h"
#include "plugin/registry-parts.h"
#include "schema/type.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void
rh_registry_add_problem(struct rh_registry *r, const char *fmt, ...)
{
    rh_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    r->problems = rh_xgrow(r->problems, &r->cap_problems, r->n_problems, sizeof *r->problems);
    r->problems[r->n_problems++] = (struct rh_error){ .message = rh_safe_text(text), .format = fmt };
}

struct rh_registry_entry *
rh_registry_entry(const struct rh_registry *r, const char *type, const char *provider)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->entries[i].type, type) == 0
            && (!provider || strcmp(r->entries[i].provider, provider) == 0))
            return &r->entries[i];
    return NULL;
}

struct rh_registry_entry *
rh_registry_transport_entry(const struct rh_registry *r, const char *name)
{
    for (size_t i = 0; i < r->n_transports; i++)
        if (strcmp(r->transports[i].type, name) == 0)
            return &r->transports[i];
    return NULL;
}

const struct rh_type *
rh_registry_read(struct rh_registry *r, struct rh_registry_entry *e, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    const struct rh_value *v;

    if (e->refused)
        return NULL;
    if (e->read)
        return e->read;
    v = rh_value_from_json(r->arena, e->description, strlen(e->description), &why);
    e->read = v ? rh_type_read(r->arena, v, &why) : NULL;
    if (e->read)
        e->read->transport = e->transport;
    if (e->read && rh_policy_check(r->policy, e->read, &why) < 0)
        e->read = NULL;
    if (!e->read) {
        e->refused = true;
        rh_registry_add_problem(r, "the plugin '%s' is not used: %s", e->path, why.message);
        rh_error_move(err, &why);
        return NULL;
    }
    e->read->path = e->path;
    e->read->description = e->description;
    e->read->sole = e->sole;
    return e->read;
}

size_t
rh_registry_count(const struct rh_registry *r, size_t first)
{
    size_t n = 1;

    while (first + n < r->n && strcmp(r->entries[first + n].type, r->entries[first].type) == 0)
        n++;
    return n;
}

void
rh_registry_free(struct rh_registry *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->n_problems; i++)
        rh_error_clear(&r->problems[i]);
    free(r->problems);
    free(r->entries);
    free(r->transports);
    free(r->lookups);
    free(r->facts);
    rh_map_clear(&r->files);
    rh_map_clear(&r->warned);
    rh_map_clear(&r->data_types);
    rh_arena_free(r->arena);
    free(r);
}

void
rh_registry_ask(struct rh_registry *r, rh_suits_fn *suits, rh_suits_soon_fn *soon, void *data)
{
    r->suits = suits;
    r->suits_soon = soon;
    r->suits_data = data;
}

static bool
is_to_be_asked(const struct rh_registry *r, const struct rh_registry_entry *e)
{
    return r->suits && !e->candidate.asked && e->read->slots & RH_HAS_SUITS;
}

static const struct rh_candidate *
ask(struct rh_registry *r, struct rh_registry_entry *e)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_candidate *c = &e->candidate;
    bool asks = is_to_be_asked(r, e);

    if (c->asked)
        return c;
    *c = (struct rh_candidate){ .type = e->read, .how_well = 1, .asked = true };
    if (asks)
        c->how_well = r->suits(r->suits_data, e->read, &why);
    if (!c->how_well && why.message)
        c->why = rh_arena_strdup(r->arena, why.message);
    return c;
}

/* The usable one of a group, or of several the one that suits best. */
static const struct rh_type *
choose(struct rh_registry *r, struct rh_registry_entry *first, struct rh_error *err)
{
    size_t n = rh_registry_count(r, (size_t)(first - r->entries)), usable = 0;
    rh_autofree const struct rh_candidate **list = rh_xalloc(rh_xmul(n, sizeof(void *)));
    const struct rh_candidate *best;
    struct rh_registry_entry *one = NULL;

    for (size_t i = 0; i < n; i++)
        if (rh_registry_read(r, &first[i], err) && !first[i].refused) {
            one = &first[i];
            usable++;
        }
    if (usable)
        rh_error_clear(err); /* one that can't be used leaves the others */
    if (usable == 1)
        return one->read;
    usable = 0;
    for (size_t i = 0; i < n; i++)
        if (!first[i].refused && is_to_be_asked(r, &first[i]))
            r->suits_soon(r->suits_data, first[i].read);
    for (size_t i = 0; i < n; i++)
        if (!first[i].refused)
            list[usable++] = ask(r, &first[i]);
    best = usable ? rh_choice_make(list, usable, err) : NULL;
    return best ? best->type : NULL;
}

/* A provider that is not there, and those that are. */
static void
refuse_provider(const struct rh_registry *r, const struct rh_registry_entry *first, const char *provider,
                struct rh_error *err)
{
    rh_autobuf struct rh_buf names = { 0 };
    struct rh_suggest near;
    size_t n = rh_registry_count(r, (size_t)(first - r->entries));

    rh_suggest_init(&near, provider);
    for (size_t i = 0; i < n; i++) {
        rh_suggest_try(&near, first[i].provider);
        rh_buf_addf(&names, "%s%s", i ? ", " : "", first[i].provider);
    }
    rh_error_set(err, RH_EINPUT, "type '%s': unknown provider '%s' (it has %s)", first->type, provider,
                 rh_buf_text(&names));
    (void)rh_error_suggest(err, near.best, NULL);
}

void
rh_registry_warn_of_undeclared(struct rh_registry *r, const struct rh_type *t)
{
    rh_autofree char *who = NULL;

    if (!r->policy || r->policy->undeclared != RH_UNDECLARED_WARN)
        return;
    who = rh_policy_undeclared(t);
    if (who && !rh_map_put_const(&r->warned, rh_arena_strdup(r->arena, who), t))
        rh_registry_add_problem(r, "%s declares no needs: it is not confined", who);
}

const struct rh_type *
rh_registry_find(struct rh_registry *r, const char *type, const char *provider, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_registry_entry *first = rh_registry_entry(r, type, NULL), *e = first;
    const struct rh_type *t = NULL;

    if (!first)
        return NULL;
    if (provider && !(e = rh_registry_entry(r, type, provider))) {
        refuse_provider(r, first, provider, err);
        return NULL;
    }
    if (!provider)
        t = choose(r, first, &why);
    else if (!e->refused)
        t = rh_registry_read(r, e, &why);
    if (t) {
        rh_registry_warn_of_undeclared(r, t);
        return t;
    }
    if (provider)
        rh_error_set(&why, RH_EINPUT,
                     "the provider '%s' of the type '%s' cannot be used: its plugin "
                     "was refused",
                     provider, type);
    else
        rh_error_set(&why, RH_EINPUT, "the type '%s' cannot be used: its plugin was refused", type);
    rh_error_move(err, &why);
    return NULL;
}

const struct rh_type *
rh_registry_next(struct rh_registry *r, const char *type, const struct rh_type *before)
{
    const struct rh_registry_entry *first = rh_registry_entry(r, type, NULL);
    size_t n = first ? rh_registry_count(r, (size_t)(first - r->entries)) : 0;
    bool passed = !before;

    for (size_t i = 0; i < n; i++) {
        struct rh_registry_entry *e = &r->entries[(size_t)(first - r->entries) + i];

        if (passed && !e->refused && rh_registry_read(r, e, NULL))
            return e->read;
        passed |= e->read && e->read == before;
    }
    return NULL;
}

const struct rh_candidate *
rh_registry_suits(struct rh_registry *r, const struct rh_type *t)
{
    return ask(r, rh_registry_entry(r, t->type, t->provider));
}

const struct rh_type *
rh_registry_owner(struct rh_registry *r, const char *type, const char *attr)
{
    const struct rh_type *t = NULL;

    while ((t = rh_registry_next(r, type, t)))
        if (rh_type_attr(t, attr))
            return t;
    return NULL;
}

const struct rh_type *
rh_registry_transport(struct rh_registry *r, const char *name, struct rh_error *err)
{
    struct rh_registry_entry *e = rh_registry_transport_entry(r, name);
    const struct rh_type *t = e ? rh_registry_read(r, e, err) : NULL;

    if (e && !t)
        rh_error_set(err, RH_EINPUT, "the transport '%s' cannot be used: its plugin was refused", name);
    return t;
}

void
rh_registry_suggest_transport(const struct rh_registry *r, struct rh_suggest *s)
{
    for (size_t i = 0; i < r->n_transports; i++)
        rh_suggest_try(s, r->transports[i].type);
}

void
rh_registry_suggest(const struct rh_registry *r, struct rh_suggest *s)
{
    for (size_t i = 0; i < r->n; i++)
        rh_suggest_try(s, r->entries[i].type);
}

void
rh_registry_each(struct rh_registry *r, void (*fn)(void *data, const struct rh_type *t), void *data)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct rh_type *t = rh_registry_read(r, &r->entries[i], NULL);

        if (t)
            fn(data, t);
    }
}

void
rh_registry_each_transport(struct rh_registry *r, void (*fn)(void *data, const struct rh_type *t), void *data)
{
    for (size_t i = 0; i < r->n_transports; i++) {
        rh_autoerror struct rh_error err = { 0 };
        const struct rh_type *t = rh_registry_transport(r, r->transports[i].type, &err);

        if (t)
            fn(data, t);
    }
}

size_t
rh_registry_problems(const struct rh_registry *r)
{
    return r->n_problems;
}

const struct rh_error *
rh_registry_problem(const struct rh_registry *r, size_t i)
{
    return i < r->n_problems ? &r->problems[i] : NULL;
}
