/* SPDX-License-Identifier: Apache-2.0 */
/* plan - the one transaction of apt-get for many changes: its command, and its simulation.
 *
 * apt-get does all or nothing: one package whose dependencies can't be met keeps the others from being
 * installed. So its own simulation is asked first, and packages that stand in the way are left out,
 * with its reason, before anything is touched. */

#include "plan.h"

#include "tool.h"

static void
install_options(rhost_ctx *ctx, const struct jobs *jobs, struct words *argv)
{
    const rhost_value *recommends = jobs_option(jobs, "install_recommends");
    const rhost_value *release = jobs_option(jobs, "default_release");
    const rhost_value *downgrade = jobs_option(jobs, "allow_downgrade");

    if (recommends && recommends->host->kind(recommends) == RHOST_BOOLEAN)
        tool_words(ctx, argv, "-o",
                   recommends->host->boolean(recommends, 0) ? "APT::Install-Recommends=true"
                                                            : "APT::Install-Recommends=false");
    if (release && release->host->string(release, NULL))
        tool_words(ctx, argv, "-t", release->host->string(release, NULL));
    if (downgrade && downgrade->host->boolean(downgrade, 0))
        words_add(ctx, argv, "--allow-downgrades");
}

void
plan_command(rhost_ctx *ctx, const struct jobs *jobs, int flags, const struct words *more, struct words *argv)
{
    int simulated = flags & PLAN_SIMULATED, install = flags & PLAN_REPAIRS || (more && more->n), again = 0,
        changes_held = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        const struct job *job = &jobs->at[i];
        int acts = !job->failed && job->argument;

        install |= acts && !job->gone;
        again |= acts && job->again;
        changes_held |= acts && job->held;
    }
    tool_words(
        ctx, argv, "apt-get", "-q", "-y", "-o", "Dpkg::Use-Pty=0", "-o",
        rhost_fmt(ctx, "DPkg::Lock::Timeout=%lld", (long long)jobs_longest(jobs, "lock_timeout", 300)));
    deb_config_options(ctx, argv, jobs, "-o");
    install_options(ctx, jobs, argv);
    words_add_array(ctx, argv, jobs_option(jobs, "options"));
    if (simulated) /* what its planner was asked is logged for a simulation as well, which leaves no trace */
        tool_words(ctx, argv, "-s", "-o", "Dir::Log::Planner=/dev/null");
    if (simulated && changes_held) /* which for the real one are let go of before */
        words_add(ctx, argv, "--allow-change-held-packages");
    if (flags & PLAN_REPAIRS)
        words_add(ctx, argv, "-f");
    if (again || flags & PLAN_AGAIN)
        words_add(ctx, argv, "--reinstall");
    words_add(ctx, argv, install ? "install" : "remove");
    words_add(ctx, argv, "--");
    for (size_t i = 0; i < jobs->n && !(flags & PLAN_REPAIRS); i++) {
        const struct job *job = &jobs->at[i];

        if (!job->failed && job->argument)
            words_add(ctx, argv, job->gone && install ? rhost_fmt(ctx, "%s-", job->argument) : job->argument);
    }
    for (size_t i = 0; more && i < more->n; i++)
        if (!words_have(argv, more->at[i]))
            words_add(ctx, argv, more->at[i]);
}

const struct job *
plan_job(const struct jobs *jobs, const char *name, const char *native)
{
    for (size_t i = 0; i < jobs->n; i++) {
        const char *mine = jobs->at[i].name, *arch = strchr(mine, ':');
        size_t n = arch && strcmp(arch + 1, native) == 0 ? (size_t)(arch - mine) : strlen(mine);

        if (!jobs->at[i].failed && strncmp(mine, name, n) == 0 && !name[n])
            return &jobs->at[i];
    }
    return NULL;
}

/* Inst NAME [OLD] (NEW ...), Remv NAME [OLD], Purg NAME [OLD]. */
static void
take_line(rhost_ctx *ctx, const struct jobs *jobs, const char *line, struct plan *plan)
{
    const char *rest = words_after(line, "Inst ");
    int removes = !rest;
    const char *name, *old, *new;

    if (!rest && !(rest = words_after(line, "Remv ")) && !(rest = words_after(line, "Purg ")))
        return;
    name = rhost_copy(ctx, rest, strcspn(rest, " "));
    if (plan_job(jobs, name, plan->native))
        return;
    if (removes) {
        if (!words_have(&plan->removes, name))
            words_add(ctx, &plan->removes, name);
        return;
    }
    rest += strlen(name);
    old = words_after(rest, " [");
    new = strstr(rest, " (");
    new = new ? rhost_copy(ctx, new + 2, strcspn(new + 2, " )")) : "";
    if (old)
        words_add(ctx, &plan->changes,
                  rhost_fmt(ctx, "%s %.*s → %s", name, (int)strcspn(old, "]"), old, new));
    else
        words_add(ctx, &plan->brings, rhost_fmt(ctx, "%s %s", name, new));
}

void
plan_read(rhost_ctx *ctx, const struct jobs *jobs, const char *printed, struct plan *plan)
{
    char *text = tool_text(ctx, printed), *line;

    while ((line = words_line(&text)))
        take_line(ctx, jobs, line, plan);
}

/* A job_trial. */
static int
simulate(rhost_ctx *ctx, const struct jobs *jobs, void *data, const char **printed)
{
    struct plan *plan = data;
    struct words argv = { 0 };
    struct rhost_output out;
    const char *removed;

    *plan = (struct plan){ .native = plan->native, .repairs = plan->repairs };
    plan_command(ctx, jobs, PLAN_SIMULATED, &plan->repairs, &argv);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    if (out.status) {
        *printed = words_join(ctx, out.out, out.err);
        return 1;
    }
    plan_read(ctx, jobs, out.out, plan);
    removed = jobs_would_lose(ctx, &plan->removes);
    if (!removed)
        return 0;
    *printed =
        rhost_fmt(ctx, "E: this would remove '%s', which package[%s] wants to be there\n", removed, removed);
    return 1;
}

/* Fails the jobs that a failed simulation names: " NAME : Depends: ...". */
static size_t
fail_named(rhost_ctx *ctx, struct jobs *jobs, const char *printed)
{
    char *text = tool_text(ctx, printed), *line;
    size_t n = 0;

    while ((line = words_line(&text)))
        for (size_t i = 0; i < jobs->n && line[0] == ' ' && line[1] > ' '; i++) {
            struct job *job = &jobs->at[i];
            const char *rest = words_after(line + 1, job->name);

            if (!rest || job->failed || !job->argument || (!words_after(rest, " : ") && *rest != ':'))
                continue;
            job_fail(ctx, job, "it cannot be %s: %s", job->gone ? "removed" : "installed",
                     rest + strspn(rest, " :"));
            n++;
        }
    return n;
}

int32_t
plan_make(rhost_ctx *ctx, struct jobs *jobs, const char *native, const struct words *repairs,
          struct plan *plan)
{
    *plan = (struct plan){ .native = native, .repairs = *repairs };
    return jobs_try(ctx, jobs, simulate, plan, fail_named);
}
