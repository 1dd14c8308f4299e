/* SPDX-License-Identifier: Apache-2.0 */
/* deb - the database of dpkg: what the providers apt and dpkg have in common. */
#ifndef PACKAGE_DEB_H
#define PACKAGE_DEB_H

#include "jobs.h"

struct deb {
    const char *name, *arch, *version; /* version "": none */
    const char *want;                  /* "install", "hold", "deinstall", "purge", "unknown" */
    const char *state;                 /* "installed", "config-files", "half-configured", ... */
    int reinstall;                     /* what is there is broken: it must be unpacked again */
};

struct debs {
    struct deb *at; /* by name */
    size_t n;
    const char *native; /* the architecture of this machine, "amd64" */
};

/* Asks dpkg-query about these names, or (NULL) about all: one process. -1 after fail(). */
int32_t deb_query(rhost_ctx *ctx, const struct words *names, struct debs *debs);

/* By name or name:arch, whatever its state; without an architecture the machine's own is meant. */
const struct deb *deb_find(const struct debs *debs, const char *name);
/* Something else of this name: "foo:i386". NULL: there is none. */
const char *deb_foreign(rhost_ctx *ctx, const struct debs *debs, const char *name);

int deb_is_there(const struct deb *deb);    /* more than configuration files is left of it */
int deb_is_complete(const struct deb *deb); /* nothing of it was interrupted */
int deb_is_held(const struct deb *deb);
int deb_has_leftovers(const struct deb *deb); /* configuration files are all that is left */

/* The name as a manifest says it: without the machine's own architecture. */
const char *deb_title(rhost_ctx *ctx, const struct debs *debs, const struct deb *deb);

/* Fills the slot `canonicalize` of both providers, and nearly `get`; without `marks` (NULL) nothing is said
 * of them. */
int32_t deb_canonicalize(rhost_ctx *ctx, rhost_value *resource);
struct marks;
int32_t deb_get(rhost_ctx *ctx, const rhost_value *names, const struct marks *marks);

/* The version that a package file has: a source_query (source.h), one process for each file. */
int32_t deb_version_of_file(rhost_ctx *ctx, const char *file, const char *name, const char **version,
                            const char **why);

/* Before anything else is done: what was interrupted is brought to an end with dpkg --configure -a,
 * and `debs` read again. Under noop only told. What dpkg said is put into *said. */
int32_t deb_repair(rhost_ctx *ctx, const struct jobs *jobs, struct debs *debs, const char **printed);

/* The options for dpkg that keep or replace configuration files, each behind `before` (or NULL). */
void deb_config_options(rhost_ctx *ctx, struct words *argv, const struct jobs *jobs, const char *before);

/* Notes which jobs are held, and fails those that the manifest says nothing of. */
void deb_respect_holds(rhost_ctx *ctx, struct jobs *jobs, const struct debs *debs);

/* Lets go of what is held and must not be for the transaction: one call of dpkg --set-selections, or
 * none. -1 after fail(). */
int32_t deb_unhold(rhost_ctx *ctx, const struct jobs *jobs);

/* After the transaction: one call of dpkg --purge for all whose configuration files must go, and one
 * of dpkg --set-selections for what is to be held, or not any more. 1 when something was done, 0 when
 * there was nothing to do, -1 after fail(). */
int32_t deb_finish(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *debs, const char **printed);

/* Holds every job against what is there now; `printed` is all that was said meanwhile. */
void deb_judge(rhost_ctx *ctx, struct jobs *jobs, const struct debs *now, const char *printed);

/* Says more of each difference than the host can: the version that comes of it. */
void deb_report(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *before);

/* Tells what has come, gone or changed beside the jobs. */
void deb_report_others(rhost_ctx *ctx, const struct jobs *jobs, const struct debs *before,
                       const struct debs *now);

/* Tells of edited configuration files that came in a new version: which file is left beside each. dpkg says
 * it in what it prints. */
void deb_report_config_files(rhost_ctx *ctx, const char *printed);

/* Files whose locks are waited for. */
extern const char *const deb_locks[];

#endif
