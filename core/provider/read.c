/* SPDX-License-Identifier: Apache-2.0 */
/* read - asking a provider what is there: as late and as seldom as possible, remembered, and held
 * against the type (S25, S35 to S39, S62 to S73). */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "datatype/rich.h"
#include "provider/remote.h"
#include "provider/runtime-parts.h"
#include "provider/scope.h"
#include "provider/secret.h"
#include "provider/watch.h"
#include "schema/hold.h"
#include "schema/title.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_CACHE = 4 << 20 }; /* bytes, of what is read by name */

int
rh_read_open(struct rh_runtime *rt, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_call call;

    if (rt->unavailable)
        return rh_error_set(err, RH_EPROVIDER, "%s", rt->unavailable);
    if (rt->opened)
        return 0;
    if (rt->options.sole && !rh_runtime_suits(rt, &why)) {
        rt->unavailable =
            rh_arena_printf(rt->arena, "no provider of '%s' suits this machine: %s: %s",
                            rt->type->type, rt->type->provider, why.message);
        return rh_error_set(err, RH_EPROVIDER, "%s", rt->unavailable);
    }
    if (rh_remote_open(rt, err) < 0) {
        rt->unavailable = rh_arena_printf(rt->arena, "provider '%s' is unavailable: transport '%s': %s",
                                          rt->type->provider, rt->transport.name, err->message);
        rh_error_clear(err);
        return rh_error_set(err, RH_EPROVIDER, "%s", rt->unavailable);
    }
    rt->opened = true;
    if (!rt->provider.open)
        return 0;
    rh_call_begin(&call, rt, rt->arena, "open", NULL, 0);
    rh_runtime_doing(rt, NULL, "opening");
    rh_tell_debug(rt, NULL, "open");
    if (rh_call_end(&call, rt->provider.open(&call.ctx)) < 0) {
        rt->opened = false;
        rt->unavailable = rh_arena_printf(rt->arena, "provider '%s' is unavailable: %s",
                                          rt->type->provider, call.message);
        return rh_error_set(err, RH_EPROVIDER, "%s", rt->unavailable);
    }
    return 0;
}

/* What the type says about a reading; nothing when it fits. */
static void
find_misfits(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *is, struct rh_buf *b)
{
    rh_autobuf struct rh_buf unknown = { 0 };
    rh_autobuf struct rh_buf mismatch = { 0 };

    for (size_t i = 0; i < is->count; i++) {
        const struct rh_entry *e = rh_value_entry(is, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (!attr) {
            rh_buf_addf(&unknown, "\n    * %s", e->key);
        } else if (!rh_datatype_match(attr->type, e->value)
                   && !rh_rich_take(rt->arena, attr->type, e->value)) {
            rh_autobuf struct rh_buf why = { 0 };

            rh_datatype_explain(attr->type, "", e->value, &why);
            rh_buf_addf(&mismatch, "\n    * %s: ", e->key);
            rh_value_show(&mismatch, rh_secret_hide_value(rt, a, e->value), 100);
            rh_buf_addf(&mismatch, " (%s)", rh_buf_text(&why));
        }
    }
    if (unknown.n)
        rh_buf_addf(b, "\n Unknown attribute:%s", rh_buf_text(&unknown));
    if (mismatch.n)
        rh_buf_addf(b, "\n Value type mismatch:%s", rh_buf_text(&mismatch));
}

/* A complaint about what a provider returned, as the strict mode has it; -1 when it is an error. */
static int
judge(struct rh_runtime *rt, const char *title, const char *text, struct rh_error *err)
{
    if (rt->options.strict == RH_STRICT_ERROR)
        return rh_error_set(err, RH_EPROVIDER, "%s", text);
    if (rt->options.strict == RH_STRICT_WARNING)
        rh_tell_generated(rt, RH_WARNING, title, "%s", text);
    else
        rh_tell_debug(rt, title, "%s", text);
    return 0;
}

/* Canonicalizing what get returned must not change it (S62); where it does and that is let pass,
 * the canonical values are what is used. */
static int
check_canonical(struct rh_runtime *rt, struct rh_arena *a, const char *title, struct rh_value **is,
                struct rh_error *err)
{
    struct rh_value *copy;
    rh_autobuf struct rh_buf text = { 0 };

    if (!rt->provider.canonicalize)
        return 0;
    copy = rh_value_copy_top(a, *is); /* a provider can only put other values, never edit one */
    if (rh_runtime_canonicalize(rt, a, copy, err) < 0)
        return -1;
    if (rh_value_equal(copy, *is))
        return 0;
    rh_buf_addf(&text, "%s[%s]#get has not provided canonicalized values.\n Returned values:       ",
                rt->type->type, title);
    rh_value_show(&text, rh_secret_hide_value(rt, a, *is), 1000);
    rh_buf_add(&text, "\n Canonicalized values:  ");
    rh_value_show(&text, rh_secret_hide_value(rt, a, copy), 1000);
    *is = copy;
    return judge(rt, title, rh_buf_text(&text), err);
}

/* Looks at each attribute of a reading once: it goes by the type's own name from now on, and is
 * secret where its type says so or what is wanted is secret. False when something does not fit. */
static bool
look_at(const struct rh_runtime *rt, const struct rh_value *should, struct rh_value *is)
{
    bool fits = true;

    for (uint32_t i = 0; i < is->count; i++) {
        struct rh_entry *e = &is->u.entries->e[i];
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);
        const struct rh_value *wanted;

        if (attr)
            e->key = attr->name;
        wanted = rh_value_get(should, e->key);
        if (wanted == e->value && attr)
            continue; /* not read, but given to load: the host has held it against its type */
        if ((attr && attr->sensitive && e->value->kind != RH_UNDEF) || rh_value_sensitive(wanted))
            e->value->marks |= RH_SENSITIVE;
        fits = fits && attr && rh_datatype_match(attr->type, e->value);
    }
    return fits;
}

