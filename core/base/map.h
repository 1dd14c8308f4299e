/* SPDX-License-Identifier: Apache-2.0 */
/* map - from text to anything, with constant time to find it. */
#ifndef RH_BASE_MAP_H
#define RH_BASE_MAP_H

#include <stddef.h>

struct rh_map {
    struct rh_map_slot *slots;
    size_t used, size;
};

/* Room for so many keys in an empty map, which then need not be moved as it grows. */
void rh_map_reserve(struct rh_map *m, size_t n);

/* Keys and values are borrowed and must outlive the map. `put` returns what the key had before,
 * which stays: the first one wins; NULL when it was new. `replace` with NULL forgets the value. */
void *rh_map_put(struct rh_map *m, const char *key, void *value);
void rh_map_replace(struct rh_map *m, const char *key, void *value);
void *rh_map_get(const struct rh_map *m, const char *key);

/* The same for a map whose values are const. */
const void *rh_map_put_const(struct rh_map *m, const char *key, const void *value);
const void *rh_map_get_const(const struct rh_map *m, const char *key);

/* Going through: the value at slot 0 up to rh_map_slots(), NULL where there is none. */
size_t rh_map_slots(const struct rh_map *m);
void *rh_map_slot(const struct rh_map *m, size_t i);
void rh_map_clear(struct rh_map *m);

#define rh_automap __attribute__((cleanup(rh_map_clear)))

#endif
