/* SPDX-License-Identifier: Apache-2.0 */
/* rpm-lists - what dnf or zypper is to be given for each job: a file, a name, or a name and a version. */
#ifndef PACKAGE_RPM_LISTS_H
#define PACKAGE_RPM_LISTS_H

#include "latest.h"
#include "rpms.h"

/* All versions that the repositories have of these names, the newest of each first where lists.newest_first
 * says so. -1 after fail(). */
typedef int32_t rpm_lists_query(rhost_ctx *ctx, const struct jobs *jobs, const struct words *names,
                                struct rpms *found);

struct rpm_lists {
    source_query *of_file;
    rpm_lists_query *versions;
    /* Why there is no package of that name; NULL after fail(). */
    const char *(*why_unknown)(rhost_ctx *ctx, const struct jobs *jobs, const char *name);
    latest_query *latest;
    const char *separator; /* between a name and its version */
    int newest_first;      /* a pattern becomes the newest version that it fits; else it is passed on */
};

/* Sets the argument of each job that has not failed and has none, and its version where it is known. Jobs
 * that cannot be done fail. -1 after fail(). */
int32_t rpm_lists_prepare(rhost_ctx *ctx, struct jobs *jobs, const struct rpm_lists *lists);

#endif
