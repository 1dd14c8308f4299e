/* SPDX-License-Identifier: Apache-2.0 */
/* files-parts - what the files about the files of a bundle share. */
#ifndef RH_BUNDLE_FILES_PARTS_H
#define RH_BUNDLE_FILES_PARTS_H

#include "bundle/files.h"

/* Adds a file; takes the bytes, also when it fails. */
RH_CHECKED int rh_files_add(struct rh_bundle_files *f, const char *path, char *bytes, size_t n,
                            bool executable, struct rh_error *err);

/* Sorts them by path. Two files of one name are an error, and a file that is a directory of another one. */
RH_CHECKED int rh_files_sort(struct rh_bundle_files *f, struct rh_error *err);

#endif
