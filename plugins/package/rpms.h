/* SPDX-License-Identifier: Apache-2.0 */
/* rpms - the database of rpm: what the providers dnf, zypper and rpm have in common; what does not ask rpm,
 * pacman as well. */
#ifndef PACKAGE_RPMS_H
#define PACKAGE_RPMS_H

#include "source.h"

struct rpm {
    const char *name, *arch, *version; /* [EPOCH:]VERSION-RELEASE */
    size_t order;                      /* in which rpm named them */
};

struct rpms {
    struct rpm *at; /* by name, and then as rpm named them */
    size_t n;
};

/* Asks rpm about these names, or (NULL) about all: one process. -1 after fail(). */
int32_t rpms_query(rhost_ctx *ctx, const struct words *names, struct rpms *rpms);
/* Lines of name, architecture and version with tabs between; others are passed over. */
void rpms_parse(rhost_ctx *ctx, const char *text, struct rpms *rpms);

/* By name or name.arch; of several the last. NULL: it is not installed. */
const struct rpm *rpms_find(const struct rpms *rpms, const char *name);
/* Whether it is there in this very version, beside others perhaps. */
int rpms_have(const struct rpms *rpms, const char *name, const char *version);

/* Their names, one a line. */
const char *rpms_names(rhost_ctx *ctx, const struct rpms *rpms);

/* Whether this machine lives by rpm and has that program: 1, or 0 with the reason given to fail(). */
int rpms_suit(rhost_ctx *ctx, const char *program);

/* Fill the slots `canonicalize` and `get`. */
int32_t rpms_canonicalize(rhost_ctx *ctx, rhost_value *resource);
int32_t rpms_get(rhost_ctx *ctx, const rhost_value *names);
/* For a package manager that can hold packages. `held` answers for one that is installed. */
int32_t rpms_canonicalize_held(rhost_ctx *ctx, rhost_value *resource);
int32_t rpms_get_held(rhost_ctx *ctx, const rhost_value *names,
                      int (*held)(void *data, const struct rpm *rpm), void *data);

/* As deb_version_of_file, deb_judge, deb_report and deb_report_others do it for dpkg (deb.h). */
int32_t rpms_version_of_file(rhost_ctx *ctx, const char *file, const char *name, const char **version,
                             const char **why);
void rpms_judge(rhost_ctx *ctx, struct jobs *jobs, const struct rpms *now, const char *printed);
void rpms_report(rhost_ctx *ctx, const struct jobs *jobs, const struct rpms *before);
void rpms_report_others(rhost_ctx *ctx, const struct jobs *jobs, const struct rpms *before,
                        const struct rpms *now);

/* source_versions(), and the file is the argument of those that have one. -1 after fail(). */
int32_t rpms_sources(rhost_ctx *ctx, struct jobs *jobs, source_query *of_file);

/* Fails the jobs that are complained of, and says how many: a job_blame. */
size_t rpms_blame(rhost_ctx *ctx, struct jobs *jobs, const char *printed);
/* Whether this package is complained of. */
int rpms_blames(rhost_ctx *ctx, const char *printed, const char *name);

/* Files whose locks are waited for. */
extern const char *const rpms_locks[];

#endif
