/* SPDX-License-Identifier: Apache-2.0 */
/* lock - the file modules.lock of a site: which modules it has, exactly.
 *
 * A module is a directory modules/NAME of the site, which came from a repository of git. The lock has where
 * it is from, the commit, and a digest of all its files. 'rhost module' writes it; it is JSON, with the names
 * sorted, so that version control merges it. */
#ifndef RH_MANIFEST_MODULE_LOCK_H
#define RH_MANIFEST_MODULE_LOCK_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_value;

#define RH_MODULE_LOCK "modules.lock"
#define RH_MODULE_FOLDER "modules"

enum { RH_MODULE_MOST = 1000 }; /* of a site */

/* One module. All texts are the arena's; none is NULL. */
struct rh_module_pin {
    const char *name;
    const char *source;  /* "git+https://example.org/acme.git@v1.2.0" */
    const char *version; /* as module.yaml has it */
    const char *commit;  /* its name in hexadecimal digits */
    const char *digest;  /* "sha256:" and 64 hexadecimal digits */
    bool dependency;     /* it came since another one requires it */
    /* What it requires: a hash with "rhost" (a version), "plugins" (types, with versions) and "modules"
     * (names, with sources), each of which may be missing. */
    const struct rh_value *requires;
};

struct rh_module_lock {
    struct rh_module_pin *v; /* sorted by name; the arena's */
    size_t n;
};

/* Reads modules.lock in a directory, whose name ends in '/' or is empty. Without the file there are no
 * modules. -1 with the reason. */
RH_CHECKED int rh_module_lock_read(struct rh_arena *a, const char *folder, struct rh_module_lock *lock,
                                   struct rh_error *err);

/* Replaces the file; without modules it is removed. -1 with the reason. */
RH_CHECKED int rh_module_lock_write(const char *folder, const struct rh_module_lock *lock,
                                    struct rh_error *err);

/* Its source, version and commit, as a hash. */
struct rh_value *rh_module_pin_value(struct rh_arena *a, const struct rh_module_pin *pin);

/* NULL when it has no such module. */
struct rh_module_pin *rh_module_lock_find(const struct rh_module_lock *lock, const char *name);

/* Puts a module in, in place of one with its name. */
void rh_module_lock_put(struct rh_arena *a, struct rh_module_lock *lock, const struct rh_module_pin *pin);

/* Takes the module with this name out. */
void rh_module_lock_drop(struct rh_module_lock *lock, const char *name);

#endif
