/* SPDX-License-Identifier: Apache-2.0 */
/* zypper - packages of openSUSE and SLES, installed from repositories by zypper.
 *
 * All changes of a batch are one transaction: 'zypper install' also removes what has a '-' in front. But it
 * then takes nothing along that needs what is removed, as 'zypper remove' does: those are asked for first,
 * and named as well. What zypper plans is read from its XML, and what has become of each package from rpm
 * afterwards. */

#include "attrs.h"
#include "latest.h"
#include "owner.h"
#include "rpm-lists.h"
#include "tool.h"
#include "version.h"
#include "zypper-ask.h"
#include "zypper-locks.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static const char *const locks[] = { "/run/zypp.pid", "/run/zypp-rpm.pid", "/var/lib/rpm/.rpm.lock",
                                     "/usr/lib/sysimage/rpm/.rpm.lock", NULL };

/* Where the distribution is one of SUSE, before all others; else behind dnf, which reads the same database.
 */
static int32_t
zypper_suits(rhost_ctx *ctx)
{
    if (!rpms_suit(ctx, "zypper"))
        return 0;
    return owner_is_like("suse") || owner_is_like("opensuse") || owner_is_like("sles") ? 35 : 20;
}

static int32_t
zypper_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    if (rhost_has(resource, "default_release"))
        return rhost_fail_attr(ctx, "default_release",
                               "zypper has no default release; it takes a repository as one of 'options': "
                               "[--from, NAME]");
    return rpms_canonicalize_held(ctx, resource);
}

static int
is_held(void *data, const struct rpm *rpm)
{
    return zypper_locks_find(data, rpm->name) != NULL;
}

static int32_t
zypper_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct zypper_locks held;

    latest_forget(ctx);
    return zypper_locks_read(ctx, &held) < 0 ? -1 : rpms_get_held(ctx, names, is_held, &held);
}

/* When the lists of the repository that was read longest ago were fetched; 0: there are none. */
static int64_t
oldest_lists(void)
{
    DIR *dir = opendir("/var/cache/zypp/raw");
    struct dirent *entry;
    struct stat st;
    int64_t oldest = 0;

    while (dir && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0
            && (!oldest || st.st_mtime < oldest))
            oldest = st.st_mtime;
    if (dir)
        (void)closedir(dir);
    return oldest;
}

/* A latest_refresh. That some repositories can't be read is a warning, as long as others can. */
static int
refresh(rhost_ctx *ctx, const rhost_value *should, const char **why)
{
    const rhost_value *v = rhost_get(should, "refresh");
    int64_t seconds = v ? v->host->integer(v, -1) : -1;
    struct words argv = { 0 };
    const char *printed = NULL;

    if (seconds < 0 ? !rhost_bool(should, "refresh", 0) : oldest_lists() + seconds > (int64_t)time(NULL))
        return 0;
    zypper_start(ctx, &argv, rhost_get(should, "options"), 0);
    words_add(ctx, &argv, "refresh");
    if (latest_lists(ctx, should, &argv, locks, "", &printed, why) == 0)
        return 0;
    if (!printed || !strstr(printed, "Some of the repositories have not been refreshed"))
        return -1;
    latest_memory(ctx)->refreshed = 1;
    rhost_warning(ctx,
                  "not all package lists could be brought up to date, continuing without the "
                  "repositories %s:\n%s",
                  zypper_left_out(ctx, printed), lines_of_error(ctx, printed));
    return 0;
}

/* A latest_query. zypper names no update of what is locked, so that those are looked for among all versions.
 */
static int32_t
candidates(rhost_ctx *ctx, const struct words *names, const char *release, const char **versions)
{
    struct rpms updates, listed;
    struct zypper_locks held;
    struct words locked = { 0 };

    (void)release; /* there is none (zypper_canonicalize) */
    if (zypper_updates(ctx, NULL, &updates) < 0 || zypper_locks_read(ctx, &held) < 0)
        return -1;
    for (size_t i = 0; i < names->n; i++) {
        const struct rpm *rpm = rpms_find(&updates, names->at[i]);

        versions[i] = rpm ? rpm->version : NULL;
        if (!rpm && zypper_locks_find(&held, names->at[i]))
            words_add(ctx, &locked, names->at[i]);
    }
    if (zypper_search(ctx, NULL, &locked, 0, &listed, NULL) < 0)
        return -1;
    for (size_t i = 0; i < names->n; i++)
        for (size_t k = 0; k < listed.n && !versions[i]; k++)
            if (strcmp(listed.at[k].name, names->at[i]) == 0)
                versions[i] = listed.at[k].version;
    return 0;
}

