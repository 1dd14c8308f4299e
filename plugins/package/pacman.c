/* SPDX-License-Identifier: Apache-2.0 */
/* pacman - packages of Arch Linux, installed from repositories by pacman.
 *
 * pacman has one call for what is removed, one for files and one for what comes from repositories: each is a
 * transaction, and all changes of a batch that are alike are in one. '--print' says what each would do. What
 * is installed is read from 'pacman -Q' before and afterwards. */

#include "attrs.h"
#include "latest.h"
#include "owner.h"
#include "pacman-ask.h"
#include "pacman-version.h"
#include "rpm-lists.h"
#include "rpm-plan.h"
#include "tool.h"
#include "version.h"

#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const locks[] = { "/var/lib/pacman/db.lck", NULL };

/* Where the distribution is Arch or one like it, before all others; else behind all that have package lists.
 */
static int32_t
pacman_suits(rhost_ctx *ctx)
{
    if (!tool_is_there("pacman"))
        return rhost_fail(ctx, "pacman is not installed") + 1;
    if (access("/var/lib/pacman/local/ALPM_DB_VERSION", F_OK) < 0)
        return rhost_fail(ctx, "no database of pacman found") + 1;
    return owner_is_like("arch") ? 35 : 18;
}

static int32_t
pacman_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    const char *version = rhost_str(resource, "version");

    if (rhost_has(resource, "held"))
        return rhost_fail_attr(ctx, "held",
                               "pacman holds the packages that 'IgnorePkg' in its file pacman.conf names: "
                               "manage that line");
    if (strcmp(rhost_str_or(resource, "mark", "manual"), "auto") == 0)
        return rhost_fail_attr(ctx, "mark", "only apt marks packages");
    if (strcmp(rhost_str_or(resource, "config_files", "keep"), "keep") != 0)
        return rhost_fail_attr(ctx, "config_files",
                               "pacman keeps what was edited, and leaves the new version as *.pacnew");
    if (rhost_has(resource, "install_recommends"))
        return rhost_fail_attr(ctx, "install_recommends",
                               "pacman never installs optional dependencies: name those packages");
    if (rhost_has(resource, "default_release"))
        return rhost_fail_attr(ctx, "default_release",
                               "pacman takes a package from the first repository of pacman.conf that has it");
    if (version && strpbrk(version, " \t\n=/<>"))
        return rhost_fail_attr(ctx, "version", "'%s' is not a version", version);
    return name_check(ctx, resource, "@._+-");
}

static int32_t
emit(rhost_ctx *ctx, const struct rpm *package)
{
    rhost_value *one = ctx->host->new_hash(ctx);

    rhost_put_str(one, "name", package->name);
    rhost_put_str(one, "ensure", "present");
    rhost_put_str(one, "version", package->version);
    rhost_put_str(one, "state", "installed");
    return ctx->host->emit(ctx, one);
}

static int32_t
pacman_get(rhost_ctx *ctx, const rhost_value *names)
{
    struct rpms installed;

    latest_forget(ctx);
    if (pacman_installed(ctx, &installed) < 0)
        return -1;
    for (size_t i = 0; !names && i < installed.n; i++)
        if (emit(ctx, &installed.at[i]) < 0)
            return -1;
    for (size_t i = 0; i < rhost_count(names); i++) {
        const char *name = rhost_str(rhost_at(names, i, NULL), "name");
        const struct rpm *package = name ? rpms_find(&installed, name) : NULL;

        if (package && emit(ctx, package) < 0)
            return -1;
    }
    return 0;
}

/* When the lists were fetched that are the oldest; 0: there are none. pacman gives them the time of the
 * server. */
static int64_t
oldest_lists(void)
{
    DIR *dir = opendir("/var/lib/pacman/sync");
    struct dirent *entry;
    struct stat st;
    int64_t oldest = 0;

    while (dir && (entry = readdir(dir)))
        if (strstr(entry->d_name, ".db") && fstatat(dirfd(dir), entry->d_name, &st, 0) == 0
            && (!oldest || st.st_ctime < oldest))
            oldest = st.st_ctime;
    if (dir)
        (void)closedir(dir);
    return oldest;
}

/* A latest_refresh. */
static int
refresh(rhost_ctx *ctx, const rhost_value *should, const char **why)
{
    const rhost_value *v = rhost_get(should, "refresh");
    int64_t seconds = v ? v->host->integer(v, -1) : -1;
    struct words argv = { 0 };
    const char *printed = NULL;

    if (seconds < 0 ? !rhost_bool(should, "refresh", 0) : oldest_lists() + seconds > (int64_t)time(NULL))
        return 0;
    tool_words(ctx, &argv, "pacman", "--noconfirm", "-Sy");
    return latest_lists(ctx, should, &argv, locks, "", &printed, why);
}

