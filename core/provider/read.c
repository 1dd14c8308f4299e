/* SPDX-License-Identifier: Apache-2.0 */
/* read - asking a provider what is there: as late and as seldom as possible (S25, S35 to S39). */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/call.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "provider/secret.h"
#include "schema/type.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

static const char no_provider[] = RH_WORDING("no provider of '%s' suits this machine: %s: %s");
static const char no_transport[] = RH_WORDING("provider '%s' is unavailable: transport '%s': %s");
static const char not_opened[] = RH_WORDING("provider '%s' is unavailable: %s");

int
rh_read_open(struct rh_runtime *rt, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_call call;

    if (rt->unavailable)
        return rh_error_set_code(err, RH_EPROVIDER, rt->unavailable_code, "%s", rt->unavailable);
    if (rt->opened)
        return 0;
    if (rt->options.sole && !rh_runtime_suits(rt, &why)) {
        rt->unavailable =
            rh_arena_printf(rt->arena, no_provider, rt->type->type, rt->type->provider, why.message);
        rt->unavailable_code = rh_message_code(no_provider);
        return rh_error_set_code(err, RH_EPROVIDER, rt->unavailable_code, "%s", rt->unavailable);
    }
    if (rh_remote_open(rt, err) < 0) {
        rt->unavailable =
            rh_arena_printf(rt->arena, no_transport, rt->type->provider, rt->transport.name, err->message);
        rt->unavailable_code = rh_message_code(no_transport);
        rh_error_clear(err);
        return rh_error_set_code(err, RH_EPROVIDER, rt->unavailable_code, "%s", rt->unavailable);
    }
    rt->opened = true;
    if (!rt->provider.open)
        return 0;
    rh_call_begin(&call, rt, rt->arena, "open", NULL, 0);
    rh_runtime_doing(rt, NULL, "opening");
    rh_provider_debug(rt, NULL, "open");
    if (rh_call_end(&call, rt->provider.open(call.ctx)) < 0) {
        rt->opened = false;
        rt->unavailable = rh_arena_printf(rt->arena, not_opened, rt->type->provider, call.message);
        rt->unavailable_code = rh_message_code(not_opened);
        return rh_error_set_code(err, RH_EPROVIDER, rt->unavailable_code, "%s", rt->unavailable);
    }
    return 0;
}

/* One call of get, for these names or (NULL) for all. Failing makes the provider unavailable. */
static int
call_get(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
         const struct rh_value *asked, const struct rh_value *wanted, struct rh_error *err)
{
    struct rh_call call;
    bool filter = rt->type->features & RH_SIMPLE_GET_FILTER;
    int rc;

    rh_call_begin(&call, rt, a, "get", NULL, 0);
    call.may_emit = true;
    call.wanted = wanted;
    call.asked = asked;
    rh_runtime_doing(rt, NULL, "reading");
    if (filter && names)
        rh_provider_debug(rt, NULL, "get, %zu names", rh_value_count(names));
    else
        rh_provider_debug(rt, NULL, "get, all");
    rc = rh_call_end(&call, rt->provider.get(call.ctx, filter ? rh_outside(names) : NULL));
    rh_secret_watch(rt, NULL, NULL);
    if (rc < 0) {
        rt->unavailable = rh_arena_printf(rt->arena, not_opened, rt->type->provider, call.message);
        rt->unavailable_code = rh_message_code(not_opened);
        return rh_error_set_code(err, RH_EPROVIDER, rt->unavailable_code, "%s", rt->unavailable);
    }
    if (!filter || !names)
        rt->cache_complete = !filter;
    return 0;
}

/* The attributes that anybody will look at in this batch. */
static const struct rh_value *
wanted_by(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *const *jobs, size_t n)
{
    struct rh_value *wanted = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < n; i++) {
        const struct rh_value *one = rh_job_wanted(rt, a, jobs[i]);

        for (size_t k = 0; k < rh_value_count(one); k++) {
            const struct rh_entry *e = rh_value_entry(one, k);

            if (!rh_value_get(wanted, e->key) || rh_value_sensitive(e->value))
                rh_value_put_ref(wanted, e->key, e->value);
        }
    }
    return wanted;
}

