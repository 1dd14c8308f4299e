/* SPDX-License-Identifier: Apache-2.0 */
/* read - asking a provider what is there: as late and as seldom as possible (S25, S35 to S39). */
#include "config.h"

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

int
rh_read_get(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
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
    if (rh_read_get(rt, a, names, asked, wanted_by(rt, a, jobs, n), &err) < 0) {
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
int
rh_read_load(struct rh_runtime *rt, struct rh_arena *a, const char *title, const struct rh_value *name,
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
    *attribute = rc < 0 ? rh_call_fault(&call) : NULL;
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
        if (rh_read_load(rt, a, job->want->title, job->name, job->should, rh_job_wanted(rt, a, job),
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
