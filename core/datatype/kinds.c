/* SPDX-License-Identifier: Apache-2.0 */
/* kinds - which kinds a value of a type can have. */
#include "config.h"

#include "datatype/datatype.h"

#include "base/value.h"

enum {
    CONTAINER = 1 << RH_ARRAY | 1 << RH_HASH,
    NUMBER = 1 << RH_INTEGER | 1 << RH_FLOAT,
    TEXT = 1 << RH_STRING | 1 << RH_BINARY,
    ALL = ~0,
    DEEPEST = 16,
};

static unsigned
kinds_of(const struct rh_datatype *t, int depth)
{
    unsigned kinds = 0;

    if (!t || depth > DEEPEST)
        return (unsigned)ALL;
    switch (rh_datatype_kind(t)) {
    case RH_T_OPTIONAL:
        return kinds_of(rh_datatype_inner(t, 0), depth + 1) | 1U << RH_UNDEF;
    case RH_T_NOT_UNDEF:
        return kinds_of(rh_datatype_inner(t, 0), depth + 1) & ~(1U << RH_UNDEF);
    case RH_T_SENSITIVE:
    case RH_T_ALIAS:
        return kinds_of(rh_datatype_inner(t, 0), depth + 1);
    case RH_T_VARIANT:
        for (size_t i = 0; i < rh_datatype_count(t); i++)
            kinds |= kinds_of(rh_datatype_inner(t, i), depth + 1);
        return kinds;
    case RH_T_UNDEF:
        return 1U << RH_UNDEF;
    case RH_T_ENUM:
    case RH_T_PATTERN:
    case RH_T_STRING:
    case RH_T_BINARY:
        return TEXT;
    case RH_T_INTEGER:
        return 1U << RH_INTEGER;
    case RH_T_FLOAT:
    case RH_T_NUMERIC:
        return NUMBER;
    case RH_T_BOOLEAN:
        return 1U << RH_BOOLEAN;
    case RH_T_ARRAY:
    case RH_T_TUPLE:
        return 1U << RH_ARRAY;
    case RH_T_HASH:
    case RH_T_STRUCT:
        return 1U << RH_HASH;
    case RH_T_COLLECTION:
        return CONTAINER;
    default:
        return (unsigned)ALL;
    }
}

unsigned
rh_datatype_kinds(const struct rh_datatype *t)
{
    return kinds_of(t, 0);
}