static void
fail_all(struct rh_job **jobs, size_t n, unsigned code, const char *reason)
{
    for (size_t i = 0; i < n; i++)
        if (!jobs[i]->is_read && !jobs[i]->done)
            rh_job_fail_code(jobs[i], NULL, code, "%s", reason);
}

/* Takes a job's state out of the cache; false when the cache does not know. What could not be read when all
 * was is not read again; what is read by its name may be by now. */
static bool
take_from_cache(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, bool just_read)
{
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_unread *unread = just_read || rt->cache_complete ? rh_read_unread(rt, job->key) : NULL;
    bool known;
    struct rh_value *found;

    if (unread) {
        job->is_read = true;
        rh_job_fault(job, unread->attribute);
        rh_job_fail(job, NULL, "%s", unread->text);
        return true;
    }
    found = rh_read_recall(rt, job->key, &known);
    if (!known)
        return false;
    job->is_read = true;
    /* Its values are read by all from here on, and never changed. */
    job->is = found ? rh_value_copy_top(a, found) : NULL;
    if (job->is && rh_read_check(rt, a, job->want->title, job->should, &job->is, &err) < 0)
        rh_job_fail_error(job, NULL, &err);
    return true;
}

/* What get() has answered for these jobs, as it is canonicalized when it is checked. */
static void
add_readings(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *all)
{
    const struct rh_upcoming *u = &rt->upcoming;

    for (size_t i = 0; i < u->n; i++) {
        bool known = false;
        const struct rh_value *is = !u->jobs[i]->done && !u->jobs[i]->is_read && u->jobs[i]->key
                                        ? rh_read_recall(rt, u->jobs[i]->key, &known)
                                        : NULL;
        struct rh_value *copy = is ? rh_read_prepared(rt, a, u->jobs[i]->should, is) : NULL;

        if (copy)
            rh_value_append(all, copy);
    }
}

static void
read_by_get(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n)
{
    struct rh_value *names = rh_value_new(a, RH_ARRAY), *asked = rh_value_new(a, RH_ARRAY);
    rh_autoerror struct rh_error err = { 0 };

    for (size_t i = 0; i < n; i++)
        if (!jobs[i]->done && !jobs[i]->is_read && !take_from_cache(rt, a, jobs[i], false)) {
            rh_value_append(names, jobs[i]->name);
            rh_value_append(asked, jobs[i]->should ? jobs[i]->should : jobs[i]->name);
        }
    if (!names->count)
        return;
    rh_map_clear(&rt->unread);
    if (call_get(rt, a, names, asked, wanted_by(rt, a, jobs, n), &err) < 0) {
        fail_all(jobs, n, rt->unavailable_code, rt->unavailable);
        return;
    }
    rt->upcoming = (struct rh_upcoming){ .add = add_readings, .jobs = jobs, .n = n };
    for (size_t i = 0; i < n; i++) {
        if (jobs[i]->done || jobs[i]->is_read || take_from_cache(rt, a, jobs[i], true))
            continue;
        rh_read_miss(rt, jobs[i]->key); /* it was asked for and is not there */
        jobs[i]->is_read = true;
    }
    rt->upcoming = (struct rh_upcoming){ 0 };
}

/* What load finds in `current` before it starts: the identity and the parameters. */
static struct rh_value *
known_before(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *name,
             const struct rh_value *should)
{
    struct rh_value *current = rh_value_hash(a, rt->type->n_attrs);

    for (size_t i = 0; i < rt->type->n_attrs; i++) {
        const struct rh_attr *attr = &rt->type->attrs[i];
        const struct rh_value *v = NULL;

        if (attr->behaviour & RH_NAMEVAR)
            v = rh_value_get(name, attr->name);
        else if (attr->behaviour & RH_PARAMETER)
            v = rh_value_get(should, attr->name);
        if (v)
            rh_value_add_ref(current, attr->name, v);
    }
    return current;
}

