/* SPDX-License-Identifier: Apache-2.0 */
/* pending - rhost pending: notifications that are still pending, and striking them off. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/suggest.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/session.h"
#include "run/lock.h"
#include "run/pending.h"

#include <stdio.h>
#include <string.h>

static char *
reference_of(const struct rh_pending *d)
{
    return rh_printf("%s[%s]", d->type, d->title);
}

static size_t
count(const struct rh_pending_list *pending)
{
    size_t n = 0;

    for (size_t i = 0; i < rh_pending_count(pending); i++)
        n += !rh_pending_at(pending, i)->dropped;
    return n;
}

/* Listing. */

static void
print_one(const struct rh_pending *d)
{
    static const char *const policies[] = {
        [RH_RUN_ANYWAY] = "the next run delivers it, also when something fails",
        [RH_KEEP_PENDING] = "the next run in which nothing fails delivers it",
        [RH_DROP] = "the next run delivers it, or drops it when something fails",
    };
    rh_autofree char *reference = reference_of(d);
    rh_autofree char *target = rh_safe_text(reference), *action = rh_safe_text(d->action);
    rh_autofree char *by = rh_safe_text(d->by), *run = rh_safe_text(d->run);
    rh_autofree char *since = rh_safe_text(d->since);

    (void)printf("%s  %s\n  pending since run %s, %s\n  %s %s\n  %s (on_failure: %s)\n", target, action, run,
                 since, by, d->certain ? "changed" : "may have changed something", policies[d->on_failure],
                 rh_on_failure_name(d->on_failure));
}

static void
list(const struct rh_pending_list *pending, enum rh_format format)
{
    rh_autobuf struct rh_buf json = { 0 };
    size_t n = count(pending);

    for (size_t i = 0; i < rh_pending_count(pending); i++) {
        if (rh_pending_at(pending, i)->dropped)
            continue;
        if (format == RH_FORMAT_JSON) {
            rh_buf_add(&json, json.n ? ",\n  {" : "\n  {");
            rh_pending_to_json(&json, rh_pending_at(pending, i));
            rh_buf_addc(&json, '}');
        } else {
            print_one(rh_pending_at(pending, i));
        }
    }
    if (format == RH_FORMAT_JSON)
        (void)printf("[%s%s]\n", rh_buf_text(&json), json.n ? "\n" : "");
    else if (n)
        (void)printf("\n%zu notification%s pending\n", n, n == 1 ? " is" : "s are");
    else
        (void)puts("no notifications are pending");
}

/* Dropping. */

static bool
is_asked_for(const struct rh_settings *o, const struct rh_pending *d)
{
    rh_autofree char *reference = reference_of(d);
    bool asked = o->drop_all;

    for (size_t i = 0; i < o->drop.n && !asked; i++)
        asked = strcmp(o->drop.v[i], reference) == 0;
    return asked && !d->dropped;
}

/* Whether something is pending to each resource that is named. */
static bool
are_known(const struct rh_settings *o, const struct rh_pending_list *pending)
{
    bool all = true;

    for (size_t k = 0; k < o->drop.n; k++) {
        rh_autofree char *best = NULL;
        rh_autoerror struct rh_error err = { 0 };
        struct rh_suggest near;
        bool known = false;

        rh_suggest_init(&near, o->drop.v[k]);
        for (size_t i = 0; i < rh_pending_count(pending) && !known; i++) {
            rh_autofree char *reference = reference_of(rh_pending_at(pending, i));
            const char *before = near.best;

            if (rh_pending_at(pending, i)->dropped)
                continue;
            known = strcmp(reference, o->drop.v[k]) == 0;
            rh_suggest_try(&near, reference);
            if (near.best != before) {
                free(best);
                best = rh_take(&reference);
            }
        }
        if (known)
            continue;
        all = false;
        (void)rh_error_set(&err, RH_EINPUT, "--drop=%s: no pending notification", o->drop.v[k]);
        (void)rh_error_suggest(&err, best, "'rhost pending' lists them");
        rh_log_error(RH_ERR, &err);
    }
    return all;
}

static int
drop(const struct rh_settings *o, struct rh_pending_list *pending)
{
    if (!count(pending)) {
        list(pending, o->format);
        return RH_EXIT_OK;
    }
    if (!are_known(o, pending)) {
        rh_log(RH_ERR, "nothing was dropped");
        return RH_EXIT_REFUSED;
    }
    for (size_t i = 0; i < rh_pending_count(pending); i++) {
        const struct rh_pending *d = rh_pending_at(pending, i);
        rh_autofree char *target = reference_of(d);

        if (!is_asked_for(o, d))
            continue;
        rh_pending_drop(pending, i);
        rh_log(RH_NOTICE, "dropped: %s %s, notified by %s in run %s", target, d->action, d->by, d->run);
    }
    return RH_EXIT_OK;
}

static int
run(struct rh_settings *settings, int argc, char **argv)
{
    bool drops = settings->drop.n || settings->drop_all;
    rh_autofree char *state_dir = NULL;
    rh_autoerror struct rh_error err = { 0 };
    rh_autoclose int dir = -1;
    struct rh_lock *lock = NULL;
    struct rh_pending_list *pending;
    int status = RH_EXIT_OK;

    if (argc > 0)
        return rh_usage_error(&rh_command_pending, "unexpected argument '%s'; --drop=%s drops it", argv[0],
                              argv[0]);
    state_dir = rh_session_safe_state_dir(settings);
    if (!state_dir || (drops && !(lock = rh_session_lock(settings, state_dir, &dir))))
        return RH_EXIT_REFUSED;
    pending = rh_pending_open(state_dir, drops ? "" : NULL, NULL, &err);
    if (!pending) {
        rh_log_error(RH_ERR, &err);
        rh_lock_free(lock);
        return RH_EXIT_REFUSED;
    }
    if (drops)
        status = drop(settings, pending);
    else
        list(pending, settings->format);
    if (rh_pending_close(pending, &err) < 0) {
        rh_log_error(RH_ERR, &err);
        status = RH_EXIT_FAILED;
    }
    rh_lock_free(lock);
    return status;
}

const struct rh_command rh_command_pending = {
    .name = "pending",
    .arguments = "",
    .summary = "list pending notifications, or drop them",
    .text =
        "When a run fails or is killed, some targets may not have been notified of a change. The next run\n"
        "that has the target notifies it. This lists those notifications: target, since when, by whom.",
    .options = RH_OPT_COMMON | RH_OPT_FORMAT | RH_OPT_DROP | RH_OPT_LOCK,
    .run = run,
};
