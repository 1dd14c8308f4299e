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

enum { SECONDS = 60, FIRST_PAUSE = 10, LONGEST_PAUSE = 3600, MOST_DOUBLINGS = 12, LARGEST_ANSWER = 64 << 10 };

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
    agent->ship_after = rh_now() + most * random / UINT32_MAX;
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

/* 0: it has arrived; 1: it never will; -1: it has not. */
static int
send_one(struct rh_agent *agent, size_t i, const char *directory, struct rh_error *err)
{
    size_t n = 0;
    rh_autofree char *text = rh_spool_read(&agent->spool, i, &n, err);
    rh_autofree char *url = text ? url_of(agent, directory, text, n) : NULL;
    struct rh_fetch_request r = {
        .url = url, .body = text, .n_body = n, .limit = LARGEST_ANSWER, .seconds = SECONDS
    };
    struct rh_fetch_answer answer;

    if (!text)
        return -1;
    if (!url)
        return 1;
    if (rh_fetch(&agent->settings, &r, -1, &answer, err) < 0)
        return -1;
    if (answer.status < 200 || answer.status > 299)
        return rh_error_set(err, RH_ESYSTEM, "cannot put '%s': the server answered with status %d", url,
                            answer.status);
    return 0;
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

int
rh_agent_ship(struct rh_agent *agent, struct rh_error *err)
{
    rh_autofree char *directory = NULL;
    bool reported = false;

    if (!agent->settings.reports || rh_now() < agent->ship_after)
        return 0;
    directory = directory_of(agent, err);
    if (!directory)
        return -1;
    while (agent->spool.n || !reported) {
        int rc = 0;

        if (agent->spool.n)
            rc = send_one(agent, 0, directory, err);
        if (rc < 0) {
            wait_longer(agent);
            return -1;
        }
        if (rc > 0)
            rh_log(RH_WARNING, "a report that cannot be read is removed from the spool");
        if (agent->spool.n && rh_spool_remove(&agent->spool, 0, err) < 0)
            return -1;
        /* The server is there. */
        agent->ship_failures = 0;
        agent->ship_after = 0;
        if (!agent->spool.n && !reported) {
            reported = true;
            if (report_losses(agent, err) < 0)
                return -1;
        }
    }
    return 0;
}
