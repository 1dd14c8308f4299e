/* SPDX-License-Identifier: Apache-2.0 */
/* jobs - changes of packages as the package manager is to see them: what they want, which of them
 * can go in one transaction, and what has become of each. */
#ifndef PACKAGE_JOBS_H
#define PACKAGE_JOBS_H

#include "words.h"

struct job {
    const struct rhost_change *change;
    const char *name;
    const char *version;  /* the exact one to have, once it is known; NULL: any will do */
    const char *argument; /* for the package manager; NULL: nothing to do in the transaction */
    int gone, purge;
    int held;   /* until now, and the manifest may change it */
    int again;  /* it is there and broken: unpacked once more */
    int failed; /* and has been told */
    int group;
};

struct jobs {
    struct job *at;
    size_t n;
};

/* Serves the slot `set`: the changes in groups whose options let them go together, each handed to `work`
 * once nobody holds one of the lock files any more (NULL-terminated; under noop they don't matter), or
 * failed when that takes too long. -1 as soon as `work` says so. */
typedef int32_t jobs_work(rhost_ctx *ctx, struct jobs *group);
int32_t jobs_in_groups(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n,
                       const char *const *locks, jobs_work *work);

/* Says that this one has failed, and why. */
void job_fail(rhost_ctx *ctx, struct job *job, const char *fmt, ...) RHOST_PRINTF(3, 4);
/* All that have not failed yet. */
void jobs_fail(rhost_ctx *ctx, const struct jobs *jobs, const char *fmt, ...) RHOST_PRINTF(3, 4);

/* How many still have something to do in the transaction. */
size_t jobs_left(const struct jobs *jobs);

/* The longest that any of them allows, in seconds; `otherwise` where nothing is said, as for what is
 * not in the manifest at all. */
int64_t jobs_longest(const struct jobs *jobs, const char *attribute, int64_t otherwise);

/* An option of the group, out of the first job that has a say in it. */
const rhost_value *jobs_option(const struct jobs *jobs, const char *attribute);

/* What the job wants of the version: NULL (nothing), "latest", an exact one or a pattern. */
const char *job_wants(const struct rhost_change *change);

/* What dpkg or apt said about one package, as far as it can be told; NULL: nothing. */
const char *lines_about(rhost_ctx *ctx, const char *output, const char *name);
/* What a package manager complained of at all: its last lines that say so, or its last ones. */
const char *lines_of_error(rhost_ctx *ctx, const char *output);

/* Of packages that would go although nobody asked for it, one that the manifest wants; or NULL. */
const char *jobs_would_lose(rhost_ctx *ctx, const struct words *removes);

/* Tries what the jobs ask for without doing it: 0 when it would work; 1 when not, with what was said;
 * -1 after fail(). */
typedef int job_trial(rhost_ctx *ctx, const struct jobs *jobs, void *data, const char **printed);
/* Fails those that a failed trial names; how many that are. */
typedef size_t job_blame(rhost_ctx *ctx, struct jobs *jobs, const char *printed);

/* A package manager does all or nothing. This tries until it would work, and fails those that stand in
 * the way: those that it names, or, where that can't be told, those that don't work alone, or all.
 * 0, with the last trial that of what is left; -1 after fail(). */
int32_t jobs_try(rhost_ctx *ctx, struct jobs *jobs, job_trial *trial, void *data, job_blame *blame);

/* Refuses names that mean something else: name=version, files, patterns, options. `extra`: what the
 * package manager's names have beside letters and digits. -1 after saying so. */
int name_check(rhost_ctx *ctx, const rhost_value *resource, const char *extra);

#endif
