/* SPDX-License-Identifier: Apache-2.0 */
/* dpkg - packages of Debian and its kin, installed from files, without looking for what they need.
 *
 * All files of a batch are one call of dpkg, and all removals are one. What has become of each
 * package is read afterwards, whatever dpkg said. */

#include "attrs.h"
#include "deb.h"
#include "source.h"
#include "starts.h"
#include "tool.h"
#include "version.h"

#include <unistd.h>

static int32_t
dpkg_suits(rhost_ctx *ctx)
{
    if (access("/var/lib/dpkg/status", F_OK) < 0)
        return rhost_fail(ctx, "no database of dpkg found") + 1;
    if (!tool_is_there("dpkg"))
        return rhost_fail(ctx, "dpkg is not installed") + 1;
    return 15;
}

static const char *const lacks[] = { "refresh", "default_release", "install_recommends", NULL };
static const struct source_only only = {
    .name = "dpkg",
    .listed = "apt",
    .lacks = lacks,
    .query = deb_version_of_file,
};

static int32_t
dpkg_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    if (strcmp(rhost_str_or(resource, "mark", "manual"), "auto") == 0)
        return rhost_fail_attr(ctx, "mark", "dpkg marks nothing: 'provider: apt' does");
    return source_only_canonicalize(ctx, resource, &only) < 0 ? -1 : deb_canonicalize(ctx, resource);
}

static int32_t
dpkg_get(rhost_ctx *ctx, const rhost_value *names)
{
    return deb_get(ctx, names, NULL);
}

static int32_t
dpkg_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    return source_only_insync(ctx, change, attribute, &only);
}

static int
needs_file(const struct job *job, const struct deb *deb)
{
    const char *wants = job_wants(job->change);

    if (wants && strcmp(wants, "latest") == 0)
        wants = job->version;
    return !deb_is_there(deb) || job->again || (wants && !version_fits(wants, deb->version));
}

static int32_t
prepare(rhost_ctx *ctx, struct jobs *jobs, const struct debs *debs)
{
    if (source_versions(ctx, jobs, deb_version_of_file) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct deb *deb = deb_find(debs, job->name);

        if (job->failed)
            continue;
        if (job->gone) {
            job->argument = deb_is_there(deb) ? job->name : NULL;
            continue;
        }
        job->again = deb && (deb->reinstall || strcmp(deb->state, "half-installed") == 0);
        if (!needs_file(job, deb))
            continue;
        job->argument = rhost_str(job->change->should, "source");
        if (!job->argument)
            source_only_fail(ctx, job, &only);
    }
    deb_respect_holds(ctx, jobs, debs);
    return 0;
}

/* One call for all that go, or for all that come. What was said is added to *said. */
static int32_t
dpkg(rhost_ctx *ctx, const struct jobs *jobs, int gone, const char **printed)
{
    const rhost_value *downgrade = jobs_option(jobs, "allow_downgrade");
    int noop = rhost_noop(ctx);
    struct words argv = { 0 };
    struct rhost_output out;
    size_t n = 0;

    words_add(ctx, &argv, "dpkg");
    if (noop) /* which keeps its log all the same */
        tool_words(ctx, &argv, "--no-act", "--log=/dev/null");
    if (!gone) {
        deb_config_options(ctx, &argv, jobs, NULL);
        if (!downgrade || !downgrade->host->boolean(downgrade, 0))
            words_add(ctx, &argv, "--refuse-downgrade");
    }
    words_add_array(ctx, &argv, jobs_option(jobs, "options"));
    tool_words(ctx, &argv, gone ? "--remove" : "--install", "--");
    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].failed && jobs->at[i].argument && jobs->at[i].gone == gone && ++n)
            words_add(ctx, &argv, jobs->at[i].argument);
    if (!n)
        return 0;
    if (noop ? tool_try(ctx, &argv, NULL, &out) < 0
             : tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0)
        return -1;
    *printed = words_join(ctx, *printed, out.out);
    return out.status != 0;
}

/* Under noop nothing can be read afterwards: what dpkg would refuse fails. */
static void
judge_trial(rhost_ctx *ctx, struct jobs *jobs, const char *printed)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const char *lines = jobs->at[i].argument ? lines_about(ctx, printed, jobs->at[i].name) : NULL;

        if (lines)
            job_fail(ctx, &jobs->at[i], "it cannot be %s:\n%s", jobs->at[i].gone ? "removed" : "installed",
                     lines);
    }
}

static int32_t
install_group(rhost_ctx *ctx, struct jobs *jobs)
{
    const char *printed = "", *purged = "";
    struct debs before, now;
    int32_t refused, more;

    if (deb_query(ctx, NULL, &before) < 0 || deb_repair(ctx, jobs, &before, &printed) < 0
        || prepare(ctx, jobs, &before) < 0 || deb_unhold(ctx, jobs) < 0)
        return -1;
    refused = dpkg(ctx, jobs, 1, &printed);
    more = refused < 0 ? -1 : dpkg(ctx, jobs, 0, &printed);
    if (more < 0)
        return -1;
    if (rhost_noop(ctx)) {
        if (refused || more)
            judge_trial(ctx, jobs, printed);
        deb_report(ctx, jobs, &before);
        return 0;
    }
    if (deb_query(ctx, NULL, &now) < 0 || (more = deb_finish(ctx, jobs, &now, &purged)) < 0
        || (more && deb_query(ctx, NULL, &now) < 0))
        return -1;
    deb_judge(ctx, jobs, &now, words_join(ctx, printed, purged));
    deb_report_config_files(ctx, printed);
    deb_report(ctx, jobs, &before);
    deb_report_others(ctx, jobs, &before, &now);
    return 0;
}

static int32_t
set_group(rhost_ctx *ctx, struct jobs *jobs)
{
    int32_t result = starts_prevent(ctx);

    if (result < 0)
        return -1;
    result = install_group(ctx, jobs);
    starts_release(ctx);
    return result;
}

static int32_t
dpkg_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    return jobs_in_groups(ctx, changes, n, deb_locks, set_group);
}

static const char *const needs[] = { "root",
                                     "read[/proc]",
                                     "read[/var/lib/dpkg]",
                                     "read[$source]",
                                     "write[/run/rhost-policy-rc.d]",
                                     "write[/usr/sbin/policy-rc.d]",
                                     "run[dpkg]",
                                     "run[dpkg-deb]",
                                     "run[dpkg-query]",
                                     "run[systemd-inhibit]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider dpkg_provider = {
    RHOST_PROVIDER_OF("package", "dpkg", "Install packages from files, with dpkg."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD,
    .relations = relations,
    .needs = needs,
    .suits = dpkg_suits,
    .canonicalize = dpkg_canonicalize,
    .insync = dpkg_insync,
    .get = dpkg_get,
    .set = dpkg_set,
};

RHOST_PLUGIN(package_dpkg, "1.0", &dpkg_provider)
