/* SPDX-License-Identifier: Apache-2.0 */
/* file - the files that one load reads: those of the command line, and what they name.
 *
 * Each is read once, and known by its name from then on (root.h makes names comparable). What it
 * says goes through three steps: its attributes are gathered and settled before any resource
 * (node-attributes.c), its entries are read when their turn comes. */
#ifndef RH_MANIFEST_LOAD_FILE_H
#define RH_MANIFEST_LOAD_FILE_H

#include "base/cleanup.h"
#include "base/map.h"
#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_load;
struct rh_value;

enum { RH_FILES_DEEPEST = 50 }; /* files that name each other, with that of the command line */

enum rh_file_kind {
    RH_FILE_MANIFEST,
    RH_FILE_ROLE,        /* in the folder roles/ beside the manifest */
    RH_FILE_ENVIRONMENT, /* in the folder environments/ */
    RH_FILE_RECIPE,      /* its name ends in ".lua" */
    RH_FILE_COMPILED,    /* what 'rhost compile' wrote */
    RH_FILE_DATA,        /* attributes alone, which `data:` of a manifest names */
};

struct rh_file {
    struct rh_file *next;  /* in the order in which they were read */
    const char *name;      /* as it is shown */
    unsigned source, home; /* in the sources: it, and the file of the command line that led to it */
    enum rh_file_kind kind;
    bool is_argument;      /* on the command line */
    struct rh_value *tree; /* NULL: a recipe, or what can't be read and was complained about */
    const char *text;      /* a recipe's, with its length */
    size_t n;
    bool gathered, merged, done; /* the steps that it has gone through */
    bool listed;                 /* a role: its name is one of `node.roles` */

    /* While it is being read: which file named it, and where. */
    struct rh_file *within;
    struct rh_place named;
    bool active;

    /* What it has without any condition, found when it was gathered. */
    struct rh_file **includes, **roles;
    size_t n_includes, cap_includes, n_roles, cap_roles;
};

struct rh_files {
    struct rh_map by_name;
    struct rh_file *first, *last;
    struct rh_file *reading; /* the innermost; NULL while none is */
    unsigned depth;
};

void rh_files_clear(struct rh_files *files);

/* Reads a file of the command line ("-": standard input), or takes a text for one. Complains, and
 * returns NULL, when it can't be opened. */
struct rh_file *rh_file_argument(struct rh_load *load, const char *path);
struct rh_file *rh_file_text(struct rh_load *load, const char *name, char *text, size_t n);

/* The file that `path` means in source `from`: read now, if it was not before. NULL when it can't
 * be opened: the reason is in `why` (which may be NULL, when somebody else will ask again). */
RH_CHECKED struct rh_file *rh_file_named(struct rh_load *load, const char *path, unsigned from,
                                         struct rh_error *err, char **hint);

/* The part of a complaint that shows how `file`, which is being read, came to name itself:
 * "a.yaml:3 names b.yaml, b.yaml:7 names a.yaml". The caller's. */
char *rh_file_circle(struct rh_load *load, const struct rh_file *file, struct rh_place place);

/* Going into a file and out of it again. -1 when that is too deep: the caller complains. */
int rh_file_enter(struct rh_load *load, struct rh_file *file, struct rh_place named);
void rh_file_leave(struct rh_load *load, struct rh_file *file);

#endif
