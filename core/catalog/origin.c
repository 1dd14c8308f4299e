/* SPDX-License-Identifier: Apache-2.0 */
/* origin - where what a resource says comes from. */
#include "config.h"

#include "catalog/origin.h"

#include "base/arena.h"
#include "catalog/catalog.h"

#include <string.h>

const struct rh_origin *
rh_origin_find(const struct rh_resource *r, const char *name)
{
    for (const struct rh_origin *o = r->origins; o; o = o->next)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static struct rh_origin *
copy(struct rh_arena *a, const struct rh_origin *origin, const struct rh_origin *next)
{
    struct rh_origin *own = rh_arena_alloc(a, sizeof *own);

    *own = *origin;
    own->next = next;
    return own;
}

/* Resources of one entry share their origins: what is there stays as it is. */
static const struct rh_origin *
with(struct rh_arena *a, const struct rh_origin *list, const struct rh_origin *origin)
{
    if (!list)
        return copy(a, origin, NULL);
    if (strcmp(list->name, origin->name) == 0)
        return with(a, list->next, origin);
    return copy(a, list, with(a, list->next, origin));
}

void
rh_origin_add(struct rh_arena *a, const struct rh_origin **list, const struct rh_origin *origin)
{
    *list = with(a, *list, origin);
}

void
rh_origin_replace(struct rh_arena *a, struct rh_resource *r, const struct rh_origin *origin)
{
    rh_origin_add(a, &r->origins, origin);
}