/* A title beside the attributes is allowed (I30); where titles have patterns it must say what the
 * namevars say, or listing would show what is another resource when it is applied. */
static int
check_title(struct rh_runtime *rt, struct rh_arena *a, const char *shown, struct rh_value *is,
            struct rh_error *err)
{
    const struct rh_value *title = rh_value_get(is, "title");
    struct rh_value *parsed, *said, *expected;
    rh_autobuf struct rh_buf wrong = { 0 };
    rh_autobuf struct rh_buf text = { 0 };

    if (!title)
        return 0;
    parsed = rh_value_new(a, RH_HASH);
    said = rh_value_new(a, RH_HASH);
    expected = rh_value_new(a, RH_HASH);
    if (rt->type->n_patterns && rh_value_str(title, NULL)
        && rh_title_parse(rt->type, rh_value_str(title, NULL), parsed, err) < 0)
        return -1;
    for (size_t i = 0; rt->type->n_patterns && i < rt->type->n_namevars; i++) {
        const char *key = rt->type->namevars[i]->name;
        const struct rh_value *v = rh_value_get(is, key), *other = rh_value_get(parsed, key);

        if (other)
            rh_value_put(said, key, rh_value_copy(a, other));
        rh_value_put(expected, key, rh_value_copy(a, v));
        if (!rh_value_equal(v, other))
            rh_buf_addf(&wrong, "%s%s", wrong.n ? ", " : "", key);
    }
    rh_value_drop(is, "title");
    if (!wrong.n)
        return 0;
    rh_buf_addf(&text, "%s[%s]#get has provided a title attribute which does not match all namevars.\n"
                       " Namevars which do not match: %s\n Returned parsed title hash:  ",
                rt->type->type, shown, rh_buf_text(&wrong));
    rh_value_show(&text, said, 1000);
    rh_buf_add(&text, "\n Expected hash:               ");
    rh_value_show(&text, expected, 1000);
    return judge(rt, shown, rh_buf_text(&text), err);
}

/* Holds one reading against the type. */
static int
check_reading(struct rh_runtime *rt, struct rh_arena *a, const char *title,
              const struct rh_value *should, struct rh_value **is, struct rh_error *err)
{
    rh_autobuf struct rh_buf misfits = { 0 };
    bool fits = look_at(rt, should, *is);

    rh_secret_read(rt, should, *is);
    for (size_t i = 0; i < rt->type->n_namevars; i++)
        if (!rh_value_get(*is, rt->type->namevars[i]->name))
            return rh_error_set(err, RH_EPROVIDER,
                                "`%s.get` did not return a value for the `%s` namevar attribute",
                                rt->type->type, rt->type->namevars[i]->name);
    if (check_title(rt, a, title, *is, err) < 0)
        return -1;
    if (!fits)
        find_misfits(rt, a, *is, &misfits);
    if (misfits.n) {
        rh_autofree char *text = rh_printf(
            "Provider returned data that does not match the Type Schema for `%s[%s]`%s",
            rt->type->type, title, rh_buf_text(&misfits));

        if (judge(rt, title, text, err) < 0)
            return -1;
    }
    return check_canonical(rt, a, title, is, err);
}

static const char *
name_key(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *name)
{
    return rh_hold_title(a, rt->type, name);
}

