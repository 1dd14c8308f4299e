/* SPDX-License-Identifier: Apache-2.0 */
/* compare - what is wanted against what is there. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN = 1024,      /* of a text in a difference, unless a diff is wanted */
    LARGEST = 1 << 20, /* of what a difference holds at all, in bytes */
    DEEPEST = 32,
};

void
rh_job_fault(struct rh_job *job, const char *attribute)
{
    if (!job->attribute && !job->reason)
        job->attribute = attribute;
}

void
rh_job_fail(struct rh_job *job, const char *attribute, const char *fmt, ...)
{
    rh_autofree char *text = NULL;
    va_list ap;

    job->done = true;
    job->status = RH_FAILED;
    if (job->reason)
        return;
    rh_job_fault(job, attribute);
    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    job->reason = attribute ? rh_printf("%s: %s", attribute, text) : rh_take(&text);
}

/* Whether a value is small and flat enough to travel and be looked at; `left` is counted down. */
static bool
is_handy(const struct rh_value *v, int depth, size_t *left)
{
    bool has_parts = v->kind == RH_ARRAY || v->kind == RH_HASH;
    size_t n = v->kind >= RH_STRING && !has_parts ? v->count : 8;

    if (depth > DEEPEST || n > *left)
        return false;
    *left -= n;
    for (size_t i = 0; has_parts && i < v->count; i++)
        if (!is_handy(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i), depth + 1,
                      left))
            return false;
    return true;
}

/* A copy fit to leave this room: nothing of what is sensitive, and no more of a long text than
 * anybody will look at. */
static const struct rh_value *
for_report(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *v, bool sensitive)
{
    size_t left = LARGEST;
    struct rh_value *copy;

    if (!v)
        return NULL;
    if (sensitive || rh_value_sensitive(v)) {
        copy = rh_value_string(a, "");
        copy->marks = RH_SENSITIVE;
        return copy;
    }
    v = rh_outgoing_value(rt, a, v); /* before it is cut */
    if (v->kind == RH_STRING && v->count > (rt->options.diff ? LARGEST : SHOWN)) {
        size_t n = rt->options.diff ? LARGEST : SHOWN;

        while (n && ((unsigned char)v->u.string[n] & 0xc0) == 0x80)
            n--;
        copy = rh_value_stringn(a, v->u.string, n);
        return copy;
    }
    if (!is_handy(v, 0, &left))
        return rh_value_string(a, v->kind == RH_HASH    ? "(a large hash)"
                                  : v->kind == RH_ARRAY ? "(a large list)"
                                                        : "(large)");
    return rh_value_copy(a, v);
}

bool
rh_job_hides(const struct rh_runtime *rt, const struct rh_job *job, const char *attribute,
             const struct rh_value *from, const struct rh_value *to)
{
    const struct rh_attr *attr = rh_type_attr(rt->type, attribute);

    return (attr && attr->sensitive) || rh_value_sensitive(from) || rh_value_sensitive(to)
           || rh_value_sensitive(rh_value_get(job->should, attribute));
}

/* Few have more than one or two. */
static void
more_differences(struct rh_arena *a, struct rh_job *job)
{
    size_t cap = job->cap_differences ? job->cap_differences * 2 : 2;
    struct rh_difference *list = rh_arena_room(a, cap * sizeof *list);

    if (job->n_differences)
        memcpy(list, job->differences, job->n_differences * sizeof *list);
    job->differences = list;
    job->cap_differences = cap;
}

void
rh_job_differs(struct rh_runtime *rt, struct rh_job *job, const char *attribute,
               const struct rh_value *from, const struct rh_value *to, bool unknown,
               const char *message)
{
    struct rh_arena *a = rt->arena_of_batch;
    const struct rh_attr *attr = rh_type_attr(rt->type, attribute);
    bool sensitive = rh_job_hides(rt, job, attribute, from, to);

    for (size_t i = 0; i < job->n_differences; i++)
        if (strcmp(job->differences[i].attribute, attribute) == 0) {
            if (message && !sensitive)
                job->differences[i].message = rh_arena_strdup(a, message);
            return;
        }
    if (job->n_differences == job->cap_differences)
        more_differences(a, job);
    job->differences[job->n_differences++] = (struct rh_difference){
        .attribute = attr ? attr->name : rh_arena_strdup(a, attribute),
        .from = for_report(rt, a, from, sensitive),
        .to = for_report(rt, a, to, sensitive),
        .unknown = unknown,
        .message = message && !sensitive ? rh_arena_strdup(a, message) : NULL,
    };
}

bool
rh_compare_wants_gone(const struct rh_runtime *rt, const struct rh_job *job)
{
    return !job->should
           || (rt->type->ensure
               && strcmp(rh_value_get_str(job->should, "ensure", "present"), "absent") == 0);
}

/* Asks the provider's own comparison. 1: differs, 0: in sync, 2: it has no opinion, -1: failed. */
static int
ask_insync(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, const char *attribute,
           char **words)
{
    struct rh_call call;
    int rc;

    if (!rt->provider.insync)
        return RHOST_DEFAULT_COMPARISON;
    rh_call_begin(&call, rt, a, "insync", &job, 1);
    call.noop = job->want->noop;
    rh_runtime_doing(rt, job, "comparing");
    rc = rh_call_end(&call, rt->provider.insync(&call.ctx, &job->change, attribute));
    *words = call.words;
    if (rc < 0)
        rh_job_fail(job, *attribute ? attribute : NULL, "%s", call.message);
    return job->done ? -1 : rc;
}

