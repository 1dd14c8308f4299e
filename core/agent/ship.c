/* SPDX-License-Identifier: Apache-2.0 */
/* ship - sends reports. One is removed after the server has said that it has it, and not before. */
#include "config.h"

#include "agent/agent.h"

#include "agent/fetch.h"
#include "agent/subject.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/value-json.h"
#include "base/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    SECONDS = 60,
    LEAST_PAUSE = 1,
    FIRST_PAUSE = 10,
    LONGEST_PAUSE = 3600,
    MOST_DOUBLINGS = 12,
    LARGEST_ANSWER = 64 << 10,
    SLOWEST = 16 << 10 /* bytes in a second */
};

/* A random part of a time that doubles with each failure, so that machines that failed together do not come
 * back together. */
static void
wait_longer(struct rh_agent *agent)
{
    unsigned doublings = agent->ship_failures < MOST_DOUBLINGS ? agent->ship_failures : MOST_DOUBLINGS;
    double most = (double)FIRST_PAUSE * (double)(1U << doublings);
    uint32_t random = UINT32_MAX;

    if (most > LONGEST_PAUSE)
        most = LONGEST_PAUSE;
    if (getrandom(&random, sizeof random, 0) < 0)
        random = UINT32_MAX;
    agent->ship_failures++;
    agent->ship_after = rh_now() + LEAST_PAUSE + most * random / UINT32_MAX;
}

/* "DIRECTORY/RUN.json", as 'rhost collect' reads them: the same report has the same name, so that it can be
 * sent again. NULL: the report cannot be read. */
static char *
url_of(const struct rh_agent *agent, const char *directory, const char *text, size_t n)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    const struct rh_value *v = rh_value_from_json(a, text, n, NULL);
    const char *run = rh_value_get_str(v, "run", "");

    if (!*run || run[strspn(run, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_")])
        return NULL;
    return rh_printf("%s/%s/%s.json", agent->settings.reports, directory, run);
}

/* The name that a server knows us by: that of the certificate, or of this machine. */
static char *
directory_of(const struct rh_agent *agent, struct rh_error *err)
{
    if (agent->settings.certificate)
        return rh_certificate_name(agent->settings.certificate, err);
    return rh_xstrdup(rh_is_report_directory(agent->name) ? agent->name : agent->id);
}

/* What a server says of one report, and not of all: this one is too large, or not wanted. */
static bool
is_about_one(int status)
{
    return status >= 400 && status < 500 && status != 401 && status != 403 && status != 404 && status != 408
           && status != 429;
}

enum sent { ARRIVED, NEVER, LATER, FAILED = -1 };

/* LATER, with an error: others may arrive. */
static enum sent
send_one(struct rh_agent *agent, size_t i, const char *directory, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *text = rh_spool_read(&agent->spool, i, &n, err);
    rh_autofree char *url = text ? url_of(agent, directory, text, n) : NULL;
    struct rh_fetch_request r = { .url = url,
                                  .body = text,
                                  .n_body = n,
                                  .limit = LARGEST_ANSWER,
                                  .seconds = SECONDS + (int64_t)(n / SLOWEST) };
    struct rh_fetch_answer answer;

    if (!text)
        return LATER;
    if (!url)
        return NEVER;
    if (rh_fetch(&agent->settings, &r, -1, &answer, err) < 0)
        return FAILED;
    if (answer.status >= 200 && answer.status <= 299)
        return ARRIVED;
    (void)rh_error_set(err, RH_ESYSTEM, "cannot put '%s': the server answered with status %d", url,
                       answer.status);
    return is_about_one(answer.status) ? LATER : FAILED;
}

/* How many were lost is a report as well, and is sent like the others. */
static int
report_losses(struct rh_agent *agent, struct rh_error *err)
{
    rh_autoerror struct rh_error why = { 0 };
    struct rh_spool_losses l;

    if (rh_spool_losses(&agent->spool, &l, err) < 0)
        return -1;
    if (!l.folded && !l.dropped)
        return 0;
    (void)rh_error_set(&why, RH_ESYSTEM,
                       "the spool was full: %lld reports without a change and %lld others were "
                       "removed before they were sent",
                       (long long)l.folded, (long long)l.dropped);
    rh_log_error(RH_WARNING, &why);
    return rh_agent_report(agent, 0, &why, err) < 0 ? -1 : rh_spool_forget_losses(&agent->spool, err);
}

/* Those that are there, but those that come later; `*left` is how many these are, and `err` about the last.
 */
static int
send_all(struct rh_agent *agent, const char *directory, size_t *left, struct rh_error *err)
{
    while (*left < agent->spool.n) {
        rh_autoerror struct rh_error why = { 0 };
        enum sent sent = send_one(agent, *left, directory, &why);

        if (why.message) {
            rh_error_clear(err);
            rh_error_move(err, &why);
        }
        if (sent == FAILED)
            return -1;
        if (sent == LATER) {
            ++*left;
            continue;
        }
        if (sent == NEVER)
            rh_log(RH_WARNING, "a report that cannot be read is removed from the spool");
        if (rh_spool_remove(&agent->spool, *left, err) < 0)
            return -1;
        agent->ship_failures = 0; /* the server is there */
    }
    return 0;
}

int
rh_agent_ship(struct rh_agent *agent, struct rh_error *err)
{
    rh_autofree char *directory = NULL;
    size_t left = 0;

    if (!agent->settings.reports || rh_now() < agent->ship_after)
        return 0;
    agent->ship_after = 0;
    directory = directory_of(agent, err);
    if (!directory || send_all(agent, directory, &left, err) < 0
        || (!left && (report_losses(agent, err) < 0 || send_all(agent, directory, &left, err) < 0)) || left) {
        wait_longer(agent);
        return -1;
    }
    return 0;
}
