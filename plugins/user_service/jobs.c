/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - start and stop units of one user. */

#include "jobs.h"

#include "reason.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

/* Whether it did not do as it should: `run` 1, it should run now; 0: not any more. */
static int
is_wrong(const struct batch_item *it, int run, const char *said)
{
    const struct unit *unit = &it->shown.unit;

    if (!run)
        return !unit_stopped(unit);
    if (unit_running(unit))
        return 0;
    /* One of these is done when it has run. */
    if (strcmp(unit->active, "inactive") == 0 && strcmp(it->shown.type, "oneshot") == 0)
        return strstr(said, it->name) != NULL;
    return 1;
}

static void
judge(struct batch *b, struct batch_item *it, int run, const struct rhost_output *out, int64_t since)
{
    const char *what = run ? "start" : "stop";

    if (!is_wrong(it, run, out->err))
        return;
    if (out->status == SYSTEMCTL_LATE && it->shown.busy)
        batch_item_fail(
            b, it,
            rhost_fmt(b->ctx,
                      "cannot %s %s of user '%s': it is not done after %g s, which is its timeout; systemd "
                      "goes on with it (it is '%s', '%s' now)",
                      what, it->name, b->account.owner.user, batch_limit(it->change), it->shown.unit.active,
                      it->shown.unit.sub));
    else
        batch_item_fail(b, it, reason_for(b->ctx, &b->account, &it->shown, what, out->err, since));
}

/* Those with the limit of the first that is left: one job for all of them. Returns how many; -1: given. */
static int
run_some(struct batch *b, int run, char *done)
{
    const char **names = rhost_alloc(b->ctx, (b->n + 1) * sizeof *names);
    char *these = rhost_alloc(b->ctx, b->n + 1);
    int64_t since = (int64_t)time(NULL);
    struct rhost_output out;
    double limit = 0;
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct batch_item *it = &b->items[i];

        these[i] = it->run == run && !it->failed && !done[i] && (!n || batch_limit(it->change) == limit);
        if (!these[i])
            continue;
        limit = batch_limit(it->change);
        names[n++] = it->name;
        done[i] = 1;
    }
    names[n] = NULL;
    if (!n)
        return 0;
    /* How often it was started before does not count: systemd's limit is for what crashes. */
    if (run && manager_do(b->ctx, &b->account, "reset-failed", names, 0, &out) < 0)
        return -1;
    if (manager_do(b->ctx, &b->account, run ? "start" : "stop", names, limit, &out) < 0)
        return -1;
    out.err = rhost_strdup(b->ctx, out.err);
    if (run)
        usleep(BATCH_GRACE);
    if (batch_read_units(b) < 0)
        return -1;
    if (!b->runs)
        return rhost_fail(b->ctx, "the systemd manager of user '%s' ended meanwhile", b->account.owner.user);
    for (size_t i = 0; i < b->n; i++)
        if (these[i])
            judge(b, &b->items[i], run, &out, since);
    return (int)n;
}

int
jobs_run(struct batch *b, int run)
{
    char *done = rhost_alloc(b->ctx, b->n + 1);
    int r = 1;

    memset(done, 0, b->n + 1);
    while (r > 0)
        r = run_some(b, run, done);
    return r;
}
