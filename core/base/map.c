/* SPDX-License-Identifier: Apache-2.0 */
/* map - from text to anything: open addressing. */
#include "config.h"

#include "base/map.h"

#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct rh_map_slot {
    const char *key;
    union { /* of one map all slots have the same */
        void *value;
        const void *constant;
    };
    uint64_t hash;
};

/* Eight bytes at a time: keys are long paths, and there are many. */
static uint64_t
hash_of(const char *key)
{
    size_t n = strlen(key);
    uint64_t h = 14695981039346656037U ^ n, eight = 0;

    for (; n >= sizeof eight; n -= sizeof eight, key += sizeof eight) {
        memcpy(&eight, key, sizeof eight);
        h = (h ^ eight) * 0x9e3779b97f4a7c15U;
        h ^= h >> 32;
    }
    eight = 0;
    memcpy(&eight, key, n);
    h = (h ^ eight) * 0x9e3779b97f4a7c15U;
    h ^= h >> 32; /* or the last letters would not reach the lowest bits, which choose the slot */
    h *= 0x9e3779b97f4a7c15U;
    return h ^ h >> 32;
}

static struct rh_map_slot *
find(const struct rh_map *m, const char *key, uint64_t hash)
{
    for (size_t i = hash & (m->size - 1);; i = (i + 1) & (m->size - 1)) {
        struct rh_map_slot *s = &m->slots[i];

        if (!s->key || (s->hash == hash && strcmp(s->key, key) == 0))
            return s;
    }
}

static void
grow(struct rh_map *m)
{
    struct rh_map old = *m;

    m->size = old.size ? old.size * 2 : 16;
    m->slots = rh_xalloc(rh_xmul(m->size, sizeof *m->slots));
    for (size_t i = 0; i < old.size; i++)
        if (old.slots[i].key)
            *find(m, old.slots[i].key, old.slots[i].hash) = old.slots[i];
    free(old.slots);
}

void
rh_map_reserve(struct rh_map *m, size_t n)
{
    size_t size = 16;

    if (m->size)
        return;
    while (size * 3 <= n * 4)
        size *= 2;
    m->slots = rh_xalloc(rh_xmul(size, sizeof *m->slots));
    m->size = size;
}

static struct rh_map_slot *
slot_for(struct rh_map *m, const char *key)
{
    uint64_t hash = hash_of(key);
    struct rh_map_slot *s;

    if ((m->used + 1) * 4 > m->size * 3)
        grow(m);
    s = find(m, key, hash);
    if (!s->key) {
        *s = (struct rh_map_slot){ .key = key, .hash = hash };
        m->used++;
    }
    return s;
}

void *
rh_map_put(struct rh_map *m, const char *key, void *value)
{
    struct rh_map_slot *s = slot_for(m, key);

    if (s->value)
        return s->value;
    s->value = value;
    return NULL;
}

const void *
rh_map_put_const(struct rh_map *m, const char *key, const void *value)
{
    struct rh_map_slot *s = slot_for(m, key);

    if (s->constant)
        return s->constant;
    s->constant = value;
    return NULL;
}

const void *
rh_map_get_const(const struct rh_map *m, const char *key)
{
    return m->size ? find(m, key, hash_of(key))->constant : NULL;
}

void
rh_map_replace(struct rh_map *m, const char *key, void *value)
{
    slot_for(m, key)->value = value;
}

void *
rh_map_get(const struct rh_map *m, const char *key)
{
    return m->size ? find(m, key, hash_of(key))->value : NULL;
}

size_t
rh_map_slots(const struct rh_map *m)
{
    return m->size;
}

void *
rh_map_slot(const struct rh_map *m, size_t i)
{
    return i < m->size ? m->slots[i].value : NULL;
}

void
rh_map_clear(struct rh_map *m)
{
    free(m->slots);
    *m = (struct rh_map){ 0 };
}
