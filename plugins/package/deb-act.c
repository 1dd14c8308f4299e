/* SPDX-License-Identifier: Apache-2.0 */
/* deb-act - what the providers apt and dpkg both do around their transaction: repairing what was
 * interrupted, holds, configuration files, and finding out what has become of each package. */

#include "deb.h"

#include "tool.h"
#include "version.h"

#include <dirent.h>
#include <errno.h>

/* dpkg writes what it did there, and folds it into its database when it ends. */
static int
has_updates(void)
{
    DIR *dir = opendir("/var/lib/dpkg/updates");
    struct dirent *entry;
    int found = 0;

    errno = 0;
    while (dir && (entry = readdir(dir)))
        found |= entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
    found |= dir && errno; /* dpkg knows what there is */
    if (dir)
        (void)closedir(dir);
    return found;
}

void
deb_config_options(rhost_ctx *ctx, struct words *argv, const struct jobs *jobs, const char *before)
{
    const rhost_value *v = jobs_option(jobs, "config_files");
    const char *which = v ? v->host->string(v, NULL) : NULL;
    int replace = which && strcmp(which, "replace") == 0;
    const char *const forced[] = { replace ? "confnew" : "confold", replace ? NULL : "confdef" };

    for (size_t i = 0; i < 2 && forced[i]; i++) {
        if (before)
            words_add(ctx, argv, before);
        words_add(ctx, argv, rhost_fmt(ctx, "%s--force-%s", before ? "Dpkg::Options::=" : "", forced[i]));
    }
}

int32_t
deb_repair(rhost_ctx *ctx, const struct jobs *jobs, struct debs *debs, const char **printed)
{
    static const char *const locks[] = { "/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", NULL };
    struct words broken = { 0 }, argv = { 0 };
    struct rhost_output out;
    const char *why;

    *printed = "";
    if (rhost_noop(ctx) && tool_wait(ctx, locks, 0, &why) < 0) {
        rhost_warning(ctx, "%s; a run would wait until that is done", why);
        return 0; /* what is half done may be in the middle of being done */
    }
    for (size_t i = 0; i < debs->n; i++)
        if (!deb_is_complete(&debs->at[i]))
            words_add(ctx, &broken,
                      rhost_fmt(ctx, "%s (%s)", deb_title(ctx, debs, &debs->at[i]), debs->at[i].state));
    if (!broken.n && !has_updates())
        return 0;
    rhost_warning(ctx, "the last work of dpkg was interrupted or failed%s%s; %s 'dpkg --configure -a' first",
                  broken.n ? ", in the middle of " : "", words_list(ctx, &broken, 8),
                  rhost_noop(ctx) ? "would run" : "running");
    if (rhost_noop(ctx))
        return 0;
    words_add(ctx, &argv, "dpkg");
    deb_config_options(ctx, &argv, jobs, NULL);
    tool_words(ctx, &argv, "--configure", "-a");
    if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0)
        return -1;
    *printed = out.out;
    return deb_query(ctx, NULL, debs);
}

/* 1: done; 0: there was nothing to do. */
static int32_t
select_them(rhost_ctx *ctx, const struct words *lines)
{
    struct words argv = { 0 };
    struct rhost_output out;
    size_t size = 1;
    char *input, *to;

    if (!lines->n || rhost_noop(ctx))
        return 0;
    for (size_t i = 0; i < lines->n; i++)
        size += strlen(lines->at[i]);
    input = to = rhost_alloc(ctx, size);
    for (size_t i = 0; i < lines->n; i++)
        to = stpcpy(to, lines->at[i]);
    tool_words(ctx, &argv, "dpkg", "--set-selections");
    if (tool_act(ctx, &argv, input, 300, &out) < 0)
        return -1;
    if (out.status)
        return rhost_fail(ctx, "cannot tell dpkg which packages to hold: %s", lines_of_error(ctx, out.out));
    return 1;
}

/* Whether the transaction touches what is there of it. */
static int
moves(const struct job *job)
{
    return !job->failed && (job->gone || job->argument);
}

