/* SPDX-License-Identifier: Apache-2.0 */
/* locate - where the manifest has what a provider names. */
#include "config.h"

#include "run/locate.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/value.h"
#include "catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

/* The part of the value that the rest of a path names (".work_mem", "[2]"); as much of it as there is. */
static const struct rh_value *
follow(const struct rh_value *v, const char *path)
{
    while (*path) {
        const struct rh_value *part = NULL;
        size_t n = strcspn(path + 1, ".[");
        rh_autofree char *step = rh_xstrndup(path + 1, n);

        if (*path == '.' && rh_value_is(v, RH_HASH))
            part = rh_value_get(v, step);
        else if (*path == '[' && rh_value_is(v, RH_ARRAY))
            part = rh_value_at(v, strtoul(step, NULL, 10));
        if (!part || !rh_value_place(part).line)
            return v;
        v = part;
        path += n + 1;
    }
    return v;
}

struct rh_place
rh_locate(const struct rh_resource *r, const char *path)
{
    size_t n = path ? strcspn(path, ".[") : 0;
    rh_autofree char *attribute = rh_xstrndup(path ? path : "", n);
    const struct rh_value *at = path && r->should ? rh_value_get(r->should, attribute) : NULL;

    return at ? rh_value_place(follow(at, path + n)) : (struct rh_place){ 0 };
}