static int32_t
zypper_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    static const struct latest_how how = { rpms_version_of_file, candidates, refresh };

    if (strcmp(attribute, "mark") == 0)
        return 0; /* of apt */
    return latest_insync(ctx, change, attribute, &how);
}

static const char *
why_unknown(rhost_ctx *ctx, const struct jobs *jobs, const char *name)
{
    const rhost_value *options = jobs_option(jobs, "options");
    struct words one = { 0 }, providers = { 0 };
    const char *without = NULL, *meant;
    struct rpms found;

    words_add(ctx, &one, name);
    if (zypper_search(ctx, options, &one, 1, &found, &without) < 0)
        return NULL;
    for (size_t i = 0; i < found.n; i++)
        if (!words_have(&providers, found.at[i].name))
            words_add(ctx, &providers, found.at[i].name);
    if (providers.n)
        return rhost_fmt(ctx, "'%s' is a virtual package; name one of those that provide it: %s", name,
                         words_list(ctx, &providers, 12));
    if (without && !*without)
        return rhost_fmt(ctx, "unknown package '%s': zypper has no repository that is enabled", name);
    if (without)
        return rhost_fmt(ctx,
                         "unknown package '%s' in the repositories that could be read, and "
                         "these could not: %s",
                         name, without);
    if (zypper_search(ctx, options, NULL, 0, &found, NULL) < 0)
        return NULL;
    meant = words_closest(ctx, rpms_names(ctx, &found), name);
    return rhost_fmt(ctx, "unknown package '%s' in the repositories%s%s%s", name,
                     meant ? ": did you mean '" : "; 'refresh: true' brings their lists up to date",
                     meant ? meant : "", meant ? "'?" : "");
}

/* A rpm_lists_query. Of NAME.ARCH, both are looked for: a name may have a '.' itself. */
static int32_t
all_versions(rhost_ctx *ctx, const struct jobs *jobs, const struct words *names, struct rpms *found)
{
    struct words both = { 0 };

    for (size_t i = 0; i < names->n; i++) {
        const char *dot = strrchr(names->at[i], '.');

        words_add(ctx, &both, names->at[i]);
        if (dot)
            words_add(ctx, &both, rhost_copy(ctx, names->at[i], (size_t)(dot - names->at[i])));
    }
    return zypper_search(ctx, jobs_option(jobs, "options"), &both, 0, found, NULL);
}

static const struct rpm_lists lists = { rpms_version_of_file, all_versions, why_unknown, candidates, "=", 1 };

/* Leaves out of the transaction what changes in its lock alone, and what is locked. Locks that the manifest
 * speaks of are removed for the time of the transaction; under noop they cannot be, and zypper is not asked
 * about those. */
static int32_t
respect_locks(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *before, const struct zypper_locks *held)
{
    struct words unlocked = { 0 };

    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct rpm *rpm = rpms_find(before, job->name);

        if (job->failed || !job->argument || !rpm)
            continue;
        if (!job->gone && (!job->version || strcmp(job->version, rpm->version) == 0)) {
            job->argument = NULL;
            continue;
        }
        job->held = zypper_locks_find(held, rpm->name) != NULL;
        if (job->held && !rhost_has(job->change->should, "held"))
            job_fail(ctx, job,
                     "it is held at %s; 'held: false' lets go of it, 'held: true' says that "
                     "it is to be held again afterwards",
                     rpm->version);
        else if (job->held && rhost_noop(ctx))
            job->argument = NULL;
        else if (job->held)
            words_add(ctx, &unlocked, rpm->name);
    }
    return zypper_locks_set(ctx, &unlocked, 0);
}

/* Brings the locks to what the manifest says of them. */
static int32_t
lock(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *now)
{
    for (int wanted = 0; wanted <= 1; wanted++) {
        struct zypper_locks held;
        struct words names = { 0 };

        if (zypper_locks_read(ctx, &held) < 0)
            return -1;
        for (size_t i = 0; i < jobs->n; i++) {
            const struct job *job = &jobs->at[i];
            const struct rpm *rpm = rpms_find(now, job->name);

            /* One that was locked and failed is locked again. */
            if (rpm
                && (job->failed ? job->held && wanted
                                : !job->gone && rhost_has(job->change->should, "held")
                                      && rhost_bool(job->change->should, "held", 0) == wanted)
                && (zypper_locks_find(&held, rpm->name) != NULL) != wanted)
                words_add(ctx, &names, rpm->name);
        }
        if (zypper_locks_set(ctx, &names, wanted) < 0)
            return -1;
    }
    return 0;
}

