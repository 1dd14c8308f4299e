/* SPDX-License-Identifier: Apache-2.0 */
/* keys - an ordered table: from keys, which are texts or integers, to anything. */
#include "config.h"

#include "node/keys.h"

#include "base/arena.h"

#include <string.h>

enum { FEW = 8 }; /* so many are looked through */

/* Marks in the index, beside slot numbers + 1. */
#define EMPTY 0U
#define GONE UINT32_MAX

static uint32_t
hash_of(struct rh_key key)
{
    uint32_t h = 2166136261U;

    if (!key.text)
        return (uint32_t)(((uint64_t)key.number * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
    for (const char *p = key.text; *p; p++)
        h = (h ^ (unsigned char)*p) * 16777619U;
    return h;
}

bool
rh_key_equal(struct rh_key a, struct rh_key b)
{
    if (!a.text || !b.text)
        return !a.text && !b.text && a.number == b.number;
    return a.text == b.text || strcmp(a.text, b.text) == 0;
}

static void
index_add(struct rh_keys *k, uint32_t slot)
{
    uint32_t mask = k->index_size - 1, i = k->slots[slot].hash & mask;

    while (k->index[i] != EMPTY && k->index[i] != GONE)
        i = (i + 1) & mask;
    k->index[i] = slot + 1;
}

/* Where in the index the key is; index_size when it is not there. */
static uint32_t
index_find(const struct rh_keys *k, struct rh_key key, uint32_t hash)
{
    uint32_t mask = k->index_size - 1;

    for (uint32_t i = hash & mask; k->index[i] != EMPTY; i = (i + 1) & mask) {
        const struct rh_key_slot *s;

        if (k->index[i] == GONE)
            continue;
        s = &k->slots[k->index[i] - 1];
        if (s->hash == hash && rh_key_equal(s->key, key))
            return i;
    }
    return k->index_size;
}

static struct rh_key_slot *
find(const struct rh_keys *k, struct rh_key key)
{
    uint32_t hash = hash_of(key);

    if (k->index) {
        uint32_t i = index_find(k, key, hash);

        return i < k->index_size ? &k->slots[k->index[i] - 1] : NULL;
    }
    for (uint32_t i = 0; i < k->used; i++)
        if (k->slots[i].value && k->slots[i].hash == hash && rh_key_equal(k->slots[i].key, key))
            return &k->slots[i];
    return NULL;
}

/* Without what was removed, and with room for more. */
static void
rebuild(struct rh_keys *k, struct rh_arena *a)
{
    uint32_t n = 0, cap = k->cap ? k->cap : 4;
    struct rh_key_slot *slots = k->slots;

    if (k->live >= cap / 2 + cap / 4 || !k->slots) {
        cap = k->cap ? cap * 2 : cap;
        slots = rh_arena_room(a, cap * sizeof *slots);
    }
    for (uint32_t i = 0; i < k->used; i++)
        if (k->slots[i].value)
            slots[n++] = k->slots[i];
    k->slots = slots;
    k->used = n;
    if (cap > FEW) {
        if (k->index_size < cap * 2) {
            k->index_size = cap * 2;
            k->index = rh_arena_room(a, k->index_size * sizeof *k->index);
        }
        memset(k->index, 0, k->index_size * sizeof *k->index);
        for (uint32_t i = 0; i < n; i++)
            index_add(k, i);
    }
    k->cap = cap;
}

void *
rh_keys_get(const struct rh_keys *k, struct rh_key key)
{
    const struct rh_key_slot *s = find(k, key);

    return s ? s->value : NULL;
}

void
rh_keys_put(struct rh_keys *k, struct rh_arena *a, struct rh_key key, void *value)
{
    struct rh_key_slot *s = find(k, key);

    if (s) {
        s->value = value;
        return;
    }
    if (k->used == k->cap)
        rebuild(k, a);
    s = &k->slots[k->used];
    s->key = key;
    if (key.text)
        s->key.text = rh_arena_strdup(a, key.text);
    s->hash = hash_of(key);
    s->value = value;
    if (k->index)
        index_add(k, k->used);
    k->used++;
    k->live++;
}

void
rh_keys_remove(struct rh_keys *k, struct rh_key key)
{
    struct rh_key_slot *s = find(k, key);

    if (!s)
        return;
    if (k->index)
        k->index[index_find(k, key, s->hash)] = GONE;
    s->value = NULL;
    k->live--;
}

void
rh_keys_clear(struct rh_keys *k)
{
    k->used = k->live = 0;
    if (k->index)
        memset(k->index, 0, k->index_size * sizeof *k->index);
}

const struct rh_key_slot *
rh_keys_next(const struct rh_keys *k, uint32_t *i)
{
    while (*i < k->used && !k->slots[*i].value)
        (*i)++;
    return *i < k->used ? &k->slots[(*i)++] : NULL;
}
