/* SPDX-License-Identifier: Apache-2.0 */
/* execute - a settled catalog run, with the reports that the settings ask for. */
#include "config.h"

#include "cli/session.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/json-writer.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/confirm.h"
#include "cli/refusal.h"
#include "cli/refused-run.h"
#include "cli/reports.h"
#include "provider/exec-child.h"
#include "run/confirm.h"
#include "run/event-file.h"
#include "run/lock.h"
#include "run/plan.h"
#include "run/report.h"
#include "run/transaction.h"

#include <unistd.h>

/* Everybody who wants to hear of the run. */
struct audience {
    struct rh_reporter v[4 + RH_SESSION_EVENTS + RH_REPORTS];
    size_t n;
    bool silent;           /* it is a part of something else, which may still be refused */
    bool waits;            /* the reports of a run that fails have what its rollback has done, too: */
    struct rh_run_end end; /* so this is for them later */
};

static void
on_begin(void *data, const struct rh_run_begin *begin)
{
    struct audience *a = data;

    if (!a->silent)
        rh_refused_run()->begun = true;
    for (size_t i = 0; i < a->n; i++)
        a->v[i].begin(a->v[i].data, begin);
}

static void
on_event(void *data, const struct rh_event *event)
{
    struct audience *a = data;

    for (size_t i = 0; i < a->n; i++)
        a->v[i].event(a->v[i].data, event);
}

static void
on_log(void *data, const struct rh_log_record *record)
{
    struct audience *a = data;

    for (size_t i = 0; i < a->n; i++)
        a->v[i].log(a->v[i].data, record);
}

static void
on_progress(void *data, const struct rh_resource *resource, const struct rh_progress *progress)
{
    struct audience *a = data;

    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].progress)
            a->v[i].progress(a->v[i].data, resource, progress);
}

static void
on_wait(void *data, const struct rh_hand *hand)
{
    struct audience *a = data;

    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].wait)
            a->v[i].wait(a->v[i].data, hand);
}

static void
on_end(void *data, const struct rh_run_end *end)
{
    struct audience *a = data;

    a->waits &= end->exit >= 128 || end->exit & RH_EXIT_FAILED;
    a->end = *end;
    for (size_t i = 0; i < a->n; i++)
        if (!a->waits || !a->v[i].program)
            a->v[i].end(a->v[i].data, end);
}

/* The run has failed: what it has changed is undone, and its reports have that as well. */
static void
roll_back(struct rh_session *s, const struct rh_lock *lock, struct audience *a)
{
    struct rh_rollback done = { .exit = 0 };

    for (int i = 0; i < RH_SESSION_EVENTS; i++)
        if (s->events[i]) {
            rh_json_text(rh_event_file_begin(s->events[i], "rollback"), "run", s->run);
            rh_event_file_end(s->events[i]);
        }
    rh_interrupt_close();
    rh_pool_dismiss(&s->pool);
    s->roll_back(s, lock, &done);
    a->end.run = s->run;
    a->end.rollback = &done;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].program)
            a->v[i].end(a->v[i].data, &a->end);
    a->end.rollback = NULL;
}

/* Each is NULL when it is not asked for. */
struct outputs {
    struct rh_reports files;
    struct rh_report_text *text;
    struct rh_report_live *live;
    struct rh_report_events *events[RH_SESSION_EVENTS];
    struct rh_event_file *opened[RH_SESSION_EVENTS]; /* those that are closed with it */
    struct rh_report_writer *own;                    /* for whoever runs this session */
};

/* What is said of a run that is to be confirmed before it begins. */
static void
warn_of_reboot(const struct rh_session *s)
{
    rh_autofree char *why = rh_confirm_reboot_problem(s->state_dir);

    if (why)
        rh_log(RH_WARNING, "a reboot does not roll this run back: %s; 'rhost confirm --abort' does then",
               why);
}

