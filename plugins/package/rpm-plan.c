/* SPDX-License-Identifier: Apache-2.0 */
/* rpm-plan - what dnf or zypper would do: a row for each package, under a heading. */

#include "rpm-plan.h"

const struct rpm_row *
rpm_plan_row(const struct rpm_plan *plan, const struct job *job)
{
    for (size_t i = 0; i < plan->n; i++) {
        const struct rpm_row *row = &plan->rows[i];
        struct rpm rpm = { .name = row->name, .arch = row->arch };
        struct rpms one = { .at = &rpm, .n = 1 };

        if (rpms_find(&one, job->name) && !words_after(row->heading, "Skipping"))
            return row;
    }
    return NULL;
}

void
rpm_plan_others(rhost_ctx *ctx, const struct jobs *jobs, const struct rpm_plan *plan, const char *heading,
                struct words *found)
{
    for (size_t i = 0; i < plan->n; i++) {
        int ours = 0;

        for (size_t k = 0; k < jobs->n && !ours; k++)
            ours = !jobs->at[k].failed && rpm_plan_row(plan, &jobs->at[k]) == &plan->rows[i];
        if (!ours && words_after(plan->rows[i].heading, heading))
            words_add(ctx, found, plan->rows[i].name);
    }
}

int
rpm_plan_check(rhost_ctx *ctx, const struct jobs *jobs, const struct rpm_plan *plan, const char **printed)
{
    struct words removed = { 0 };
    const char *one;
    int bad = 0;

    for (size_t i = 0; i < jobs->n; i++) {
        const struct job *job = &jobs->at[i];
        const struct rpm_row *row = rpm_plan_row(plan, job);

        if (job->failed || !job->argument)
            continue;
        bad |= !row || (words_after(row->heading, "Remov") != NULL) != job->gone;
        if (row && words_after(row->heading, "Downgrading")
            && !rhost_bool(job->change->should, "allow_downgrade", 0)) {
            bad = 1;
            *printed = words_join(ctx, *printed,
                                  rhost_fmt(ctx,
                                            "Error: %s-%s is older than what is installed; "
                                            "'allow_downgrade: true' allows it\n",
                                            row->name, row->version));
        }
    }
    rpm_plan_others(ctx, jobs, plan, "Remov", &removed);
    one = bad ? NULL : jobs_would_lose(ctx, &removed);
    if (one)
        *printed =
            rhost_fmt(ctx, "Error: this would remove '%s', which package[%s] wants to be there\n", one, one);
    return bad || one;
}

void
rpm_plan_versions(struct jobs *jobs, const struct rpm_plan *plan)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const struct rpm_row *row = job->failed || job->gone || job->version ? NULL : rpm_plan_row(plan, job);

        if (row)
            job->version = row->version;
    }
}

void
rpm_plan_report(rhost_ctx *ctx, const struct jobs *jobs, const struct rpm_plan *plan)
{
    static const char *const headings[] = { "Install", "Upgrad", "Downgrad", "Remov" };
    static const char *const verbs[] = { "install", "upgrade", "downgrade", "remove" };

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        struct words found = { 0 };

        rpm_plan_others(ctx, jobs, plan, headings[i], &found);
        if (found.n)
            rhost_notice(ctx, "would also %s: %s", verbs[i], words_list(ctx, &found, 50));
    }
}
