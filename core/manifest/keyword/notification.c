/* SPDX-License-Identifier: Apache-2.0 */
/* notification - notifications with an action and a time, as a manifest writes them. */
#include "config.h"

#include "manifest/keyword/meta.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/complaint.h"
#include "base/suggest.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "manifest/keyword/keyword.h"
#include "manifest/load/known-key.h"
#include "manifest/load/load.h"

#include <string.h>

static const char shape[] =
    "write it like this: [restart, \"service[nginx]\", delayed], or a list of such lists";

/* The parts of one notification, as they were written. */
struct parts {
    const struct rh_value *action, *resource, *when, *on_failure;
};

static int
refuse(struct rh_load *load, const struct rh_value *v, const char *hint, const char *message)
{
    rh_complain(load->complaints, rh_value_place(v), hint, "%s", message);
    return -1;
}

static const char *
text_of(const struct rh_value *v)
{
    return rh_value_is(v, RH_STRING) && v->count && strlen(v->u.string) == v->count ? v->u.string : NULL;
}

static int
refuse_word(struct rh_load *load, const struct rh_value *v, const char *what, const char *const *words)
{
    struct rh_suggest near;
    rh_autofree char *hint = NULL;
    rh_autofree char *all = NULL;

    rh_suggest_init(&near, text_of(v) ? text_of(v) : "");
    for (size_t i = 0; words[i]; i++) {
        rh_autofree char *before = all;

        all = rh_printf("%s%s%s", before ? before : "", before ? ", " : "", words[i]);
        rh_suggest_try(&near, words[i]);
    }
    hint = near.best ? rh_did_you_mean(near.best, NULL) : rh_printf("one of: %s", all);
    rh_complain(load->complaints, rh_value_place(v), hint, "'%s' is not a valid %s of a notification",
                text_of(v) ? text_of(v) : rh_kind_name(v->kind), what);
    return -1;
}

static int
read_words(struct rh_load *load, const struct parts *p, struct rh_stated_notification *s)
{
    static const char *const times[] = { "delayed", "immediately", "before", NULL };
    static const char *const policies[] = { "run", "hold", "drop", NULL };

    if (p->when && (!text_of(p->when) || !rh_timing_read(text_of(p->when), &s->timing)))
        return refuse_word(load, p->when, "time", times);
    if (p->on_failure
        && (!text_of(p->on_failure) || !rh_on_failure_read(text_of(p->on_failure), &s->on_failure)))
        return refuse_word(load, p->on_failure, "policy", policies);
    return 0;
}

static int
add(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *resource,
    const struct rh_stated_notification *like)
{
    struct rh_reference *ref = rh_arena_alloc(load->catalog->arena, sizeof *ref);

    if (!text_of(resource))
        return refuse(load, resource, "write the type and the title, for example: service[nginx]",
                      "expected a reference, like service[nginx], or a list of them");
    if (rh_keyword_reference(load, resource, ref) < 0)
        return -1;
    keywords->notifications = rh_xgrow(keywords->notifications, &keywords->cap_notifications,
                                       keywords->n_notifications, sizeof *keywords->notifications);
    keywords->notifications[keywords->n_notifications] = *like;
    keywords->notifications[keywords->n_notifications++].other = ref;
    return 0;
}

static int
read_parts(struct rh_load *load, struct rh_keyword_values *keywords, const struct parts *p, bool subscribes)
{
    struct rh_stated_notification s = {
        .timing = RH_DELAYED,
        .on_failure = RH_RUN_ANYWAY,
        .subscribes = subscribes,
        .place = rh_value_place(p->action),
    };
    int rc = 0;

    if (!text_of(p->action))
        return refuse(load, p->action, shape, "expected the name of an action");
    s.action = rh_arena_strdup(load->catalog->arena, text_of(p->action));
    if (strcmp(s.action, "nothing") == 0)
        return refuse(load, p->action, NULL, "the action 'nothing' cannot be notified");
    if (read_words(load, p, &s) < 0)
        return -1;
    if (!rh_value_is(p->resource, RH_ARRAY))
        return add(load, keywords, p->resource, &s);
    if (!p->resource->count)
        return refuse(load, p->resource, shape, "this list of references is empty");
    for (size_t i = 0; i < p->resource->count; i++)
        rc |= add(load, keywords, rh_value_at(p->resource, i), &s);
    return rc;
}

static int
read_hash(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v, bool subscribes)
{
    static const char *const keys[] = { "action", "resource", "when", "on_failure", NULL };
    const struct parts p = {
        .action = rh_value_get(v, "action"),
        .resource = rh_value_get(v, "resource"),
        .when = rh_value_get(v, "when"),
        .on_failure = rh_value_get(v, "on_failure"),
    };

    for (size_t i = 0; i < rh_value_count(v); i++)
        if (!rh_known_key(load->complaints, v, i, keys, "a notification"))
            return -1;
    if (!p.action || !p.resource)
        return refuse(load, v, shape, "a notification needs an action and a resource");
    return read_parts(load, keywords, &p, subscribes);
}

static bool
is_one(const struct rh_value *v)
{
    return v->kind == RH_ARRAY && v->count && rh_value_is(rh_value_at(v, 0), RH_STRING);
}

static int
read_one(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v, bool subscribes)
{
    struct parts p = { 0 };

    if (v->kind == RH_HASH)
        return read_hash(load, keywords, v, subscribes);
    if (!is_one(v) || v->count < 2 || v->count > 3)
        return refuse(load, v, shape, "expected a notification");
    p.action = rh_value_at(v, 0);
    p.resource = rh_value_at(v, 1);
    p.when = v->count > 2 ? rh_value_at(v, 2) : NULL;
    return read_parts(load, keywords, &p, subscribes);
}

static int
read_all(struct rh_load *load, struct rh_keyword_values *keywords, const struct rh_value *v, bool subscribes)
{
    int rc = 0;

    if (v->kind == RH_HASH || is_one(v))
        return read_one(load, keywords, v, subscribes);
    if (v->kind != RH_ARRAY || !v->count)
        return refuse(load, v, shape, "expected a notification");
    for (size_t i = 0; i < v->count; i++)
        rc |= read_one(load, keywords, rh_value_at(v, i), subscribes);
    return rc;
}

int
rh_read_notifies(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_all(load, keywords, v, false);
}

int
rh_read_subscribes(struct rh_load *load, struct rh_keyword_values *keywords, struct rh_value *v)
{
    return read_all(load, keywords, v, true);
}
