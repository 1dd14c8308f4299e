/* SPDX-License-Identifier: Apache-2.0 */
/* later - values that are known only when other resources were applied: who uses whose result, and how such
 * a value is evaluated then. */
#ifndef RH_CATALOG_LATER_H
#define RH_CATALOG_LATER_H

#include "base/cleanup.h"
#include "catalog/catalog.h"

#include <stdbool.h>

struct rh_error;
struct rh_value;

/* result("type[title]").attribute in an expression of a resource. */
struct rh_use {
    struct rh_use *next;
    struct rh_reference ref;
    const char *attribute; /* that is read of it, where the text says so; or NULL */
};

/* The resources of a group, which come before those under its `on_failure` and `always`, however they end. */
struct rh_watched {
    const struct rh_resource *const *resources;
    size_t n;
    bool always; /* else one of them must have failed */
};

/* A `when` that was not known when the manifest was read, or the list of a group that the entry stands in. */
struct rh_later_condition {
    struct rh_later_condition *outer; /* of what it is part of, and is asked before; or NULL */
    const struct rh_watched *watched; /* NULL: it is a `when` */
    struct rh_place place;            /* of the word */
    const struct rh_value *value;     /* of the `when` */
    const struct rh_value *known;     /* what came of it; NULL: not asked yet */
};

/* Whether `r` stands under a list of a group that has `other` in its `resources`, and so does not depend on
 * how that ends. */
bool rh_catalog_watches(const struct rh_resource *r, const struct rh_resource *other);

/* Where the results come from while resources are applied. */
struct rh_results {
    void *data;
    /* A hash of the attributes with `changed` and `status`; an RH_UNKNOWN where it is not known. `unread`:
     * the resource was left as it is, and nobody has looked at it: its attributes are missing. NULL with a
     * message. */
    const struct rh_value *(*find)(void *data, const char *type, const char *title, bool *unread,
                                   struct rh_error *err);
    const struct rh_value *own; /* `result` of an expression that judges its resource; else NULL */
};

/* Notes that an expression of `r` uses results: they come first. */
void rh_catalog_use(struct rh_catalog *c, struct rh_resource *r, const struct rh_use *uses);

/* Makes the edges of these, before those of relations. A result of what is not in the set, or that lacks the
 * attribute, is a complaint. */
void rh_uses_resolve(struct rh_catalog *c, struct rh_complaints *complaints);

/* Whether any part of the value is known later. */
bool rh_value_is_later(const struct rh_value *v);

/* The value with all parts that are known now, in the catalog's arena; the others stay RH_UNKNOWN. NULL with
 * the first error. */
RH_CHECKED const struct rh_value *rh_catalog_resolve(const struct rh_catalog *c, const struct rh_value *v,
                                                     const struct rh_results *results, struct rh_error *err);

#endif
