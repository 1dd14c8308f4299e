/* SPDX-License-Identifier: Apache-2.0 */
/* undo - rhost undo RUN: restore what an earlier run has changed; and after a run that failed. */
#include "config.h"

#include "cli/undo.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/value.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "cli/session.h"
#include "plugin/registry.h"
#include "run/journal-read.h"
#include "run/lock.h"
#include "run/report.h"
#include "run/undo.h"

#include <stdio.h>
#include <string.h>

struct undoing {
    struct rh_session *session;
    const struct rh_settings *settings;
    bool all;
};

static const struct rh_type *
find_type(void *data, const char *type, const char *provider, struct rh_error *err)
{
    struct undoing *u = data;

    return rh_registry_find(u->session->registry, type, provider, err);
}

static bool
is_forced(void *data, const char *type, const char *title)
{
    const struct undoing *u = data;
    rh_autofree char *name = rh_printf("%s[%s]", type, title);

    for (size_t i = 0; i < u->settings->force.n; i++)
        if (strcmp(u->settings->force.v[i], name) == 0 || strcmp(u->settings->force.v[i], "all") == 0)
            return true;
    return u->all;
}

/* Each --force must name something, or a typing mistake would pass for a refusal of the provider. */
static int
check_forced(const struct rh_settings *o, const struct rh_undo *undo)
{
    const struct rh_value *list = rh_value_get(undo->catalog, "list");

    for (size_t i = 0; i < o->force.n; i++) {
        bool found = strcmp(o->force.v[i], "all") == 0;

        for (size_t k = 0; !found && k < rh_value_count(list); k++)
            found = strcmp(rh_value_get_str(rh_value_at(list, k), "resource", ""), o->force.v[i]) == 0;
        if (!found) {
            rh_refuse_hint("'rhost show RUN' lists what the run has changed",
                           "--force=%s: the run has not changed such a resource", o->force.v[i]);
            return -1;
        }
    }
    return 0;
}

static bool
forces_all(const struct rh_settings *o)
{
    for (size_t i = 0; i < o->force.n; i++)
        if (strcmp(o->force.v[i], "all") == 0)
            return true;
    return false;
}

/* A rollback, which forces all, must not be stopped by a key that is gone: it restores all that it can. */
static int
make(struct rh_session *s, const struct rh_run_journal *j, bool all, struct undoing *u, struct rh_undo *undo)
{
    struct rh_undo_source source = {
        .data = u, .type = find_type, .force = is_forced, .state_dir = s->state_dir
    };

    if (rh_session_open_key(s, all) < 0)
        return -1;
    source.seal = s->seal;
    source.without_key = rh_session_without_key(s);
    rh_undo_make(j, &source, undo);
    if (!all || !undo->locked)
        return 0;
    s->without_key = source.without_key = true;
    rh_undo_clear(undo);
    rh_undo_make(j, &source, undo);
    return 0;
}

static int
undo(struct rh_session *s, const struct rh_run_journal *j, bool all)
{
    struct undoing u = { .session = s, .settings = s->settings, .all = all };
    struct rh_undo undo;
    int status = RH_EXIT_REFUSED;

    if (make(s, j, all || forces_all(s->settings), &u, &undo) < 0)
        return status;
    for (size_t i = 0; i < rh_value_count(undo.problems); i++)
        rh_log(RH_WARNING, "%s", rh_value_at(undo.problems, i)->u.string);
    if (undo.locked) {
        rh_refuse_hint(
            "give the key with --backup-key=FILE; --backup-key=none restores all but what is encrypted",
            "%s; nothing was changed", undo.locked);
    } else if (check_forced(s->settings, &undo) < 0) {
        status = RH_EXIT_REFUSED;
    } else if (!undo.n) {
        rh_log(RH_NOTICE, "run %s: nothing to undo", j->run);
        status = rh_value_count(undo.problems) ? RH_EXIT_FAILED : RH_EXIT_OK;
    } else if (rh_session_load_compiled(s, undo.catalog) == 0) {
        s->expected = undo.expected;
        s->undoes = j->run;
        status = rh_execute(s);
        if (s->without_key && undo.sealed && (status == RH_EXIT_OK || status == RH_EXIT_CHANGED))
            status += RH_EXIT_FAILED;
    }
    rh_undo_clear(&undo);
    return status;
}

/* What the run that failed hands on to the one that undoes it. */
struct outer {
    int state; /* the state directory, by which the lock was taken */
    const struct rh_lock *lock;
    struct rh_buf *report;
    struct rh_event_file *const *events;
    char run[RH_RUN_ID]; /* gets the id of the undo */
};

/* Waits until a run that is under way gives up its lock, and reads its journal again: it has ended then, also
 * where its process is a zombie. */
