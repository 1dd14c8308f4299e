/* SPDX-License-Identifier: Apache-2.0 */
/* confined - whether a provider does its work when the kernel refuses what its type does not declare. The
 * fixture's states are tried with a worker as a run has it with --isolation=confined. */
#include "config.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "check/parts.h"
#include "check/steps.h"
#include "check/subject.h"
#include "plugin/privileges.h"
#include "plugin/spawn.h"
#include "plugin/worker.h"
#include "sandbox/confinement.h"
#include "schema/need.h"

#include <string.h>
#include <unistd.h>

/* One resource for a worker, and what came of it. */
struct trial {
    struct rh_subject *s;
    const struct rh_type *type;
    struct rh_want want;
    bool sent;
};

static bool
next_want(void *data, struct rh_want *want)
{
    struct trial *t = data;

    if (t->sent)
        return false;
    *want = t->want;
    return t->sent = true;
}

static const char *
title_of(void *data, uint32_t id)
{
    const struct trial *t = data;

    (void)id;
    return t->want.title;
}

static void
on_outcome(void *data, const struct rh_outcome *o)
{
    struct trial *t = data;

    t->s->status = o->status;
    t->s->reason = rh_arena_strdup(t->s->checker->arena, o->reason ? o->reason : "");
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

static void
on_busy(void *data, uint32_t milliseconds)
{
    (void)data;
    (void)milliseconds;
}

static void
on_item(void *data, const struct rh_value *item)
{
    (void)data;
    (void)item;
}

/* What this resource takes, and no other. */
static void
add_privileges(const void *data, const struct rh_type *type, struct rh_privileges *p)
{
    const struct trial *t = data;

    rh_privileges_add(p, type, t->want.name, t->want.should);
}

/* By a process of its own, which has what it needs from the start. False: something is wrong beyond this
 * resource, which was said. */
static bool
run(struct trial *t)
{
    struct rh_checker *c = t->s->checker;
    const struct rh_type *transport = c->fixture->transport;
    const struct rh_target target = {
        .path = c->options->path,
        .transport = transport ? transport->type : NULL,
        .info = c->fixture->info,
        .type = transport,
    };
    const struct rh_worker_options options = {
        .target = transport ? &target : NULL,
        .isolation = RH_ISOLATION_WORKER,
        .strict = RH_STRICT_ERROR,
        .time_limit = rh_check_seconds(c->options),
        .confined = true,
        .keeps = true,
        .privileges = add_privileges,
        .privileges_data = t,
    };
    const struct rh_wants wants = { .data = t, .next = next_want, .title_of = title_of };
    const struct rh_sink sink = {
        .data = t, .outcome = on_outcome, .log = on_log, .busy = on_busy, .item = on_item
    };
    struct rh_worker *worker = rh_worker_start(t->type, &options, NULL);
    rh_autoerror struct rh_error err = { 0 };
    bool done;

    t->sent = false;
    t->s->status = RH_STATUS_UNKNOWN;
    t->s->reason = "";
    done = rh_worker_converge(worker, &wants, &sink, &err) == 0 && t->s->status != RH_STATUS_UNKNOWN;
    rh_worker_stop(worker);
    if (!done)
        rh_check_say(c, RH_CHECK_FAIL, "with what it declares, it does not work: %s",
                     err.message ? err.message : "no result");
    return done;
}

/* Whether the resource that has just failed does not, when this is declared as well. */
static bool
works_with(const struct trial *failed, const char *need)
{
    struct rh_checker *c = failed->s->checker;
    struct rh_type more = *failed->type;
    struct rh_need *needs = rh_arena_alloc(c->arena, (more.n_needs + 1) * sizeof *needs);
    struct trial t = *failed;
    rh_autoerror struct rh_error err = { 0 };

    memcpy(needs, more.needs, more.n_needs * sizeof *needs);
    if (rh_need_read(c->arena, &more, need, &needs[more.n_needs], &err) < 0)
        return false;
    more.needs = needs;
    more.n_needs++;
    t.type = &more;
    return run(&t) && t.s->status != RH_FAILED;
}

/* The kernel does not say which capability was missing: each of those that a provider can use is tried. */
static const char *
missing_capability(const struct trial *t)
{
    static const char *const names[] = {
        "chown",
        "fowner",
        "dac_override",
        "dac_read_search",
        "fsetid",
        "mknod",
        "setuid",
        "setgid",
        "kill",
        "sys_admin",
        "net_admin",
        "net_raw",
        "net_bind_service",
        "setfcap",
        "sys_chroot",
        "sys_time",
        "sys_nice",
        "linux_immutable",
        "sys_resource",
        "sys_ptrace",
    };

    for (size_t i = 0; geteuid() == 0 && i < sizeof names / sizeof names[0]; i++)
        if (works_with(t, rh_arena_printf(t->s->checker->arena, "capability[%s]", names[i])))
            return names[i];
    return NULL;
}

/* False: there is no point in going on. */
static bool
try(struct trial *t, const struct rh_fixture_state *state, const struct rh_value *over, const char *doing)
{
    struct rh_checker *c = t->s->checker;
    const char *reason, *capability;

    if (!rh_subject_want(t->s, c->arena, state, over, false, &t->want) || !run(t))
        return false;
    if (t->s->status != RH_FAILED)
        return true;
    reason = t->s->reason;
    capability = missing_capability(t);
    c->verdict = RH_CHECK_PASS; /* whatever the attempts came to */
    if (capability)
        rh_check_say(c, RH_CHECK_FAIL,
                     "it needs capability[%s], which it does not declare: %s '%s' fails: %s", capability,
                     doing, state->title, reason);
    else
        rh_check_say(c, RH_CHECK_FAIL, "with what it declares, %s '%s' fails: %s", doing, state->title,
                     reason);
    return false;
}

static void
try_all(struct trial *t)
{
    struct rh_checker *c = t->s->checker;
    const struct rh_fixture *f = c->fixture;
    bool goes_on = true;

    for (size_t i = 0; i < f->n && goes_on; i++) {
        goes_on = try(t, &f->states[i], NULL, "making");
        for (size_t k = 0; k < rh_value_count(f->states[i].updates) && goes_on; k++)
            goes_on =
                try(t, &f->states[i], rh_step_only(c, rh_value_entry(f->states[i].updates, k)), "changing");
    }
    for (size_t i = f->n; i-- > 0 && c->type->ensure && goes_on;)
        goes_on = try(t, &f->states[i], rh_step_absent(c), "removing");
}

void
rh_check_confined(struct rh_checker *c)
{
    struct rh_subject s = { .checker = c, .reason = "" };
    struct rh_type type = *c->type;
    struct trial t = { .s = &s, .type = &type };
    struct rh_mechanisms m;

    rh_mechanisms_read(&m);
    type.path = c->options->path;
    if (!type.declares_needs)
        rh_check_say(c, RH_CHECK_SKIP, "it does not declare what it needs");
    else if (rh_check_is_program(c->options))
        rh_check_say(c, RH_CHECK_SKIP, "its program is not confined");
    else if (c->fixture->undeclared)
        rh_check_say(c, RH_CHECK_SKIP, "it needs more than it declares: %s", c->fixture->undeclared);
    else if (type.features & RH_REMOTE_RESOURCE && !c->fixture->transport)
        rh_check_say(c, RH_CHECK_SKIP, "it manages a device: add 'target' to the fixture");
    else if (c->fixture->transport && !c->fixture->transport->declares_needs)
        rh_check_say(c, RH_CHECK_SKIP, "the transport to its device does not declare what it needs");
    else if (!m.landlock || !m.seccomp)
        rh_check_say(c, RH_CHECK_SKIP, "this kernel, or this build, cannot confine a process");
    if (c->verdict != RH_CHECK_PASS)
        return;
    rh_process_share(c->fixture->state);
    try_all(&t);
}