/* One call of load: 0 with *is set or NULL, or -1 with the attribute that is at fault, or NULL. */
static int
call_load(struct rh_runtime *rt, struct rh_arena *a, const char *title, const struct rh_value *name,
          const struct rh_value *should, const struct rh_value *wanted, bool noop, struct rh_value **is,
          const char **attribute, struct rh_error *err)
{
    struct rh_value *current = known_before(rt, a, name, should);
    struct rh_call call;
    int rc;

    rh_call_begin(&call, rt, a, "load", NULL, 0);
    call.wanted = wanted;
    call.noop = noop;
    rh_provider_debug(rt, title, "load");
    rh_secret_watch(rt, should, current);
    rc = rt->provider.load(call.ctx, rh_outside(name), rh_outside(should), (rhost_value *)(void *)current);
    rc = rh_call_end(&call, rh_call_agree(&call, rc));
    rh_secret_read(rt, should, current);
    rh_secret_watch(rt, NULL, NULL);
    *attribute = rc < 0 ? call.attribute : NULL;
    if (rc < 0)
        return rh_call_error(&call, RH_EPROVIDER, err);
    *is = NULL;
    if (rc == RHOST_ABSENT
        || (rt->type->ensure && strcmp(rh_value_get_str(current, "ensure", ""), "absent") == 0))
        return 0;
    if (rt->type->ensure && !rh_value_get(current, "ensure"))
        rh_value_put_ref(current, "ensure", rh_value_string(a, "present"));
    *is = current;
    return rh_read_check(rt, a, title, should, is, err);
}

void
rh_read_jobs(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n)
{
    if (rt->unavailable) {
        fail_all(jobs, n, rt->unavailable_code, rt->unavailable);
        return;
    }
    if (rt->provider.get && !rt->provider.load) {
        read_by_get(rt, a, jobs, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct rh_job *job = jobs[i];
        rh_autoerror struct rh_error err = { 0 };
        const char *attribute;

        if (job->done || job->is_read)
            continue;
        job->is_read = true;
        if (!rt->provider.load)
            continue;
        rt->missing = rt->stopped = false;
        rh_runtime_doing(rt, job, "reading");
        if (call_load(rt, a, job->want->title, job->name, job->should, rh_job_wanted(rt, a, job),
                      job->want->noop, &job->is, &attribute, &err)
            < 0) {
            rh_job_fault(job, attribute);
            rh_job_fail_error(job, NULL, &err);
            /* What comes before it may make that: the host knows whether something would. */
            if (rt->missing)
                job->status = RH_STATUS_UNKNOWN;
            if (rt->stopped && !job->want->begun) /* it was not begun */
                job->status = RH_EXCLUDED;
        }
    }
}

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
        if (call_get(rt, a, NULL, NULL, NULL, err) < 0)
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
        struct rh_value *given = rh_value_copy(a, rh_value_at(names, i));
        int rc;

        rt->upcoming = (struct rh_upcoming){ .given = names };
        rc = rh_runtime_canonicalize(rt, a, given, NULL, err);
        rt->upcoming = (struct rh_upcoming){ 0 };
        if (rc < 0)
            return NULL;
        rh_value_append(all, rh_resource_name(rt->type, a, given));
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
    if (!names || (!rt->provider.load && rt->provider.get && call_get(rt, a, names, names, NULL, err) < 0))
        return -1;
    for (size_t i = 0; i < rh_value_count(names); i++) {
        const struct rh_value *name = rh_value_at(names, i);
        struct rh_value *is = NULL;

        if (rt->provider.load) {
            const char *title = rh_resource_title(a, rt->type, name), *attribute;

            rh_runtime_doing(rt, NULL, "reading");
            if (call_load(rt, a, title, name, NULL, NULL, true, &is, &attribute, err) < 0)
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
