/* SPDX-License-Identifier: Apache-2.0 */
/* origin - where what a resource says comes from, as far as that is not its own entry: the default of a
 * type, or an edit; and what the expressions in it were. */
#ifndef RH_CATALOG_ORIGIN_H
#define RH_CATALOG_ORIGIN_H

#include "base/place.h"

struct rh_arena;
struct rh_resource;
struct rh_value;

enum rh_origin_kind { RH_ORIGIN_ENTRY, RH_ORIGIN_DEFAULT, RH_ORIGIN_EDIT };

/* Of one attribute or keyword. */
struct rh_origin {
    const struct rh_origin *next;
    const char *name;
    enum rh_origin_kind kind;
    struct rh_place place;
    /* Only where somebody wants to know (manifest/load/input.h): the value as it was written, when there are
     * expressions in it; and the paths of the node attributes that these read, as texts. Or NULL. */
    const struct rh_value *written, *reads;
};

/* NULL: its entry says it, or nothing does. */
const struct rh_origin *rh_origin_find(const struct rh_resource *r, const char *name);

/* Adds a copy to a list, at its end. */
void rh_origin_add(struct rh_arena *a, const struct rh_origin **list, const struct rh_origin *origin);

/* From now on this one is where the name comes from; it is the arena's. */
void rh_origin_replace(struct rh_arena *a, struct rh_resource *r, const struct rh_origin *origin);

#endif
