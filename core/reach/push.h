/* SPDX-License-Identifier: Apache-2.0 */
/* push - the controller's side: one command of rhost on many targets, several at once. */
#ifndef RH_REACH_PUSH_H
#define RH_REACH_PUSH_H

#include "base/cleanup.h"
#include "base/map.h"
#include "base/text.h"
#include "reach/inventory.h"
#include "reach/kit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;
struct rh_plans;
struct rh_sources;

/* A number of targets, or a part of them: 5, 10%. */
struct rh_share {
    bool specified, percent;
    unsigned n;
};

/* -1 when the text is none. */
RH_CHECKED int rh_share_read(struct rh_share *share, const char *text);

struct rh_push_options {
    const char *const *command; /* what rhost does on the targets */
    size_t n_command;
    const char *report;           /* the file that the command writes its report to; NULL: it writes none */
    const struct rh_plans *plans; /* that are made, or applied; NULL: none */
    bool makes_plans;
    bool changes; /* the command may change something */
    bool detach, quiet, json, colour, live;
    const struct rh_buf *site; /* its files, as frames */
    uint64_t site_bytes;
    const char *rhost; /* the program on the targets, unless a target names one; NULL: a kit */
    /* One for each architecture, and the same for targets without gzip. They are described, and loaded when
     * the first target needs one. */
    struct rh_kit *kits, *plain_kits;
    size_t n_kits;
    const char *password;  /* of sudo; NULL: none */
    bool become_specified; /* instead of what the targets say: */
    enum rh_become become;
    unsigned jobs, connect_timeout; /* seconds */
    const char *ssh_dir;            /* of the sockets of shared connections; NULL: none is shared */
    unsigned ssh_persist;           /* seconds that they are kept for */
    bool new_connections;           /* no shared one is used, whatever the configuration of ssh says */
    struct rh_share batch, max_failures;
    size_t n_canary;                  /* the first so many of the targets come before all others */
    bool attributes;                  /* the command takes those of the targets */
    const struct rh_sources *sources; /* of the attributes */
    const char *state_dir;            /* of this machine: it has the state of images */
    const char *reports_dir;          /* where reports are kept; NULL: nowhere */
    bool resolv_conf; /* directories get a copy of this machine's /etc/resolv.conf for the time */
    const char *push; /* the id of this push */
};

/* How many targets came to what. */
enum rh_push_outcome {
    RH_PUSH_NOT_STARTED,
    RH_PUSH_OK,
    RH_PUSH_CHANGED,
    RH_PUSH_FAILED,
    RH_PUSH_REFUSED,
    RH_PUSH_UNREACHABLE,
    RH_PUSH_OUTCOMES
};

struct rh_push_result {
    size_t n, by_outcome[RH_PUSH_OUTCOMES];
    int interrupted; /* the signal, or 0 */
};

/* Pushes to these targets, shows what happens, and keeps the reports. */
void rh_push(struct rh_push_target *const *targets, size_t n, const struct rh_push_options *options,
             struct rh_push_result *result);

/* ssh-share.c: a directory that only this user can enter, for the sockets of shared connections of ssh. It is
 * made. The caller's; NULL: there can be none. */
char *rh_ssh_share_dir(void);

/* Removes the reports of all pushes but the newest so many. Those of the last day stay: they can be under
 * way. */
void rh_push_prune(const char *state_dir, size_t keep);

/* push-kept.c: prints what the last push came to, as a table or as JSON. -1 with an error where none is kept.
 */
RH_CHECKED int rh_push_show_last(const char *state_dir, bool json, struct rh_error *err);

const char *rh_push_outcome_name(enum rh_push_outcome outcome);

/* plans.c: plans of targets, in a directory of the controller: TARGET.plan for each, and plans.json. */

struct rh_plans {
    const char *dir;  /* as it was named */
    const char *base; /* the working directory then, absolute: the manifests are below it */
    const char *const *manifests;
    size_t n_manifests;
};

/* Whether this is such a directory. */
bool rh_plans_are(const char *path);

/* Makes the directory, or removes the plans of an earlier push from it; -1 with an error when it has
 * something else, or when others could change it. */
RH_CHECKED int rh_plans_create(const struct rh_plans *p, const char *push, struct rh_error *err);

/* What a directory says of its plans; the arena's. */
RH_CHECKED int rh_plans_read(struct rh_plans *p, struct rh_arena *a, const char *dir, struct rh_error *err);

/* site.c: the files that go to the targets. */

struct rh_site {
    struct rh_buf frames;
    uint64_t bytes;
    size_t files;
    struct rh_map sent; /* paths on the target; the site's */
    char **paths;
    size_t n_paths, cap_paths;
};

/* Adds the directory of a manifest, with all that is below it, and returns the manifest's name on the target,
 * the caller's. Hidden directories of version control and files of editors are left out. NULL with an error:
 * a link that leads out of the directory, too many files. */
RH_CHECKED char *rh_site_add_manifest(struct rh_site *site, const char *path, struct rh_error *err);

/* Adds a file as secrets/NAME beside this manifest (NULL: at the top). Secrets come before the manifests: of
 * two files with one name the first is sent. -1 with an error, also when it was added before. */
RH_CHECKED int rh_site_add_secret(struct rh_site *site, const char *manifest, const char *secret,
                                  const char *path, struct rh_error *err);

/* Adds one file under this name; of a pipe, what can be read from it. */
RH_CHECKED int rh_site_add_file(struct rh_site *site, const char *path, const char *name,
                                struct rh_error *err);

/* Its memory is overwritten before it is freed. */
void rh_site_clear(struct rh_site *site);

#endif