/* A latest_query. */
static int32_t
candidates(rhost_ctx *ctx, const struct words *names, const char *release, const char **versions)
{
    struct rpms listed, installed;

    (void)release; /* there is none (pacman_canonicalize) */
    if (pacman_listed(ctx, &listed) < 0 || pacman_installed(ctx, &installed) < 0)
        return -1;
    for (size_t i = 0; i < names->n; i++) {
        const struct rpm *there = pacman_first(&listed, names->at[i]);
        const struct rpm *is = rpms_find(&installed, names->at[i]);

        /* What was installed from a file may be newer than the lists. */
        versions[i] =
            there && (!is || pacman_version_compare(there->version, is->version) > 0) ? there->version : NULL;
    }
    return 0;
}

static int32_t
pacman_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute)
{
    static const struct latest_how how = { pacman_version_of_file, candidates, refresh };

    if (strcmp(attribute, "mark") == 0)
        return 0; /* of apt */
    return latest_insync(ctx, change, attribute, &how);
}

static const char *
why_unknown(rhost_ctx *ctx, const struct jobs *jobs, const char *name)
{
    const char *provider = NULL, *meant;
    struct rpms listed;
    int group = 0;

    (void)jobs;
    if (pacman_listed(ctx, &listed) < 0 || pacman_means(ctx, name, &provider, &group) < 0)
        return NULL;
    if (group)
        return rhost_fmt(ctx, "'%s' is a group of packages; name those of them that are to be installed",
                         name);
    if (provider)
        return rhost_fmt(ctx, "'%s' is a virtual package; name one of those that provide it, like %s", name,
                         provider);
    if (!listed.n)
        return rhost_fmt(
            ctx, "unknown package '%s': pacman has no package lists; 'refresh: true' downloads them", name);
    meant = words_closest(ctx, rpms_names(ctx, &listed), name);
    return rhost_fmt(ctx, "unknown package '%s' in the repositories%s%s%s", name,
                     meant ? ": did you mean '" : "; 'refresh: true' brings their lists up to date",
                     meant ? meant : "", meant ? "'?" : "");
}

/* A rpm_lists_query. Of several repositories the first decides. */
static int32_t
all_versions(rhost_ctx *ctx, const struct jobs *jobs, const struct words *names, struct rpms *found)
{
    struct rpms listed;

    (void)jobs;
    *found = (struct rpms){ .at = rhost_alloc(ctx, (names->n + 1) * sizeof *found->at) };
    if (names->n && pacman_listed(ctx, &listed) < 0)
        return -1;
    for (size_t i = 0; i < names->n; i++) {
        const struct rpm *first = pacman_first(&listed, names->at[i]);

        if (first)
            found->at[found->n++] = *first;
    }
    return 0;
}

static const struct rpm_lists lists = {
    pacman_version_of_file, all_versions, why_unknown, candidates, "=", 1
};

/* Fails what pacman.conf says is to be left alone. */
static int32_t
respect_ignored(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *before)
{
    struct words ignored = { 0 };

    if (jobs_left(jobs) && pacman_ignored(ctx, &ignored) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct rpm *is = rpms_find(before, job->name);

        for (size_t k = 0; is && k < ignored.n; k++)
            if (fnmatch(ignored.at[k], job->name, 0) == 0)
                job_fail(ctx, job, "it is held at %s by 'IgnorePkg = %s' in pacman.conf", is->version,
                         ignored.at[k]);
    }
    return 0;
}

/* The calls of a batch, in this order. */
enum call { REMOVES, PURGES, FILES, LISTED, CALLS };

static enum call
call_of(const struct job *job)
{
    return job->gone                                  ? job->purge ? PURGES : REMOVES
           : rhost_has(job->change->should, "source") ? FILES
                                                      : LISTED;
}

/* How many packages it is about. */
static size_t
command(rhost_ctx *ctx, const struct jobs *jobs, enum call call, int simulated, struct words *argv)
{
    static const char *const operations[] = { "-Rc", "-Rcn", "-U", "-S" };
    size_t n = 0;

    *argv = (struct words){ 0 };
    /* It prints nothing together with '-n', which removes the same packages. */
    tool_words(ctx, argv, "pacman", "--noconfirm", operations[simulated && call == PURGES ? REMOVES : call]);
    if (call == LISTED)
        words_add(ctx, argv, "--needed");
    if (simulated)
        tool_words(ctx, argv, "--print", "--print-format", "%n\t\t%v");
    else if (call >= FILES)
        words_add(ctx, argv, "--noprogressbar");
    words_add_array(ctx, argv, jobs_option(jobs, "options"));
    words_add(ctx, argv, "--");
    for (size_t i = 0; i < jobs->n; i++)
        if (!jobs->at[i].failed && jobs->at[i].argument && call_of(&jobs->at[i]) == call && ++n)
            words_add(ctx, argv, jobs->at[i].argument);
    return n;
}

struct trial {
    struct rpm_plan plan;
    const struct rpms *before;
};

