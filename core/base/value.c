/* SPDX-License-Identifier: Apache-2.0 */
/* value - building and reading one datum. */
#include "config.h"

#include "base/value.h"

#include "base/arena.h"
#include "base/value-parts.h"

#include <string.h>

static struct rh_parts *
parts_at(void *memory, struct rh_arena *a, size_t n, size_t placed)
{
    struct rh_head *head = memory;

    *head = (struct rh_head){ .arena = a, .capacity = (uint32_t)n, .placed = (uint32_t)placed };
    return (struct rh_parts *)(void *)(head + 1);
}

struct rh_value *
rh_parts_container(struct rh_arena *a, enum rh_kind kind, size_t n, size_t placed)
{
    size_t room = n * (kind == RH_HASH ? sizeof(struct rh_entry) : sizeof(struct rh_value *));
    struct rh_value *v =
        rh_arena_room(a, sizeof *v + sizeof(struct rh_head) + room + placed * sizeof(struct rh_place));

    *v = (struct rh_value){ .host = rh_arena_host(a), .kind = (uint8_t)kind };
    v->u.parts = parts_at(v + 1, a, n, placed);
    return v;
}

struct rh_value *
rh_value_hash(struct rh_arena *a, size_t n)
{
    return rh_parts_container(a, RH_HASH, n, 0);
}

struct rh_value *
rh_value_hash_of(struct rh_arena *a, const struct rh_entry *entries, const struct rh_place *places, size_t n)
{
    struct rh_value *v = rh_parts_container(a, RH_HASH, n, places ? n : 0);

    v->count = (uint32_t)n;
    if (n)
        memcpy(rh_parts_entries(v), entries, n * sizeof *entries);
    for (size_t i = 0; i < n; i++)
        rh_parts_head(v)->keys |= rh_parts_key_bit(entries[i].key);
    if (n && places)
        memcpy(rh_parts_places(v), places, n * sizeof *places);
    return v;
}

struct rh_value *
rh_value_array_of(struct rh_arena *a, const struct rh_value *const *items, size_t n)
{
    struct rh_value *v = rh_parts_container(a, RH_ARRAY, n, 0);

    v->count = (uint32_t)n;
    if (n)
        memcpy(rh_parts_items(v), items, n * sizeof *items);
    return v;
}

struct rh_value *
rh_value_new(struct rh_arena *a, enum rh_kind kind)
{
    struct rh_value *v;

    if (kind == RH_HASH || rh_kind_has_items(kind))
        return rh_parts_container(a, kind, 0, 0);
    v = rh_arena_alloc(a, sizeof *v);
    v->host = rh_arena_host(a);
    v->kind = (uint8_t)kind;
    if (kind == RH_UNKNOWN)
        v->u.deferred = NULL;
    else if (kind != RH_BOOLEAN && kind != RH_INTEGER && kind != RH_FLOAT)
        v->u.string = "";
    return v;
}

struct rh_value *
rh_value_boolean(struct rh_arena *a, bool b)
{
    struct rh_value *v = rh_value_new(a, RH_BOOLEAN);

    v->u.integer = b;
    return v;
}

struct rh_value *
rh_value_integer(struct rh_arena *a, int64_t i)
{
    struct rh_value *v = rh_value_new(a, RH_INTEGER);

    v->u.integer = i;
    return v;
}

struct rh_value *
rh_value_float(struct rh_arena *a, double d)
{
    struct rh_value *v = rh_value_new(a, RH_FLOAT);

    v->u.real = d;
    return v;
}

struct rh_value *
rh_value_string_ref(struct rh_arena *a, const char *s, size_t n)
{
    struct rh_value *v = rh_value_new(a, RH_STRING);

    v->u.string = s;
    v->count = (uint32_t)n;
    return v;
}

struct rh_value *
rh_value_stringn(struct rh_arena *a, const char *s, size_t n)
{
    struct rh_value *v = rh_arena_room(a, sizeof *v + n + 1);
    char *text = (char *)(v + 1);

    *v = (struct rh_value){
        .host = rh_arena_host(a), .kind = RH_STRING, .count = (uint32_t)n, .u.string = text
    };
    if (n)
        memcpy(text, s, n);
    text[n] = '\0';
    return v;
}

struct rh_value *
rh_value_string(struct rh_arena *a, const char *s)
{
    return rh_value_stringn(a, s, strlen(s));
}

struct rh_value *
rh_value_text(struct rh_arena *a, enum rh_kind kind, const char *s, size_t n)
{
    struct rh_value *v = rh_value_stringn(a, s, n);

    v->kind = (uint8_t)kind;
    return v;
}

struct rh_value *
rh_value_binary(struct rh_arena *a, const void *p, size_t n)
{
    return rh_value_text(a, RH_BINARY, p, n);
}

/* Room for more parts, of `size` bytes each. The places of keys are lost when the parts move. */
static void __attribute__((noinline)) grow(struct rh_value *container, size_t size)
{
    struct rh_head *old = rh_parts_head(container);
    size_t capacity = old->capacity ? (size_t)old->capacity * 2 : 4;
    struct rh_parts *grown =
        parts_at(rh_arena_room(old->arena, sizeof *old + capacity * size), old->arena, capacity, 0);

    if (container->count)
        memcpy(grown, container->u.parts, container->count * size);
    container->u.parts = grown;
    rh_parts_head(container)->keys = old->keys;
}