bool
rh_compare_attr(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job,
                const struct rh_attr *attr, const struct rh_value *should)
{
    const struct rh_value *is = rh_value_get(job->is, attr->name);
    char *words = NULL;
    int rc = ask_insync(rt, a, job, attr->name, &words);
    bool same;

    if (rc < 0)
        return false;
    if (rc == RHOST_DEFAULT_COMPARISON)
        same = is && (attr->behaviour & RH_UNORDERED ? rh_value_equal_unordered(is, should)
                                                     : rh_value_equal(is, should));
    else
        same = rc == 0;
    if (same)
        return false;
    if (attr->behaviour & RH_INIT_ONLY) {
        rh_autobuf struct rh_buf b = { 0 };

        rh_buf_add(&b, "it can only be set when the resource is created; it is ");
        rh_outgoing_show(rt, &b, is, 100);
        rh_buf_add(&b, ", and ");
        rh_outgoing_show(rt, &b, should, 100);
        rh_buf_add(&b, " is wanted");
        rh_job_fail(job, attr->name, "%s", rh_buf_text(&b));
        return false;
    }
    rh_job_differs(rt, job, attr->name, is, should, !is, words);
    return true;
}

/* A provider with a comparison of its own may know more than properties say: where none is wanted but
 * existence, it is asked about the resource as a whole (I102). */
static bool
compare_whole(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    char *words = NULL;

    if (ask_insync(rt, a, job, "", &words) != RHOST_DIFFERS)
        return false;
    rh_job_differs(rt, job, "insync", NULL, NULL, false,
                   words ? words : "the provider found it out of sync");
    return true;
}

/* Every property that is wanted, against what is there. */
static bool
compare_present(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    bool differs = false, any = false;

    if (rh_edit_should(rt, a, job) < 0)
        return false;
    for (size_t i = 0; i < rh_value_count(job->should) && !job->done; i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (!attr || !rh_attr_is_property(attr))
            continue;
        any |= attr != rt->type->ensure;
        differs |= rh_compare_attr(rt, a, job, attr, e->value);
    }
    if (!any && !job->done && rt->provider.insync)
        differs |= compare_whole(rt, a, job);
    return differs && !job->done;
}

/* What only creating asks for: initial values, and attributes that must be given. */
static bool
prepare_creation(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    rh_autobuf struct rh_buf missing = { 0 };

    if (rh_edit_should(rt, a, job) < 0)
        return false;
    for (size_t i = 0; i < rt->type->n_attrs; i++) {
        const struct rh_attr *attr = &rt->type->attrs[i];

        if (rh_value_get(job->should, attr->name))
            continue;
        if (attr->initial)
            rh_value_put_ref(job->should, attr->name, rh_value_copy(a, attr->initial));
        else if (attr->required && attr != rt->type->ensure)
            rh_buf_addf(&missing, "%s'%s'", missing.n ? ", " : "", attr->name);
    }
    if (missing.n)
        rh_job_fail(job, NULL, "it does not exist, and can't be created without %s",
                    rh_buf_text(&missing));
    return !missing.n;
}

/* What is absent is only created where that is wanted. */
static bool
may_create(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (rt->type->ensure && !rh_value_get(job->should, "ensure")) {
        rh_tell_debug(rt, job->want->title,
                      "Nothing to manage: no ensure and the resource doesn't exist");
        rh_tell_generated(rt, RH_WARNING, job->want->id, job->want->title,
                          "it is absent, and the manifest does not ask for it to be present: add "
                          "'ensure: present'");
        return false;
    }
    job->creating = prepare_creation(rt, a, job);
    return job->creating;
}

bool
rh_compare_prepare(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (rh_compare_wants_gone(rt, job))
        return true;
    if (!job->is)
        return may_create(rt, a, job);
    return rh_edit_should(rt, a, job) == 0;
}

/* Absent and wanted: existence decides, not comparison. */
static bool
compare_absent(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    const struct rh_attr *ensure = rt->type->ensure;
    const struct rh_value *wanted = ensure ? rh_value_get(job->should, "ensure") : NULL;

    if (!may_create(rt, a, job))
        return false;
    if (ensure) {
        rh_job_differs(rt, job, "ensure", rh_value_string(a, "absent"), wanted, false, NULL);
        return true;
    }
    for (size_t i = 0; i < rh_value_count(job->should); i++) {
        const struct rh_entry *e = rh_value_entry(job->should, i);
        const struct rh_attr *attr = rh_type_attr(rt->type, e->key);

        if (attr && rh_attr_is_property(attr))
            rh_job_differs(rt, job, e->key, NULL, e->value, false, NULL);
    }
    return true;
}

bool
rh_compare_job(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    if (rh_compare_wants_gone(rt, job)) {
        const struct rh_value *was = rh_value_get(job->is, "ensure");

        if (!job->is)
            return false;
        rh_job_differs(rt, job, "ensure", was ? was : rh_value_string(a, "present"),
                       rh_value_string(a, "absent"), false, NULL);
        return true;
    }
    return job->is ? compare_present(rt, a, job) : compare_absent(rt, a, job);
}
