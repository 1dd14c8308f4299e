/* SPDX-License-Identifier: Apache-2.0 */
/* read-list - reading what somebody asks to see: resources by name, or all of a type. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"
#include "schema/validate.h"

static void
give_absent(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *name)
{
    struct rh_value *v = rh_value_copy(a, name);

    if (rt->type->ensure)
        rh_value_put(v, "ensure", rh_value_string(a, "absent"));
    rh_outgoing_item(rt, v);
}

/* Gives what was read to the sink; a reading that does not fit is an error (S25, I50). In a list it goes
 * by the title that its provider has for it (I30), where titles say more than one attribute. */
static int
give(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *v, bool listed, struct rh_error *err)
{
    const struct rh_value *own = listed && rt->type->n_patterns ? rh_value_get(v, "title") : NULL;
    const char *title = rh_resource_title(a, rt->type, v);

    if (rh_read_check(rt, a, title, NULL, &v, err) < 0)
        return -1;
    if (own)
        rh_value_put_ref(v, "title", own);
    rh_outgoing_item(rt, v);
    return 0;
}

/* One that can't be shown takes the others with it only where that is asked for. */
static int
give_listed(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *v, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };

    if (give(rt, a, v, true, &why) == 0)
        return 0;
    if (rt->options.strict == RH_STRICT_ERROR)
        return rh_error_set_code(err, why.kind, rh_error_code(&why), "%s", why.message);
    if (rt->options.strict == RH_STRICT_WARNING)
        rh_provider_log(rt, RH_WARNING, RH_NOBODY, rh_resource_title(a, rt->type, v),
                        "omitted from the list: %s", why.message);
    return 0;
}

/* Why there is no list of all, and how to see one. */
static int
refuse_list(const struct rh_type *t, struct rh_error *err)
{
    rh_autobuf struct rh_buf names = { 0 };
    bool stateful = false;

    for (size_t i = 0; i < t->n_attrs; i++)
        stateful |= !(t->attrs[i].behaviour & (RH_NAMEVAR | RH_PARAMETER));
    if (!stateful || !(t->slots & (RH_HAS_GET | RH_HAS_LOAD)))
        return rh_error_set(err, RH_EPROVIDER, "type '%s' cannot be listed: it has no state to read",
                            t->type);
    if (!t->ensure)
        return rh_error_set(err, RH_EPROVIDER,
                            "type '%s' cannot be listed: it has no attribute 'ensure'; 'rhost resource %s "
                            "TITLE' reads one resource",
                            t->type, t->type);
    for (size_t i = 0; t->n_namevars > 1 && i < t->n_namevars; i++)
        rh_buf_addf(&names, "%s%s=...", i ? " " : ", or by ", t->namevars[i]->name);
    return rh_error_set(err, RH_EPROVIDER,
                        "type '%s' cannot be listed: its provider reads one resource at a time; name it: "
                        "'rhost resource %s TITLE'%s",
                        t->type, t->type, rh_buf_text(&names));
}

static void
add_listed(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *all)
{
    for (size_t i = rt->upcoming.listed; i < rt->n_listed; i++) {
        const struct rh_value *is = rh_read_recall_at(rt, i);
        struct rh_value *copy = is ? rh_read_prepared(rt, a, NULL, is) : NULL;

        if (copy)
            rh_value_append(all, copy);
    }
}

/* With `known` out of what a batch has read: of what is read one by one nothing is kept. */
static int
read_all(struct rh_runtime *rt, struct rh_arena *a, bool known, struct rh_error *err)
{
    int rc = 0;

    if (!rt->provider.get)
        return refuse_list(rt->type, err);
    if (!known || !rt->cache_complete || rt->provider.load) {
        rh_runtime_forget(rt);
        if (rh_read_get(rt, a, NULL, NULL, NULL, err) < 0)
            return -1;
    }
    for (size_t i = 0; rc == 0 && i < rt->n_listed; i++) {
        const struct rh_value *v = rh_read_recall_at(rt, i);

        rt->upcoming = (struct rh_upcoming){ .add = add_listed, .listed = i };
        if (v)
            rc = give_listed(rt, a, rh_value_copy(a, v), err);
    }
    rt->upcoming = (struct rh_upcoming){ 0 };
    return rc;
}

/* What a person calls a resource is compared in the form that get uses (S58). */
static const struct rh_value *
canonical_names(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names, struct rh_error *err)
{
    struct rh_value *all = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(names); i++) {
        struct rh_value *original = rh_value_copy(a, rh_value_at(names, i));
        int rc;

        rt->upcoming = (struct rh_upcoming){ .values = names };
        rc = rh_runtime_canonicalize(rt, a, original, NULL, err);
        rt->upcoming = (struct rh_upcoming){ 0 };
        if (rc < 0)
            return NULL;
        rh_value_append(all, rh_resource_name(rt->type, a, original));
    }
    return all;
}

static int
read_these(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names, struct rh_error *err)
{
    if (rh_read_open(rt, err) < 0)
        return -1;
    if (!names)
        return read_all(rt, a, false, err);
    names = canonical_names(rt, a, names, err);
    if (!names || (!rt->provider.load && rt->provider.get && rh_read_get(rt, a, names, names, NULL, err) < 0))
        return -1;
    for (size_t i = 0; i < rh_value_count(names); i++) {
        const struct rh_value *name = rh_value_at(names, i);
        struct rh_value *is = NULL;

        if (rt->provider.load) {
            const char *title = rh_resource_title(a, rt->type, name), *attribute;

            rh_runtime_doing(rt, NULL, "reading");
            if (rh_read_load(rt, a, title, name, NULL, NULL, true, &is, &attribute, err) < 0)
                return -1;
            if (is)
                rh_outgoing_item(rt, is);
        } else {
            const char *key = rh_resource_title(a, rt->type, name);
            const struct rh_unread *unread = rh_read_unread(rt, key);
            bool known;

            if (unread)
                return rh_error_set(err, RH_EPROVIDER, "%s[%s]: %s", rt->type->type, key, unread->text);
            is = rh_read_recall(rt, key, &known);
            if (is && give(rt, a, rh_value_copy(a, is), false, err) < 0)
                return -1;
        }
        if (!is)
            give_absent(rt, a, name);
    }
    return 0;
}

int
rh_runtime_read(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names, struct rh_error *err)
{
    int rc = read_these(rt, a, names, err);

    if (rt->secrets.n)
        rh_arena_keep_secret(a);
    rh_outgoing_error(rt, err);
    return rc;
}

int
rh_runtime_list(struct rh_runtime *rt, struct rh_arena *a, struct rh_error *err)
{
    int rc = rh_read_open(rt, err) < 0 ? -1 : read_all(rt, a, true, err);

    if (rt->secrets.n)
        rh_arena_keep_secret(a);
    rh_outgoing_error(rt, err);
    return rc;
}
