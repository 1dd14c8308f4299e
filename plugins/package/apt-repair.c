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

static int32_t
install(rhost_ctx *ctx, const struct jobs *jobs, struct debs *debs, const char **printed)
{
    const struct debs before = *debs;
    struct words argv = { 0 };
    struct rhost_output out;

    plan_command(ctx, jobs, PLAN_REPAIRS, NULL, &argv);
    if (tool_act(ctx, &argv, NULL, jobs_longest(jobs, "timeout", 3600), &out) < 0)
        return -1;
    *printed = words_join(ctx, *printed, out.out);
    if (deb_query(ctx, NULL, debs) < 0)
        return -1;
    deb_report_others(ctx, jobs, &before, debs);
    return 0;
}

int32_t
apt_repair(rhost_ctx *ctx, const struct jobs *jobs, struct debs *debs, struct words *would,
           const char **printed)
{
    const struct jobs none = { 0 };
    struct plan plan = { .native = debs->native };
    struct words argv = { 0 }, brings = { 0 }, removes;
    struct rhost_output out;

    if (all_complete(debs))
        return 0;
    plan_command(ctx, jobs, PLAN_SIMULATED | PLAN_REPAIRS, NULL, &argv);
    if (tool_read(ctx, &argv, &out) < 0)
        return -1;
    if (out.status) {
        rhost_warning(ctx, "'apt-get -f install' cannot repair this: %s; going on without it",
                      lines_of_error(ctx, words_join(ctx, out.out, out.err)));
        return 0;
    }
    plan_read(ctx, &none, out.out, &plan);
    removes = unasked(ctx, jobs, &plan);
    if (removes.n) {
        rhost_warning(ctx, "'apt-get -f install' would remove %s to repair this; going on without it",
                      words_list(ctx, &removes, 50));
        return 0;
    }
    for (size_t i = 0; i < plan.brings.n; i++)
        words_add(ctx, &brings, plan.brings.at[i]);
    for (size_t i = 0; i < plan.changes.n; i++)
        words_add(ctx, &brings, plan.changes.at[i]);
    if (!brings.n && !plan.removes.n)
        return 0; /* what is left fails for another reason */
    rhost_warning(ctx, "dependencies are missing: %s; %s 'apt-get -f install' first",
                  words_list(ctx, &brings, 8), rhost_noop(ctx) ? "would run" : "running");
    if (!rhost_noop(ctx))
        return install(ctx, jobs, debs, printed);
    for (size_t i = 0; i < brings.n; i++)
        words_add(ctx, would, rhost_copy(ctx, brings.at[i], strcspn(brings.at[i], " ")));
    return 0;
}