static int32_t
judge_locks(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *now)
{
    struct zypper_locks held;

    if (zypper_locks_read(ctx, &held) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct rpm *rpm = job->failed || job->gone ? NULL : rpms_find(now, job->name);
        const struct zypper_lock *by = rpm ? zypper_locks_find(&held, rpm->name) : NULL;

        if (!rpm || !rhost_has(job->change->should, "held")
            || rhost_bool(job->change->should, "held", 0) == (by != NULL))
            continue;
        if (by)
            job_fail(ctx, job,
                     "it is still held by the lock '%s' in '/etc/zypp/locks', which also covers others; "
                     "'zypper removelock' removes it",
                     by->name);
        else
            job_fail(ctx, job, "it is not held");
    }
    return 0;
}

/* How many jobs install something, or (gone) remove something. */
static size_t
count(const struct jobs *jobs, int gone)
{
    size_t n = 0;

    for (size_t i = 0; i < jobs->n; i++)
        n += !jobs->at[i].failed && jobs->at[i].argument && !jobs->at[i].gone == !gone;
    return n;
}

static void
add_arguments(rhost_ctx *ctx, const struct jobs *jobs, int gone, const char *before, struct words *argv)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].failed && jobs->at[i].argument && !jobs->at[i].gone == !gone)
            words_add(ctx, argv, rhost_fmt(ctx, "%s%s", before, jobs->at[i].argument));
}

/* `along`: what else goes with what is removed. An older version is allowed or refused by rpm_plan_check().
 */
static void
command(rhost_ctx *ctx, const struct jobs *jobs, int simulated, const struct words *along, struct words *argv)
{
    const rhost_value *recommends = jobs_option(jobs, "install_recommends");
    int installs = count(jobs, 0) > 0;

    zypper_start(ctx, argv, jobs_option(jobs, "options"), simulated);
    tool_words(ctx, argv, installs ? "install" : "remove", "--name");
    if (installs)
        words_add(ctx, argv, "--oldpackage");
    if (installs && recommends && recommends->host->kind(recommends) == RHOST_BOOLEAN)
        words_add(ctx, argv, recommends->host->boolean(recommends, 0) ? "--recommends" : "--no-recommends");
    if (simulated)
        words_add(ctx, argv, "--dry-run");
    zypper_options(ctx, argv, jobs_option(jobs, "options"));
    words_add(ctx, argv, "--");
    add_arguments(ctx, jobs, 0, "", argv);
    add_arguments(ctx, jobs, 1, installs ? "-" : "", argv);
    for (size_t i = 0; installs && i < along->n; i++)
        words_add(ctx, argv, rhost_fmt(ctx, "-%s", along->at[i]));
}

struct trial {
    struct rpm_plan plan;
    struct words along;
};

/* One dry run; 0 when it would work. */
static int
try_once(rhost_ctx *ctx, const struct words *argv, struct rpm_plan *plan, const char **printed)
{
    struct rhost_output out;

    if (tool_try(ctx, argv, NULL, &out) < 0)
        return -1;
    zypper_parse_plan(ctx, out.out, plan);
    *printed = zypper_complaints(ctx, out.out);
    return !zypper_worked(out.status);
}

/* What needs the packages that are removed while others are installed. */
static int
find_along(rhost_ctx *ctx, const struct jobs *jobs, struct words *along, const char **printed)
{
    struct words argv = { 0 };
    struct rpm_plan plan;
    int result;

    *along = (struct words){ 0 };
    if (!count(jobs, 0) || !count(jobs, 1))
        return 0;
    zypper_start(ctx, &argv, jobs_option(jobs, "options"), 1);
    tool_words(ctx, &argv, "remove", "--name", "--dry-run", "--");
    add_arguments(ctx, jobs, 1, "", &argv);
    result = try_once(ctx, &argv, &plan, printed);
    rpm_plan_others(ctx, jobs, &plan, "Remov", along);
    return result;
}

/* A job_trial. */
static int
simulate(rhost_ctx *ctx, const struct jobs *jobs, void *data, const char **printed)
{
    struct trial *trial = data;
    struct words argv = { 0 };
    int result = find_along(ctx, jobs, &trial->along, printed);

    if (result)
        return result;
    command(ctx, jobs, 1, &trial->along, &argv);
    result = try_once(ctx, &argv, &trial->plan, printed);
    return result ? result : rpm_plan_check(ctx, jobs, &trial->plan, printed);
}

