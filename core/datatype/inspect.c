/* SPDX-License-Identifier: Apache-2.0 */
/* inspect - the shape of a type, for those who walk a value beside it. */
#include "config.h"

#include "base/value.h"
#include "datatype/tree.h"

#include <string.h>

enum rh_datatype_kind
rh_datatype_kind(const struct rh_datatype *t)
{
    return t->kind;
}

size_t
rh_datatype_count(const struct rh_datatype *t)
{
    return rh_type_is_alias(t) ? 1 : t->count;
}

const struct rh_datatype *
rh_datatype_inner(const struct rh_datatype *t, size_t i)
{
    switch (t->kind) {
    case RH_T_VARIANT:
    case RH_T_TUPLE:
        return i < t->count ? t->u.members[i] : NULL;
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
    case RH_T_SENSITIVE:
    case RH_T_TYPE:
    case RH_T_ITERABLE:
    case RH_T_ARRAY:
    case RH_T_HASH:
        return i < t->count ? t->u.inner[i] : NULL;
    case RH_T_ALIAS:
    case RH_T_DATA:
    case RH_T_RICH_DATA:
        return i == 0 ? t->u.alias->target : NULL;
    default:
        return NULL;
    }
}

const char *
rh_datatype_key(const struct rh_datatype *t, size_t i, const struct rh_datatype **type)
{
    if (type)
        *type = NULL;
    if (i >= t->count)
        return NULL;
    if (t->kind == RH_T_ENUM)
        return t->u.words[i].s;
    if (t->kind != RH_T_STRUCT)
        return NULL;
    if (type)
        *type = t->u.keys[i].type;
    return t->u.keys[i].key.s;
}

const struct rh_datatype *
rh_datatype_within(const struct rh_datatype *t, const struct rh_value *v, size_t i)
{
    const char *key;

    switch (t->kind) {
    case RH_T_ARRAY:
        return v->kind == RH_ARRAY ? rh_datatype_inner(t, 0) : NULL;
    case RH_T_TUPLE:
        return v->kind == RH_ARRAY && t->count ? t->u.members[i < t->count ? i : t->count - 1] : NULL;
    case RH_T_HASH:
        return v->kind == RH_HASH ? rh_datatype_inner(t, 1) : NULL;
    case RH_T_STRUCT:
        key = v->kind == RH_HASH && i < v->count ? v->u.entries[i].key : NULL;
        for (size_t k = 0; key && k < t->count; k++)
            if (strcmp(t->u.keys[k].key.s, key) == 0)
                return t->u.keys[k].type;
        return NULL;
    default:
        return NULL;
    }
}

/* Aliases that hold each other without anything between are refused when they are resolved, so
 * this ends. */
bool
rh_datatype_sensitive(const struct rh_datatype *t)
{
    switch (t->kind) {
    case RH_T_SENSITIVE:
        return true;
    case RH_T_VARIANT:
        for (size_t i = 0; i < t->count; i++)
            if (rh_datatype_sensitive(t->u.members[i]))
                return true;
        return false;
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
        return t->u.inner[0] && rh_datatype_sensitive(t->u.inner[0]);
    case RH_T_ALIAS:
        return t->u.alias->target && rh_datatype_sensitive(t->u.alias->target);
    default:
        return false;
    }
}
