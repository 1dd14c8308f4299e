/* SPDX-License-Identifier: Apache-2.0 */
/* value - building and reading one datum. */
#include "config.h"

#include "base/value.h"

#include "base/arena.h"
#include "base/shared-text.h"
#include "base/value-parts.h"

#include <string.h>

/* The inside stands behind the value, in one piece. */
static struct rh_value *
new_hash(struct rh_arena *a, size_t n, size_t placed)
{
    struct rh_value *v = rh_arena_alloc(a, sizeof *v + sizeof *v->u.entries + n * sizeof(struct rh_entry)
                                               + placed * sizeof(struct rh_place));

    v->host = rh_arena_host(a);
    v->kind = RH_HASH;
    v->u.entries = (struct rh_entries *)(void *)(v + 1);
    v->u.entries->arena = a;
    v->u.entries->capacity = (uint32_t)n;
    v->u.entries->placed = (uint32_t)placed;
    return v;
}

struct rh_value *
rh_value_hash(struct rh_arena *a, size_t n)
{
    return new_hash(a, n, 0);
}

struct rh_value *
rh_value_hash_of(struct rh_arena *a, const struct rh_entry *entries, const struct rh_place *places, size_t n)
{
    struct rh_value *v = new_hash(a, n, places ? n : 0);

    v->count = (uint32_t)n;
    if (n)
        memcpy(v->u.entries->e, entries, n * sizeof *entries);
    if (n && places)
        memcpy(rh_entries_places(v->u.entries), places, n * sizeof *places);
    return v;
}

struct rh_value *
rh_value_array_of(struct rh_arena *a, struct rh_value *const *items, size_t n)
{
    struct rh_value *v = rh_arena_alloc(a, sizeof *v + sizeof *v->u.items + n * sizeof(struct rh_value *));

    v->host = rh_arena_host(a);
    v->kind = RH_ARRAY;
    v->count = (uint32_t)n;
    v->u.items = (struct rh_items *)(void *)(v + 1);
    v->u.items->arena = a;
    v->u.items->capacity = (uint32_t)n;
    if (n)
        memcpy(v->u.items->v, items, n * sizeof *items);
    return v;
}

