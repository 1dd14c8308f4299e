/* SPDX-License-Identifier: Apache-2.0 */
/* look - what a provider may see of the catalog. */
#include "config.h"

#include "run/look.h"

#include "base/arena.h"
#include "base/value.h"
#include "catalog/catalog.h"

#include <string.h>

static struct rh_value *
show(const struct rh_resource *r, const struct rh_type *asker, struct rh_arena *a)
{
    bool own = strcmp(r->type->type, asker->type) == 0;
    struct rh_value *v = rh_value_new(a, RH_HASH);
    struct rh_value *should = rh_value_hash(a, rh_value_count(r->should));

    rh_value_put(v, "type", rh_value_string(a, r->type->type));
    rh_value_put(v, "title", rh_value_string(a, r->title));
    rh_value_put(v, "provider", rh_value_string(a, r->type->provider));
    rh_value_put(v, "noop", rh_value_boolean(a, r->noop_given && r->noop));
    for (size_t i = 0; i < rh_value_count(r->should); i++) {
        const struct rh_entry *e = rh_value_entry(r->should, i);

        if (own || !rh_value_sensitive(e->value))
            rh_value_put(should, e->key, rh_value_copy(a, e->value));
    }
    for (size_t i = 0; i < rh_value_count(r->name); i++) { /* canonical, unlike what was declared */
        const struct rh_entry *e = rh_value_entry(r->name, i);

        if (rh_value_get(should, e->key))
            rh_value_put(should, e->key, rh_value_copy(a, e->value));
    }
    rh_value_put(v, "should", should);
    return v;
}

const struct rh_value *
rh_look(const struct rh_catalog *c, const struct rh_type *asker, struct rh_arena *a,
        const char *type, const char *title)
{
    struct rh_value *all;

    if (title) {
        const struct rh_resource *r = rh_catalog_find(c, type, title);

        return r ? show(r, asker, a) : NULL;
    }
    all = rh_value_new(a, RH_ARRAY);
    for (size_t i = 0; i < c->n_resources; i++)
        if (strcmp(c->resources[i]->type->type, type) == 0)
            rh_value_append(all, show(c->resources[i], asker, a));
    return all;
}