void
deb_respect_holds(rhost_ctx *ctx, struct jobs *jobs, const struct debs *debs)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct deb *deb = deb_find(debs, job->name);

        if (!moves(job) || !deb_is_there(deb) || !deb_is_held(deb))
            continue;
        job->held = 1;
        if (!rhost_has(job->change->should, "held"))
            job_fail(ctx, job,
                     "it is held at %s; 'held: false' lets go of it, 'held: true' says that "
                     "it is to be held again afterwards",
                     deb->version);
    }
}

int32_t
deb_unhold(rhost_ctx *ctx, const struct jobs *jobs)
{
    struct words lines = { 0 };

    for (size_t i = 0; i < jobs->n; i++)
        if (moves(&jobs->at[i]) && jobs->at[i].held)
            words_add(ctx, &lines, rhost_fmt(ctx, "%s install\n", jobs->at[i].name));
    return select_them(ctx, &lines);
}

static int32_t
hold(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *debs)
{
    struct words lines = { 0 };

    for (size_t i = 0; i < jobs->n; i++) {
        const struct job *job = &jobs->at[i];
        const struct deb *deb = deb_find(debs, job->name);
        int wanted = rhost_bool(job->change->should, "held", 0);

        if (!job->failed && !job->gone && rhost_has(job->change->should, "held") && deb_is_there(deb)
            && deb_is_held(deb) != wanted)
            words_add(ctx, &lines, rhost_fmt(ctx, "%s %s\n", job->name, wanted ? "hold" : "install"));
    }
    return select_them(ctx, &lines);
}

static int32_t
purge(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *debs, const char **printed)
{
    struct words argv = { 0 };
    struct rhost_output out;
    size_t n = 0;

    tool_words(ctx, &argv, "dpkg", "--purge", "--");
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->at[i].purge && !jobs->at[i].failed && deb_has_leftovers(deb_find(debs, jobs->at[i].name))
            && ++n)
            words_add(ctx, &argv, jobs->at[i].name);
    if (!n)
        return 0;
    if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0)
        return -1;
    *printed = out.out;
    return 1;
}

int32_t
deb_finish(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *debs, const char **printed)
{
    int32_t purged, held;

    *printed = "";
    purged = purge(ctx, jobs, debs, printed);
    held = purged < 0 ? -1 : hold(ctx, jobs, debs);
    return held < 0 ? -1 : purged || held;
}

/* NULL: as wanted; else what is wrong. */
static const char *
wrong_with(rhost_ctx *ctx, const struct job *job, const struct debs *now)
{
    const rhost_value *should = job->change->should;
    const struct deb *deb = deb_find(now, job->name);
    const char *wants = job_wants(job->change), *foreign;

    if (job->gone)
        return deb_is_there(deb)                      ? "it is still there"
               : job->purge && deb_has_leftovers(deb) ? "its configuration files are still there"
                                                      : NULL;
    if (!deb_is_there(deb)) {
        foreign = deb_foreign(ctx, now, job->name);
        return foreign ? rhost_fmt(ctx, "it is installed as '%s': call it so", foreign)
                       : "it is not installed";
    }
    if (!deb_is_complete(deb))
        return rhost_fmt(ctx, "it is %s%s", deb->state, deb->reinstall ? ", and must be unpacked again" : "");
    if (job->version && strcmp(job->version, deb->version) != 0)
        return rhost_fmt(ctx, "its version is %s, and not %s", deb->version, job->version);
    if (!job->version && wants && strcmp(wants, "latest") != 0 && !version_fits(wants, deb->version))
        return rhost_fmt(ctx, "its version is %s, and not %s", deb->version, wants);
    if (rhost_has(should, "held") && deb_is_held(deb) != rhost_bool(should, "held", 0))
        return deb_is_held(deb) ? "it is still held" : "it is not held";
    return NULL;
}

void
deb_judge(rhost_ctx *ctx, struct jobs *jobs, const struct debs *now, const char *printed)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const char *wrong = job->failed ? NULL : wrong_with(ctx, job, now);
        const char *lines = wrong ? lines_about(ctx, printed, job->name) : NULL;

        if (wrong && !lines && *printed)
            lines = lines_of_error(ctx, printed);
        if (wrong)
            job_fail(ctx, job, "%s%s%s", wrong, lines ? ":\n" : "", lines ? lines : "");
    }
}

