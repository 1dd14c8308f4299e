/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - have systemd start, stop or reload units, many at once, and wait for all of them.
 *
 * systemd answers with a job, and says by the signal JobRemoved how it ended. Answers and signals come
 * in the order in which they were sent, so that no end can be missed once the match is there. */

#include "jobs.h"

#include <time.h>

enum { SIGN_OF_LIFE = 30 }; /* seconds */

struct batch {
    rhost_ctx *ctx;
    struct job *jobs;
    size_t n;
};

struct waiting {
    rhost_ctx *ctx;
    struct job *job;
};

static double
now(void)
{
    struct timespec ts;

    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int
on_answer(sd_bus_message *m, void *data, sd_bus_error *ignored)
{
    struct waiting *w = data;
    const char *path;
    int r;

    (void)ignored;
    if (sd_bus_message_is_method_error(m, NULL)) {
        w->job->error = bus_reason(w->ctx, sd_bus_message_get_error(m), -EIO);
        return 0;
    }
    r = sd_bus_message_read(m, "o", &path);
    if (r < 0)
        w->job->error = bus_reason(w->ctx, NULL, r);
    else
        w->job->path = rhost_strdup(w->ctx, path);
    return 0;
}

static int
on_removed(sd_bus_message *m, void *data, sd_bus_error *ignored)
{
    struct batch *b = data;
    const char *path, *unit, *result;
    uint32_t id;

    (void)ignored;
    if (sd_bus_message_read(m, "uoss", &id, &path, &unit, &result) < 0)
        return 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->jobs[i].path && strcmp(b->jobs[i].path, path) == 0)
            b->jobs[i].result = rhost_strdup(b->ctx, result);
    return 0;
}

static int
is_over(const struct job *job)
{
    return job->result || job->error;
}

/* Marks those whose time is up. Returns the seconds until the next one's is; 0: none is left. */
static double
check_limits(rhost_ctx *ctx, struct job *jobs, size_t n, double begun)
{
    double passed = now() - begun, next = 0;

    for (size_t i = 0; i < n; i++) {
        double left = jobs[i].limit - passed;

        if (is_over(&jobs[i]))
            continue;
        if (left <= 0)
            jobs[i].error = rhost_fmt(ctx,
                                      "it is not done after %g s, which is its timeout; systemd goes on "
                                      "with it",
                                      jobs[i].limit);
        else if (next <= 0 || left < next)
            next = left;
    }
    return next;
}

static void
fail_all(struct job *jobs, size_t n, const char *why)
{
    for (size_t i = 0; i < n; i++)
        if (!is_over(&jobs[i]))
            jobs[i].error = why;
}

static int
watch(sd_bus *bus, struct batch *b)
{
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int r = sd_bus_match_signal(bus, NULL, NULL, BUS_PATH, BUS_MANAGER, "JobRemoved", on_removed, b);

    /* Who talks to systemd itself gets its signals anyhow. */
    if (r >= 0)
        (void)sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_MANAGER, "Subscribe", &error, NULL, "");
    sd_bus_error_free(&error);
    return r;
}

void
jobs_run(rhost_ctx *ctx, sd_bus *bus, struct job *jobs, size_t n)
{
    struct batch *b = rhost_alloc(ctx, sizeof *b);
    struct waiting *waiting = rhost_alloc(ctx, (n + 1) * sizeof *waiting);
    double begun = now(), reported = begun, left;
    int r = n ? watch(bus, b) : 0;

    *b = (struct batch){ ctx, jobs, n };
    for (size_t i = 0; i < n && r >= 0; i++) {
        waiting[i] = (struct waiting){ ctx, &jobs[i] };
        rhost_debug(ctx, "%s %s", jobs[i].method, jobs[i].unit);
        r = sd_bus_call_method_async(bus, NULL, BUS_NAME, BUS_PATH, BUS_MANAGER, jobs[i].method, on_answer,
                                     &waiting[i], "ss", jobs[i].unit, "replace");
    }
    while (r >= 0 && (left = check_limits(ctx, jobs, n, begun)) > 0) {
        r = sd_bus_process(bus, NULL);
        if (r == 0)
            r = sd_bus_wait(bus, (uint64_t)((left < SIGN_OF_LIFE ? left : SIGN_OF_LIFE) * 1e6) + 1);
        if (now() - reported >= SIGN_OF_LIFE) {
            reported = now();
            rhost_debug(ctx, "still waiting for systemd, since %.0f s", reported - begun);
        }
    }
    if (r < 0)
        fail_all(jobs, n, rhost_fmt(ctx, "the connection to systemd was lost: %s", strerror(-r)));
}
