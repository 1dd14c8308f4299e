/* SPDX-License-Identifier: Apache-2.0 */
/* parts - what the files of this room share. */
#ifndef RH_MODULE_PARTS_H
#define RH_MODULE_PARTS_H

#include "base/cleanup.h"
#include "manifest/module/lock.h"
#include "manifest/module/module.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_value;

/* Below modules/: what is fetched, until it is put into place. */
#define RH_MODULE_FETCHED ".fetched"

struct rh_module_site {
    struct rh_arena *arena;
    const char *folder;  /* "" or ends in '/' */
    const char *modules; /* its directory of modules */
    int fd;              /* of that, with a lock */
    unsigned fetched;    /* how many there were */
    struct rh_module_lock lock;
    struct rh_value *changes;
};

/* source.c: "git+https://example.org/acme.git@v1.2.0#part". All texts are the arena's. */
struct rh_module_source {
    const char *text; /* as it was written */
    const char *url;  /* for git: "https://example.org/acme.git" */
    const char *ref;  /* a tag, a branch or a commit: "v1.2.0" */
    const char *part; /* the directory in the repository, or "" */
};

RH_CHECKED int rh_module_source_read(struct rh_arena *a, const char *text, struct rh_module_source *source,
                                     struct rh_error *err);

/* fetch.c: a module that was fetched, in a directory of its own. */
struct rh_module_fetched {
    struct rh_module_pin pin; /* all but `dependency` */
    const char *path;         /* of its files */
};

/* Fetches what a source means now, or with `commit` (may be NULL) that commit of it. -1 with the reason. */
RH_CHECKED int rh_module_fetch(struct rh_module_site *site, const char *source, const char *commit,
                               struct rh_module_fetched *fetched, struct rh_error *err);

/* site.c: puts what was fetched into place of what the site has by that name. -1 with the reason. */
RH_CHECKED int rh_module_place(struct rh_module_site *site, const struct rh_module_fetched *fetched,
                               struct rh_error *err);

/* As rh_module_compare(), for a module of the site. */
enum rh_module_state rh_module_site_compare(const struct rh_module_site *site,
                                            const struct rh_module_pin *pin, struct rh_error *err);

/* Notes a change; `before` and `required_by` may be NULL. */
void rh_module_note(struct rh_module_site *site, const struct rh_module_pin *pin, const char *change,
                    const char *before, const char *required_by);

/* remove.c: refuses (-1) the name of a module that the lock does not have. */
int rh_module_refuse_name(const struct rh_module_lock *lock, const char *name, struct rh_error *err);

/* The end of a command that has changed the lock in memory: drops what came as a dependency and nothing
 * requires now, writes the lock, and removes the directories of modules that `before` had and the lock has
 * not. Without `force`, files that were changed here are refused before. */
RH_CHECKED int rh_module_finish(struct rh_module_site *site, const struct rh_module_lock *before, bool force,
                                struct rh_error *err);

#endif
