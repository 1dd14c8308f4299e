/* SPDX-License-Identifier: Apache-2.0 */
/* lookup - the lookups and facts of plugins, which their workers are asked for. */
#include "config.h"

#include "cli/lookup.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/secrets.h"
#include "base/suggest.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "cli/session.h"
#include "datatype/datatype.h"
#include "plugin/registry.h"
#include "provider/log-record.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

#include <string.h>

/* What is remembered of a question. */
struct answer {
    const struct rh_value *v; /* NULL: it failed */
    const char *message;
    unsigned code;
};

static const struct rh_lookup *
find(struct rh_session *s, const char *name, struct rh_error *err)
{
    const struct rh_lookup *l = rh_registry_lookup(s->registry, name);
    struct rh_suggest near;

    if (l)
        return l;
    rh_suggest_init(&near, name);
    rh_registry_suggest_lookup(s->registry, &near);
    (void)rh_error_set(err, RH_EINPUT, "unknown lookup '%s'", name);
    (void)rh_error_suggest(err, near.best, "'rhost types' lists those of the plugins");
    return NULL;
}

static const struct rh_attr *
parameter_at(const struct rh_type *t, size_t i)
{
    for (size_t k = 0; k < t->n_attrs; k++)
        if (t->attrs[k].behaviour & RH_PARAMETER && i-- == 0)
            return &t->attrs[k];
    return NULL;
}

static int
refuse_unknown(const struct rh_type *t, const char *key, struct rh_error *err)
{
    struct rh_suggest near;

    rh_suggest_init(&near, key);
    for (size_t i = 0; parameter_at(t, i); i++)
        rh_suggest_try(&near, parameter_at(t, i)->name);
    (void)rh_error_set(err, RH_EINPUT, "unknown parameter '%s' of lookup '%s'", key, t->type);
    return rh_error_suggest(err, near.best, NULL);
}

static int
put(const struct rh_type *t, const struct rh_attr *attr, const struct rh_value *v, struct rh_value *to,
    struct rh_error *err)
{
    rh_autobuf struct rh_buf why = { 0 };

    v = rh_attribute_marked(rh_value_arena(to), attr, v);
    if (!rh_datatype_match(attr->type, v)) {
        rh_datatype_explain(attr->type, "", v, &why);
        return rh_error_set(err, RH_EINPUT, "parameter '%s' of lookup '%s' %s", attr->name, t->type,
                            rh_buf_text(&why));
    }
    if (rh_attribute_find_nul(attr, v))
        return rh_error_set(err, RH_EINPUT, "parameter '%s' of lookup '%s' must not contain a NUL character",
                            attr->name, t->type);
    rh_value_put(to, attr->name, v);
    return 0;
}

/* By name, in a hash that is the last argument. */
static int
put_named(const struct rh_type *t, const struct rh_value *named, struct rh_value *to, struct rh_error *err)
{
    for (size_t i = 0; i < rh_value_count(named); i++) {
        const struct rh_entry *e = rh_value_entry(named, i);
        const struct rh_attr *attr = rh_type_attr(t, e->key);

        if (!attr || !(attr->behaviour & RH_PARAMETER))
            return refuse_unknown(t, e->key, err);
        if (rh_value_get(to, attr->name))
            return rh_error_set(err, RH_EINPUT, "duplicate parameter '%s' of lookup '%s'", attr->name,
                                t->type);
        if (put(t, attr, rh_value_marked(rh_value_arena(to), e->value, named->marks & RH_SENSITIVE), to, err)
            < 0)
            return -1;
    }
    return 0;
}

/* The parameters that the arguments give; NULL with what is wrong with them. */
static struct rh_value *
bind(const struct rh_type *t, const struct rh_value *arguments, struct rh_arena *a, struct rh_error *err)
{
    struct rh_value *to = rh_value_new(a, RH_HASH);
    size_t n = rh_value_count(arguments);
    const struct rh_attr *attr;

    for (size_t i = 0; i < n; i++) {
        const struct rh_value *v = rh_value_at(arguments, i);
        bool last = i + 1 == n && v->kind == RH_HASH;

        attr = parameter_at(t, i);
        if (last && (!attr || !rh_datatype_match(attr->type, v))) {
            if (put_named(t, v, to, err) < 0)
                return NULL;
        } else if (!attr) {
            (void)rh_error_set(err, RH_EINPUT, "too many arguments for lookup '%s': it has %zu parameter%s",
                               t->type, i, i == 1 ? "" : "s");
            return NULL;
        } else if (put(t, attr, v, to, err) < 0) {
            return NULL;
        }
    }
    for (size_t i = 0; (attr = parameter_at(t, i)); i++) {
        if (rh_value_get(to, attr->name))
            continue;
        if (attr->required) {
            (void)rh_error_set(err, RH_EINPUT, "missing parameter '%s' of lookup '%s'", attr->name, t->type);
            return NULL;
        }
        if (attr->default_value)
            rh_value_put(to, attr->name, attr->default_value);
    }
    return to;
}

