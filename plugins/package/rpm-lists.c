/* SPDX-License-Identifier: Apache-2.0 */
/* rpm-lists - what dnf or zypper is to be given for each job. */

#include "rpm-lists.h"

#include "version.h"

static int32_t
prepare_listed(rhost_ctx *ctx, const struct jobs *jobs, struct job *job, const struct rpms *listed,
               const struct rpm_lists *lists)
{
    const char *wants = job_wants(job->change), *latest = NULL, *fits = NULL;
    struct words there = { 0 };

    for (size_t i = 0; i < listed->n; i++) {
        struct rpms one = { .at = &listed->at[i], .n = 1 };

        if (!rpms_find(&one, job->name))
            continue;
        if (wants && !fits && version_fits(wants, listed->at[i].version))
            fits = listed->at[i].version;
        words_add(ctx, &there, listed->at[i].version);
    }
    if (!there.n) {
        const char *why = lists->why_unknown(ctx, jobs, job->name);

        if (!why)
            return -1;
        job_fail(ctx, job, "%s", why);
        return 0;
    }
    if (wants && strcmp(wants, "latest") == 0) {
        if (latest_of(ctx, job->change, lists->latest, &latest) < 0)
            return -1;
        wants = job->version = latest;
    } else if (wants && !fits) {
        job_fail(ctx, job, "version: '%s' is not in the repositories, which have %s", wants,
                 words_list(ctx, &there, 8));
        return 0;
    }
    if (wants && fits && lists->newest_first)
        wants = fits;
    if (wants && !version_is_pattern(wants))
        job->version = wants;
    job->argument = wants ? rhost_fmt(ctx, "%s%s%s", job->name, lists->separator, wants) : job->name;
    return 0;
}

int32_t
rpm_lists_prepare(rhost_ctx *ctx, struct jobs *jobs, const struct rpm_lists *lists)
{
    struct words names = { 0 };
    struct rpms listed;

    if (rpms_sources(ctx, jobs, lists->of_file) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];

        if (job->gone)
            job->argument = job->name;
        else if (!job->failed && !job->argument)
            words_add(ctx, &names, job->name);
    }
    if (lists->versions(ctx, jobs, &names, &listed) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].failed && !jobs->at[i].argument
            && prepare_listed(ctx, jobs, &jobs->at[i], &listed, lists) < 0)
            return -1;
    return 0;
}
