/* SPDX-License-Identifier: Apache-2.0 */
/* visible - what a provider may see of the catalog. */
#include "config.h"

#include "run/transaction-parts.h"

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

static void
add_below(struct rh_value *paths, const struct rh_value *attributes, const char *top, struct rh_arena *a)
{
    size_t len = strlen(top);

    while (len > 0 && top[len - 1] == '/')
        len--;
    for (size_t i = 0; i < rh_value_count(attributes); i++) {
        const struct rh_value *v = rh_value_entry(attributes, i)->value;
        const char *text = rh_value_sensitive(v) ? NULL : rh_value_str(v, NULL);

        if (text && strncmp(text, top, len) == 0 && text[len] == '/' && text[len + 1])
            rh_value_append(paths, rh_value_copy(a, v));
    }
}

/* What any resource names below a directory: in its name, which is canonical, or elsewhere. */
static const struct rh_value *
look_below(const struct rh_catalog *c, const char *top, struct rh_arena *a)
{
    struct rh_value *paths = rh_value_new(a, RH_ARRAY);

    for (size_t i = 0; i < c->n_resources; i++) {
        add_below(paths, c->resources[i]->name, top, a);
        add_below(paths, c->resources[i]->should, top, a);
    }
    return paths;
}

const struct rh_value *
rh_visible(const struct rh_catalog *c, const struct rh_type *asker, struct rh_arena *a, const char *type,
           const char *title)
{
    struct rh_value *all;

    if (!*type)
        return title ? look_below(c, title, a) : NULL;
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