/* A resource that does not exist has this in the cache, so that it is not asked for again. */
static struct rh_value absent_mark;

static const char *
lasting_key(struct rh_runtime *rt, const char *key)
{
    const struct rh_attr *attr = rh_type_attr(rt->type, key);

    return attr ? attr->name : rh_arena_strdup(rt->cache_arena, key);
}

static void
remember(struct rh_runtime *rt, const struct rh_value *resource)
{
    struct rh_arena *a = rt->cache_arena;
    const struct rh_attr *ensure = rt->type->ensure;
    struct rh_value *copy = rh_value_hash(a, resource->count + (ensure != NULL));
    const char *key;

    copy->marks = resource->marks;
    for (size_t i = 0; i < resource->count; i++) {
        const struct rh_entry *e = rh_value_entry(resource, i);

        rh_value_add_ref(copy, lasting_key(rt, e->key), rh_value_copy(a, e->value));
    }
    if (ensure && !rh_value_get(copy, ensure->name))
        rh_value_add_ref(copy, ensure->name, rh_value_string(a, "present"));
    key = name_key(rt, a, copy);
    if (ensure && strcmp(rh_value_get_str(copy, ensure->name, ""), "absent") == 0)
        copy = &absent_mark;
    rh_map_replace(&rt->cache, key, copy);
}

int32_t
rh_read_emit(struct rh_call *call, const struct rh_value *resource)
{
    struct rh_runtime *rt = call->rt;
    const struct rh_type *t = rt->type;

    /* Without a name nobody would find it, and what is there would be created again. */
    for (size_t i = 0; i < t->n_namevars; i++) {
        const struct rh_value *v = rh_value_get(resource, t->namevars[i]->name);

        if (!v || v->kind == RH_UNDEF)
            rh_call_break(call, NULL,
                          "`%s.get` did not return a value for the `%s` namevar attribute", t->type,
                          t->namevars[i]->name);
        else if (v->kind != RH_STRING && !rh_datatype_match(t->namevars[i]->type, v))
            rh_call_break(call, NULL, "`%s.get` returned %s for the `%s` namevar attribute", t->type,
                          rh_kind_name((enum rh_kind)v->kind), t->namevars[i]->name);
        else
            continue;
        return -1;
    }
    rh_secret_read(rt, call->wanted, resource);
    remember(rt, resource);
    return 0;
}

void
rh_runtime_forget(struct rh_runtime *rt)
{
    rh_map_clear(&rt->cache);
    rh_arena_reset(rt->cache_arena);
    rt->cache_complete = false;
}

void
rh_read_trim(struct rh_runtime *rt)
{
    if (!rt->cache_complete && rh_arena_size(rt->cache_arena) > LARGEST_CACHE)
        rh_runtime_forget(rt);
}

void
rh_read_drop(struct rh_runtime *rt, const struct rh_job *job)
{
    if (!job->key)
        return;
    if (rh_map_get(&rt->cache, job->key))
        rh_map_replace(&rt->cache, job->key, NULL);
    rt->cache_complete = false;
}

void
rh_read_confirm(struct rh_runtime *rt, const struct rh_job *job)
{
    struct rh_value *now;

    if (!job->key) /* nothing is remembered of what is read one by one */
        return;
    if (rh_compare_wants_gone(rt, job)) {
        rh_map_replace(&rt->cache, rh_arena_strdup(rt->cache_arena, job->key), &absent_mark);
        return;
    }
    now = rh_value_hash(rt->cache_arena, rh_value_count(job->is) + rh_value_count(job->should));
    now->marks = job->is ? job->is->marks : 0;
    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && !(attr->behaviour & RH_PARAMETER))
            rh_value_add_ref(now, attr->name, rh_value_copy(rt->cache_arena, e->value));
    }
    for (size_t i = 0; i < rh_value_count(job->is); i++) {
        const struct rh_entry *e = rh_value_entry(job->is, i);

        if (!rh_value_get(now, e->key))
            rh_value_add_ref(now, lasting_key(rt, e->key), rh_value_copy(rt->cache_arena, e->value));
    }
    rh_map_replace(&rt->cache, rh_arena_strdup(rt->cache_arena, job->key), now);
}

