/* SPDX-License-Identifier: Apache-2.0 */
/* secret - attributes that an entry itself calls sensitive. */
#include "config.h"

#include "manifest/entry/parts.h"

#include "base/draft.h"
#include "base/value.h"
#include "manifest/load/load.h"

#include <string.h>

static void
keep_one(struct rh_load *load, struct rh_value *attributes, const struct rh_value *name)
{
    struct rh_value *v = rh_draft_get(attributes, rh_value_str(name, ""));

    if (v && v != name)
        rh_load_hide(load, v);
}

void
rh_entry_keep_secrets(struct rh_load *load, struct rh_value *attributes, const struct rh_value *names)
{
    keep_one(load, attributes, names);
    for (size_t i = 0; i < rh_value_count(names); i++)
        keep_one(load, attributes, rh_value_at(names, i));
}
