/* SPDX-License-Identifier: Apache-2.0 */
/* apt - packages of Debian and its kin, installed from package lists by apt-get.
 *
 * All changes of a batch are one transaction. It is simulated first: what can't be done fails by itself
 * and leaves the others alone, and noop shows what apt-get would really do. What has become of
 * each package is read from dpkg afterwards, whatever apt-get said. */

#include "apt-lists.h"
#include "apt-repair.h"
#include "attrs.h"
#include "latest.h"
#include "marks.h"
#include "plan.h"
#include "policy.h"
#include "source.h"
#include "starts.h"
#include "tool.h"
#include "version.h"

static int32_t
apt_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct marks marks;

    latest_forget(ctx); /* something has changed, or we would not be asked */
    return marks_read(ctx, &marks) < 0 ? -1 : deb_get(ctx, names, &marks);
}

/* A latest_query. */
static int32_t
candidates(rhost_ctx *ctx, const struct words *names, const char *release, const char **found)
{
    struct policies policies;

    if (policy_query(ctx, names, *release ? release : NULL, &policies) < 0)
        return -1;
    for (size_t i = 0; i < names->n; i++) {
        const struct policy *p = policy_find(&policies, names->at[i], "");

        found[i] = p ? p->candidate : NULL;
    }
    return 0;
}

static int32_t
apt_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    static const struct latest_how how = { deb_version_of_file, candidates, apt_lists_refresh };

    return latest_insync(ctx, change, attribute, &how);
}

/* Whether what is there has to be exchanged, or there is nothing yet. */
static int
needs_transaction(const struct job *job, const struct deb *deb)
{
    const char *wants = job_wants(job->change);

    if (!deb_is_there(deb) || job->again)
        return 1;
    if (!wants)
        return 0;
    return strcmp(wants, "latest") == 0 || !version_fits(wants, deb->version);
}

/* dpkg's own comparison; only asked about files, for apt-cache tells the order of the others. */
static int
is_older(rhost_ctx *ctx, const char *a, const char *b)
{
    struct words argv = { 0 };
    struct rhost_output out;

    tool_words(ctx, &argv, "dpkg", "--compare-versions", a, "lt", b);
    return tool_read(ctx, &argv, &out) < 0 ? -1 : out.status == 0;
}

static int32_t
prepare_file(rhost_ctx *ctx, struct job *job, const struct deb *deb)
{
    if (deb_is_there(deb) && !rhost_bool(job->change->should, "allow_downgrade", 0)) {
        int older = is_older(ctx, job->version, deb->version);

        if (older < 0)
            return -1;
        if (older)
            job_fail(ctx, job,
                     "version: %s is older than %s, which is installed; 'allow_downgrade: "
                     "true' allows it",
                     job->version, deb->version);
    }
    job->argument = rhost_str(job->change->should, "source");
    return 0;
}

/* Under noop: whether it is missing from package lists that the run would bring up to date. */
static int
may_come(rhost_ctx *ctx, const struct job *job, const struct policy *p, size_t at)
{
    return rhost_noop(ctx) && latest_memory(ctx)->refreshed && !job->failed && (!p || at == p->versions.n);
}

static int32_t
prepare_listed(rhost_ctx *ctx, struct job *job, const struct policies *policies, const char *native,
               const char **all_names)
{
    const struct policy *p = policy_find(policies, job->name, native);
    const char *wants = job_wants(job->change);
    size_t at = p ? policy_choose(p, wants) : 0;

    if (may_come(ctx, job, p, at)) {
        rhost_notice(ctx,
                     "%s%s%s is not in the package lists as they are, which would be brought "
                     "up to date first",
                     job->name, wants ? " " : "", wants ? wants : "");
    } else if (!p || !p->versions.n) {
        const char *why = policy_unknown(ctx, job->name, p, all_names);

        if (!why)
            return -1;
        job_fail(ctx, job, "%s", why);
    } else if (at == p->versions.n && (!wants || strcmp(wants, "latest") == 0)) {
        job_fail(ctx, job, "no version of it may be installed: apt's pins forbid %s",
                 words_list(ctx, &p->versions, 8));
    } else if (at == p->versions.n) {
        job_fail(ctx, job, "version: '%s' is not in the package lists; available: %s", wants,
                 words_list(ctx, &p->versions, 8));
    } else if (at > p->installed && !rhost_bool(job->change->should, "allow_downgrade", 0)) {
        job_fail(ctx, job,
                 "version: %s is older than %s, which is installed; 'allow_downgrade: true' "
                 "allows it",
                 p->versions.at[at], p->versions.at[p->installed]);
    } else {
        job->version = p->versions.at[at];
        job->argument = wants ? rhost_fmt(ctx, "%s=%s", job->name, job->version) : job->name;
    }
    return 0;
}

/* Finds out what each job has apt-get do, and fails those that can't be done. */
static int32_t
prepare(rhost_ctx *ctx, struct jobs *jobs, const struct debs *debs)
{
    const rhost_value *release = jobs_option(jobs, "default_release");
    struct policies policies;
    struct words names = { 0 };
    const char *all_names = NULL;

    if (source_versions(ctx, jobs, deb_version_of_file) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct deb *deb = deb_find(debs, job->name);

        if (job->failed)
            continue;
        if (job->gone)
            job->argument = deb_is_there(deb) ? job->name : NULL;
        job->again = !job->gone && deb && (deb->reinstall || strcmp(deb->state, "half-installed") == 0);
        if (!job->gone && needs_transaction(job, deb) && !rhost_has(job->change->should, "source"))
            words_add(ctx, &names, job->name);
    }
    if (policy_query(ctx, &names, release ? release->host->string(release, NULL) : NULL, &policies) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct deb *deb = deb_find(debs, job->name);

        if (job->failed || job->gone || !needs_transaction(job, deb))
            continue;
        if (rhost_has(job->change->should, "source")
                ? prepare_file(ctx, job, deb) < 0
                : prepare_listed(ctx, job, &policies, debs->native, &all_names) < 0)
            return -1;
    }
    deb_respect_holds(ctx, jobs, debs);
    return 0;
}

