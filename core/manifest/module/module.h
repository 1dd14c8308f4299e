/* SPDX-License-Identifier: Apache-2.0 */
/* module - directories of definitions, templates and recipes that a site has from others.
 *
 * What is in such a directory is used only when modules.lock has the module, and when the digest of all its
 * files is the one there. */
#ifndef RH_MANIFEST_MODULE_MODULE_H
#define RH_MANIFEST_MODULE_MODULE_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_module_pin;
struct rh_modules;
struct rh_value;

enum { RH_MODULE_DIGEST = 72 }; /* "sha256:", 64 hexadecimal digits and a NUL */

/* The file that describes a module, and the manifest with its definitions. */
#define RH_MODULE_DESCRIPTION "module.yaml"
#define RH_MODULE_MAIN "main.yaml"

/* Whether it may be the name of a module: as the first part of a type's, "acme" of "acme::site". */
bool rh_module_is_name(const char *name);

/* The digest of the files in an open directory, which stays open: their names, contents, and whether their
 * owner can execute them. Refuses what is not a file or a directory, names with control characters, more than
 * 10,000 entries, and more than 256 MiB; `name` is the directory in messages. -1 with the reason. */
RH_CHECKED int rh_module_digest(int dir, const char *name, char digest[RH_MODULE_DIGEST],
                                struct rh_error *err);

/* Whether the files of a module, in an open directory of modules, are those of the lock. */
enum rh_module_state {
    RH_MODULE_REFUSED = -1, /* it cannot be read: the reason */
    RH_MODULE_SAME,
    RH_MODULE_MISSING,
    RH_MODULE_DIFFERENT, /* with a reason where it has what no module has */
};
enum rh_module_state rh_module_compare(int modules, const char *path, const struct rh_module_pin *pin,
                                       struct rh_error *err);

/* Whether this rhost is one that the module requires. -1 with the reason. */
RH_CHECKED int rh_module_check_rhost(const struct rh_module_pin *pin, struct rh_error *err);

/* Whether it may be the name of a commit: 40 or 64 hexadecimal digits. */
bool rh_module_is_commit(const char *name);

/* Reads a module.yaml into the name, the version and the requirements of `pin`; `path` is for messages. -1
 * with the reason. */
RH_CHECKED int rh_module_describe(struct rh_arena *a, const char *text, size_t n, const char *path,
                                  struct rh_module_pin *pin, struct rh_error *err);

/* Whether these are requirements: see struct rh_module_pin. -1 with the reason. */
RH_CHECKED int rh_module_check_requires(const struct rh_value *requires, const char *path,
                                        struct rh_error *err);

/* The modules of the site in a directory, whose name ends in '/' or is empty. Nothing is read before it is
 * asked for. */
struct rh_modules *rh_modules_new(const char *folder);
void rh_modules_free(struct rh_modules *m);

/* Refuses (-1) a path, relative to the site, that is in a module which modules.lock does not have, or not so.
 * Each module is checked once. */
RH_CHECKED int rh_modules_guard(struct rh_modules *m, const char *path, struct rh_error *err);

/* A module of the lock whose files are those of the lock, which lives as long as `m`. NULL without a reason
 * when the lock does not have it, else with one. */
RH_CHECKED const struct rh_module_pin *rh_modules_find(struct rh_modules *m, const char *name,
                                                       struct rh_error *err);

#endif
