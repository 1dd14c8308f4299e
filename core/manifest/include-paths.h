/* SPDX-License-Identifier: Apache-2.0 */
/* include-paths - the files that the paths of an include stand for. */
#ifndef RH_MANIFEST_INCLUDE_PATHS_H
#define RH_MANIFEST_INCLUDE_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct rh_error;
struct rh_file;
struct rh_load;
struct rh_value;

struct rh_paths {
    char **v;
    size_t n, cap;
    bool pattern; /* they match one */
};

#define rh_autopaths __attribute__((cleanup(rh_paths_clear)))

void rh_paths_clear(struct rh_paths *p);

/* Adds the paths that `path` in source `from` stands for: itself, or what matches it, in the order of
 * their bytes. -1 with the reason. */
int rh_paths_expand(struct rh_load *load, const char *path, unsigned from, struct rh_paths *out,
                    struct rh_error *err);

/* What is included whatever happens: calls `one` for each file that can be read. Complains only of
 * what is wrong inside of these files. */
void rh_include_fixed(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
                      void (*one)(void *to, struct rh_file *included, const struct rh_value *path),
                      void *to);

#endif
