/* SPDX-License-Identifier: Apache-2.0 */
/* backup - the state of resources before and after they are changed, for the host to keep. */
#include "config.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "base/value.h"
#include "provider/observed.h"
#include "provider/outgoing.h"
#include "provider/runtime-parts.h"
#include "schema/type.h"

#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 128,          /* resources that are looked at before their turn, */
    MANY = 16,            /* where at least so many follow */
    MOST_AHEAD = 4 << 20, /* bytes of them */
    LARGEST = 64 << 20,   /* bytes of a value; what is larger is unknown */
};

bool
rh_backup_is_secret(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job,
                    const struct rh_attr *attr, const struct rh_value *v)
{
    return attr->sensitive_within || rh_expected_is_secret(job, attr->name)
           || rh_job_hides(rt, job, attr->name, v, NULL) || rh_outgoing_value(rt, a, v) != v;
}

/* The values of `is`, or NULL. */
static const struct rh_value *
values_of(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job, const struct rh_value *is)
{
    struct rh_value *all = is ? rh_value_hash(a, rt->type->n_attrs) : NULL;

    for (size_t i = 0; is && i < rt->type->n_attrs; i++) {
        const struct rh_attr *attr = &rt->type->attrs[i];
        const struct rh_value *v = rh_attr_is_property(attr) ? rh_value_get(is, attr->name) : NULL;
        bool secret;

        if (!v || v->kind == RH_UNDEF)
            continue;
        secret = rh_backup_is_secret(rt, a, job, attr, v);
        if (secret && !job->want->backup->sealed)
            v = rh_value_string(a, "");
        else if (rh_job_value_size(v) > LARGEST)
            v = rh_value_new(a, RH_UNKNOWN);
        if (secret && v->kind != RH_UNKNOWN)
            v = rh_value_marked(a, v, RH_SENSITIVE);
        rh_value_put_ref(all, attr->name, v);
    }
    return all;
}

