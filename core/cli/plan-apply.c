/* SPDX-License-Identifier: Apache-2.0 */
/* plan-apply - rhost apply PLAN: the plan is made again, compared, and then applied. */
#include "config.h"

#include "cli/plan.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "cli/undo.h"
#include "facts/facts.h"
#include "run/lock.h"
#include "run/plan.h"
#include "run/state.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Another machine is said to be one, before its key is missed. */
static int
check_machine(const struct rh_plan *plan, struct rh_error *err)
{
    const struct rh_value *machine = rh_value_get(plan->v, "machine"), *ours = rh_plan_machine(plan->arena);

    if (strcmp(rh_value_get_str(machine, "id", ""), rh_value_get_str(ours, "id", "?")) == 0)
        return 0;
    return rh_error_set(err, RH_EINPUT, "it was made for another machine, '%s'; this is '%s'",
                        rh_value_get_str(machine, "name", "?"), rh_value_get_str(ours, "name", "?"));
}

static int
check_key(const struct rh_plan *plan, const char *state_dir, struct rh_plan_key *key, struct rh_error *err)
{
    if (rh_plan_key_read(state_dir, key, err) < 0)
        return err->message ? -1
                            : rh_error_set(err, RH_EINPUT,
                                           "it was not made with the state directory '%s', which has no key",
                                           state_dir);
    if (rh_plan_is_genuine(plan, key))
        return 0;
    return rh_error_set(err, RH_EINPUT,
                        "it was changed after it was made, or was made with another state directory: its "
                        "digest does not match");
}

static int
check_age(const struct rh_plan *plan, unsigned most, struct rh_error *err)
{
    const char *created = rh_value_get_str(plan->v, "created", "");
    long long at = rh_state_read_time(created), age = (long long)time(NULL) - at;

    if (!most || (at && age >= 0 && age <= (long long)most))
        return 0;
    if (!at || age < 0)
        return rh_error_set(err, RH_EINPUT, "it was made at '%s', which is later than now", created);
    return rh_error_set(err, RH_EINPUT,
                        "it is too old: it was made %lld seconds ago, and --max-age allows %u", age, most);
}

/* The manifests by their names of then: as they were given, where this is the same directory. */
static const char **
manifests(const struct rh_plan *plan, const char *directory, size_t *n)
{
    const struct rh_value *list = rh_value_get(plan->v, "manifests");
    rh_autofree char *here = getcwd(NULL, 0);
    bool same = here && strcmp(here, directory) == 0;
    const char **v = rh_arena_alloc(plan->arena, (rh_value_count(list) + 1) * sizeof *v);

    *n = rh_value_count(list);
    for (size_t i = 0; i < *n; i++) {
        const char *name = rh_value_str(rh_value_at(list, i), "");

        v[i] = same || *name == '/' ? name : rh_arena_printf(plan->arena, "%s/%s", directory, name);
    }
    return v;
}

/* What is held from the comparison to the end of the run, so that no other run comes in between. */
struct locked {
    int state; /* the state directory */
    struct rh_lock *lock;
};

/* Makes the plan again, of what the manifests say and the machine is now. The status that ends all, or -1. */
static int
plan_again(struct rh_session *s, const struct rh_plan_key *key, const char *directory,
           const char *const *files, size_t n, struct rh_plan *now)
{
    rh_autobuf struct rh_buf json = { 0 };
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *head;
    int status;

    if (rh_session_load(s, files, n) < 0)
        return RH_EXIT_REFUSED;
    s->planning = rh_planning_new(key, &s->catalog, &s->sources);
    s->silent = true;
    status = rh_execute(s);
    if (status == RH_EXIT_REFUSED || status >= 128)
        return status;
    head = rh_plan_head(s, key, directory, files, n, &err);
    if (head)
        rh_planning_write(s->planning, head, &json);
    if (head && rh_plan_parse(rh_buf_text(&json), json.n, now, &err) == 0)
        return -1;
    rh_refuse_error(NULL, &err);
    return RH_EXIT_REFUSED;
}

