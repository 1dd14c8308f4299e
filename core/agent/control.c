/* SPDX-License-Identifier: Apache-2.0 */
/* control - what an operator says to the agent, and what it says about itself. */
#include "config.h"

#include "agent/agent.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/io.h"
#include "base/text.h"
#include "base/value-json.h"
#include "base/value.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const char disabled_file[] = "disabled.json", enabled_file[] = "enabled-again";

static int64_t
number_of(const struct rh_value *v, const char *key)
{
    const struct rh_value *number = rh_value_get(v, key);

    return rh_value_is(number, RH_INTEGER) ? number->u.integer : 0;
}

char *
rh_agent_disabled(const char *directory)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autoerror struct rh_error err = { 0 };
    const struct rh_value *v = rh_state_load(a, directory, disabled_file, &err);
    int64_t until = number_of(v, "until");
    rh_autofree char *reason = NULL;

    /* What cannot be read may forbid it. */
    if (!v)
        return rh_printf("%s", err.message);
    if (!rh_value_count(v) || (until && time(NULL) >= until))
        return NULL;
    reason = rh_safe_text(rh_value_get_str(v, "reason", ""));
    return until ? rh_printf("the agent is disabled until %s: %s", rh_state_time(a, until), reason)
                 : rh_printf("the agent is disabled: %s", reason);
}

int
rh_agent_disable(const char *directory, const char *until, const char *reason, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct rh_value *v = rh_value_new(a, RH_HASH);
    time_t now = time(NULL);
    int64_t end = 0;

    if (until && rh_agent_duration(until, &end))
        end += now;
    else if (until)
        end = rh_state_read_time(until);
    if (until && end <= now)
        return rh_error_set(err, RH_EINPUT,
                            "'%s' must be a time to come, such as 2026-12-31T12:00:00Z, 2h or 7d", until);
    if (rh_make_directory(directory, 0700, err) < 0)
        return -1;
    rh_value_put(v, "reason", rh_value_string(a, reason));
    rh_value_put(v, "since", rh_value_integer(a, now));
    if (end)
        rh_value_put(v, "until", rh_value_integer(a, end));
    return rh_state_save(directory, disabled_file, v, err);
}

/* It also asks for another try of a revision that was given up: the agent itself forgets it. */
int
rh_agent_enable(const char *directory, struct rh_error *err)
{
    rh_autofree char *disabled = rh_printf("%s/%s", directory, disabled_file);
    rh_autofree char *enabled = rh_printf("%s/%s", directory, enabled_file);

    if (rh_make_directory(directory, 0700, err) < 0 || rh_replace_file(enabled, "", 0, 0600, err) < 0)
        return -1;
    if (unlink(disabled) < 0 && errno != ENOENT)
        return rh_error_system(err, errno, "cannot remove '%s'", disabled);
    return rh_sync_directory(directory, err);
}

bool
rh_agent_enabled_again(const char *directory)
{
    rh_autofree char *path = rh_printf("%s/%s", directory, enabled_file);

    return unlink(path) == 0;
}

static bool
is_running(const char *directory)
{
    rh_autofree char *path = rh_printf("%s/lock", directory);
    rh_autoclose int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static void
print_time(const char *what, int64_t when)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);

    if (when)
        (void)printf("%-13s %s\n", what, rh_state_time(a, when));
}

static void
print_revision(const char *what, int64_t revision)
{
    if (revision)
        (void)printf("%-13s %lld\n", what, (long long)revision);
}

static void
print_text(const struct rh_agent_memory *m, const char *disabled, bool running, size_t reports)
{
    rh_autofree char *problem = rh_safe_text(m->problem), *outcome = rh_safe_text(m->outcome);

    (void)printf("%-13s %s\n", "agent", disabled ? "disabled" : running ? "running" : "not running");
    if (disabled)
        (void)printf("%-13s %s\n", "", disabled);
    print_revision("revision", m->good);
    print_revision("before it", m->previous);
    if (m->trying)
        (void)printf("%-13s %lld, failed %lld times\n", "trying", (long long)m->trying,
                     (long long)m->failures);
    print_revision("given up", m->blocked);
    print_revision("channel", m->serial);
    print_time("source seen", m->contact);
    print_time("last run", m->ran);
    if (*outcome)
        (void)printf("%-13s %s\n", "outcome", outcome);
    if (*problem)
        (void)printf("%-13s %s\n", "problem", problem);
    (void)printf("%-13s %zu\n", "reports left", reports);
}

int
rh_agent_status(const char *directory, bool json, struct rh_error *err)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    rh_autospool struct rh_spool spool = { 0 };
    struct rh_agent_memory m;
    rh_autofree char *disabled = NULL;
    bool running;

    if (access(directory, F_OK) < 0)
        return rh_error_system(err, errno, "no agent has run on this machine: cannot open '%s'", directory);
    running = is_running(directory);
    if (rh_agent_memory_load(&m, a, directory, err) < 0 || rh_spool_count(&spool, directory, err) < 0)
        return -1;
    disabled = rh_agent_disabled(directory);
    if (json) {
        rh_autobuf struct rh_buf b = { 0 };
        struct rh_value *v = rh_agent_memory_value(&m, a);

        rh_value_put(v, "running", rh_value_boolean(a, running));
        rh_value_put(v, "reports", rh_value_integer(a, (int64_t)spool.n));
        if (disabled)
            rh_value_put(v, "disabled", rh_value_string(a, disabled));
        rh_value_to_json_pretty(&b, v, false);
        (void)printf("%s\n", rh_buf_text(&b));
        return 0;
    }
    print_text(&m, disabled, running, spool.n);
    return 0;
}
