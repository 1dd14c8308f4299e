/* SPDX-License-Identifier: Apache-2.0 */
/* root - which files a manifest may read: those below its root, the folder of the file that was
 * given on the command line.
 *
 * A path is relative to the file in which it stands, wherever the command was started. Neither ".."
 * nor an absolute path nor a symbolic link leads out of the root, unless that was allowed
 * (--allow-outside). Names of files are shown as the command line had them: "site/roles/web.yaml". */
#ifndef RH_MANIFEST_LOAD_ROOT_H
#define RH_MANIFEST_LOAD_ROOT_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_modules;
struct rh_root;
struct rh_sources;

struct rh_roots {
    const struct rh_sources *sources; /* borrowed: the names of files */
    bool outside;                     /* files may be anywhere */
    bool guarded;                     /* but none that other users can change: rh_roots_guard */
    struct rh_root **v;
    size_t n, cap;
    struct rh_root **roots; /* by the number of a source, from 1; NULL where it has none */
    size_t n_roots, cap_roots;
};

void rh_roots_clear(struct rh_roots *r);

/* Source `file` was given on the command line: it has a root of its own. Without a folder in its
 * name (standard input, text made by a command) that is the working directory. */
void rh_roots_add(struct rh_roots *r, unsigned file);

/* Source `file` was read since `from` names it: it has the same root. */
void rh_roots_inherit(struct rh_roots *r, unsigned file, unsigned from);

/* The name of the file that `path` means when it stands in source `from`, to be shown and compared:
 * without "." and "..". The caller's; NULL when it is outside and that was not allowed. */
RH_CHECKED char *rh_roots_name(const struct rh_roots *r, const char *path, unsigned from,
                               struct rh_error *err);

/* Refuses (-1) a file that others than root, this user and who called sudo can change or put another in
 * place of, where such are guarded against. Standard input is what the caller made it. */
RH_CHECKED int rh_roots_guard(const struct rh_roots *r, const char *name, struct rh_error *err);

/* Reads the file of that name, which rh_roots_name gave for the same `from`: as rh_read_file does,
 * and a regular file only. */
RH_CHECKED char *rh_roots_read(const struct rh_roots *r, const char *name, unsigned from, size_t limit,
                               size_t *n, struct rh_error *err);

/* The absolute path of the regular file that `path` means when it stands in source `from`, by the same rules;
 * the caller's. */
RH_CHECKED char *rh_roots_locate(const struct rh_roots *r, const char *path, unsigned from,
                                 struct rh_error *err);

/* Opens the directory that `path` means when it stands in source `from`, by the same rules; its name, the
 * caller's, is in *name. -1 with the reason. */
RH_CHECKED int rh_roots_open_directory(const struct rh_roots *r, const char *path, unsigned from, char **name,
                                       struct rh_error *err);

/* The modules of the site that source `file` is of (manifest/module/module.h). What is in one is read only
 * when the site's lock has it. */
struct rh_modules *rh_roots_modules(const struct rh_roots *r, unsigned file);

/* Reads a secret, which may be anywhere: a regular file that nobody but its owner can write to, and
 * that root or we own. */
RH_CHECKED char *rh_roots_read_secret(const char *path, size_t limit, size_t *n, struct rh_error *err);

#endif
