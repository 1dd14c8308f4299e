/* SPDX-License-Identifier: Apache-2.0 */
/* spelling - has providers bring the titles that relations name into canonical form. */
#include "config.h"

#include "run/pool.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/text.h"
#include "base/value.h"
#include "catalog/catalog.h"
#include "catalog/order.h"
#include "schema/validate.h"

#include <stdlib.h>
#include <string.h>

/* The titles of one type that nothing in the catalog has. */
struct question {
    struct rh_catalog *catalog;
    const struct rh_type *type;
    struct rh_map asked;
    const char **titles;
    size_t n, cap;
    struct rh_value *names; /* of the titles */
    bool not_yet;           /* it can't say before something has run */
};

struct questions {
    struct rh_catalog *catalog;
    struct rh_arena *arena;
    struct rh_map by_type;
};

/* One that is found is spelled as a resource is. Each is asked for once. */
static void
add_title(void *data, const char *type, const char *title, const struct rh_value *known_name)
{
    const struct questions *all = data;
    struct question *q = rh_map_get(&all->by_type, type);
    struct rh_value *name;
    const char *own;

    if (rh_map_get(&q->asked, title)
        || (known_name ? rh_catalog_find_name(all->catalog, type, title)
                       : rh_catalog_find(all->catalog, type, title)))
        return;
    own = rh_arena_strdup(all->arena, title);
    rh_map_put(&q->asked, own, q);
    name =
        known_name ? rh_value_copy(all->arena, known_name) : rh_value_hash(all->arena, q->type->n_namevars);
    if (!known_name && rh_title_name(q->type, own, name, NULL) <= 0)
        return;
    q->titles = rh_xgrow(q->titles, &q->cap, q->n, sizeof *q->titles);
    q->titles[q->n++] = own;
    rh_value_append(q->names, name);
}

static void
take_name(void *data, const struct rh_value *item)
{
    const struct rh_value *index = rh_value_at(item, 0), *name = rh_value_at(item, 1);
    const struct rh_value *passing = rh_value_at(item, 4);
    struct question *q = data;
    rh_autobuf struct rh_buf text = { 0 };

    q->not_yet |= rh_value_is(passing, RH_BOOLEAN) && passing->u.integer;
    if (!rh_value_is(index, RH_INTEGER) || index->u.integer < 0 || (uint64_t)index->u.integer >= q->n
        || !rh_value_is(name, RH_HASH))
        return;
    rh_type_name_text(q->type, name, &text);
    rh_catalog_add_spelling(q->catalog, q->type->type, q->titles[index->u.integer], rh_buf_text(&text));
}

/* The provider has logged what it says of its resources already. */
static void
ignore_line(void *data, const struct rh_log_record *record)
{
    (void)data;
    (void)record;
}

/* A title that the provider refuses is no name of a resource, which a stated relation reports. */
static void
ask(struct rh_pool *p, struct question *q)
{
    const struct rh_sink sink = { .data = q, .item = take_name, .log = ignore_line };
    rh_autoerror struct rh_error err = { 0 };

    if (!q->n)
        return;
    if (rh_worker_validate(rh_pool_worker(p, q->type), q->names, NULL, &sink, &err) < 0) {
        rh_debug("'%s' did not canonicalize what relations name: %s", q->type->type, err.message);
        rh_pool_renew(p, q->type);
    } else if (q->not_yet) { /* another one starts at its turn, and finds what is there then */
        rh_pool_send_away(p, q->type);
    }
}

void
rh_pool_canonicalize_relations(struct rh_pool *p, struct rh_catalog *c)
{
    rh_autoarena struct rh_arena *a = rh_arena_new(NULL);
    struct questions all = { .catalog = c, .arena = a };

    for (size_t i = 0; i < c->n_resources; i++) {
        const struct rh_type *type = c->resources[i]->type;
        struct question *q;

        if (!(type->slots & RH_HAS_CANONICALIZE) || rh_map_get(&all.by_type, type->type))
            continue;
        q = rh_arena_alloc(a, sizeof *q);
        *q = (struct question){ .catalog = c, .type = type, .names = rh_value_new(a, RH_ARRAY) };
        rh_map_put(&all.by_type, type->type, q);
    }
    if (all.by_type.used)
        rh_relations_each_title(c, &all.by_type, add_title, &all);
    for (size_t i = 0; i < rh_map_slots(&all.by_type); i++) {
        struct question *q = rh_map_slot(&all.by_type, i);

        if (!q)
            continue;
        ask(p, q);
        rh_map_clear(&q->asked);
        free(q->titles);
    }
    rh_map_clear(&all.by_type);
}
