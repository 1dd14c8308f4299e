/* SPDX-License-Identifier: Apache-2.0 */
/* cycle - one cycle of the agent. Each step that fails is a problem that is said and reported, and the next
 * one goes on with what is there: the last good revision is applied whatever the source does. */
#include "config.h"

#include "agent/agent.h"

#include "agent/signals.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

#include <string.h>
#include <time.h>

enum { DAY = 24 * 3600, REFUSED = 1, FAILED = 4 };

/* How many milliseconds something took differs each time. */
static bool
same_problem(const char *a, const char *b)
{
    static const char digits[] = "0123456789";

    do {
        size_t in_a = strspn(a, digits), in_b = strspn(b, digits);

        if (in_a && in_b && strncmp(a + in_a, " ms", 3) == 0 && strncmp(b + in_b, " ms", 3) == 0) {
            a += in_a;
            b += in_b;
        }
        if (*a != *b)
            return false;
    } while (*a++ && *b++);
    return true;
}

/* Says it each time, and reports it once and again each day. */
static void
take_problem(struct rh_agent *agent, int64_t revision, const struct rh_error *problem)
{
    struct rh_agent_memory *m = &agent->memory;
    rh_autoerror struct rh_error err = { 0 };
    time_t now = time(NULL);
    bool known;

    if (rh_agent_stopping()) /* what was broken off for it is no problem */
        return;
    if (!problem->message) {
        m->problem = "";
        m->problem_at = 0;
        return;
    }
    known = same_problem(m->problem, problem->message) && now < m->problem_at + DAY && now >= m->problem_at;
    rh_log_error(RH_WARNING, problem);
    m->problem = rh_arena_strdup(agent->arena, problem->message);
    if (known)
        return;
    if (rh_agent_report(agent, revision, problem, &err) < 0)
        rh_log_error(RH_ERR, &err);
    else
        m->problem_at = now;
}

/* The revision to be applied now, 0 for none; `problem` says why it is not what the channel wants. */
static int64_t
choose(struct rh_agent *agent, struct rh_error *problem)
{
    const struct rh_agent_memory *m = &agent->memory;
    int64_t wanted = 0;

    agent->reached = rh_agent_get_channel(agent, problem) == 0;
    if (!agent->reached)
        rh_discard(rh_error_prefix(problem, "no new revision is taken"));
    if (rh_agent_wanted(agent, &wanted, agent->reached ? problem : NULL) < 0)
        return m->good;
    if (wanted != m->good && wanted == m->blocked) {
        (void)rh_error_set(problem, RH_EINPUT,
                           "revision %lld has failed too often here and is not tried again: %lld stays",
                           (long long)wanted, (long long)m->good);
        return m->good;
    }
    if (rh_agent_get_bundle(agent, wanted, problem) < 0) {
        rh_discard(rh_error_prefix(problem, "revision %lld is not taken", (long long)wanted));
        return m->good;
    }
    return wanted;
}

/* For what cannot be remembered: says it, and reports it once in a day of this process. */
static void
report_trouble(struct rh_agent *agent, const struct rh_error *trouble)
{
    rh_autoerror struct rh_error err = { 0 };

    rh_log_error(RH_ERR, trouble);
    if (agent->trouble_after > rh_now())
        return;
    if (rh_agent_report(agent, 0, trouble, &err) < 0)
        rh_log_error(RH_ERR, &err);
    else
        agent->trouble_after = rh_now() + DAY;
}

static int
save(struct rh_agent *agent)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_agent_memory_save(&agent->memory, agent->directory, &err) == 0)
        return 0;
    report_trouble(agent, &err);
    return -1;
}

/* No revision below the lowest is applied, whoever asks for it. */
static bool
is_allowed(const struct rh_agent *agent, int64_t revision, struct rh_error *problem)
{
    int64_t least = agent->settings.min_revision;

    if (least < agent->memory.min_revision)
        least = agent->memory.min_revision;
    if (revision >= least)
        return true;
    (void)rh_error_set(problem, RH_EINPUT, "revision %lld is below the lowest, %lld: nothing is applied",
                       (long long)revision, (long long)least);
    return false;
}

/* Back to the revision before, where there is one. */
static int
give_up(struct rh_agent *agent, int64_t revision)
{
    struct rh_agent_memory *m = &agent->memory;
    rh_autoerror struct rh_error why = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    bool worked = false, hindered = false;

    (void)rh_error_set(&why, RH_EPROVIDER,
                       "revision %lld has failed %lld times in a row: back to revision %lld",
                       (long long)revision, (long long)m->failures, (long long)m->good);
    rh_log_error(RH_ERR, &why);
    m->blocked = revision;
    m->trying = m->failures = 0;
    if (save(agent) < 0)
        return FAILED;
    if (rh_agent_report(agent, revision, &why, &err) < 0)
        rh_log_error(RH_ERR, &err);
    rh_error_clear(&err);
    if (!is_allowed(agent, m->good, &err) || rh_agent_apply(agent, m->good, &worked, &hindered, &err) < 0)
        rh_log_error(RH_ERR, &err);
    return FAILED;
}

