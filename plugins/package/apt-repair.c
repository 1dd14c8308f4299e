/* SPDX-License-Identifier: Apache-2.0 */
/* apt-repair - what dpkg --configure -a cannot repair: packages whose dependencies are missing.
 *
 * apt-get unpacks a package before what it depends on, unless that is a pre-dependency. When it is killed in
 * between, dpkg cannot configure what was unpacked, and apt-get refuses all other work. */

#include "apt-repair.h"

#include "plan.h"
#include "tool.h"

static int
all_complete(const struct debs *debs)
{
    for (size_t i = 0; i < debs->n; i++)
        if (!deb_is_complete(&debs->at[i]))
            return 0;
    return 1;
}

/* Of what the repair would remove, that which no job wants to be gone. */
static struct words
unasked(rhost_ctx *ctx, const struct jobs *jobs, const struct plan *plan)
{
    struct words found = { 0 };

    for (size_t i = 0; i < plan->removes.n; i++) {
        const struct job *job = plan_job(jobs, plan->removes.at[i], plan->native);

        if (!job || !job->gone)
            words_add(ctx, &found, plan->removes.at[i]);
    }
    return found;
}

/* Tries it first. What apt-get says that it cannot do, or what would remove a package, is a warning. */
static int32_t
act(rhost_ctx *ctx, const struct jobs *jobs, struct debs *debs, const struct words *again,
    struct words *would, const char **printed)
{
    const char *name = again ? "apt-get install --reinstall" : "apt-get -f install";
    int flags = PLAN_REPAIRS | (again ? PLAN_AGAIN : 0);
    const struct jobs none = { 0 };
    const struct debs before = *debs;
    struct plan plan = { .native = debs->native };
    struct words try = { 0 }, argv = { 0 }, brings = { 0 }, removes;
    struct rhost_output out;

    plan_command(ctx, jobs, flags | PLAN_SIMULATED, again, &try);
    if (tool_read(ctx, &try, &out) < 0)
        return -1;
    if (out.status) {
        rhost_warning(ctx, "'%s' cannot repair this: %s; going on without it", name,
                      lines_of_error(ctx, words_join(ctx, out.out, out.err)));
        return 0;
    }
    plan_read(ctx, &none, out.out, &plan);
    removes = unasked(ctx, jobs, &plan);
    if (removes.n) {
        rhost_warning(ctx, "'%s' would remove %s to repair this; going on without it", name,
                      words_list(ctx, &removes, 50));
        return 0;
    }
    for (size_t i = 0; i < plan.brings.n; i++)
        words_add(ctx, &brings, plan.brings.at[i]);
    for (size_t i = 0; i < plan.changes.n; i++)
        words_add(ctx, &brings, plan.changes.at[i]);
    if (!brings.n && !plan.removes.n)
        return 0; /* what is left fails for another reason */
    rhost_warning(ctx, "%s: %s; %s '%s' first",
                  again ? "packages are unpacked in part" : "dependencies are missing",
                  words_list(ctx, &brings, 8), rhost_noop(ctx) ? "would run" : "running", name);
    for (size_t i = 0; i < brings.n && rhost_noop(ctx); i++)
        words_add(ctx, would, rhost_copy(ctx, brings.at[i], strcspn(brings.at[i], " ")));
    if (rhost_noop(ctx))
        return 0;
    plan_command(ctx, jobs, flags, again, &argv);
    if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0)
        return -1;
    *printed = words_join(ctx, *printed, out.out);
    if (deb_query(ctx, NULL, debs) < 0)
        return -1;
    deb_report_others(ctx, jobs, &before, debs);
    return 0;
}

/* What was to be installed and is unpacked in part; that of the jobs is theirs. */
static struct words
half_unpacked(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *debs)
{
    struct words found = { 0 };

    for (size_t i = 0; i < debs->n; i++) {
        const struct deb *deb = &debs->at[i];
        const char *title = deb_title(ctx, debs, deb);

        if ((deb->reinstall || strcmp(deb->state, "half-installed") == 0) && strcmp(deb->want, "install") == 0
            && !plan_job(jobs, title, debs->native))
            words_add(ctx, &found, title);
    }
    return found;
}

int32_t
apt_repair(rhost_ctx *ctx, const struct jobs *jobs, struct debs *debs, struct words *would,
           const char **printed)
{
    struct words again;

    if (all_complete(debs))
        return 0;
    if (act(ctx, jobs, debs, NULL, would, printed) < 0)
        return -1;
    again = half_unpacked(ctx, jobs, debs);
    return again.n ? act(ctx, jobs, debs, &again, would, printed) : 0;
}