/* 0: it is as it was planned; `planning` is the caller's. Otherwise the exit status, after telling why. */
static int
compare(const struct rh_settings *settings, const struct locked *locked, const struct rh_plan *plan,
        const char *path, const struct rh_plan_key *key, const char *directory, const char *const *files,
        size_t n, struct rh_planning **planning)
{
    struct rh_settings dry = *settings;
    rh_autobuf struct rh_buf lines = { 0 };
    enum rh_level level = RH_DEBUG;
    struct rh_plan now = { 0 };
    struct rh_session s;
    size_t different;
    int status;

    while (level < RH_ERR && !rh_log_enabled(level))
        level++;
    dry.noop = true;
    rh_log_set_level(RH_ERR); /* the run says it all again */
    rh_session_open_locked(&s, &dry, locked->state, locked->lock);
    s.pool.options.diff = true;
    rh_facts_give_readings(s.machine.facts, rh_value_get(plan->v, "facts"));
    status = plan_again(&s, key, directory, files, n, &now);
    rh_session_close(&s);
    rh_log_set_level(level);
    *planning = s.planning;
    if (status >= 0)
        return status;
    different = rh_plan_compare(plan, &now, &lines);
    rh_plan_clear(&now);
    if (!different)
        return 0;
    rh_refuse_hint("make the plan again", "the plan '%s' does not fit any more; nothing was changed\n%s",
                   path, rh_buf_text(&lines));
    return RH_EXIT_REFUSED;
}

static int
apply(struct rh_settings *settings, const struct locked *locked, const struct rh_plan *plan, const char *path,
      struct rh_planning *planning, const char *const *files, size_t n)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_session s;
    int status = RH_EXIT_REFUSED;

    rh_session_open_locked(&s, settings, locked->state, locked->lock);
    rh_undo_where_failed(&s);
    rh_facts_give_readings(s.machine.facts, rh_value_get(plan->v, "facts"));
    if (rh_session_load(&s, files, n) == 0) {
        if (rh_planning_apply_to(planning, &s.catalog, &err) < 0) {
            rh_refuse("the plan '%s' does not fit any more; nothing was changed\n  %s", path, err.message);
        } else {
            s.planning = planning;
            s.plan = path;
            s.plan_digest = rh_plan_digest_of(plan);
            status = rh_execute(&s);
        }
    }
    rh_session_close(&s);
    return status;
}

int
rh_plan_apply(struct rh_settings *settings, const char *path)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autofree char *state_dir = rh_session_safe_state_dir(settings);
    struct rh_planning *planning = NULL;
    struct rh_plan_key key;
    struct rh_plan plan;
    const char *directory, **files;
    struct locked locked = { .state = -1 };
    int status = RH_EXIT_REFUSED;
    size_t n;

    if (!state_dir)
        return RH_EXIT_REFUSED;
    if (rh_plan_read(path, &plan, &err) < 0) {
        rh_refuse_error("nothing was changed", &err);
        return RH_EXIT_REFUSED;
    }
    directory = rh_value_get_str(plan.v, "directory", "/");
    if (check_machine(&plan, &err) < 0 || check_key(&plan, state_dir, &key, &err) < 0
        || check_age(&plan, settings->max_age, &err) < 0
        || rh_plan_options_take(plan.arena, settings, rh_value_get(plan.v, "options"), directory, &err) < 0) {
        rh_error_prefix(&err, "cannot apply the plan '%s'", path);
        rh_refuse_error("nothing was changed", &err);
        rh_plan_clear(&plan);
        return RH_EXIT_REFUSED;
    }
    files = manifests(&plan, directory, &n);
    settings->runs = true;
    locked.lock = rh_session_lock(settings, state_dir, &locked.state);
    if (locked.lock) {
        status = compare(settings, &locked, &plan, path, &key, directory, files, n, &planning);
        if (status == 0)
            status = apply(settings, &locked, &plan, path, planning, files, n);
    }
    rh_lock_free(locked.lock);
    if (locked.state >= 0)
        (void)close(locked.state);
    rh_planning_free(planning);
    rh_plan_clear(&plan);
    return status;
}
