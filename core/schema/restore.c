/* SPDX-License-Identifier: Apache-2.0 */
/* restore - how an undo asks for exactly the state that was there. */
#include "config.h"

#include "schema/restore.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

static const char restores[] = "restores with ";

bool
rh_is_restore(const char *text)
{
    return text && strncmp(text, restores, sizeof restores - 1) == 0;
}

static const struct rh_value *
value_of(struct rh_arena *a, const struct rh_attr *attr, const char *word)
{
    bool on = strcmp(word, "true") == 0, off = strcmp(word, "false") == 0;
    const struct rh_value *v = rh_value_boolean(a, on);

    if ((on || off) && rh_datatype_match(attr->type, v))
        return v;
    v = rh_value_string(a, word);
    return rh_datatype_match(attr->type, v) ? v : NULL;
}

int
rh_restore_read(struct rh_arena *a, const struct rh_type *t, const char *text, struct rh_restore *r,
                struct rh_error *err)
{
    const char *what = text + sizeof restores - 1, *equals = strchr(what, '=');

    if (!equals || equals == what || !equals[1])
        return rh_error_set(err, RH_EINPUT, "invalid relation '%s': expected 'restores with PARAMETER=WORD'",
                            text);
    *r = (struct rh_restore){ .text = what };
    r->attr = rh_type_attr(t, rh_arena_strndup(a, what, (size_t)(equals - what)));
    if (!r->attr)
        return rh_error_set(err, RH_EINPUT, "unknown attribute in the relation '%s'", text);
    if (!(r->attr->behaviour & RH_PARAMETER))
        return rh_error_set(err, RH_EINPUT, "invalid relation '%s': '%s' is not a parameter", text,
                            r->attr->name);
    r->value = value_of(a, r->attr, equals + 1);
    return r->value ? 0
                    : rh_error_set(err, RH_EINPUT, "invalid relation '%s': '%s' does not have this value",
                                   text, r->attr->name);
}
