/* SPDX-License-Identifier: Apache-2.0 */
/* value-copy - copying values, and changing one that is still being built. */
#include "config.h"

#include "base/arena.h"
#include "base/draft.h"
#include "base/shared-text.h"
#include "base/value-parts.h"
#include "base/value.h"

#include <string.h>

/* A copy of the container alone: with room for its parts, and none in it yet. */
static struct rh_value *
copy_container(struct rh_arena *a, const struct rh_value *v, size_t placed)
{
    struct rh_value *copy = rh_parts_container(a, v->kind, v->count, placed);

    copy->marks = v->marks;
    copy->count = v->count;
    rh_parts_head(copy)->keys = rh_parts_head(v)->keys;
    rh_value_set_place(copy, rh_value_place(v));
    return copy;
}

struct rh_value *
rh_value_copy(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *copy;

    if (v->kind == RH_HASH) {
        copy = copy_container(a, v, 0);
        for (uint32_t i = 0; i < v->count; i++)
            rh_parts_entries(copy)[i] = (struct rh_entry){ rh_arena_strdup(a, v->u.entries[i].key),
                                                           rh_value_copy(a, v->u.entries[i].value) };
    } else if (rh_kind_has_items(v->kind)) {
        copy = copy_container(a, v, 0);
        for (uint32_t i = 0; i < v->count; i++)
            rh_parts_items(copy)[i] = rh_value_copy(a, v->u.items[i]);
    } else { /* a text behind it, in one piece */
        bool has_text = rh_kind_has_text(v->kind);
        bool shared = has_text && v->count >= RH_SHARED_TEXT_LEAST && rh_shared_text_keep_at(v->u.string, a);

        copy = rh_arena_room(a, sizeof *copy + (has_text && !shared ? v->count + 1 : 0));
        *copy = *v;
        copy->host = rh_arena_host(a);
        if (has_text && !shared) {
            copy->u.string = memcpy(copy + 1, v->u.string, v->count);
            ((char *)(copy + 1))[v->count] = '\0';
        }
    }
    return copy;
}

struct rh_value *
rh_value_copy_sharing(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_value *copy;

    if (v->kind == RH_HASH) {
        uint32_t placed = rh_parts_head(v)->placed;

        placed = placed < v->count ? placed : v->count;
        copy = copy_container(a, v, placed);
        if (placed)
            memcpy(rh_parts_places(copy), rh_parts_places(v), placed * sizeof(struct rh_place));
        for (uint32_t i = 0; i < v->count; i++)
            rh_parts_entries(copy)[i] =
                (struct rh_entry){ v->u.entries[i].key, rh_value_copy_sharing(a, v->u.entries[i].value) };
    } else if (rh_kind_has_items(v->kind)) {
        copy = copy_container(a, v, 0);
        for (uint32_t i = 0; i < v->count; i++)
            rh_parts_items(copy)[i] = rh_value_copy_sharing(a, v->u.items[i]);
    } else {
        copy = rh_arena_room(a, sizeof *copy);
        *copy = *v;
    }
    return copy;
}

const struct rh_value *
rh_value_marked(struct rh_arena *a, const struct rh_value *v, unsigned marks)
{
    struct rh_value *copy;

    if ((v->marks & marks) == marks)
        return v;
    copy = rh_arena_room(a, sizeof *copy);
    *copy = *v;
    copy->host = rh_arena_host(a);
    copy->marks |= (uint8_t)marks;
    return copy;
}

struct rh_value *
rh_value_copy_top(struct rh_arena *a, const struct rh_value *hash)
{
    struct rh_value *copy = copy_container(a, hash, 0);

    if (hash->count)
        memcpy(rh_parts_entries(copy), hash->u.entries, hash->count * sizeof *hash->u.entries);
    return copy;
}

struct rh_value *
rh_draft_get(struct rh_value *hash, const char *key)
{
    return rh_draft_of(rh_value_get(hash, key));
}

void
rh_draft_set_item(struct rh_value *array, size_t i, const struct rh_value *v)
{
    rh_parts_items(array)[i] = v;
}

void
rh_draft_set_entry(struct rh_value *hash, size_t i, const char *key, const struct rh_value *v)
{
    struct rh_entry *e = &rh_parts_entries(hash)[i];

    if (e->key != key)
        rh_parts_head(hash)->keys |= rh_parts_key_bit(key);
    *e = (struct rh_entry){ key, v };
}

void
rh_draft_move_entry(struct rh_value *hash, size_t to, size_t from)
{
    struct rh_entry *e = rh_parts_entries(hash);
    uint32_t placed = rh_parts_head(hash)->placed;

    if (to < placed) {
        struct rh_place *place = rh_parts_places(hash);

        place[to] = from < placed ? place[from] : rh_value_place(e[from].value);
    }
    e[to] = e[from];
}