static int
wait_for_run(const struct rh_settings *settings, const char *state_dir, const char *run,
             struct rh_run_journal *j)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int dir = -1;
    struct rh_lock *lock;
    int rc;

    if (!settings->wait_lock) {
        rh_refuse_hint("wait until it has ended: --wait-lock=SECONDS does", "run %s is still under way", run);
        return -1;
    }
    lock = rh_session_lock(settings, state_dir, &dir);
    if (!lock)
        return -1;
    rh_run_journal_clear(j);
    rc = rh_run_journal_read(state_dir, run, j, &err);
    rh_lock_free(lock);
    if (rc < 0)
        rh_refuse_error("nothing was changed", &err);
    return rc;
}

/* `all`: whatever the states of its resources are now. Returns the exit status. */
static int
undo_run(struct rh_settings *settings, const char *state_dir, const char *run, bool all, struct outer *outer)
{
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_journal j;
    struct rh_session s;
    int status;

    if (rh_run_journal_read(state_dir, run, &j, &err) < 0) {
        rh_refuse_error("nothing was changed", &err);
        return RH_EXIT_REFUSED;
    }
    if (j.goes_on && wait_for_run(settings, state_dir, run, &j) < 0) {
        rh_run_journal_clear(&j);
        return RH_EXIT_REFUSED;
    }
    for (size_t i = 0; i < rh_value_count(j.problems); i++)
        rh_log(RH_WARNING, "the journal of run %s: %s", run, rh_value_at(j.problems, i)->u.string);
    settings->runs = true;
    if (outer)
        rh_session_open_locked(&s, settings, outer->state, outer->lock);
    else
        rh_session_open(&s, settings);
    s.report = outer ? outer->report : NULL;
    for (int i = 0; outer && i < RH_SESSION_EVENTS; i++)
        s.events[i] = outer->events[i];
    status = undo(&s, &j, all);
    if (outer)
        memcpy(outer->run, s.run, sizeof outer->run);
    rh_session_close(&s);
    rh_run_journal_clear(&j);
    return status;
}

static void
roll_back(const struct rh_session *failed, const struct rh_lock *lock, struct rh_rollback *done)
{
    const char *run = failed->run;
    struct rh_settings own = *failed->settings;
    rh_autobuf struct rh_buf report = { 0 };
    struct outer outer = {
        .state = failed->state, .lock = lock, .report = &report, .events = failed->events
    };

    for (int i = 0; i < RH_REPORTS; i++)
        own.reports[i] = NULL; /* those of the run that failed have it */
    own.detailed = false;
    own.fail_fast = false;
    own.force = (struct rh_words){ 0 };
    own.rollback = false;
    if (own.format != RH_FORMAT_TEXT)
        own.quiet = true;
    rh_log(RH_WARNING, "run %s has failed and is rolled back", run);
    own.format = RH_FORMAT_TEXT;
    done->exit = undo_run(&own, failed->state_dir, run, true, &outer);
    memcpy(done->run, outer.run, sizeof outer.run);
    if (done->exit)
        rh_log(RH_ERR, "run %s was not rolled back as a whole: 'rhost undo %s' tries again", run, run);
    else
        rh_log(RH_NOTICE, "run %s was rolled back", run);
    if (!report.n)
        return;
    done->n = report.n;
    done->report = rh_arena_strndup(failed->arena, report.s, report.n);
}

void
rh_undo_where_failed(struct rh_session *s)
{
    if (s->settings->rollback && !s->settings->noop)
        s->roll_back = roll_back;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    rh_autofree char *state_dir = NULL;
    rh_autofree char *earlier = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct rh_run_names names = { 0 };
    const char *name = NULL;
    int status = RH_EXIT_REFUSED;

    if (argc != 1)
        return rh_usage_error(&rh_command_undo,
                              argc ? "expected one RUN" : "no RUN given; 'last' is the last one");
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir)
        return RH_EXIT_REFUSED;
    if (rh_run_names_read(state_dir, &names, &err) == 0)
        name = rh_run_names_find(&names, argv[0], &err);
    if (!name)
        rh_refuse_error("nothing was changed", &err);
    else if (!settings->force.n && (earlier = rh_undo_find(state_dir, name)))
        rh_refuse_hint("'rhost undo' of that run does it again; --force=all restores the states once more",
                       "run %s was undone already, by run %s", name, earlier);
    else
        status = undo_run(settings, state_dir, name, false, NULL);
    rh_run_names_clear(&names);
    return status;
}

const struct rh_command rh_command_undo = {
    .name = "undo",
    .arguments = "RUN",
    .summary = "restore what an earlier run has changed",
    .text = "RUN is the name of a run, as 'rhost runs' lists it, or its beginning; 'last' is the last one.\n"
            "Restores the states before that run. A resource that was changed after it\n"
            "fails, and stays as it is. What cannot be restored is said first. An undo is a run like any\n"
            "other: --noop shows what it would do, and it can be undone.\n"
            "Exit status: 0 success, 1 it was refused and nothing was changed, 4 a resource failed; with\n"
            "--detailed-exitcodes also 2 something was changed (or would be), 6 both.",
    .options = RH_OPT_COMMON | RH_OPT_RUN | RH_OPT_FORMAT | RH_OPT_PROVIDER | RH_OPT_UNDO,
    .run = run,
};
