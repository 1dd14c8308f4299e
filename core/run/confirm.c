/* SPDX-License-Identifier: Apache-2.0 */
/* confirm - the run that waits to be confirmed. */
#include "config.h"

#include "run/confirm.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/io.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "run/state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char file_name[] = "confirm.json";

static const char *const phases[] = {
    [RH_CONFIRM_RUNNING] = "running",
    [RH_CONFIRM_WAITING] = "waiting",
    [RH_CONFIRM_ROLLING_BACK] = "rolling_back",
    [RH_CONFIRM_FAILED] = "rollback_failed",
};

enum { PHASES = sizeof phases / sizeof phases[0], LONGEST_ID = 64 };

/* The clock. */

static long long
now(void)
{
    struct timespec ts = { 0 };

    (void)clock_gettime(CLOCK_BOOTTIME, &ts);
    return (long long)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Empty where the kernel does not say: then there is one boot only. */
static const char *
boot_id(struct rh_arena *a)
{
    size_t n;
    rh_autofree char *text = rh_read_file("/proc/sys/kernel/random/boot_id", LONGEST_ID, &n, NULL);

    return text ? rh_arena_strndup(a, text, strcspn(text, "\n")) : "";
}

bool
rh_confirm_is_of_other_boot(const struct rh_confirm *c)
{
    return strcmp(c->boot, boot_id(c->arena)) != 0;
}

double
rh_confirm_left(const struct rh_confirm *c)
{
    return rh_confirm_is_of_other_boot(c) ? -1 : (double)(c->deadline - now()) / 1000;
}

/* The file. */

static long long
number_of(const struct rh_value *v, const char *key)
{
    const struct rh_value *n = rh_value_get(v, key);

    return rh_value_is(n, RH_INTEGER) ? n->u.integer : -1;
}

static bool
take_phase(struct rh_confirm *c, const char *word)
{
    for (int i = 0; i < PHASES; i++)
        if (strcmp(phases[i], word) == 0) {
            c->phase = (enum rh_confirm_phase)i;
            return true;
        }
    return false;
}

static bool
are_texts(const struct rh_value *v)
{
    if (!rh_value_is(v, RH_ARRAY))
        return false;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (!rh_value_is(rh_value_at(v, i), RH_STRING))
            return false;
    return true;
}

static bool
take(struct rh_confirm *c, const struct rh_entry *e)
{
    long long within = number_of(e->value, "within");

    c->deadline = number_of(e->value, "deadline");
    c->boot = rh_value_get_str(e->value, "boot", NULL);
    c->timer = rh_value_get_str(e->value, "timer", NULL);
    c->options = rh_value_get(e->value, "options");
    if (within < 1 || within > UINT_MAX || c->deadline < 0 || !c->boot || !are_texts(c->options)
        || !take_phase(c, rh_value_get_str(e->value, "phase", "")))
        return false;
    c->within = (unsigned)within;
    c->run = e->key;
    return true;
}

int
rh_confirm_read(const char *state_dir, struct rh_confirm *c, struct rh_error *err)
{
    const struct rh_value *v, *ended;

    *c = (struct rh_confirm){ .arena = rh_arena_new(NULL) };
    v = rh_state_load(c->arena, state_dir, file_name, err);
    if (v && rh_value_count(v) == 0)
        return 0;
    if (!v || !take(c, rh_value_entry(v, 0))) {
        rh_confirm_clear(c);
        return rh_error_set(err, RH_EINPUT,
                            "'%s/%s' is damaged: 'rhost runs' names the last run and 'rhost undo' undoes it; "
                            "then remove the file",
                            state_dir, file_name);
    }
    /* What became of it is written down before the file goes. */
    ended = rh_confirm_history(c->arena, state_dir, err);
    if (!ended) {
        rh_confirm_clear(c);
        return -1;
    }
    if (rh_value_get(ended, c->run))
        c->run = NULL;
    return 0;
}

int
rh_confirm_save(const char *state_dir, const struct rh_confirm *c, struct rh_error *err)
{
    struct rh_value *whole = rh_value_hash(c->arena, 1), *v = rh_value_hash(c->arena, 6);

    rh_value_put_ref(v, "phase", rh_value_string(c->arena, phases[c->phase]));
    rh_value_put_ref(v, "within", rh_value_integer(c->arena, c->within));
    rh_value_put_ref(v, "deadline", rh_value_integer(c->arena, c->deadline));
    rh_value_put_ref(v, "boot", rh_value_string(c->arena, c->boot));
    if (c->timer)
        rh_value_put_ref(v, "timer", rh_value_string(c->arena, c->timer));
    rh_value_put_ref(v, "options", c->options);
    rh_value_put(whole, c->run, v);
    return rh_state_save(state_dir, file_name, whole, err);
}

void
rh_confirm_clear(struct rh_confirm *c)
{
    rh_arena_free(c->arena);
    *c = (struct rh_confirm){ 0 };
}

static int
remove_file(const char *state_dir, struct rh_error *err)
{
    rh_autofree char *path = rh_printf("%s/%s", state_dir, file_name);

    if (unlink(path) < 0 && errno != ENOENT)
        return rh_error_system(err, errno, "cannot remove '%s'", path);
    return rh_sync_directory(state_dir, err);
}

int
rh_confirm_close(const char *state_dir, const struct rh_confirm *c, enum rh_confirm_end end,
                 struct rh_error *err)
{
    return rh_confirm_note_end(state_dir, c, end, err) < 0 ? -1 : remove_file(state_dir, err);
}

const struct rh_value *
rh_confirm_states(struct rh_arena *a, const char *state_dir, struct rh_error *err)
{
    const struct rh_value *ended = rh_confirm_history(a, state_dir, err);
    struct rh_value *states;
    struct rh_confirm c;

    if (!ended || rh_confirm_read(state_dir, &c, err) < 0)
        return NULL;
    states = rh_value_hash(a, rh_value_count(ended) + 1);
    for (size_t i = 0; i < rh_value_count(ended); i++) {
        const struct rh_entry *e = rh_value_entry(ended, i);

        rh_value_put(states, e->key, rh_value_string(a, rh_value_get_str(e->value, "state", "")));
    }
    if (c.run)
        rh_value_put(states, c.run,
                     rh_value_string(a, c.phase == RH_CONFIRM_FAILED         ? "rollback_failed"
                                        : c.phase == RH_CONFIRM_ROLLING_BACK ? "rolling_back"
                                                                             : "unconfirmed"));
    rh_confirm_clear(&c);
    return states;
}

/* A run. */

int
rh_confirm_arm(const char *state_dir, const char *run, const struct rh_confirm_request *request,
               struct rh_error *err)
{
    struct rh_confirm c = { .arena = rh_arena_new(NULL), .phase = RH_CONFIRM_RUNNING };
    struct rh_value *options = rh_value_new(c.arena, RH_ARRAY);
    int rc;

    for (size_t i = 0; i < request->n_options; i++)
        rh_value_append(options, rh_value_string(c.arena, request->options[i]));
    c.run = run;
    c.within = request->within;
    c.deadline = now() + (long long)request->within * 1000;
    c.boot = boot_id(c.arena);
    c.timer = rh_confirm_timer(c.arena, run);
    c.options = options;
    rc = rh_confirm_save(state_dir, &c, err);
    if (rc == 0 && rh_confirm_start(state_dir, &c, err) < 0) {
        rh_confirm_disarm(state_dir, run);
        rc = -1;
    }
    rh_confirm_clear(&c);
    return rc < 0 ? rh_error_prefix(err, "cannot arm the rollback") : 0;
}

/* What was started finds that nothing waits. */
void
rh_confirm_disarm(const char *state_dir, const char *run)
{
    rh_autoerror struct rh_error err = { 0 };

    if (remove_file(state_dir, &err) < 0)
        rh_log(RH_WARNING, "run %s changed nothing, but is rolled back: %s", run, err.message);
}

int
rh_confirm_end(const char *state_dir, const char *run, bool changed, struct rh_error *err)
{
    struct rh_confirm c;
    int rc;

    if (rh_confirm_read(state_dir, &c, err) < 0)
        return -1;
    if (!c.run || strcmp(c.run, run) != 0) {
        rh_confirm_clear(&c);
        return rh_error_set(err, RH_ESYSTEM, "'%s/%s' was removed during the run: it is not rolled back",
                            state_dir, file_name);
    }
    if (changed) {
        c.phase = RH_CONFIRM_WAITING;
        c.deadline = now() + (long long)c.within * 1000;
        rc = rh_confirm_save(state_dir, &c, err);
    } else {
        rc = rh_confirm_close(state_dir, &c, RH_CONFIRMED_UNCHANGED, err);
        if (rc == 0)
            rh_confirm_stop(&c);
    }
    rh_confirm_clear(&c);
    return rc;
}

/* A run that was killed before its journal began has changed nothing. */
static bool
has_journal(const char *state_dir, const char *run)
{
    rh_autofree char *path = rh_printf("%s/runs/%s.jsonl", state_dir, run);

    return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

static int
refuse(const struct rh_confirm *c, struct rh_error *err)
{
    double left = rh_confirm_left(c);

    if (c->phase == RH_CONFIRM_FAILED)
        return rh_error_set(
            err, RH_EINPUT,
            "run %s was rolled back in part only: 'rhost confirm --abort' tries the rest again, "
            "'rhost confirm' keeps this machine as it is",
            c->run);
    if (c->phase == RH_CONFIRM_ROLLING_BACK)
        return rh_error_set(err, RH_EINPUT,
                            "run %s is being rolled back; if that was interrupted, 'rhost confirm --abort' "
                            "completes it",
                            c->run);
    if (left < 0)
        return rh_error_set(err, RH_EINPUT,
                            "run %s was not confirmed in time, and is not rolled back yet: 'rhost confirm "
                            "--abort' does it now",
                            c->run);
    return rh_error_set(err, RH_EINPUT,
                        "run %s is not confirmed: 'rhost confirm' keeps it, 'rhost confirm --abort' rolls it "
                        "back now; otherwise it is rolled back in %.0f s",
                        c->run, left);
}

int
rh_confirm_refuse(const char *state_dir, const char *undoes, struct rh_error *err)
{
    struct rh_confirm c;
    int rc = 0;

    if (rh_confirm_read(state_dir, &c, err) < 0)
        return -1;
    if (c.run && !has_journal(state_dir, c.run))
        rc = rh_confirm_close(state_dir, &c, RH_CONFIRMED_UNCHANGED, err);
    else if (c.run && !(c.phase == RH_CONFIRM_ROLLING_BACK && undoes && strcmp(undoes, c.run) == 0))
        rc = refuse(&c, err);
    rh_confirm_clear(&c);
    return rc;
}