struct rh_value *
rh_value_new(struct rh_arena *a, enum rh_kind kind)
{
    struct rh_value *v;

    if (kind == RH_HASH)
        return new_hash(a, 0, 0);
    v = rh_arena_alloc(a, sizeof *v);
    v->host = rh_arena_host(a);
    v->kind = (uint8_t)kind;
    if (kind == RH_ARRAY || kind == RH_WRAPPED || kind == RH_MAP) {
        v->u.items = rh_arena_alloc(a, sizeof *v->u.items);
        v->u.items->arena = a;
    } else if (kind != RH_BOOLEAN && kind != RH_INTEGER && kind != RH_FLOAT) {
        v->u.string = "";
    }
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

void
rh_value_append(struct rh_value *array, struct rh_value *v)
{
    struct rh_items *old = array->u.items;

    if (array->count == old->capacity) {
        uint32_t capacity = old->capacity ? old->capacity * 2 : 4;
        struct rh_items *grown = rh_arena_alloc(old->arena, sizeof *grown + capacity * sizeof grown->v[0]);

        grown->arena = old->arena;
        grown->capacity = capacity;
        memcpy(grown->v, old->v, array->count * sizeof grown->v[0]);
        array->u.items = old = grown;
    }
    old->v[array->count++] = v;
}

static struct rh_entry *
find(const struct rh_value *hash, const char *key)
{
    struct rh_entry *e = hash->u.entries->e, *end = e + hash->count;
    const char first = *key;

    for (; e < end; e++) /* mostly they differ at once, or it is the very same text */
        if (e->key[0] == first && (e->key == key || strcmp(e->key, key) == 0))
            return e;
    return NULL;
}

static void
add_entry(struct rh_value *hash, const char *key, struct rh_value *v)
{
    struct rh_entries *old = hash->u.entries;

    if (hash->count == old->capacity) {
        uint32_t capacity = old->capacity ? old->capacity * 2 : 4;
        struct rh_entries *grown = rh_arena_alloc(old->arena, sizeof *grown + capacity * sizeof grown->e[0]);

        grown->arena = old->arena;
        grown->capacity = capacity;
        memcpy(grown->e, old->e, hash->count * sizeof grown->e[0]);
        hash->u.entries = old = grown;
    }
    old->e[hash->count++] = (struct rh_entry){ key, v };
}

void
rh_value_put_ref(struct rh_value *hash, const char *key, struct rh_value *v)
{
    struct rh_entry *e = find(hash, key);

    if (e)
        e->value = v;
    else
        add_entry(hash, key, v);
}

void
rh_value_add_ref(struct rh_value *hash, const char *key, struct rh_value *v)
{
    add_entry(hash, key, v);
}

void
rh_value_put(struct rh_value *hash, const char *key, struct rh_value *v)
{
    struct rh_entry *e = find(hash, key);

    if (e)
        e->value = v;
    else
        add_entry(hash, rh_arena_strdup(hash->u.entries->arena, key), v);
}

void
rh_value_drop(struct rh_value *hash, const char *key)
{
    struct rh_entry *e = find(hash, key);
    struct rh_entry *end = hash->u.entries->e + hash->count;
    size_t at;

    if (!e)
        return;
    at = (size_t)(e - hash->u.entries->e);
    if (at < hash->u.entries->placed) {
        struct rh_place *place = rh_entries_places(hash->u.entries) + at;

        hash->u.entries->placed--;
        memmove(place, place + 1, (hash->u.entries->placed - at) * sizeof *place);
    }
    memmove(e, e + 1, (size_t)(end - e - 1) * sizeof *e);
    hash->count--;
}

struct rh_arena *
rh_value_arena(const struct rh_value *container)
{
    return container->kind == RH_HASH ? container->u.entries->arena : container->u.items->arena;
}

struct rh_value *
rh_value_copy(struct rh_arena *a, const struct rh_value *v)
{
    bool has_text = rh_kind_has_text(v->kind);
    bool shared = has_text && v->count >= RH_SHARED_TEXT_LEAST && rh_shared_text_keep_at(v->u.string, a);
    struct rh_value *copy = rh_arena_room(a, sizeof *copy + (has_text && !shared ? v->count + 1 : 0));

    *copy = *v;
    copy->host = rh_arena_host(a);
    if (shared) {
        return copy;
    } else if (has_text) { /* behind it, in one piece */
        copy->u.string = memcpy(copy + 1, v->u.string, v->count);
        ((char *)(copy + 1))[v->count] = '\0';
    } else if (v->kind == RH_HASH) {
        uint32_t n = v->count;

        copy->u.entries = rh_arena_alloc(a, sizeof *copy->u.entries + n * sizeof copy->u.entries->e[0]);
        copy->u.entries->arena = a;
        copy->u.entries->capacity = n;
        for (uint32_t i = 0; i < n; i++) {
            copy->u.entries->e[i].key = rh_arena_strdup(a, v->u.entries->e[i].key);
            copy->u.entries->e[i].value = rh_value_copy(a, v->u.entries->e[i].value);
        }
    } else if (rh_kind_has_items(v->kind)) {
        uint32_t n = v->count;

        copy->u.items = rh_arena_alloc(a, sizeof *copy->u.items + n * sizeof copy->u.items->v[0]);
        copy->u.items->arena = a;
        copy->u.items->capacity = n;
        for (uint32_t i = 0; i < n; i++)
            copy->u.items->v[i] = rh_value_copy(a, v->u.items->v[i]);
    }
    return copy;
}

struct rh_value *
rh_value_copy_sharing(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *copy = rh_arena_room(a, sizeof *copy);

    *copy = *v;
    if (v->kind == RH_HASH) {
        uint32_t n = v->count, placed = v->u.entries->placed < n ? v->u.entries->placed : n;
        struct rh_entries *to =
            rh_arena_alloc(a, sizeof *to + n * sizeof to->e[0] + placed * sizeof(struct rh_place));

        to->arena = a;
        to->capacity = n;
        to->placed = placed;
        copy->u.entries = to;
        if (placed)
            memcpy(rh_entries_places(to), rh_entries_places(v->u.entries), placed * sizeof(struct rh_place));
        for (uint32_t i = 0; i < n; i++)
            to->e[i] = (struct rh_entry){ v->u.entries->e[i].key,
                                          rh_value_copy_sharing(a, v->u.entries->e[i].value) };
    } else if (rh_kind_has_items(v->kind)) {
        uint32_t n = v->count;
        struct rh_items *to = rh_arena_alloc(a, sizeof *to + n * sizeof to->v[0]);

        to->arena = a;
        to->capacity = n;
        copy->u.items = to;
        for (uint32_t i = 0; i < n; i++)
            to->v[i] = rh_value_copy_sharing(a, v->u.items->v[i]);
    }
    return copy;
}

struct rh_value *
rh_value_copy_top(struct rh_arena *a, const struct rh_value *hash)
{
    struct rh_value *copy = rh_value_hash_of(a, hash->u.entries->e, NULL, hash->count);

    copy->marks = hash->marks;
    rh_value_set_place(copy, rh_value_place(hash));
    return copy;
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
    return array->u.items->v[i];
}

const struct rh_entry *
rh_value_entry(const struct rh_value *hash, size_t i)
{
    if (!rh_value_is(hash, RH_HASH) || i >= hash->count)
        return NULL;
    return &hash->u.entries->e[i];
}

size_t
rh_value_count(const struct rh_value *v)
{
    return v && (v->kind == RH_HASH || rh_kind_has_items(v->kind)) ? v->count : 0;
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

bool
rh_value_sensitive(const struct rh_value *v)
{
    if (!v)
        return false;
    if (v->marks & RH_SENSITIVE || v->kind == RH_WRAPPED)
        return true;
    for (size_t i = 0; i < rh_value_count(v); i++)
        if (rh_value_sensitive(v->kind == RH_HASH ? v->u.entries->e[i].value : v->u.items->v[i]))
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
        if (rh_value_unknown(v->kind == RH_HASH ? v->u.entries->e[i].value : v->u.items->v[i]))
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
    if (i < hash->u.entries->placed)
        return rh_entries_places(hash->u.entries)[i];
    return rh_value_place(hash->u.entries->e[i].value);
}