static void
make_room(struct rh_value *container, size_t size)
{
    if (container->count >= rh_parts_head(container)->capacity)
        grow(container, size);
}

void
rh_value_append(struct rh_value *array, const struct rh_value *v)
{
    make_room(array, sizeof v);
    rh_parts_items(array)[array->count++] = v;
}

/* Calls nothing: it is what is called most of all. */
static const struct rh_entry *
find(const struct rh_value *hash, const char *key)
{
    const struct rh_entry *e = hash->u.entries, *end = e + hash->count;
    const char first = *key;

    if (!(rh_parts_head(hash)->keys & rh_parts_key_bit(key)))
        return NULL;
    for (; e < end; e++) {
        const char *own = e->key, *k = key;

        if (own == key) /* who knows the type has its own text */
            return e;
        if (*own != first)
            continue;
        while (*own && *own == *k)
            own++, k++;
        if (*own == *k)
            return e;
    }
    return NULL;
}

static bool
replace(struct rh_value *hash, const char *key, const struct rh_value *v)
{
    const struct rh_entry *e = find(hash, key);

    if (e)
        rh_parts_entries(hash)[e - hash->u.entries].value = v;
    return e;
}

void
rh_value_put_ref(struct rh_value *hash, const char *key, const struct rh_value *v)
{
    if (!replace(hash, key, v))
        rh_value_add_ref(hash, key, v);
}

void
rh_value_add_ref(struct rh_value *hash, const char *key, const struct rh_value *v)
{
    make_room(hash, sizeof(struct rh_entry));
    rh_parts_entries(hash)[hash->count++] = (struct rh_entry){ key, v };
    rh_parts_head(hash)->keys |= rh_parts_key_bit(key);
}

void
rh_value_put(struct rh_value *hash, const char *key, const struct rh_value *v)
{
    if (!replace(hash, key, v))
        rh_value_add_ref(hash, rh_arena_strdup(rh_value_arena(hash), key), v);
}

void
rh_value_drop(struct rh_value *hash, const char *key)
{
    const struct rh_entry *found = find(hash, key);
    struct rh_head *head = rh_parts_head(hash);
    struct rh_entry *e = rh_parts_entries(hash);
    size_t at;

    if (!found)
        return;
    at = (size_t)(found - e);
    if (at < head->placed) {
        struct rh_place *place = rh_parts_places(hash) + at;

        head->placed--;
        memmove(place, place + 1, (head->placed - at) * sizeof *place);
    }
    hash->count--;
    memmove(e + at, e + at + 1, (hash->count - at) * sizeof *e);
}

struct rh_arena *
rh_value_arena(const struct rh_value *container)
{
    return rh_parts_head(container)->arena;
}

const struct rh_value *
rh_value_get(const struct rh_value *hash, const char *key)
{
    const struct rh_entry *e = rh_value_is(hash, RH_HASH) ? find(hash, key) : NULL;

    return e ? e->value : NULL;
}

const struct rh_value *
rh_value_at(const struct rh_value *array, size_t i)
{
    if (!array || !rh_kind_has_items(array->kind) || i >= array->count)
        return NULL;
    return array->u.items[i];
}

const char *
rh_value_str(const struct rh_value *v, const char *fallback)
{
    return v && v->kind == RH_STRING ? v->u.string : fallback;
}

const char *
rh_value_get_str(const struct rh_value *hash, const char *key, const char *fallback)
{
    return rh_value_str(rh_value_get(hash, key), fallback);
}

/* Nearly all parts are plain: they are passed over without a call. */
static bool
is_plain(const struct rh_value *v)
{
    return !v || (!(v->marks & RH_SENSITIVE) && v->kind != RH_HASH && !rh_kind_has_items(v->kind));
}

bool
rh_value_sensitive(const struct rh_value *v)
{
    if (is_plain(v))
        return false;
    if (v->marks & RH_SENSITIVE || v->kind == RH_WRAPPED)
        return true;
    if (v->kind == RH_HASH) {
        for (const struct rh_entry *e = v->u.entries, *end = e + v->count; e < end; e++)
            if (!is_plain(e->value) && rh_value_sensitive(e->value))
                return true;
        return false;
    }
    for (uint32_t i = 0; i < v->count; i++)
        if (!is_plain(v->u.items[i]) && rh_value_sensitive(v->u.items[i]))
            return true;
    return false;
}

bool
rh_value_unknown(const struct rh_value *v)
{
    if (!v)
        return false;
    if (v->kind == RH_UNKNOWN)
        return true;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_value_unknown(rh_value_part(v, i)))
            return true;
    return false;
}

struct rh_place
rh_value_place(const struct rh_value *v)
{
    if (!v)
        return (struct rh_place){ 0 };
    return (struct rh_place){ .line = v->line, .column = v->column, .file = v->file };
}

void
rh_value_set_place(struct rh_value *v, struct rh_place place)
{
    v->line = place.line;
    v->column = place.column;
    v->file = place.file;
}

struct rh_place
rh_value_key_place(const struct rh_value *hash, size_t i)
{
    if (!rh_value_is(hash, RH_HASH) || i >= hash->count)
        return (struct rh_place){ 0 };
    if (i < rh_parts_head(hash)->placed)
        return rh_parts_places(hash)[i];
    return rh_value_place(hash->u.entries[i].value);
}