/* Whether a job has still to be done. */
static int
is_undone(const struct job *job, const struct rpms *now)
{
    const struct rpm *rpm = rpms_find(now, job->name);

    if (job->failed || !job->argument)
        return 0;
    return job->gone ? rpm != NULL : !rpm || (job->version && !rpms_have(now, job->name, job->version));
}

/* zypper ends at the first package that cannot be installed. Without that one, the others are tried again. */
static int32_t
run(rhost_ctx *ctx, struct jobs *jobs, const struct words *along, struct rpms *now, const char **printed)
{
    struct jobs left = *jobs;
    int again = 1;

    *printed = "";
    while (again && jobs_left(&left)) {
        struct words argv = { 0 };
        struct rhost_output out;
        const char *said, *scripts;
        struct jobs undone = { .at = rhost_alloc(ctx, (left.n + 1) * sizeof *undone.at) };

        command(ctx, &left, 0, along, &argv);
        if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0
            || rpms_query(ctx, NULL, now) < 0)
            return -1;
        said = zypper_unfold(ctx, out.out);
        scripts = zypper_script_errors(ctx, said);
        *printed = words_join(ctx, *printed, said);
        if (zypper_worked(out.status) && (out.status == ZYPPER_SCRIPT_FAILED || *scripts))
            rhost_warning(ctx, "packages are installed, but a script of one failed:\n%s",
                          *scripts ? scripts : lines_of_error(ctx, said));
        if (out.status == ZYPPER_REBOOT_NEEDED)
            rhost_notice(ctx, "zypper says that this machine must be restarted to use what was installed");
        for (size_t i = 0; i < left.n; i++)
            if (is_undone(&left.at[i], now) && !rpms_blames(ctx, said, left.at[i].name))
                undone.at[undone.n++] = left.at[i];
        again = !zypper_worked(out.status) && undone.n < jobs_left(&left);
        left = undone;
    }
    return 0;
}

static int32_t
carry_out(rhost_ctx *ctx, struct jobs *jobs, const struct words *along, const struct rpms *before)
{
    struct rpms now = *before;
    const char *printed;

    if (run(ctx, jobs, along, &now, &printed) < 0)
        return -1;
    rpms_judge(ctx, jobs, &now, printed);
    if (lock(ctx, jobs, &now) < 0 || judge_locks(ctx, jobs, &now) < 0)
        return -1;
    rpms_report(ctx, jobs, before);
    rpms_report_others(ctx, jobs, before, &now);
    return 0;
}

static int32_t
set_group(rhost_ctx *ctx, struct jobs *jobs)
{
    struct trial trial = { 0 };
    struct zypper_locks held;
    struct rpms before;

    latest_refresh_for(ctx, jobs, refresh);
    if (rpms_query(ctx, NULL, &before) < 0 || zypper_locks_read(ctx, &held) < 0
        || rpm_lists_prepare(ctx, jobs, &lists) < 0 || respect_locks(ctx, jobs, &before, &held) < 0
        || jobs_try(ctx, jobs, simulate, &trial, rpms_blame) < 0)
        return -1;
    rpm_plan_versions(jobs, &trial.plan);
    if (!rhost_noop(ctx))
        return carry_out(ctx, jobs, &trial.along, &before);
    if (jobs_left(jobs))
        rpm_plan_report(ctx, jobs, &trial.plan);
    rpms_report(ctx, jobs, &before);
    return 0;
}

static int32_t
zypper_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    if (jobs_in_groups(ctx, changes, n, locks, set_group) < 0)
        return -1;
    latest_forget(ctx);
    return 0;
}

static const char *const needs[] = { "root",
                                     "read[/etc/os-release]",
                                     "read[/etc/zypp]",
                                     "read[/proc]",
                                     "read[/run]",
                                     "read[/usr/lib/os-release]",
                                     "read[/usr/lib/sysimage/rpm]",
                                     "read[/var/cache/zypp]",
                                     "read[/var/lib/rpm]",
                                     "run[rpm]",
                                     "run[systemd-inhibit]",
                                     "run[zypper]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider zypper_provider = {
    RHOST_PROVIDER_OF("package", "zypper", "Install packages from repositories, with zypper."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD,
    .relations = relations,
    .needs = needs,
    .suits = zypper_suits,
    .open = latest_open,
    .close = latest_close,
    .canonicalize = zypper_canonicalize,
    .insync = zypper_insync,
    .get = zypper_get,
    .set = zypper_set,
};

RHOST_PLUGIN(package_zypper, "1.0", &zypper_provider)