/* Gives the states of these jobs to the host. Those that must not be changed without have failed. */
static void
give(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, const struct rh_backup_state *states,
     size_t n)
{
    const char *why = NULL;

    if (!n || rt->sink.backup(rt->sink.data, a, states, n, true, &why)) {
        for (size_t i = 0; i < n; i++)
            jobs[i]->backed = !jobs[i]->foreseen;
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (jobs[i]->foreseen)
            jobs[i]->foreseen = false; /* given again at its turn */
        else if (jobs[i]->want->backup->required)
            rh_job_fail(jobs[i], NULL, "it is not changed, since its state cannot be kept: %s", why);
    if (!jobs[0]->want->backup->required)
        rh_provider_log(rt, RH_WARNING, n == 1 ? jobs[0]->want->id : RH_NOBODY,
                        n == 1 ? jobs[0]->want->title : NULL,
                        "its state before the change is not kept, so this cannot be undone: %s", why);
}

static bool
is_to_keep(const struct rh_runtime *rt, const struct rh_job *job)
{
    return job->want->backup && !job->backed && rt->sink.backup && !job->done;
}

/* What is there, as far as it is known. */
static const struct rh_value *
state_of(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job, struct rh_job *again)
{
    if (!again)
        return values_of(rt, a, job, job->is);
    if (!again->done)
        return values_of(rt, a, job, again->is);
    if (job->want->backup->required)
        rh_job_fail(job, again->attribute, "it is not changed, since its state cannot be read: %s",
                    again->reason ? again->reason : "no reason given");
    return rh_value_new(a, RH_UNKNOWN);
}

/* Whether what was read for the comparison is not enough: to create it again takes all of it, and what
 * differs may have been too large to be compared as a value. */
static bool
needs_whole(const struct rh_runtime *rt, const struct rh_job *job)
{
    if (!job->is || !rt->provider.load)
        return false;
    if (job->replacing || rh_job_wants_gone(rt, job))
        return true;
    for (size_t i = 0; i < job->n_differences; i++)
        if (!rh_value_get(job->is, job->differences[i].attribute))
            return true;
    return false;
}

/* Whether its state can be kept before its turn: where nothing before it in the batch is known to change it.
 */
static bool
may_foresee(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    return is_to_keep(rt, job) && !job->want->noop && !job->want->n_after && !job->want->expected
           && strcmp(job->want->action, "converge") == 0 && !rh_job_wants_gone(rt, job)
           && !rh_backup_edited(rt, a, job);
}

/* Who waits for an answer for each of many resources waits long. So the states of those that follow, and that
 * would be changed as well, are given at once. Whether a state is still the one that was given is seen at the
 * turn of the resource: if not, it is given again. */
static size_t
foresee_neighbours(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **asked,
                   struct rh_backup_state *states)
{
    size_t n_states = 0, bytes = 0;

    if (rt->n_ahead < MANY || !rt->provider.load || rt->provider.set || rt->provider.converge)
        return 0;
    for (size_t i = 0; i < rt->n_ahead && i < AHEAD && bytes < MOST_AHEAD; i++) {
        struct rh_job *job = rt->ahead[i];
        struct rh_job upcoming = {
            .want = job->want, .name = job->name, .should = job->should, .key = job->key
        };
        struct rh_job *one = &upcoming;
        const struct rh_value *state = NULL;

        if (job->examined)
            continue;
        job->examined = true;
        if (!may_foresee(rt, a, job))
            continue;
        rh_read_jobs(rt, a, &one, 1);
        rh_job_change(&upcoming);
        if (!upcoming.done && upcoming.is
            && (!rh_compare_job(rt, a, &upcoming) || needs_whole(rt, &upcoming)))
            upcoming.done = true;
        free(upcoming.reason);
        if (upcoming.done)
            continue;
        if (upcoming.is) {
            state = values_of(rt, a, &upcoming, upcoming.is);
            bytes += rh_job_value_size(upcoming.is);
        }
        job->foreseen = true;
        job->seen = upcoming.is;
        asked[n_states] = job;
        states[n_states++] = (struct rh_backup_state){ job->want->id, RH_BACKUP_BEFORE, state, NULL };
    }
    return n_states;
}

void
rh_backup_take_grant(struct rh_runtime *rt)
{
    bool granted = rt->n_asked && rt->sink.backup_granted(rt->sink.data);

    for (size_t i = 0; i < rt->n_asked; i++) {
        rt->asked[i]->awaits = false;
        rt->asked[i]->foreseen = granted; /* else it is given again at its turn */
    }
    rt->n_asked = 0;
}

/* Half of those whose states are known have had their turn: the host gets some more, and answers while the
 * others have theirs. */
static void
go_on_foreseeing(struct rh_runtime *rt, struct rh_arena *a)
{
    size_t half = rt->n_ahead > AHEAD / 2 ? AHEAD / 2 : rt->n_ahead - 1, n;
    struct rh_backup_state *states;
    struct rh_job **jobs;

    if (rt->n_asked || rt->n_ahead < MANY || rt->ahead[half]->examined || !rt->sink.backup_ahead)
        return;
    jobs = rh_arena_alloc(a, AHEAD * sizeof(struct rh_job *));
    states = rh_arena_alloc(a, AHEAD * sizeof *states);
    n = foresee_neighbours(rt, a, jobs, states);
    if (!n)
        return;
    for (size_t i = 0; i < n; i++)
        jobs[i]->awaits = true;
    rt->asked = jobs;
    rt->n_asked = n;
    rt->sink.backup_ahead(rt->sink.data, a, states, n);
}

/* Whether the state that was given ahead is the one that it has now. */
static bool
is_as_seen(const struct rh_runtime *rt, const struct rh_job *job)
{
    if (!job->foreseen || !job->is || !job->seen)
        return job->foreseen && !job->is && !job->seen;
    return !needs_whole(rt, job) && rh_value_equal(job->is, job->seen);
}

bool
rh_backup_has_file(const struct rh_backup_state *states, size_t n, const char *file)
{
    while (n--)
        if (states[n].file && strcmp(states[n].file, file) == 0)
            return true;
    return false;
}

/* The file that a job edits, whose state is kept instead of the job's; NULL: none. */
static const char *
edited_by(struct rh_runtime *rt, struct rh_arena *a, const struct rh_job *job)
{
    const char *path = is_to_keep(rt, job) ? rh_backup_edited(rt, a, job) : NULL;

    return path ? rh_backup_edited_file(a, path) : NULL;
}

/* Whether a secret is desired of one of those that edit this file. */
static bool
one_is_secret(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t n, const char *file)
{
    for (size_t i = 0; i < n; i++) {
        const char *edited = rh_backup_wants_secret(rt, jobs[i]) ? edited_by(rt, a, jobs[i]) : NULL;

        if (edited && strcmp(edited, file) == 0)
            return true;
    }
    return false;
}

struct rh_job **
rh_backup_before(struct rh_runtime *rt, struct rh_arena *a, struct rh_job **jobs, size_t *n)
{
    struct rh_job **asked, **left;
    struct rh_backup_state *states;
    size_t n_asked = 0, n_states = 0, n_left = 0;
    bool secrets = false;

    for (size_t i = 0; i < *n; i++) {
        if (!is_to_keep(rt, jobs[i]))
            continue;
        if (jobs[i]->awaits)
            rh_backup_take_grant(rt);
        jobs[i]->backed = is_as_seen(rt, jobs[i]);
        n_asked += !jobs[i]->backed;
    }
    if (!n_asked) {
        go_on_foreseeing(rt, a);
        return jobs;
    }
    for (size_t i = 0; i < *n && !secrets; i++)
        secrets = is_to_keep(rt, jobs[i]) && rh_backup_wants_secret(rt, jobs[i]);
    asked = rh_arena_alloc(a, (n_asked + AHEAD) * sizeof(struct rh_job *));
    states = rh_arena_alloc(a, (n_asked + AHEAD) * sizeof *states);
    for (size_t i = 0; i < *n; i++) {
        struct rh_job *job = jobs[i], *whole = NULL;
        const char *edited = edited_by(rt, a, job);
        const struct rh_value *state;

        if (!is_to_keep(rt, job))
            continue;
        if (edited && rh_backup_has_file(states, n_states, edited)) {
            state = rh_value_new(a, RH_UNKNOWN); /* as was said before */
            job->edited = edited;
            asked[n_states] = job;
            states[n_states++] = (struct rh_backup_state){ job->want->id, RH_BACKUP_BEFORE, state, edited };
            continue;
        }
        if (edited
            && rh_backup_file(rt, a, job->want->backup, edited, RH_BACKUP_BEFORE,
                              secrets && one_is_secret(rt, a, jobs + i, *n - i, edited), &state)) {
            job->edited = edited;
            asked[n_states] = job;
            states[n_states++] = (struct rh_backup_state){ job->want->id, RH_BACKUP_BEFORE, state, edited };
            continue;
        }
        if (needs_whole(rt, job)) {
            whole = rh_backup_unread(rt, a, job, NULL);
            rh_read_jobs(rt, a, &whole, 1);
        }
        state = state_of(rt, a, job, whole);
        if (!job->done) {
            asked[n_states] = job;
            states[n_states++] = (struct rh_backup_state){ job->want->id, RH_BACKUP_BEFORE, state, NULL };
        }
        if (whole)
            free(whole->reason);
    }
    if (n_states == 1 && *n == 1 && !states[0].file)
        n_states += foresee_neighbours(rt, a, asked + 1, states + 1);
    give(rt, a, asked, states, n_states);
    left = rh_arena_alloc(a, *n * sizeof(struct rh_job *));
    for (size_t i = 0; i < *n; i++)
        if (!jobs[i]->done)
            left[n_left++] = jobs[i];
    *n = n_left;
    return left;
}

bool
rh_backup_known(struct rh_runtime *rt, struct rh_arena *a, struct rh_job *job)
{
    struct rh_backup_state state = { job->want->id, RH_BACKUP_BEFORE, NULL, NULL };

    if (!is_to_keep(rt, job))
        return !job->done;
    state.state =
        rt->provider.get || rt->provider.load ? values_of(rt, a, job, job->is) : rh_value_new(a, RH_UNKNOWN);
    give(rt, a, &job, &state, 1);
    return !job->done;
}
