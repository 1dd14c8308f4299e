/* SPDX-License-Identifier: Apache-2.0 */
/* job - a resource on its way through a batch: how it fails, and what differs. */
#include "config.h"

#include "provider/call.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/message-code.h"
#include "base/value.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <rhost/bridge.h>
#include <rhost/catalog.h>
#include <rhost/exec.h>
#include <rhost/file.h>
#include <rhost/ids.h>
#include <rhost/keep.h>
#include <rhost/path.h>
#include <rhost/program.h>
#include <rhost/progress.h>
#include <rhost/sha256.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

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

static void __attribute__((format(printf, 4, 0)))
fail(struct rh_job *job, const char *attribute, unsigned code, const char *fmt, va_list ap)
{
    rh_autofree char *text = NULL;

    if (job->delivered)
        return;
    job->done = true;
    job->status = RH_FAILED;
    if (job->reason)
        return;
    rh_job_fault(job, attribute);
    text = rh_vprintf(fmt, ap);
    job->code = rh_message_code_of(code, fmt, text);
    job->reason = attribute ? rh_printf("%s: %s", attribute, text) : rh_take(&text);
}

void
rh_job_fail(struct rh_job *job, const char *attribute, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail(job, attribute, 0, fmt, ap);
    va_end(ap);
}

void
rh_job_fail_code(struct rh_job *job, const char *attribute, unsigned code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail(job, attribute, code, fmt, ap);
    va_end(ap);
}

void
rh_job_fail_error(struct rh_job *job, const char *attribute, const struct rh_error *err)
{
    rh_job_fail_code(job, attribute, rh_error_code(err), "%s", err->message);
}

void
rh_job_fail_call(struct rh_job *job, const char *attribute, const struct rh_call *call)
{
    rh_job_fail_code(job, attribute, call->code, "%s", call->message);
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
        if (!is_handy(v->kind == RH_HASH ? rh_value_entry(v, i)->value : rh_value_at(v, i), depth + 1, left))
            return false;
    return true;
}

/* What is fit to leave this room: nothing of what is sensitive, and no more of a long text than
 * anybody will look at. A copy, but of what `lasts` as long as the job. */
static const struct rh_value *
for_report(struct rh_runtime *rt, struct rh_arena *a, const struct rh_value *v, bool sensitive, bool lasts)
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
    return lasts ? v : rh_value_copy(a, v);
}

size_t
rh_job_value_size(const struct rh_value *v)
{
    size_t n = rh_kind_has_text(v->kind) ? v->count : sizeof *v;

    for (size_t i = 0; i < rh_value_count(v); i++)
        n += rh_job_value_size(rh_value_part(v, i));
    return n;
}

bool
rh_job_hides(const struct rh_runtime *rt, const struct rh_job *job, const char *attribute,
             const struct rh_value *from, const struct rh_value *to)
{
    const struct rh_attr *attr = rh_type_attr(rt->type, attribute);

    return (attr && attr->sensitive) || rh_value_sensitive(from) || rh_value_sensitive(to)
           || rh_value_sensitive(rh_value_get(job->should, attribute));
}

/* Few have more than one. */
static void
more_differences(struct rh_arena *a, struct rh_job *job)
{
    size_t cap = job->cap_differences ? job->cap_differences * 2 : 1;
    struct rh_difference *list = rh_arena_room(a, cap * sizeof *list);

    if (job->n_differences)
        memcpy(list, job->differences, job->n_differences * sizeof *list);
    job->differences = list;
    job->cap_differences = cap;
}

void
rh_job_differs(struct rh_runtime *rt, struct rh_job *job, const char *attribute, const struct rh_value *from,
               const struct rh_value *to, bool unknown, const char *message)
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
        .from = for_report(rt, a, from, sensitive, false),
        .to = for_report(rt, a, to, sensitive, to && to == rh_value_get(job->should, attribute)),
        .unknown = unknown,
        .message = message && !sensitive ? rh_arena_strdup(a, message) : NULL,
    };
}

bool
rh_job_wants_gone(const struct rh_runtime *rt, const struct rh_job *job)
{
    return !job->should || rh_type_wants_gone(rt->type, job->should);
}

void
rh_job_change(struct rh_job *job)
{
    job->change = (struct rhost_change){
        .struct_size = sizeof job->change,
        .title = job->want->title,
        .name = rh_outside(job->name),
        .is = rh_outside(job->is),
        .should = rh_outside(job->should),
    };
}

struct rh_value *
rh_job_own_should(struct rh_arena *a, struct rh_job *job)
{
    if (job->own_should || !job->should)
        return job->own_should;
    job->should = job->own_should = rh_value_copy_top(a, job->should);
    if (job->change.should) /* what the provider is given */
        job->change.should = rh_outside(job->should);
    return job->own_should;
}

/* Adds the attributes that a result or a backup has. */
static void
want_result(const struct rh_type *t, struct rh_value *wanted)
{
    for (size_t i = 0; i < t->n_attrs; i++)
        if (!(t->attrs[i].behaviour & RH_PARAMETER) && !rh_value_get(wanted, t->attrs[i].name))
            rh_value_put_ref(wanted, t->attrs[i].name, rh_value_new(rh_value_arena(wanted), RH_UNDEF));
}

const struct rh_value *
rh_job_wanted(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const struct rh_watch *w = job->want->watch;
    bool all = job->want->result || job->whole;
    struct rh_value *wanted;

    if (!w && !all)
        return job->should;
    wanted = job->should ? rh_value_copy_top(a, job->should) : rh_value_new(a, RH_HASH);
    if (all)
        want_result(rt->type, wanted);
    for (size_t i = 0; w && i < w->n; i++)
        if (!rh_value_get(wanted, w->names[i]))
            rh_value_put_ref(wanted, w->names[i], rh_value_new(a, RH_UNDEF));
    return wanted;
}

void
rh_call_fail_late(struct rh_call *call, const struct rh_job *job, const char *text)
{
    static const char wording[] = RH_WORDING("provider '%s' %s, after it reported %s[%s]: %s");
    struct rh_runtime *rt = call->rt;

    if (rt->late)
        return;
    rt->late = rh_arena_printf(rt->arena, wording, rt->type->provider, rt->type->version, rt->type->type,
                               job->want->title, text);
    rt->late_code = rh_message_code(wording);
}

void
rh_call_break(struct rh_call *call, struct rh_job *job, const char *fmt, ...)
{
    const struct rh_type *t = call->rt->type;
    unsigned code = rh_message_code(fmt);
    rh_autofree char *text = NULL;
    va_list ap;

    va_start(ap, fmt);
    text = rh_vprintf(fmt, ap);
    va_end(ap);
    if (job)
        rh_job_fail_code(job, NULL, code, "provider '%s' %s violated the ABI contract: %s", t->provider,
                         t->version, text);
    else
        call->broken_for_all = true;
    if (!call->broken) {
        call->broken_code = code;
        call->broken = rh_arena_printf(call->arena, "provider '%s' %s violated the ABI contract: %s",
                                       t->provider, t->version, text);
    }
    if (job && job->delivered && !call->rt->late) {
        call->rt->late = rh_arena_strdup(call->rt->arena, call->broken);
        call->rt->late_code = call->broken_code;
    }
}
