/* SPDX-License-Identifier: Apache-2.0 */
/* paths - the files that a path in a manifest stands for: one, or those that match a pattern. */
#ifndef RH_MANIFEST_LOAD_PATHS_H
#define RH_MANIFEST_LOAD_PATHS_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_load;

struct rh_paths {
    char **v;
    size_t n, cap;
    bool pattern; /* they match one */
};

#define rh_autopaths __attribute__((cleanup(rh_paths_clear)))

void rh_paths_clear(struct rh_paths *p);

/* Whether the text is a pattern. */
bool rh_paths_is_pattern(const char *text);

/* Adds the paths that `path` in source `from` stands for: itself, or what matches it, in the order of
 * their bytes. -1 with the reason. */
RH_CHECKED int rh_paths_expand(struct rh_load *load, const char *path, unsigned from, struct rh_paths *out,
                               struct rh_error *err);

#endif