static int
run(struct rh_session *s, const struct rh_lock *lock, const struct outputs *r, struct audience *audience,
    struct rh_error *err)
{
    const struct rh_settings *o = s->settings;
    struct rh_confirm_request confirm;
    const struct rh_reporter all = { .data = audience,
                                     .begin = on_begin,
                                     .event = on_event,
                                     .log = on_log,
                                     .progress = on_progress,
                                     .wait = on_wait,
                                     .end = on_end };
    struct rh_transaction_options options = { .noop = o->noop,
                                              .verify = o->verify,
                                              .no_verify = o->no_verify,
                                              .fail_fast = o->fail_fast,
                                              .detailed = o->detailed,
                                              .state_dir = s->state_dir,
                                              .lock = lock,
                                              .planning = s->planning,
                                              .plan = s->plan,
                                              .plan_digest = s->plan_digest,
                                              .backup = o->no_backup ? RH_BACKUP_NONE
                                                        : o->rollback || o->confirm_within
                                                            ? RH_BACKUP_REQUIRED
                                                            : RH_BACKUP_USUAL,
                                              .backup_limit =
                                                  o->backup_limit ? o->backup_limit : RH_BACKUP_LIMIT,
                                              .backup_age = o->backup_age,
                                              .seal = s->seal,
                                              .expected = s->expected,
                                              .undoes = s->undoes,
                                              .run = s->run,
                                              .identity = *s->identity.name ? &s->identity : NULL,
                                              .revision = o->revision };

    if (o->confirm_within && !o->noop) {
        rh_confirm_request_make(s->arena, o, &confirm);
        options.confirm = &confirm;
        options.durable = true;
    }
    for (int i = 0; i < RH_SESSION_EVENTS; i++)
        if (r->events[i])
            audience->v[audience->n++] = rh_report_events_reporter(r->events[i]);
    if (r->files.standard)
        audience->v[audience->n++] = rh_report_reporter(r->files.standard);
    if (r->text)
        audience->v[audience->n++] = rh_report_text_reporter(r->text);
    if (s->planning)
        audience->v[audience->n++] = rh_planning_reporter(s->planning);
    for (int i = 0; i < RH_REPORTS; i++)
        if (r->files.v[i])
            audience->v[audience->n++] = rh_report_reporter(r->files.v[i]);
    if (r->own)
        audience->v[audience->n++] = rh_report_reporter(r->own);
    audience->silent = s->silent;
    audience->waits = s->roll_back != NULL;
    if (r->live) /* last: what the others write removes what it shows */
        audience->v[audience->n++] = rh_report_live_reporter(r->live);
    return rh_transaction_run(&s->catalog, &s->order, &s->pool, &options, &all, err);
}

/* The events of a run that is part of another one are among those of that. */
static int
open_events(struct rh_session *s, struct outputs *r, struct rh_error *err)
{
    const struct rh_settings *o = s->settings;

    if (o->events && !s->events[0] && !(s->events[0] = r->opened[0] = rh_events_open(o, &s->sources, err)))
        return -1;
    if (o->progress == RH_PROGRESS_JSON && !s->events[1])
        s->events[1] = r->opened[1] = rh_event_file_of(o->progress_fd);
    for (int i = 0; i < RH_SESSION_EVENTS; i++)
        if (s->events[i])
            r->events[i] = rh_report_events_new(s->events[i], &s->sources, o->changes_only);
    return 0;
}

/* Returns the status of the run, which events that can't be written make a failure. */
static int
close_events(struct rh_session *s, struct outputs *r, int status)
{
    for (int i = 0; i < RH_SESSION_EVENTS; i++) {
        rh_report_events_free(r->events[i]);
        if (!r->opened[i])
            continue;
        s->events[i] = NULL;
        status = rh_events_close(r->opened[i], status);
    }
    return status;
}

/* Whether anybody hears of the run, or it has a journal: then it has a number. */
static bool
is_recorded(const struct rh_session *s, const struct outputs *r)
{
    for (int i = 0; i < RH_REPORTS; i++)
        if (r->files.v[i])
            return true;
    return r->files.standard || r->own || s->events[0] || s->events[1]
           || (!s->settings->noop && s->catalog.n_resources);
}