static void
report_plan(rhost_ctx *ctx, const struct plan *plan)
{
    if (plan->brings.n)
        rhost_notice(ctx, "would also install: %s", words_list(ctx, &plan->brings, 50));
    if (plan->changes.n)
        rhost_notice(ctx, "would also change: %s", words_list(ctx, &plan->changes, 50));
    if (plan->removes.n)
        rhost_notice(ctx, "would also remove: %s", words_list(ctx, &plan->removes, 50));
}

/* Fails the jobs whose files could not be fetched, before which apt-get touches nothing. How many that
 * are. */
static size_t
fail_unfetched(rhost_ctx *ctx, struct jobs *jobs, const char *printed)
{
    char *text = tool_text(ctx, printed), *line;
    size_t n = 0;

    while ((line = words_line(&text)))
        for (size_t i = 0; i < jobs->n && words_after(line, "E: Failed to fetch"); i++) {
            struct job *job = &jobs->at[i];
            const char *base = rhost_copy(ctx, job->name, strcspn(job->name, ":"));

            if (job->failed || job->gone || !job->argument || !strstr(line, rhost_fmt(ctx, "/%s_", base)))
                continue;
            job_fail(ctx, job, "%s", line + strlen("E: "));
            n++;
        }
    return n;
}

/* apt-get, once; and once more without what could not be fetched. */
static int32_t
transact(rhost_ctx *ctx, struct jobs *jobs, const char **printed)
{
    while (jobs_left(jobs)) {
        struct words argv = { 0 };
        struct rhost_output out;

        plan_command(ctx, jobs, 0, NULL, &argv);
        if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0)
            return -1;
        *printed = words_join(ctx, *printed, out.out);
        if (!out.status || !fail_unfetched(ctx, jobs, out.out))
            break;
    }
    return 0;
}

static int32_t
carry_out(rhost_ctx *ctx, struct jobs *jobs, const struct debs *before, const char *printed)
{
    const char *purged = "";
    struct debs now;
    int32_t more;

    if (deb_unhold(ctx, jobs) < 0 || transact(ctx, jobs, &printed) < 0)
        return -1;
    if (deb_query(ctx, NULL, &now) < 0 || (more = deb_finish(ctx, jobs, &now, &purged)) < 0
        || (more && deb_query(ctx, NULL, &now) < 0))
        return -1;
    deb_judge(ctx, jobs, &now, words_join(ctx, printed, purged));
    deb_report_config_files(ctx, printed);
    if (marks_set(ctx, jobs, &now) < 0)
        return -1;
    deb_report(ctx, jobs, before);
    deb_report_others(ctx, jobs, before, &now);
    return 0;
}

static int32_t
transact_group(rhost_ctx *ctx, struct jobs *jobs)
{
    const char *printed = "";
    struct debs before;
    struct plan plan;
    struct words repairs = { 0 };

    latest_refresh_for(ctx, jobs, apt_lists_refresh);
    if (deb_query(ctx, NULL, &before) < 0 || deb_repair(ctx, jobs, &before, &printed) < 0
        || apt_repair(ctx, jobs, &before, &repairs, &printed) < 0 || prepare(ctx, jobs, &before) < 0
        || plan_make(ctx, jobs, before.native, &repairs, &plan) < 0)
        return -1;
    if (!rhost_noop(ctx))
        return carry_out(ctx, jobs, &before, printed);
    report_plan(ctx, &plan);
    deb_report(ctx, jobs, &before);
    return 0;
}

static int32_t
set_group(rhost_ctx *ctx, struct jobs *jobs)
{
    int32_t result = starts_prevent(ctx);

    if (result < 0)
        return -1;
    result = transact_group(ctx, jobs);
    starts_release(ctx);
    return result;
}

static int32_t
apt_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    if (jobs_in_groups(ctx, changes, n, apt_locks, set_group) < 0)
        return -1;
    latest_forget(ctx);
    return 0;
}

static const char *const needs[] = { "root",
                                     "read[/etc/apt]",
                                     "read[/proc]",
                                     "read[/var/cache/apt]",
                                     "read[/var/lib/apt]",
                                     "read[/var/lib/dpkg]",
                                     "write[/var/lib/apt/extended_states]",
                                     "write[/run/rhost-policy-rc.d]",
                                     "write[/usr/sbin/policy-rc.d]",
                                     "run[apt-get]",
                                     "run[apt-cache]",
                                     "run[apt-mark]",
                                     "run[dpkg]",
                                     "run[dpkg-deb]",
                                     "run[dpkg-query]",
                                     "run[systemd-inhibit]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider apt_provider = {
    RHOST_PROVIDER_OF("package", "apt", "Install packages from package lists, with apt-get."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD,
    .relations = relations,
    .needs = needs,
    .suits = apt_suits,
    .open = latest_open,
    .close = latest_close,
    .canonicalize = deb_canonicalize,
    .insync = apt_insync,
    .get = apt_get,
    .set = apt_set,
};

RHOST_PLUGIN(package_apt, "1.0", &apt_provider)