/* A new revision counts as failed before it is tried: one that takes the machine down is counted as well, and
 * given up at its next turn. What hinders the run is left in `problem`. */
static int
apply_new(struct rh_agent *agent, int64_t revision, struct rh_error *problem)
{
    struct rh_agent_memory *m = &agent->memory;
    bool worked = false, hindered = false, began;

    if (m->trying != revision)
        m->failures = 0;
    m->trying = revision;
    if (m->failures >= agent->settings.failures && m->good)
        return give_up(agent, revision);
    m->failures++;
    if (save(agent) < 0) /* what cannot be remembered is not done */
        return REFUSED;
    rh_log(RH_INFO, "applying revision %lld", (long long)revision);
    began = rh_agent_apply(agent, revision, &worked, &hindered, problem) == 0;
    if (!began || hindered) {
        m->failures--;
    } else if (worked) {
        m->previous = m->good;
        m->good = revision;
        m->trying = m->failures = 0;
    } else if (m->failures >= agent->settings.failures && m->good) {
        return give_up(agent, revision);
    }
    return worked ? 0 : FAILED;
}

/* What is known of a new one that was tried stays. */
static int
apply_good(struct rh_agent *agent, struct rh_error *problem)
{
    bool worked = false, hindered = false;

    rh_log(RH_INFO, "applying revision %lld", (long long)agent->memory.good);
    return rh_agent_apply(agent, agent->memory.good, &worked, &hindered, problem) == 0 && worked ? 0 : FAILED;
}

/* `revision` 0: none is known. */
static int
run(struct rh_agent *agent, int64_t revision, struct rh_error *problem)
{
    bool has_message = problem->message;
    int status = 0;

    if (revision && !is_allowed(agent, revision, has_message ? NULL : problem))
        revision = 0;
    if (problem->message)
        take_problem(agent, revision, problem);
    if (revision && !rh_agent_stopping()) {
        rh_autoerror struct rh_error why = { 0 };

        status = revision == agent->memory.good ? apply_good(agent, &why) : apply_new(agent, revision, &why);
        if (!problem->message)
            take_problem(agent, revision, &why);
        else if (why.message)
            rh_log_error(RH_ERR, &why);
    } else if (!problem->message) {
        take_problem(agent, revision, problem);
    }
    return status | (problem->message ? REFUSED : 0);
}

static void
ship(struct rh_agent *agent)
{
    rh_autoerror struct rh_error err = { 0 };

    if (rh_spool_fold(&agent->spool, &agent->settings, &err) < 0 || rh_agent_ship(agent, &err) < 0)
        rh_log_error(RH_WARNING, &err);
}

/* What hinders a dry run hinders nothing else. */
static void
preview(struct rh_agent *agent)
{
    rh_autoerror struct rh_error err = { 0 };

    if (agent->reached && !rh_agent_stopping() && rh_agent_preview(agent, &err) < 0)
        rh_log_error(RH_WARNING, &err);
}

/* What hinders them is said each time, and reported once in a day. */
static int
manage_devices(struct rh_agent *agent)
{
    rh_autoerror struct rh_error err = { 0 };
    bool worked = false;

    if (!agent->settings.devices || !agent->memory.good || rh_agent_stopping()
        || !is_allowed(agent, agent->memory.good, NULL))
        return 0;
    ship(agent); /* devices may be slow */
    if (rh_agent_apply_devices(agent, agent->memory.good, &worked, &err) == 0)
        return worked ? 0 : FAILED;
    report_trouble(agent, &err);
    return REFUSED;
}

/* Why there is no run now, the caller's; NULL: there is one. */
static char *
reason_to_pause(const struct rh_agent *agent)
{
    rh_autofree char *why = rh_agent_disabled(agent->directory);

    if (why)
        return rh_take(&why);
    return rh_agent_is_blackout(&agent->settings, time(NULL))
               ? rh_xstrdup("a window of the setting 'blackout'")
               : NULL;
}

int
rh_agent_cycle(struct rh_agent *agent, bool boot)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoerror struct rh_error problem = { 0 };
    rh_autofree char *pause = reason_to_pause(agent);
    int status = 0;

    rh_arena_free(agent->arena);
    agent->arena = rh_arena_new(NULL);
    agent->reached = false;
    if (rh_agent_memory_load(&agent->memory, agent->arena, agent->directory, &err) < 0) {
        report_trouble(agent, &err);
        ship(agent);
        return REFUSED;
    }
    if (rh_agent_collect(agent, &err) < 0)
        rh_log_error(RH_WARNING, &err);
    if (rh_agent_enabled_again(agent->directory))
        agent->memory.blocked = agent->memory.failures = 0;
    if (pause) {
        rh_log(RH_NOTICE, "no run: %s", pause);
    } else if (boot) {
        if (agent->memory.good)
            status = run(agent, agent->memory.good, &problem);
    } else {
        status = run(agent, choose(agent, &problem), &problem);
    }
    if (save(agent) < 0)
        status |= REFUSED;
    else if (!pause && !boot)
        preview(agent);
    if (!pause && !boot)
        status |= manage_devices(agent);
    rh_agent_remove_bundles(agent);
    if (!boot)
        ship(agent);
    return status;
}
