/* SPDX-License-Identifier: Apache-2.0 */
/* source - lookups and facts of a program: how type.yaml describes them, and how it is asked for them. */

#include "source.h"

#include "json.h"
#include "parts.h"
#include "schema.h"
#include "talk.h"

#include <string.h>

/* What is served: first what the host has a pointer to, so that it leads here. */
struct lookup {
    struct rhost_lookup lookup;
    const struct description *of;
};

struct fact {
    struct rhost_fact fact;
    const struct description *of;
};

/* --- Asking. ------------------------------------------------------------------------------------ */

/* {"answer":{"value":...}}, or nothing, then "done". 1: there is an answer. */
static int
hear(struct talk *talk, rhost_value *answer)
{
    static const char *const keys[] = { "value", NULL };
    const unsigned all = 1U << ANSWER_ANSWER | 1U << ANSWER_DONE | 1U << ANSWER_FAILED;
    const rhost_value *says;
    int which, answered = 0;

    while ((which = talk_next(talk, all, &says)) != ANSWER_DONE) {
        if (which < 0 || (which == ANSWER_FAILED && take_failed(talk, says, false) < 0))
            return -1;
        if (which != ANSWER_ANSWER)
            continue;
        if (answered++)
            return talk_refuse(talk, "one answer was asked for, and this is the second");
        if (talk_check_keys(talk, says, keys, 1) < 0)
            return -1;
        talk->ctx->host->put_copy(answer, "value", rhost_get(says, "value"));
    }
    return talk->failed ? -1 : answered;
}

/* {"lookup":{"name":"...","parameters":{...}}}, {"fact":{"name":"..."}} */
static int32_t
ask(rhost_ctx *ctx, const char *verb, const struct description *of, const char *name,
    const rhost_value *parameters, rhost_value *answer)
{
    struct talk talk;
    int rc = talk_begin_source(&talk, ctx, verb, of);

    if (rc == 0) {
        text_adds(&talk.question, "{\"name\":");
        json_string(&talk.question, name, strlen(name));
        if (parameters) {
            text_adds(&talk.question, ",\"parameters\":");
            json_write(&talk.question, parameters);
        }
        text_adds(&talk.question, "}");
        rc = talk_ask(&talk);
    }
    if (rc == 0)
        rc = hear(&talk, answer);
    talk_end(&talk);
    return rc < 0 ? -1 : rc ? 0 : RHOST_ABSENT;
}

static int32_t
find(rhost_ctx *ctx, const rhost_value *parameters, rhost_value *answer)
{
    const struct lookup *l = ctx->host->extension(ctx, RHOST_SERVED_ID);

    if (!l)
        return rhost_fail(ctx, "this host does not say which lookup is meant (" RHOST_SERVED_ID ")");
    return ask(ctx, "lookup", l->of, l->lookup.name, parameters, answer);
}

static int32_t
read_fact(rhost_ctx *ctx, rhost_value *answer)
{
    const struct fact *f = ctx->host->extension(ctx, RHOST_SERVED_ID);

    if (!f)
        return rhost_fail(ctx, "this host does not say which fact is meant (" RHOST_SERVED_ID ")");
    return ask(ctx, "fact", f->of, f->fact.name, NULL, answer);
}

/* --- What type.yaml has. ------------------------------------------------------------------------ */

static int
add_to_lookup(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = { "desc", "needs", "parameters", "type", NULL };
    struct rhost_lookup *l = data;

    switch (find_key(tree, at, key, keys, "a lookup")) {
    case 0:
        return read_text(tree, value, key, &l->desc);
    case 1:
        return schema_needs(tree, value, &l->needs);
    case 2:
        return schema_attributes(tree, value, "'parameters'", &l->attrs, &l->n_attrs);
    case 3:
        return read_text(tree, value, key, &l->type);
    default:
        return -1;
    }
}

const struct rhost_lookup *
source_lookup(struct tree *tree, const struct description *of, const char *name, const yaml_node_t *at,
              yaml_node_t *value)
{
    struct lookup *l = keep_room(sizeof *l);

    l->of = of;
    l->lookup = (struct rhost_lookup){
        .struct_size = sizeof l->lookup,
        .attr_stride = sizeof *l->lookup.attrs,
        .name = keep(name),
        .find = find,
    };
    if (tree_each(tree, value, "a lookup", add_to_lookup, &l->lookup) < 0)
        return NULL;
    if (l->lookup.desc)
        return &l->lookup;
    (void)tree_refuse(tree, at, "missing 'desc' of lookup '%s'", name);
    return NULL;
}

static int
add_to_fact(struct tree *tree, void *data, const char *key, const yaml_node_t *at, yaml_node_t *value)
{
    static const char *const keys[] = { "desc", "needs", "type", NULL };
    struct rhost_fact *f = data;

    switch (find_key(tree, at, key, keys, "a fact")) {
    case 0:
        return read_text(tree, value, key, &f->desc);
    case 1:
        return schema_needs(tree, value, &f->needs);
    case 2:
        return read_text(tree, value, key, &f->type);
    default:
        return -1;
    }
}

const struct rhost_fact *
source_fact(struct tree *tree, const struct description *of, const char *name, const yaml_node_t *at,
            yaml_node_t *value)
{
    struct fact *f = keep_room(sizeof *f);

    f->of = of;
    f->fact = (struct rhost_fact){ .struct_size = sizeof f->fact, .name = keep(name), .read = read_fact };
    if (tree_each(tree, value, "a fact", add_to_fact, &f->fact) < 0)
        return NULL;
    if (f->fact.desc)
        return &f->fact;
    (void)tree_refuse(tree, at, "missing 'desc' of fact '%s'", name);
    return NULL;
}