void
deb_report(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *before)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const struct job *job = &jobs->at[i];
        const struct deb *was = deb_find(before, job->name);
        const char *what = NULL, *attribute = "ensure";

        if (job->failed)
            continue;
        if (job->gone) {
            what = rhost_fmt(ctx, "%s → absent%s", deb_is_there(was) ? was->version : "configuration files",
                             job->purge && deb_is_there(was) ? ", with its configuration files" : "");
        } else if (!deb_is_there(was)) {
            what = rhost_fmt(ctx, "absent → %s", job->version ? job->version : "present");
        } else if (job->version && strcmp(job->version, was->version) != 0) {
            what = rhost_fmt(ctx, "%s → %s", was->version, job->version);
            attribute = "version";
        }
        if (what)
            (void)ctx->host->attribute_changed(ctx, job->change->title, attribute, NULL, NULL, what);
    }
}

static int
is_of_jobs(const struct jobs *jobs, const struct debs *debs, const struct deb *deb)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (deb_find(debs, jobs->at[i].name) == deb)
            return 1;
    return 0;
}

static const struct deb *
same_in(const struct debs *debs, const struct deb *deb, const struct debs *of)
{
    char name[512];

    snprintf(name, sizeof name, "%s:%s", deb->name, strcmp(deb->arch, "all") == 0 ? of->native : deb->arch);
    return deb_find(debs, name);
}

void
deb_report_others(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *before, const struct debs *now)
{
    struct words come = { 0 }, gone = { 0 }, changed = { 0 };

    for (size_t i = 0; i < now->n; i++) {
        const struct deb *deb = &now->at[i], *was = same_in(before, deb, now);

        if (!deb_is_there(deb) || (deb_is_there(was) && strcmp(was->version, deb->version) == 0)
            || is_of_jobs(jobs, now, deb))
            continue;
        if (!deb_is_there(was))
            words_add(ctx, &come, rhost_fmt(ctx, "%s %s", deb_title(ctx, now, deb), deb->version));
        else
            words_add(ctx, &changed,
                      rhost_fmt(ctx, "%s %s → %s", deb_title(ctx, now, deb), was->version, deb->version));
    }
    for (size_t i = 0; i < before->n; i++) {
        const struct deb *was = &before->at[i];

        if (deb_is_there(was) && !deb_is_there(same_in(now, was, before)) && !is_of_jobs(jobs, before, was))
            words_add(ctx, &gone, deb_title(ctx, before, was));
    }
    if (come.n)
        rhost_notice(ctx, "also installed: %s", words_list(ctx, &come, 50));
    if (changed.n)
        rhost_notice(ctx, "also changed: %s", words_list(ctx, &changed, 50));
    if (gone.n)
        rhost_notice(ctx, "also removed: %s", words_list(ctx, &gone, 50));
}

/* dpkg asks about a configuration file that was edited or removed, and answers itself:
 *
 *   Configuration file '/etc/x'
 *    ==> Modified (by you or by a script) since installation.
 *    ==> Package distributor has shipped an updated version.
 *    ==> Keeping old config file as default.
 */
void
deb_report_config_files(rhost_ctx *ctx, const char *printed)
{
    char *text = rhost_strdup(ctx, printed), *line;
    const char *file = NULL, *rest;
    int removed = 0;

    while ((line = words_line(&text))) {
        if ((rest = words_after(line, "Configuration file '"))) {
            const char *end = strrchr(rest, '\'');

            file = end ? rhost_copy(ctx, rest, (size_t)(end - rest)) : NULL;
            removed = 0;
        } else if (!words_after(line, " ==> ")) {
            continue;
        } else if (words_after(line, " ==> Deleted ")) {
            removed = 1;
        } else if (file && strstr(line, "old config file as")) {
            rhost_warning(ctx,
                          "'%s' was %s and has a new version in the package, keeping it as it is; the new "
                          "version is '%s.dpkg-dist'",
                          file, removed ? "removed" : "edited", file);
            file = NULL;
        } else if (file && strstr(line, "new file as you requested")) {
            if (removed)
                rhost_notice(ctx, "'%s' was removed, and is there again: the package has a new version of it",
                             file);
            else
                rhost_notice(ctx, "'%s' was edited, and is replaced; the edited one is '%s.dpkg-old'", file,
                             file);
            file = NULL;
        }
    }
}
