/* SPDX-License-Identifier: Apache-2.0 */
/* alias - data types with names of their own. */
#include "config.h"

#include "datatype/alias.h"

#include "datatype/tree.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/suggest.h"

#include <stdlib.h>
#include <string.h>

static void
clear(void *data)
{
    struct rh_aliases *s = data;

    rh_map_clear(&s->by_name);
    free(s->v);
}

struct rh_aliases *
rh_aliases_new(struct rh_arena *a)
{
    struct rh_aliases *s = rh_arena_alloc(a, sizeof *s);

    s->arena = a;
    rh_arena_defer(a, clear, s);
    return s;
}

void
rh_aliases_set_origin(struct rh_aliases *s, const char *name, const char *file, const char *whole, size_t at)
{
    struct rh_alias *alias = rh_map_get(&s->by_name, name);

    if (alias) {
        alias->file = file;
        alias->whole = whole;
        alias->at = at;
    }
}

const struct rh_alias *
rh_aliases_find(const struct rh_aliases *s, const char *name)
{
    return s ? rh_map_get(&s->by_name, name) : NULL;
}

const struct rh_alias *
rh_aliases_at(const struct rh_aliases *s, size_t i)
{
    return s && i < s->n ? s->v[i] : NULL;
}

struct rh_arena *
rh_aliases_arena(const struct rh_aliases *s)
{
    return s->arena;
}

void
rh_aliases_suggest(const struct rh_aliases *s, struct rh_suggest *suggest)
{
    for (size_t i = 0; s && i < s->n; i++)
        rh_suggest_try(suggest, s->v[i]->name);
}
