/* SPDX-License-Identifier: Apache-2.0 */
/* lookup - asks a plugin for the answer of a lookup, or for a fact. */
#include "config.h"

#include "provider/runtime-parts.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "provider/describe.h"
#include "provider/outgoing.h"
#include "provider/secret.h"
#include "schema/attribute-value.h"
#include "schema/type.h"

#include <string.h>

/* Something that is asked, and what the answer must be. */
struct inquiry {
    const char *what, *name; /* "lookup", "vault" */
    const struct rh_attr *answer;
    struct rhost_lookup lookup;
    struct rhost_fact fact;
    const void *own; /* the plugin's lookup or fact */
};

static int
find(struct rh_runtime *rt, const char *name, bool fact, struct inquiry *q, struct rh_error *err)
{
    const struct rh_value *list = rh_value_get(rt->description, "lookups");
    const struct rh_type *t = fact ? rt->type : NULL;

    *q = (struct inquiry){ .what = fact ? "fact" : "lookup", .name = name };
    if ((fact ? rh_describe_find_fact(&rt->plugin, name, &q->fact, &q->own, err)
              : rh_describe_find_lookup(&rt->plugin, name, &q->lookup, &q->own, err))
        < 0)
        return -1;
    for (size_t i = 0; !t && i < rh_value_count(list); i++)
        if (strcmp(rh_value_get_str(rh_value_at(list, i), "type", ""), name) == 0
            && !(t = rh_type_read(rt->arena, rh_value_at(list, i), err)))
            return -1;
    q->answer = t ? rh_type_attr(t, fact ? name : "answer") : NULL;
    return q->answer ? 0 : rh_error_set(err, RH_EINPUT, "it no longer provides the answer of '%s'", name);
}

/* The value of the answer as its type wants it. */
static int
check(struct rh_runtime *rt, const struct inquiry *q, struct rh_value *answer, struct rh_error *err)
{
    rh_autobuf struct rh_buf why = { 0 };
    const struct rh_value *v = rh_value_get(answer, "value");

    if (!v)
        return rh_error_set(err, RH_EPROVIDER,
                            "provider '%s' %s answered without a value: a bug in the plugin",
                            rt->type->provider, rt->type->version);
    v = rh_attribute_marked(rh_value_arena(answer), q->answer, v);
    rh_value_put(answer, "value", v);
    if (!rh_datatype_match(q->answer->type, v)) {
        rh_datatype_explain(q->answer->type, "", v, &why);
        return rh_error_set(err, RH_EPROVIDER, "invalid answer of provider '%s' %s: %s", rt->type->provider,
                            rt->type->version, rh_buf_text(&why));
    }
    if (rh_attribute_find_nul(q->answer, v))
        return rh_error_set(
            err, RH_EPROVIDER,
            "invalid answer of provider '%s' %s: it must not contain a NUL character: its type "
            "is not Binary",
            rt->type->provider, rt->type->version);
    return 0;
}

/* All of the answer is one where its type says so, before it is checked too. */
static const struct rh_value *
secret_where(struct rh_arena *a, const struct inquiry *q)
{
    struct rh_value *v;

    if (!q->answer->sensitive)
        return NULL;
    v = rh_value_new(a, RH_HASH);
    rh_value_put(v, "value", rh_value_marked(a, rh_value_string(a, ""), RH_SENSITIVE));
    return v;
}

static int
ask(struct rh_runtime *rt, struct rh_arena *a, const struct inquiry *q, const struct rh_value *parameters,
    struct rh_error *err)
{
    struct rh_value *answer = rh_value_new(a, RH_HASH);
    const struct rh_value *secret = secret_where(a, q);
    struct rh_call call;
    int rc;

    rh_secret_wanted(rt, parameters);
    rh_call_begin(&call, rt, a, q->what, NULL, 0);
    call.served = q->own;
    call.noop = true; /* it may only look */
    rh_secret_watch(rt, secret, answer);
    rh_runtime_doing(rt, NULL, q->fact.read ? "reading a fact" : "looking up");
    rc = q->fact.read ? q->fact.read(call.ctx, (rhost_value *)(void *)answer)
                      : q->lookup.find(call.ctx, rh_outside(parameters), (rhost_value *)(void *)answer);
    rh_secret_read(rt, secret, answer);
    rh_secret_watch(rt, NULL, NULL);
    rc = rh_call_end(&call, rc);
    if (rc < 0)
        return rh_call_error(&call, RH_EPROVIDER, err);
    if (rc == RHOST_ABSENT)
        return 0;
    if (check(rt, q, answer, err) < 0)
        return -1;
    if (rt->secrets.n)
        rh_arena_keep_secret(a);
    rh_outgoing_item(rt, answer);
    return 0;
}

int
rh_runtime_lookup(struct rh_runtime *rt, struct rh_arena *a, const char *name, bool fact,
                  const struct rh_value *parameters, struct rh_error *err)
{
    struct inquiry q;

    if (find(rt, name, fact, &q, err) == 0 && ask(rt, a, &q, parameters, err) == 0)
        return 0;
    rh_outgoing_error(rt, err);
    return -1;
}
