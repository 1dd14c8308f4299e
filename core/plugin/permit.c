/* SPDX-License-Identifier: Apache-2.0 */
/* permit - what a worker's process is confined to, and whether that suffices for a resource. */
#include "config.h"

#include "plugin/talk.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/log.h"
#include "base/value.h"
#include "plugin/policy.h"
#include "plugin/privileges.h"
#include "provider/observed.h"
#include "schema/type.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

/* An account that was made since stands in a file that the process may not read. */
static void
find_accounts(ino_t accounts[2])
{
    static const char *const files[2] = { "/etc/passwd", "/etc/group" };

    for (size_t i = 0; i < 2; i++) {
        struct stat st;

        accounts[i] = stat(files[i], &st) == 0 ? st.st_ino : 0;
    }
}

static bool
has_new_accounts(const struct rh_worker *w)
{
    ino_t now[2];

    find_accounts(now);
    return now[0] != w->process->accounts[0] || now[1] != w->process->accounts[1];
}

/* What is mounted later may not arrive in the process's own view, or be hidden there by a directory that it
 * may write to: it would write to what lies below. The kernel tells of a change once. */
static bool
has_new_mounts(const struct rh_worker *w)
{
    struct pollfd change = { .fd = w->process->mounts, .events = POLLPRI };

    return change.fd >= 0 && poll(&change, 1, 0) > 0;
}

/* Whether it has confined itself, and may be started anew. */
static bool
is_alone_confined(const struct rh_worker *w)
{
    const struct rh_privileges *p = w->process->privileges;

    return p && rh_privileges_are_limited(p) && w->process->users == 1;
}

bool
rh_permit_is_outdated(const struct rh_worker *w)
{
    const char *what = !is_alone_confined(w) ? NULL
                       : has_new_accounts(w) ? "an account was made"
                       : has_new_mounts(w)   ? "something was mounted or unmounted"
                                             : NULL;

    if (what)
        rh_debug("a worker is confined anew: %s", what);
    return what != NULL;
}

static void
watch_mounts(struct rh_worker_process *p)
{
    rh_cleanup_close(&p->mounts);
    p->mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
}

/* Some of what an earlier run has left is reported only where it is desired, and takes what such a desire
 * takes. NULL: nothing is compared with it. */
static const struct rh_value *
left_of(struct rh_arena *a, const struct rh_worker *w, const struct rh_expected *expected)
{
    return expected && expected->left && rh_value_is(expected->state, RH_HASH)
               ? rh_observed_desired(a, w->type, expected->state)
               : NULL;
}

static bool
permits_left(const struct rh_worker *w, const struct rh_value *name, const struct rh_expected *expected)
{
    rh_autoarena struct rh_arena *a = expected && expected->left ? rh_arena_new(NULL) : NULL;
    const struct rh_value *left = a ? left_of(a, w, expected) : NULL;

    return !left || rh_privileges_suffice(w->process->privileges, w->type, name, left);
}

bool
rh_permits(const struct rh_worker *w, const struct rh_want *want)
{
    if (!is_alone_confined(w))
        return true;
    return (rh_privileges_have_added(w->process->privileges, want->should)
            || rh_privileges_suffice(w->process->privileges, w->type, want->name, want->should))
           && permits_left(w, want->name, want->expected);
}

/* What a resource has of which nothing is said, so that what is there can be listed. */
static const struct rh_value *
defaults_of(struct rh_arena *a, const struct rh_type *t)
{
    struct rh_value *v = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < t->n_attrs; i++)
        if (t->attrs[i].default_value)
            rh_value_add_ref(v, t->attrs[i].name, t->attrs[i].default_value);
    return v;
}

/* What reaching the device takes, for the transport itself and for a provider that uses it. One that declares
 * nothing gives a provider nothing. */
static void
add_transport(struct rh_privileges *p, const struct rh_worker *w, const struct rh_value *defaults)
{
    const struct rh_target *to = w->options.target;

    if (w->type->transport)
        rh_privileges_add_question(p, w->type, to ? to->info : defaults);
    else if (to && to->type && to->type->declares_needs && w->type->features & RH_REMOTE_RESOURCE)
        rh_privileges_add_question(p, to->type, to->info);
}

