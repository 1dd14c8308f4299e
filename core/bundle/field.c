/* SPDX-License-Identifier: Apache-2.0 */
/* field - the parts of the JSON documents of bundles. */
#include "config.h"

#include "bundle/field.h"

#include "base/error.h"
#include "base/value.h"

#include <string.h>

enum { LONGEST = 200 /* bytes of a text */ };

int
rh_field_number(const struct rh_value *v, const char *name, int64_t least, int64_t most, int64_t *to,
                struct rh_error *err)
{
    const struct rh_value *number = rh_value_get(v, name);

    if (!number || number->kind != RH_INTEGER || number->u.integer < least || number->u.integer > most)
        return rh_error_set(err, RH_EINPUT, "'%s' must be a whole number from %lld to %lld", name,
                            (long long)least, (long long)most);
    *to = number->u.integer;
    return 0;
}

int
rh_field_text(const struct rh_value *v, const char *name, bool needed, const char **to, struct rh_error *err)
{
    const struct rh_value *text = rh_value_get(v, name);

    *to = NULL;
    if (!text && !needed)
        return 0;
    if (!text || text->kind != RH_STRING || !text->count || text->count > LONGEST
        || strlen(text->u.string) != text->count)
        return rh_error_set(err, RH_EINPUT, "'%s' must be a text of 1 to %d bytes", name, LONGEST);
    for (const unsigned char *p = (const unsigned char *)text->u.string; *p; p++)
        if (*p < ' ' || *p == 127)
            return rh_error_set(err, RH_EINPUT, "'%s' has a control character", name);
    *to = text->u.string;
    return 0;
}

bool
rh_field_is(const struct rh_value *v, const char *name, const char *text)
{
    const struct rh_value *found = rh_value_get(v, name);

    return rh_value_is(found, RH_STRING) && found->count == strlen(text)
           && memcmp(found->u.string, text, found->count) == 0;
}
