/* SPDX-License-Identifier: Apache-2.0 */
/* execute - a settled catalog run, with the reports that the settings ask for. */
#include "config.h"

#include "cli/session.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "cli/command.h"
#include "cli/refusal.h"
#include "run/lock.h"
#include "run/report.h"
#include "run/transaction.h"

#include <unistd.h>

/* Everybody who wants to hear of the run. */
struct audience {
    struct rh_reporter v[2];
    size_t n;
};

static void
on_begin(void *data, const char *run, const char *started, bool noop)
{
    struct audience *a = data;

    for (size_t i = 0; i < a->n; i++)
        a->v[i].begin(a->v[i].data, run, started, noop);
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
on_end(void *data, const struct rh_run_end *end)
{
    struct audience *a = data;

    for (size_t i = 0; i < a->n; i++)
        a->v[i].end(a->v[i].data, end);
}

static int
run(struct rh_session *s, const struct rh_lock *lock, struct rh_report_json *file,
    struct rh_report_json *standard, struct rh_report_text *text, struct rh_error *err)
{
    const struct rh_settings *o = s->settings;
    struct audience audience = { 0 };
    const struct rh_reporter all = { .data = &audience,
                                     .begin = on_begin,
                                     .event = on_event,
                                     .log = on_log,
                                     .progress = on_progress,
                                     .end = on_end };
    const struct rh_transaction_options options = { .noop = o->noop,
                                                    .verify = o->verify,
                                                    .no_verify = o->no_verify,
                                                    .detailed = o->detailed,
                                                    .state_dir = s->state_dir,
                                                    .lock = lock };

    audience.v[audience.n++] = standard ? rh_report_json_reporter(standard) : rh_report_text_reporter(text);
    if (file)
        audience.v[audience.n++] = rh_report_json_reporter(file);
    return rh_transaction_run(&s->catalog, &s->order, &s->pool, &options, &all, err);
}

int
rh_execute(struct rh_session *s)
{
    const struct rh_settings *o = s->settings;
    struct rh_lock *lock =
        rh_session_refuse_unknown(s, o->noop) < 0 ? NULL : rh_session_lock(o, s->state_dir, &s->state);
    rh_autoerror struct rh_error err = { 0 };
    struct rh_report_json *file = NULL, *standard = NULL;
    struct rh_report_text *text = NULL;
    int status = -1;

    if (!lock)
        return RH_EXIT_REFUSED;
    if (s->read)
        rh_pool_forget(&s->pool, NULL);
    if (!o->report || (file = rh_report_json_new(o->report, &s->sources, &err))) {
        if (o->format == RH_FORMAT_JSON)
            standard = rh_report_json_new(NULL, &s->sources, &err);
        else
            text = rh_report_text_new(&(struct rh_report_text_options){
                .sources = &s->sources,
                .fd = STDOUT_FILENO,
                .colour = rh_session_colour(o, STDOUT_FILENO),
                .diff = o->diff,
                .verbose = o->verbose > 0,
                .quiet = o->quiet,
            });
        status = run(s, lock, file, standard, text, &err);
    }
    if (status < 0)
        rh_refuse("%s; nothing was changed", err.message);
    rh_error_clear(&err);
    if (rh_report_json_close(file, &err) < 0 || rh_report_json_close(standard, &err) < 0) {
        rh_log_error(RH_ERR, &err);
        status = status < 0 || status > 128 ? status : status | RH_EXIT_FAILED;
    }
    rh_report_text_free(text);
    rh_interrupt_close();
    rh_lock_free(lock);
    return status < 0 ? RH_EXIT_REFUSED : status;
}
