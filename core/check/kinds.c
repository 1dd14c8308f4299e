/* SPDX-License-Identifier: Apache-2.0 */
/* kinds - questions to values that their attributes can never answer: the string of an Integer. The plugin
 * gets the fallback, always, and notices nothing. */
#include "config.h"

#include "check/kinds.h"

#include "base/arena.h"
#include "base/value.h"
#include "check/parts.h"
#include "datatype/datatype.h"
#include "provider/call.h"
#include "schema/type.h"

enum {
    CONTAINER = 1 << RH_ARRAY | 1 << RH_HASH,
    NUMBER = 1 << RH_INTEGER | 1 << RH_FLOAT,
    TEXT = 1 << RH_STRING | 1 << RH_BINARY,
    ALL = ~0,
};

static const char *found;

/* The kinds that a value of this type can have, as the plugin sees them; a bit each. */
static unsigned
kinds_of(const struct rh_datatype *t, int depth)
{
    unsigned kinds = 0;

    if (!t || depth > 16)
        return (unsigned)ALL;
    switch (rh_datatype_kind(t)) {
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
    case RH_T_SENSITIVE:
    case RH_T_ALIAS:
        return kinds_of(rh_datatype_inner(t, 0), depth + 1);
    case RH_T_VARIANT:
        for (size_t i = 0; i < rh_datatype_count(t); i++)
            kinds |= kinds_of(rh_datatype_inner(t, i), depth + 1);
        return kinds;
    case RH_T_UNDEF:
        return 0;
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

static void
on_asked(void *data, const char *key, const char *function, unsigned kinds)
{
    struct rh_checker *c = data;
    const struct rh_attr *attr = key ? rh_type_attr(c->type, key) : NULL;

    if (!attr || found || kinds_of(attr->type, 0) & kinds)
        return;
    found = rh_arena_printf(c->arena, "it asks attribute '%s', a value of %s, for its %s()", attr->name,
                            attr->type_text, function);
}

void
rh_kinds_watch(struct rh_checker *c)
{
    found = NULL;
    rh_table_watch(on_asked, c);
}

const char *
rh_kinds_end(struct rh_checker *c)
{
    (void)c;
    rh_table_watch(NULL, NULL);
    return found;
}