/* As its type says, whatever the worker says: another process. NULL with the reason. */
static const struct rh_value *
ask(struct rh_session *s, const struct rh_type *source, const struct rh_type *lookup,
    const struct rh_attr *attr, const char *name, const struct rh_value *parameters, struct rh_error *err)
{
    struct rh_value *to = rh_value_new(s->arena, RH_HASH);
    const struct rh_sink sink = { .data = to, .item = rh_worker_take_answer, .log = rh_log_record_print };
    const struct rh_value *v;

    rh_registry_warn_of_undeclared(s->registry, source);
    if (rh_worker_lookup(rh_pool_worker(&s->pool, source), lookup, name, parameters, &sink, err) < 0)
        return NULL;
    v = rh_value_get(to, "value");
    if (!v)
        return rh_value_new(s->arena, RH_UNDEF);
    v = rh_attribute_marked(s->arena, attr, v);
    if (rh_value_sensitive(v)) {
        rh_arena_keep_secret(s->arena);
        rh_secrets_learn(&s->pool.secrets, v, false);
    }
    if (!rh_datatype_match(attr->type, v)) {
        (void)rh_error_set(err, RH_EPROVIDER, "invalid answer of provider '%s' %s: %s", source->provider,
                           source->version, "another type");
        return NULL;
    }
    return v;
}

/* The name and what is asked, secrets too. */
static const char *
key_of(struct rh_session *s, const char *name, const struct rh_value *parameters)
{
    rh_autobuf struct rh_buf key = { 0 };
    const char *kept;

    rh_buf_addf(&key, "%s ", name);
    rh_value_to_json(&key, parameters, true);
    if (rh_value_sensitive(parameters))
        rh_arena_keep_secret(s->arena);
    kept = rh_arena_strdup(s->arena, rh_buf_text(&key));
    if (rh_value_sensitive(parameters))
        explicit_bzero(key.s, key.n);
    return kept;
}

/* An answer that is not asked for; what it will be is known by its type. */
static const struct rh_value *
unasked(struct rh_arena *a, const struct rh_lookup *l)
{
    const struct rh_attr *attr = rh_type_attr(l->type, "answer");
    struct rh_value *v = rh_value_string(a, attr->type_text);

    v->kind = RH_UNKNOWN;
    v->marks |= RH_TYPED;
    return v;
}

const struct rh_value *
rh_session_lookup(void *data, const char *name, const struct rh_value *arguments, struct rh_arena *a,
                  struct rh_error *err)
{
    struct rh_session *s = data;
    const struct rh_lookup *l = find(s, name, err);
    const struct rh_value *parameters = l ? bind(l->type, arguments, a, err) : NULL;
    rh_autoerror struct rh_error why = { 0 };
    struct answer *answer;
    const char *key;

    if (!parameters)
        return NULL;
    if (s->validates)
        return unasked(a, l);
    key = key_of(s, name, parameters);
    answer = rh_map_get(&s->answers, key);
    if (!answer) {
        answer = rh_arena_alloc(s->arena, sizeof *answer);
        answer->v = ask(s, l->source, l->type, rh_type_attr(l->type, "answer"), name, parameters, &why);
        if (!answer->v) {
            answer->message = rh_arena_strdup(s->arena, why.message);
            answer->code = rh_error_code(&why);
        }
        (void)rh_map_put(&s->answers, key, answer);
    }
    if (!answer->v)
        (void)rh_error_set_code(err, RH_EPROVIDER, answer->code, "lookup '%s': %s", name, answer->message);
    return answer->v;
}

const struct rh_value *
rh_session_fact(void *data, const char *name)
{
    struct rh_session *s = data;
    const struct rh_fact *f = rh_registry_fact(s->registry, name);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v;

    if (!f)
        return NULL;
    v = rh_map_get_const(&s->facts, name);
    if (!v) {
        v = ask(s, f->source, NULL, f->attr, name, NULL, &err);
        if (!v) {
            rh_log(RH_WARNING, "cannot read the fact '%s': %s", name, err.message);
            v = rh_value_new(s->arena, RH_UNDEF);
        }
        (void)rh_map_put_const(&s->facts, f->attr->name, v);
    }
    return v->kind == RH_UNDEF ? NULL : v;
}

void
rh_session_fact_names(void *data, void (*one)(void *to, const char *name), void *to)
{
    struct rh_session *s = data;

    for (size_t i = 0; rh_registry_fact_at(s->registry, i); i++)
        one(to, rh_registry_fact_at(s->registry, i)->attr->name);
}
