/* SPDX-License-Identifier: Apache-2.0 */
/* source - packages that are installed from files: which version a file has, and whether it will do. */
#ifndef PACKAGE_SOURCE_H
#define PACKAGE_SOURCE_H

#include "jobs.h"

/* The version that a package file has of this package, or NULL and why not. -1 after fail(). */
typedef int32_t source_query(rhost_ctx *ctx, const char *file, const char *name, const char **version,
                             const char **why);

/* Whether only root can put something else where `file` is, which a program is about to be given; or 0 and
 * why not. */
int source_is_safe(rhost_ctx *ctx, const char *file, const char **why);

/* Sets job->version from the file that `source` names; fails jobs whose file is no package, another
 * one, or of another version. -1 after fail(). */
int32_t source_versions(rhost_ctx *ctx, struct jobs *jobs, source_query *query);

/* A provider that installs from files alone, and the one that knows package lists instead. */
struct source_only {
    const char *name, *listed;
    const char *const *lacks; /* attributes that belong to that one; NULL-terminated */
    source_query *query;
};

/* For its slots `canonicalize` (0, or -1 after fail()) and `insync`. */
int32_t source_only_canonicalize(rhost_ctx *ctx, const rhost_value *resource, const struct source_only *only);
int32_t source_only_insync(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute,
                           const struct source_only *only);

/* Fails a job that has no `source`. */
void source_only_fail(rhost_ctx *ctx, struct job *job, const struct source_only *only);

#endif
