/* SPDX-License-Identifier: Apache-2.0 */
/* description-cache - what plugins said of themselves when they were last asked, so that listing
 * them runs no third-party code. An entry holds for one file as it is: path, size, time, inode. */
#ifndef RH_PLUGIN_DESCRIPTION_CACHE_H
#define RH_PLUGIN_DESCRIPTION_CACHE_H

#include <stdbool.h>

struct rh_arena;
struct rh_value;
struct stat;

struct rh_description_cache {
    struct rh_arena *arena;
    const char *path;         /* NULL: nothing is kept */
    struct rh_value *plugins; /* by path */
    bool changed;
};

/* Reads the file if it is there and ours: what can't be read, or others can write to, is as if it
 * were not there. */
void rh_description_cache_open(struct rh_description_cache *c, struct rh_arena *a, const char *path);

/* A summary (description-file.h), or {"error": "..."}; NULL when this very file was not asked
 * yet, with this very file of data types beside it (`types`, NULL: none). */
const struct rh_value *rh_description_cache_get(const struct rh_description_cache *c, const char *plugin,
                                                const struct stat *st, const struct stat *types);

/* Keeps the answer of a plugin, and gives the summary of it. */
const struct rh_value *rh_description_cache_put(struct rh_description_cache *c, const char *plugin,
                                                const struct stat *st, const struct stat *types,
                                                const struct rh_value *answer);

/* Forgets plugins that are gone, and writes it if it changed. Not being able to costs time later, and
 * is no error. */
void rh_description_cache_save(struct rh_description_cache *c);

#endif
