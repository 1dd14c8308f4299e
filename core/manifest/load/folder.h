/* SPDX-License-Identifier: Apache-2.0 */
/* folder - what is in a directory below the root of a manifest, with all that is below it. */
#ifndef RH_MANIFEST_LOAD_FOLDER_H
#define RH_MANIFEST_LOAD_FOLDER_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_roots;

enum rh_load_folder_kind { RH_LOAD_FOLDER_DIRECTORY, RH_LOAD_FOLDER_FILE, RH_LOAD_FOLDER_LINK };

struct rh_load_folder_entry {
    char *path; /* from the directory: "css/site.css" */
    enum rh_load_folder_kind kind;
    bool executable; /* by its owner */
    char *target;    /* of a link, as it is written there; else NULL */
};

struct rh_load_folder {
    struct rh_load_folder_entry *v;
    size_t n, cap;
};

#define rh_auto_load_folder __attribute__((cleanup(rh_load_folder_clear)))

void rh_load_folder_clear(struct rh_load_folder *f);

/* Adds all that is in the directory that `path` means when it stands in source `from`: a directory before
 * what is in it, and otherwise in the order of the bytes of names. Links are not followed. Refused are what
 * is neither a file, a directory nor a link, names that are not UTF-8, more than `limit` entries, and
 * directories nested more than 64 deep. -1 with the reason. */
RH_CHECKED int rh_load_folder_list(const struct rh_roots *r, const char *path, unsigned from, size_t limit,
                                   struct rh_load_folder *f, struct rh_error *err);

#endif