/* Whether somebody else gets its number, who may have it longer than this machine after a power cut. */
static bool
is_heard(const struct rh_session *s, const struct outputs *r)
{
    for (int i = 0; i < RH_REPORTS; i++)
        if (r->files.v[i])
            return true;
    return r->files.standard || s->events[0] || s->events[1];
}

static int
identify(struct rh_session *s, const struct outputs *r, struct rh_error *err)
{
    if (!is_recorded(s, r))
        return 0;
    if (rh_identity_take(s->state_dir, is_heard(s, r), &s->identity, err) < 0)
        return -1;
    rh_refused_run()->identity = s->identity;
    return 0;
}

/* Opens what the settings ask for; -1 when a report can't be written. */
static int
open_outputs(struct rh_session *s, struct outputs *r, struct rh_error *err)
{
    const struct rh_settings *o = s->settings;

    if (s->report
        && !(r->own = rh_report_new(&(struct rh_report_options){ .kind = RH_REPORT_JSON,
                                                                 .to = s->report,
                                                                 .changes_only = o->changes_only,
                                                                 .sources = &s->sources },
                                    err)))
        return -1;
    if (s->silent)
        return 0;
    if (rh_reports_open(&r->files, o, &s->sources, err) < 0)
        return -1;
    if (open_events(s, r, err) < 0)
        return -1;
    if (!r->files.standard && !rh_session_events_on(o, STDOUT_FILENO))
        r->text = rh_report_text_new(&(struct rh_report_text_options){
            .sources = &s->sources,
            .fd = STDOUT_FILENO,
            .colour = rh_session_colour(o, STDOUT_FILENO),
            .diff = o->diff,
            .verbose = o->verbose > 0,
            .quiet = o->quiet,
            .no_log = (o->progress == RH_PROGRESS_JSON && o->progress_fd == STDERR_FILENO)
                      || rh_session_events_on(o, STDERR_FILENO),
        });
    if (rh_session_has_status_line(o))
        r->live = rh_report_live_new(STDERR_FILENO, rh_session_colour(o, STDERR_FILENO));
    return 0;
}

int
rh_execute(struct rh_session *s)
{
    const struct rh_settings *o = s->settings;
    struct rh_lock *own = NULL;
    rh_autoerror struct rh_error err = { 0 };
    struct audience audience = { 0 };
    struct outputs r = { 0 };
    int status = -1;

    if (rh_session_refuse_unknown(s, o->noop) < 0 || rh_session_want_key(s) < 0
        || (!s->outer_lock && !(own = rh_session_lock(o, s->state_dir, &s->state))))
        return RH_EXIT_REFUSED;
    if (!o->noop && rh_confirm_refuse(s->state_dir, s->undoes, &err) < 0) {
        rh_refuse_error("nothing was changed", &err);
        rh_lock_free(own);
        return RH_EXIT_REFUSED;
    }
    if (o->confirm_within && !o->noop)
        warn_of_reboot(s);
    if (s->read)
        rh_pool_forget(&s->pool, NULL);
    rh_privilege_warn(s);
    if (open_outputs(s, &r, &err) == 0 && identify(s, &r, &err) == 0)
        status = run(s, own ? own : s->outer_lock, &r, &audience, &err);
    rh_report_live_free(r.live);
    rh_report_text_free(r.text);
    if (status < 0)
        rh_refuse_hint(err.hint, "%s; nothing was changed", err.message);
    else if (audience.waits)
        roll_back(s, own ? own : s->outer_lock, &audience);
    status = close_events(s, &r, status);
    rh_discard(rh_report_close(r.own, &err));
    status = rh_reports_close(&r.files, status);
    rh_interrupt_close();
    rh_lock_free(own);
    rh_exec_hold(-1); /* other runs need not wait while it is sent */
    rh_reports_send(&r.files);
    return status < 0 ? RH_EXIT_REFUSED : status;
}
