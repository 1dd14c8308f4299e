/* SPDX-License-Identifier: Apache-2.0 */
/* rpm - packages of Fedora and its kin, installed from files, without looking for what they need.
 *
 * All files of a batch are one transaction of rpm, and all removals are one. Each is tried first, which
 * changes nothing, so that one that can't be done fails by itself. */

#include "attrs.h"
#include "rpms.h"
#include "source.h"
#include "tool.h"

static int32_t
rpm_suits(rhost_ctx *ctx)
{
    return rpms_suit(ctx, "rpm") ? 10 : 0;
}

static const char *const lacks[] = { "refresh", "install_recommends", NULL };
static const struct source_only only = {
    .name = "rpm",
    .listed = "dnf",
    .lacks = lacks,
    .query = rpms_version_of_file,
};

static int32_t
rpm_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    return source_only_canonicalize(ctx, resource, &only) < 0 ? -1 : rpms_canonicalize(ctx, resource);
}

static int32_t
rpm_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    return source_only_insync(ctx, change, attribute, &only);
}

static int32_t
prepare(rhost_ctx *ctx, struct jobs *jobs)
{
    if (rpms_sources(ctx, jobs, rpms_version_of_file) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];

        if (job->gone)
            job->argument = job->name;
        else if (!job->argument)
            source_only_fail(ctx, job, &only);
    }
    return 0;
}

/* One call for all that go, or for all that come. How many those are. */
static size_t
command(rhost_ctx *ctx, const struct jobs *jobs, int gone, int test, struct words *argv)
{
    const rhost_value *downgrade = jobs_option(jobs, "allow_downgrade");
    size_t n = 0;

    tool_words(ctx, argv, "rpm", gone ? "-e" : "-U");
    if (test)
        words_add(ctx, argv, "--test");
    if (!gone && downgrade && downgrade->host->boolean(downgrade, 0))
        words_add(ctx, argv, "--oldpackage");
    words_add_array(ctx, argv, jobs_option(jobs, "options"));
    words_add(ctx, argv, "--");
    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].failed && jobs->at[i].argument && jobs->at[i].gone == gone && ++n)
            words_add(ctx, argv, jobs->at[i].argument);
    return n;
}

/* A job_trial. */
static int
try_them(rhost_ctx *ctx, const struct jobs *jobs, void *data, const char **printed)
{
    struct rhost_output out;

    (void)data;
    for (int gone = 1; gone >= 0; gone--) {
        struct words argv = { 0 };

        if (!command(ctx, jobs, gone, 1, &argv))
            continue;
        if (tool_try(ctx, &argv, NULL, &out) < 0)
            return -1;
        if (out.status) {
            *printed = out.out;
            return 1;
        }
    }
    return 0;
}

static int32_t
carry_out(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *before)
{
    const char *printed = "";
    struct rpms now;

    for (int gone = 1; gone >= 0; gone--) {
        struct words argv = { 0 };
        struct rhost_output out;

        if (!command(ctx, jobs, gone, 0, &argv))
            continue;
        if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0)
            return -1;
        printed = words_join(ctx, printed, out.out);
    }
    if (rpms_query(ctx, NULL, &now) < 0)
        return -1;
    rpms_judge(ctx, jobs, &now, printed);
    rpms_report(ctx, jobs, before);
    rpms_report_others(ctx, jobs, before, &now);
    return 0;
}

static int32_t
set_group(rhost_ctx *ctx, struct jobs *jobs)
{
    struct rpms before;

    if (rpms_query(ctx, NULL, &before) < 0 || prepare(ctx, jobs) < 0
        || jobs_try(ctx, jobs, try_them, NULL, rpms_blame) < 0)
        return -1;
    if (!rhost_noop(ctx))
        return carry_out(ctx, jobs, &before);
    rpms_report(ctx, jobs, &before);
    return 0;
}

static int32_t
rpm_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    return jobs_in_groups(ctx, changes, n, rpms_locks, set_group);
}

static const char *const needs[] = { "root",
                                     "read[/proc]",
                                     "read[/usr/lib/sysimage/rpm]",
                                     "read[/var/lib/rpm]",
                                     "read[$source]",
                                     "run[rpm]",
                                     "run[systemd-inhibit]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider rpm_provider = {
    RHOST_PROVIDER_OF("package", "rpm", "Install packages from files, with rpm."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD,
    .relations = relations,
    .needs = needs,
    .suits = rpm_suits,
    .canonicalize = rpm_canonicalize,
    .insync = rpm_insync,
    .get = rpms_get,
    .set = rpm_set,
};

RHOST_PLUGIN(package_rpm, "1.0", &rpm_provider)
