/* SPDX-License-Identifier: Apache-2.0 */
/* source - packages that are installed from files. */

#include "source.h"

#include "version.h"

#include <rhost/path.h>

#include <errno.h>
#include <string.h>

int
source_is_safe(rhost_ctx *ctx, const char *file, const char **why)
{
    const char *unsafe;

    if (rhost_path_trusted(ctx, file) == 0)
        return 1;
    unsafe = rhost_path_unsafe(ctx);
    *why = rhost_fmt(ctx, "source: '%s' cannot be used: %s", file, unsafe ? unsafe : strerror(errno));
    return 0;
}

int32_t
source_versions(rhost_ctx *ctx, struct jobs *jobs, source_query *query)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->at[i];
        const char *source = job->gone ? NULL : rhost_str(job->change->should, "source");
        const char *wants = job_wants(job->change), *why = NULL;

        if (!source || job->failed)
            continue;
        if (query(ctx, source, job->name, &job->version, &why) < 0)
            return -1;
        if (!job->version)
            job_fail(ctx, job, "%s", why);
        else if (wants && strcmp(wants, "latest") != 0 && !version_fits(wants, job->version))
            job_fail(ctx, job, "version: '%s' is wanted, and '%s' has '%s'", wants, source, job->version);
    }
    return 0;
}

int32_t
source_only_canonicalize(rhost_ctx *ctx, const rhost_value *resource, const struct source_only *only)
{
    for (size_t i = 0; only->lacks[i]; i++)
        if (rhost_has(resource, only->lacks[i]))
            return rhost_fail_attr(ctx, only->lacks[i], "the provider '%s' has no package lists: '%s' does",
                                   only->name, only->listed);
    return 0;
}

int32_t
source_only_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute,
                   const struct source_only *only)
{
    const char *wants = job_wants(change), *source = rhost_str(change->should, "source");
    const char *latest = NULL, *why = NULL;

    if (strcmp(attribute, "mark") == 0)
        return 0; /* of apt */
    if (strcmp(attribute, "version") != 0)
        return RHOST_DEFAULT_COMPARISON;
    if (wants && strcmp(wants, "latest") == 0) {
        if (!source)
            return rhost_fail(ctx, "the provider '%s' knows no latest version without 'source'", only->name);
        if (only->query(ctx, source, rhost_str(change->name, "name"), &latest, &why) < 0)
            return -1;
        if (!latest)
            return rhost_fail(ctx, "%s", why);
    }
    return version_insync(ctx, change, latest);
}

void
source_only_fail(rhost_ctx *ctx, struct job *job, const struct source_only *only)
{
    job_fail(ctx, job,
             "the provider '%s' installs from files: give it one as 'source', or take the "
             "provider '%s'",
             only->name, only->listed);
}