/* One call of get, for these names or (NULL) for all. Failing makes the provider unavailable. */
static int
call_get(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
         const struct rh_value *wanted, struct rh_error *err)
{
    struct rh_call call;
    bool filter = rt->type->features & RH_SIMPLE_GET_FILTER;
    int rc;

    rh_call_begin(&call, rt, a, "get", NULL, 0);
    call.may_emit = true;
    call.wanted = wanted;
    rh_runtime_doing(rt, NULL, "reading");
    if (filter && names)
        rh_tell_debug(rt, NULL, "get, %zu names", rh_value_count(names));
    else
        rh_tell_debug(rt, NULL, "get, all");
    rc = rh_call_end(&call, rt->provider.get(&call.ctx, filter ? rh_outside(names) : NULL));
    rh_secret_watch(rt, NULL, NULL);
    if (rc < 0) {
        rt->unavailable = rh_arena_printf(rt->arena, "provider '%s' is unavailable: %s",
                                          rt->type->provider, call.message);
        return rh_error_set(err, RH_EPROVIDER, "%s", rt->unavailable);
    }
    if (!filter || !names)
        rt->cache_complete = !filter;
    return 0;
}

/* The attributes that anybody will look at in this batch. */
static const struct rh_value *
wanted_by(struct rh_arena *a, struct rh_job *const *jobs, size_t n)
{
    struct rh_value *wanted = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < n; i++) {
        const struct rh_value *one = rh_watch_wanted(a, jobs[i]);

        for (size_t k = 0; k < rh_value_count(one); k++) {
            const struct rh_entry *e = rh_value_entry(one, k);

            if (!rh_value_get(wanted, e->key) || rh_value_sensitive(e->value))
                rh_value_put_ref(wanted, e->key, e->value);
        }
    }
    return wanted;
}

static void
fail_all(struct rh_runtime *rt, struct rh_job **jobs, size_t n, const char *reason)
{
    for (size_t i = 0; i < n; i++)
        if (!jobs[i]->is_read && !jobs[i]->done)
            rh_job_fail(rt, jobs[i], NULL, "%s", reason);
}

/* Takes a job's state out of the cache; false when the cache does not know. */
static bool
take_from_cache(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    struct rh_value *found = rh_map_get(&rt->cache, job->key);
    rh_autoerror struct rh_error err = { 0 };

    if (!found && !rt->cache_complete)
        return false;
    job->is_read = true;
    /* Its values are read by all from here on, and never changed. */
    job->is = found && found != &absent_mark ? rh_value_copy_top(a, found) : NULL;
    if (job->is && check_reading(rt, a, job->want->title, job->should, &job->is, &err) < 0)
        rh_job_fail(rt, job, NULL, "%s", err.message);
    return true;
}

static void
read_by_get(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n)
{
    struct rh_value *names = rh_value_new(a, RH_ARRAY);
    rh_autoerror struct rh_error err = { 0 };

    for (size_t i = 0; i < n; i++)
        if (!jobs[i]->done && !jobs[i]->is_read && !take_from_cache(rt, a, jobs[i]))
            rh_value_append(names, jobs[i]->name);
    if (!names->count)
        return;
    if (call_get(rt, a, names, wanted_by(a, jobs, n), &err) < 0) {
        fail_all(rt, jobs, n, rt->unavailable);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (jobs[i]->done || jobs[i]->is_read || take_from_cache(rt, a, jobs[i]))
            continue;
        /* It was asked for and is not there: remembered as well. */
        rh_map_replace(&rt->cache, rh_arena_strdup(rt->cache_arena, jobs[i]->key), &absent_mark);
        jobs[i]->is_read = true;
    }
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
            rh_value_add_ref(current, attr->name, (struct rh_value *)v);
    }
    return current;
}

/* One call of load: 0 with *is set or NULL, or -1. */
static int
call_load(struct rh_runtime *rt, struct rh_arena *a, const char *title, const struct rh_value *name,
          const struct rh_value *should, const struct rh_value *wanted, bool noop,
          struct rh_value **is, struct rh_error *err)
{
    struct rh_value *current = known_before(rt, a, name, should);
    struct rh_call call;
    int rc;

    rh_call_begin(&call, rt, a, "load", NULL, 0);
    call.wanted = wanted;
    call.noop = noop;
    rh_tell_debug(rt, title, "load");
    rh_secret_watch(rt, should, current);
    rc = rh_call_end(&call, rt->provider.load(&call.ctx, rh_outside(name), rh_outside(should),
                                              (rhost_value *)(void *)current));
    rh_secret_read(rt, should, current);
    rh_secret_watch(rt, NULL, NULL);
    if (rc < 0)
        return rh_error_set(err, RH_EPROVIDER, "%s", call.message);
    *is = NULL;
    if (rc == RHOST_ABSENT
        || (rt->type->ensure && strcmp(rh_value_get_str(current, "ensure", ""), "absent") == 0))
        return 0;
    if (rt->type->ensure && !rh_value_get(current, "ensure"))
        rh_value_put_ref(current, "ensure", rh_value_string(a, "present"));
    *is = current;
    return check_reading(rt, a, title, should, is, err);
}

