/* SPDX-License-Identifier: Apache-2.0 */
/* map - from text to anything, with constant time to find it. */
#ifndef RH_BASE_MAP_H
#define RH_BASE_MAP_H

#include <stddef.h>

struct rh_map {
    struct rh_map_slot *slots;
    size_t used, size;
};

/* Keys and values are borrowed and must outlive the map. `put` returns what the key had before,
 * which stays: the first one wins; NULL when it was new. A NULL value can't be stored. */
void *rh_map_put(struct rh_map *m, const char *key, void *value);
void rh_map_replace(struct rh_map *m, const char *key, void *value);
void *rh_map_get(const struct rh_map *m, const char *key);
void rh_map_clear(struct rh_map *m);

#define rh_automap __attribute__((cleanup(rh_map_clear)))

#endif
