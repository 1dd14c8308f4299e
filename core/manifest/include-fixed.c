/* SPDX-License-Identifier: Apache-2.0 */
/* include-fixed - files that are included whatever happens. */
#include "config.h"

#include "manifest/parts.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/value.h"
#include "manifest/load/file.h"
#include "manifest/load/load.h"
#include "manifest/load/paths.h"

#include <string.h>

static void
fixed_path(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
           void (*one)(void *, struct rh_file *, const struct rh_value *), void *to)
{
    rh_autoerror struct rh_error err = { 0 };
    rh_autopaths struct rh_paths paths = { 0 };

    if (!rh_value_is(v, RH_STRING) || strlen(v->u.string) != v->count || strstr(v->u.string, "${"))
        return;
    if (rh_paths_expand(load, v->u.string, file->source, &paths, &err) < 0)
        return;
    for (size_t i = 0; i < paths.n; i++) {
        struct rh_file *included = rh_file_named(load, paths.v[i], file->source, NULL, NULL);

        if (included)
            one(to, included, v);
    }
}

void
rh_include_fixed(struct rh_load *load, const struct rh_file *file, const struct rh_value *v,
                 void (*one)(void *to, struct rh_file *included, const struct rh_value *path), void *to)
{
    if (!rh_value_is(v, RH_ARRAY))
        fixed_path(load, file, v, one, to);
    else
        for (size_t i = 0; i < v->count; i++)
            fixed_path(load, file, rh_value_at(v, i), one, to);
}