void
rh_read_jobs(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n)
{
    if (rt->unavailable) {
        fail_all(rt, jobs, n, rt->unavailable);
        return;
    }
    if (rt->provider.get && !rt->provider.load) {
        read_by_get(rt, a, jobs, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct rh_job *job = jobs[i];
        rh_autoerror struct rh_error err = { 0 };

        if (job->done || job->is_read)
            continue;
        job->is_read = true;
        if (!rt->provider.load)
            continue;
        rh_runtime_doing(rt, job, "reading");
        if (call_load(rt, a, job->want->title, job->name, job->should, rh_watch_wanted(a, job),
                      job->want->noop, &job->is, &err)
            < 0)
            rh_job_fail(rt, job, NULL, "%s", err.message);
    }
}

static void
give_absent(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *name)
{
    struct rh_value *v = rh_value_copy(a, name);

    if (rt->type->ensure)
        rh_value_put(v, "ensure", rh_value_string(a, "absent"));
    rt->sink.item(rt->sink.data, v);
}

/* Gives what was read to the sink; a reading that does not fit is an error (S25, I50). */
static int
give(struct rh_runtime *rt, struct rh_arena *a, struct rh_value *v, struct rh_error *err)
{
    const char *title = rh_hold_title(a, rt->type, v);

    if (check_reading(rt, a, title, NULL, &v, err) < 0)
        return -1;
    rh_secret_mark(rt, v);
    rt->sink.item(rt->sink.data, v);
    return 0;
}

static int
read_all(struct rh_runtime *rt, struct rh_arena *a, struct rh_error *err)
{
    int rc = 0;

    if (!rt->provider.get)
        return rh_error_set(err, RH_EPROVIDER,
                            "'%s' can't be listed: its provider reads one resource at a time; name "
                            "one ('rhost resource %s TITLE')",
                            rt->type->type, rt->type->type);
    rh_runtime_forget(rt);
    if (call_get(rt, a, NULL, NULL, err) < 0)
        return -1;
    for (size_t i = 0; rc == 0 && i < rh_map_slots(&rt->cache); i++) {
        struct rh_value *v = rh_map_slot(&rt->cache, i);

        if (v && v != &absent_mark)
            rc = give(rt, a, rh_value_copy(a, v), err);
    }
    return rc;
}

/* What a person calls a resource is compared in the form that get uses (S58). */
static const struct rh_value *
canonical_names(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
                struct rh_error *err)
{
    struct rh_value *all = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < rh_value_count(names); i++) {
        struct rh_value *given = rh_value_copy(a, rh_value_at(names, i));
        struct rh_value *name = rh_value_new(a, RH_HASH);

        if (rh_runtime_canonicalize(rt, a, given, err) < 0)
            return NULL;
        for (size_t k = 0; k < rt->type->n_namevars; k++) {
            const char *key = rt->type->namevars[k]->name;
            const struct rh_value *v = rh_value_get(given, key);

            if (v)
                rh_value_put_ref(name, key, (struct rh_value *)v);
        }
        rh_value_append(all, name);
    }
    return all;
}

static int
read_these(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
           struct rh_error *err)
{
    if (rh_read_open(rt, err) < 0)
        return -1;
    if (!names)
        return read_all(rt, a, err);
    names = canonical_names(rt, a, names, err);
    if (!names || (!rt->provider.load && rt->provider.get && call_get(rt, a, names, NULL, err) < 0))
        return -1;
    for (size_t i = 0; i < rh_value_count(names); i++) {
        const struct rh_value *name = rh_value_at(names, i);
        struct rh_value *is = NULL;

        if (rt->provider.load) {
            const char *title = rh_hold_title(a, rt->type, name);

            rh_runtime_doing(rt, NULL, "reading");
            if (call_load(rt, a, title, name, NULL, NULL, true, &is, err) < 0)
                return -1;
            if (is) {
                rh_secret_mark(rt, is);
                rt->sink.item(rt->sink.data, is);
            }
        } else {
            struct rh_value *found = rh_map_get(&rt->cache, name_key(rt, a, name));

            is = found != &absent_mark ? found : NULL;
            if (is && give(rt, a, rh_value_copy(a, is), err) < 0)
                return -1;
        }
        if (!is)
            give_absent(rt, a, name);
    }
    return 0;
}

int
rh_runtime_read(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *names,
                struct rh_error *err)
{
    int rc = read_these(rt, a, names, err);

    if (rt->secrets.n)
        rh_arena_keep_secret(a);
    rh_secret_hide_error(rt, err);
    return rc;
}
