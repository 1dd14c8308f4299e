/* SPDX-License-Identifier: Apache-2.0 */
/* site-files - the files of a site: those that are pushed to targets, and those of a bundle. */
#ifndef RH_REACH_SITE_FILES_H
#define RH_REACH_SITE_FILES_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;

/* A file: its path below the directory, its bytes (which go when it returns), and whether its owner may
 * execute it. -1 with an error ends the walk. */
typedef int rh_site_file_fn(void *data, const char *path, const char *bytes, size_t n, bool executable,
                            struct rh_error *err);

/* Calls `fn` for each regular file of the directory, sorted by name within each directory. With `links` they
 * are followed within the directory, and refused where they lead out of it; without it all are refused. What
 * version control and editors keep beside the files is left out. The root, a home and the like are refused.
 */
RH_CHECKED int rh_site_files(const char *directory, bool links, rh_site_file_fn *fn, void *data,
                             struct rh_error *err);

#endif
