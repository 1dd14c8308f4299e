/* SPDX-License-Identifier: Apache-2.0 */
/* visible - what a provider may see of the catalog. */
#include "config.h"

#include "run/transaction-parts.h"

#include "base/arena.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "schema/claim.h"
#include "schema/need.h"
#include "schema/type.h"

#include <pwd.h>
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
    rh_value_put(v, "noop", rh_value_boolean(a, r->noop_specified && r->noop));
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

/* Paths below a directory, as they are found. */
struct below {
    struct rh_value *paths;
    const char *top;
    size_t len;
    const char *home_of, *home; /* the last user that was looked up, and the home directory, or NULL */
};

static void
add_path(void *data, const char *path)
{
    struct below *b = data;
    struct rh_arena *a = rh_value_arena(b->paths);

    if (strncmp(path, b->top, b->len) == 0 && path[b->len] == '/' && path[b->len + 1])
        rh_value_append(b->paths, rh_value_string(a, path));
}

/* A text, or those of a list. */
static void
add_value(struct below *b, const struct rh_value *v)
{
    const char *text = rh_value_sensitive(v) ? NULL : rh_value_str(v, NULL);

    if (text)
        add_path(b, text);
    for (size_t i = 0; v->kind == RH_ARRAY && i < v->count; i++)
        add_value(b, v->u.items[i]);
}

static void
add_attributes(struct below *b, const struct rh_value *attributes)
{
    for (size_t i = 0; i < rh_value_count(attributes); i++)
        add_value(b, rh_value_entry(attributes, i)->value);
}

/* "~anna", "~anna/.ssh": the home directory or below it, where there is such an account. */
static void
add_home(struct below *b, const char *path)
{
    struct rh_arena *a = rh_value_arena(b->paths);
    const char *rest = path + strcspn(path, "/");
    const char *user = rh_arena_strndup(a, path + 1, (size_t)(rest - path - 1));

    if (!b->home_of || strcmp(b->home_of, user) != 0) {
        const struct passwd *pw = getpwnam(user);

        b->home_of = user;
        b->home = pw && pw->pw_dir && *pw->pw_dir == '/' ? rh_arena_strdup(a, pw->pw_dir) : NULL;
    }
    if (b->home)
        add_path(b, rh_arena_printf(a, "%s%s", b->home, rest));
}

static void
add_need(void *data, enum rh_need_kind kind, const char *value)
{
    if (kind == RH_NEED_WRITE && *value == '~')
        add_home(data, value);
    else if (kind == RH_NEED_WRITE)
        add_path(data, value);
}

/* What any resource has below a directory: it names it, in its name, which is canonical, or elsewhere; it
 * claims what its type makes of that ("owns path[$directory/$unit]"); or it writes there. */
static const struct rh_value *
visible_below(const struct rh_catalog *c, const char *top, struct rh_arena *a)
{
    struct below b = { .paths = rh_value_new(a, RH_ARRAY), .top = top, .len = strlen(top) };

    while (b.len > 0 && top[b.len - 1] == '/')
        b.len--;
    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_resource *r = c->resources[i];

        add_attributes(&b, r->name);
        add_attributes(&b, r->should);
        for (size_t k = 0; k < r->type->n_claims; k++)
            rh_claim_titles(&r->type->claims[k], r->name, r->should, add_path, &b);
        rh_needs_each(r->type, r->name, r->should, add_need, &b);
    }
    return b.paths;
}

const struct rh_value *
rh_visible(const struct rh_catalog *c, const struct rh_type *asker, struct rh_arena *a, const char *type,
           const char *title)
{
    struct rh_value *all;

    if (!*type)
        return title ? visible_below(c, title, a) : NULL;
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
