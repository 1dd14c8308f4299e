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

static const char *found;

static void
on_asked(void *data, const char *key, const char *function, unsigned kinds)
{
    struct rh_checker *c = data;
    const struct rh_attr *attr = key ? rh_type_attr(c->asked ? c->asked : c->type, key) : NULL;

    if (!attr || found || rh_datatype_kinds(attr->type) & kinds)
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
