/* SPDX-License-Identifier: Apache-2.0 */
/* module - changing which modules a site has: 'rhost module'. What they are, and how they are checked when a
 * manifest uses them, is in manifest/module/module.h. */
#ifndef RH_MODULE_MODULE_H
#define RH_MODULE_MODULE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_module_site;
struct rh_value;

/* Opens the site in a directory (NULL: the working directory), and locks it: other commands fail until it is
 * closed. As root, no other user may be able to change the directory. All texts are of `a`. NULL with the
 * reason. */
struct rh_module_site *rh_module_site_open(struct rh_arena *a, const char *directory, struct rh_error *err);

/* Removes what was fetched, and not put into place. NULL is fine. */
void rh_module_site_close(struct rh_module_site *site);

/* What was done, in order: a list of hashes with "name", "version", "commit", "source" and "change", which is
 * "added", "updated", "removed", "unchanged" or "installed"; "before" is the version that it replaces, and
 * "required_by" the module that needs it. */
const struct rh_value *rh_module_site_changes(const struct rh_module_site *site);

/* The modules of the lock, as such hashes, each with "state": "ok", "missing" or "different". -1 with the
 * reason when one cannot be read. */
RH_CHECKED int rh_module_list(struct rh_module_site *site, struct rh_value **list, struct rh_error *err);

/* Each changes all that is asked for, or nothing (-1 with the reason); a module that is incomplete after a
 * crash is refused by all that uses it, and 'install' restores it. */

/* Adds the module of a source, as "git+https://example.org/acme.git@v1.2.0", with what it requires; one that
 * the site has is replaced. */
RH_CHECKED int rh_module_add(struct rh_module_site *site, const char *source, struct rh_error *err);

/* Fetches these modules again from their sources; without names, all that were added by name. */
RH_CHECKED int rh_module_update(struct rh_module_site *site, const char *const *names, size_t n,
                                struct rh_error *err);

/* Fetches what the lock has and the directory has not: the same commit, and files with the same digest. With
 * `force`, files that were changed here are replaced. */
RH_CHECKED int rh_module_install(struct rh_module_site *site, bool force, struct rh_error *err);

/* Removes modules, and those that nothing requires then; with `force` also files that were changed here. */
RH_CHECKED int rh_module_remove(struct rh_module_site *site, const char *const *names, size_t n, bool force,
                                struct rh_error *err);

#endif
