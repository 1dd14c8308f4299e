/* SPDX-License-Identifier: Apache-2.0 */
/* rpm-plan - what dnf or zypper would do: a row for each package, under a heading. */
#ifndef PACKAGE_RPM_PLAN_H
#define PACKAGE_RPM_PLAN_H

#include "rpms.h"

struct rpm_row {
    const char *name, *arch, *version;
    const char *heading; /* begins with "Install", "Upgrad", "Downgrad", "Remov" or "Skipping" */
};

struct rpm_plan {
    struct rpm_row *rows;
    size_t n;
};

/* The row that this job leads to; NULL: there is none. */
const struct rpm_row *rpm_plan_row(const struct rpm_plan *plan, const struct job *job);

/* The names in rows under such headings that no job asks for. */
void rpm_plan_others(rhost_ctx *ctx, const struct jobs *jobs, const struct rpm_plan *plan,
                     const char *heading, struct words *found);

/* Whether the plan is what the jobs ask for, and removes nothing that the manifest wants: 0, or 1 with
 * *printed changed to what is wrong. */
int rpm_plan_check(rhost_ctx *ctx, const struct jobs *jobs, const struct rpm_plan *plan,
                   const char **printed);

/* Sets the version of jobs whose manifest leaves it open. */
void rpm_plan_versions(struct jobs *jobs, const struct rpm_plan *plan);

/* Reports what would also be installed, upgraded, downgraded and removed. */
void rpm_plan_report(rhost_ctx *ctx, const struct jobs *jobs, const struct rpm_plan *plan);

#endif