/* What the lookups and facts of a plugin need, and what the next question needs. */
static void
add_questions(struct rh_arena *a, struct rh_privileges *p, const struct rh_worker *w,
              const struct rh_value *defaults)
{
    rh_privileges_add_question(p, w->type, defaults);
    for (size_t i = 0; i < w->type->n_lookups; i++)
        rh_privileges_add_question(p, w->type->lookups[i], defaults_of(a, w->type->lookups[i]));
    if (w->asked)
        rh_privileges_add_question(p, w->asked, w->parameters);
}

bool
rh_permits_question(const struct rh_worker *w, const struct rh_type *lookup,
                    const struct rh_value *parameters)
{
    return !is_alone_confined(w) || rh_privileges_suffice(w->process->privileges, lookup, NULL, parameters);
}

void
rh_permit_prepare(struct rh_worker *w)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *defaults;
    struct rh_privileges *p;

    rh_privileges_free(w->process->privileges);
    w->process->privileges = NULL;
    if (w->options.isolation != RH_ISOLATION_WORKER
        || (!w->options.confined && !rh_policy_denies_some(w->options.policy, w->type)))
        return;
    find_accounts(w->process->accounts);
    watch_mounts(w->process);
    p = w->process->privileges = rh_privileges_new(w->type->path, w->options.policy);
    if (w->process->exact)
        rh_privileges_be_exact(p);
    if (w->options.keeps)
        rh_privileges_may_keep(p);
    defaults = defaults_of(a, w->type);
    add_transport(p, w, defaults);
    if (w->type->source)
        add_questions(a, p, w, defaults);
    if (w->type->source || w->type->transport)
        return;
    rh_privileges_add(p, w->type, NULL, defaults);
    if (w->lists)
        rh_privileges_add(p, w->type, NULL, NULL);
    for (size_t i = 0; i < rh_value_count(w->names); i++)
        rh_privileges_add(p, w->type, rh_value_at(w->names, i), defaults);
    if (w->options.privileges)
        w->options.privileges(w->options.privileges_data, w->type, p);
    if (w->deferred) {
        const struct rh_value *left = left_of(a, w, w->next.expected);

        rh_privileges_add(p, w->type, w->next.name, w->next.should);
        if (left)
            rh_privileges_add(p, w->type, w->next.name, left);
    }
}

void
rh_permit_note(struct rh_worker *w, const struct rh_want *want)
{
    if (!w->process->privileges || !rh_privileges_are_limited(w->process->privileges))
        return;
    w->wants = rh_xgrow(w->wants, &w->cap_wants, w->n_wants, sizeof *w->wants);
    w->wants[w->n_wants++] =
        (struct rh_sent_want){ .id = want->id, .name = want->name, .should = want->should };
}

static struct rh_sent_want *
find_sent(const struct rh_worker *w, uint32_t id)
{
    size_t i = 0;

    while (i < w->n_wants && w->wants[i].id != id)
        i++;
    return i < w->n_wants ? &w->wants[i] : NULL;
}

/* It was not applied, since it depends on one that is applied once more. */
static bool
waits_for_other(const struct rh_worker *w, const struct rh_outcome *o)
{
    struct rh_sent_want *one, *other;

    if (o->status != RH_SKIPPED || !w->retries || o->blame == RH_NOBODY || !rh_ids_has(&w->waiting, o->blame)
        || !(other = find_sent(w, o->blame)) || !(other->again || other->waits)
        || !(one = find_sent(w, o->id)))
        return false;
    return one->waits = true;
}

bool
rh_permit_tries_again(struct rh_talk *t, const struct rh_outcome *o)
{
    struct rh_worker *w = t->w;
    struct rh_sent_want *one;

    if (!t->wants || !t->wants->again || w->process->users > 1)
        return false;
    if (o->status != RH_FAILED)
        return waits_for_other(w, o);
    one = find_sent(w, o->id);
    if (!one || one->again || rh_privileges_suffice(w->process->privileges, w->type, one->name, one->should))
        return false;
    w->process->exact = one->again = true;
    return w->retries = true;
}
