/* SPDX-License-Identifier: Apache-2.0 */
/* folder - what is in a directory, with all that is below it. */
#ifndef RH_BASE_FOLDER_H
#define RH_BASE_FOLDER_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

enum rh_folder_kind { RH_FOLDER_DIRECTORY, RH_FOLDER_FILE, RH_FOLDER_LINK };

struct rh_folder_entry {
    char *path; /* from the directory: "css/site.css" */
    enum rh_folder_kind kind;
    bool executable; /* by its owner */
    char *target;    /* of a link, as it is written there; else NULL */
};

struct rh_folder_contents {
    struct rh_folder_entry *v;
    size_t n, cap;
};

#define rh_autofolder __attribute__((cleanup(rh_folder_clear)))

void rh_folder_clear(struct rh_folder_contents *f);

/* Adds all that is in an open directory, which it closes: a directory before what is in it, and otherwise in
 * the order of the bytes of names. Links are not followed. Refused are what is neither a file, a directory
 * nor a link, names that are not UTF-8, more than `limit` entries, and directories nested more than 64 deep;
 * `name` is the directory in messages. -1 with the reason. */
RH_CHECKED int rh_folder_list(int fd, const char *name, size_t limit, struct rh_folder_contents *f,
                              struct rh_error *err);

/* Whether version control, editors or the system keep something of this name beside the files of a site,
 * which is no part of it. */
bool rh_folder_is_left_out(const char *name);

#endif