/* Adds the rows of what one call prints. */
static void
add_rows(rhost_ctx *ctx, struct trial *trial, enum call call, const char *printed)
{
    struct rpm_row *rows;
    struct rpms found;

    rpms_parse(ctx, printed, &found);
    rows = rhost_alloc(ctx, (trial->plan.n + found.n + 1) * sizeof *rows);
    if (trial->plan.n)
        memcpy(rows, trial->plan.rows, trial->plan.n * sizeof *rows);
    for (size_t i = 0; i < found.n; i++) {
        const struct rpm *one = &found.at[i], *is = rpms_find(trial->before, one->name);
        int order = is ? pacman_version_compare(one->version, is->version) : 0;

        rows[trial->plan.n++] = (struct rpm_row){ one->name, "", one->version,
                                                  call <= PURGES ? "Removing"
                                                  : order > 0    ? "Upgrading"
                                                  : order < 0    ? "Downgrading"
                                                                 : "Installing" };
    }
    trial->plan.rows = rows;
}

/* A job_trial. */
static int
simulate(rhost_ctx *ctx, const struct jobs *jobs, void *data, const char **printed)
{
    struct trial *trial = data;

    trial->plan = (struct rpm_plan){ 0 };
    for (enum call call = 0; call < CALLS; call++) {
        struct words argv;
        struct rhost_output out;

        if (!command(ctx, jobs, call, 1, &argv))
            continue;
        if (tool_try(ctx, &argv, NULL, &out) < 0)
            return -1;
        *printed = pacman_complaints(ctx, out.out);
        if (out.status)
            return 1;
        add_rows(ctx, trial, call, out.out);
    }
    return rpm_plan_check(ctx, jobs, &trial->plan, printed);
}

/* Those of one call that have still to be done, and that nothing was said about. */
static struct jobs
undone(rhost_ctx *ctx, const struct jobs *jobs, enum call call, const struct rpms *now, const char *printed)
{
    struct jobs left = { .at = rhost_alloc(ctx, (jobs->n + 1) * sizeof *left.at) };

    for (size_t i = 0; i < jobs->n; i++) {
        const struct job *job = &jobs->at[i];
        const struct rpm *is = rpms_find(now, job->name);

        if (!job->failed && job->argument && call_of(job) == call && !rpms_blames(ctx, printed, job->name)
            && (job->gone ? is != NULL : !is || (job->version && strcmp(job->version, is->version) != 0)))
            left.at[left.n++] = *job;
    }
    return left;
}

/* pacman does all or nothing. Files that are in the way and conflicts are found only then: the rest is tried
 * again. */
static int32_t
run(rhost_ctx *ctx, const struct jobs *jobs, enum call call, struct rpms *now, const char **printed)
{
    struct jobs left = *jobs;
    struct words argv;
    size_t n;

    while ((n = command(ctx, &left, call, 0, &argv))) {
        struct rhost_output out;

        if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0
            || pacman_installed(ctx, now) < 0)
            return -1;
        *printed = words_join(ctx, *printed, out.out);
        if (!out.status && strstr(out.out, "command failed to execute correctly"))
            rhost_warning(ctx, "packages were changed, but a script of one failed:\n%s",
                          pacman_script_errors(ctx, out.out));
        if (!out.status)
            return 0;
        left = undone(ctx, &left, call, now, out.out);
        if (left.n >= n)
            return 0;
    }
    return 0;
}

static int32_t
carry_out(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *before)
{
    struct rpms now = *before;
    const char *printed = "";

    for (enum call call = 0; call < CALLS; call++)
        if (run(ctx, jobs, call, &now, &printed) < 0)
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
    struct trial trial = { .before = &before };

    latest_refresh_for(ctx, jobs, refresh);
    if (pacman_installed(ctx, &before) < 0 || rpm_lists_prepare(ctx, jobs, &lists) < 0
        || respect_ignored(ctx, jobs, &before) < 0 || jobs_try(ctx, jobs, simulate, &trial, rpms_blame) < 0)
        return -1;
    rpm_plan_versions(jobs, &trial.plan);
    if (!rhost_noop(ctx))
        return carry_out(ctx, jobs, &before);
    if (jobs_left(jobs))
        rpm_plan_report(ctx, jobs, &trial.plan);
    rpms_report(ctx, jobs, &before);
    return 0;
}

static int32_t
pacman_set(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n)
{
    if (jobs_in_groups(ctx, changes, n, locks, set_group) < 0)
        return -1;
    latest_forget(ctx);
    return 0;
}

static const char *const needs[] = { "root",
                                     "read[/etc/os-release]",
                                     "read[/proc]",
                                     "read[/usr/lib/os-release]",
                                     "read[/var/lib/pacman]",
                                     "run[pacman]",
                                     "run[pacman-conf]",
                                     "run[systemd-inhibit]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]",
                                     NULL };

static const struct rhost_provider pacman_provider = {
    RHOST_PROVIDER_OF("package", "pacman", "Install packages from repositories, with pacman."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER | RHOST_SUPPORTS_NOOP | RHOST_FORGETS_WORLD,
    .relations = relations,
    .needs = needs,
    .suits = pacman_suits,
    .open = latest_open,
    .close = latest_close,
    .canonicalize = pacman_canonicalize,
    .insync = pacman_insync,
    .get = pacman_get,
    .set = pacman_set,
};

RHOST_PLUGIN(package_pacman, "1.0", &pacman_provider)
