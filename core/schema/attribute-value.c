/* SPDX-License-Identifier: Apache-2.0 */
/* attribute-value - rules for the value of an attribute that no data type states. */
#include "config.h"

#include "schema/attribute-value.h"

#include "base/arena.h"
#include "base/value-parts.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

enum {
    DEEPEST = 64,
    MOST_TYPES = 10000, /* an alias may contain itself */
};

/* Whether the type has one of this kind within. */
static bool
mentions(const struct rh_datatype *t, enum rh_datatype_kind kind, int depth, int *left)
{
    const struct rh_datatype *type;

    if (!t || depth > DEEPEST || --*left < 0)
        return false;
    if (rh_datatype_kind(t) == kind)
        return true;
    for (size_t i = 0; rh_datatype_kind(t) == RH_T_STRUCT && i < rh_datatype_count(t); i++)
        if (rh_datatype_key(t, i, &type) && mentions(type, kind, depth + 1, left))
            return true;
    for (size_t i = 0; i == 0 || i < rh_datatype_count(t); i++)
        if (mentions(rh_datatype_inner(t, i), kind, depth + 1, left))
            return true;
    return false;
}

void
rh_attribute_inspect(struct rh_attr *attr)
{
    int left = MOST_TYPES;

    attr->sensitive = rh_datatype_sensitive(attr->type);
    attr->sensitive_within = !attr->sensitive && mentions(attr->type, RH_T_SENSITIVE, 0, &left);
    left = MOST_TYPES;
    attr->binary = mentions(attr->type, RH_T_BINARY, 0, &left);
}

static void mark(const struct rh_datatype *t, struct rh_value *v, int depth);

/* A value that fits a member as it is keeps its marks; otherwise the first member counts that it
 * fits once it is marked for it. */
static void
mark_variant(const struct rh_datatype *t, struct rh_value *v, int depth)
{
    struct rh_arena *a;

    if (rh_datatype_match(t, v))
        return;
    a = rh_arena_new(NULL);
    rh_arena_keep_secret(a);
    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const struct rh_datatype *member = rh_datatype_inner(t, i);
        struct rh_value *copy = rh_value_copy(a, v);

        mark(member, copy, depth + 1);
        if (!rh_datatype_match(member, copy))
            continue;
        mark(member, v, depth + 1);
        break;
    }
    rh_arena_free(a);
}

static void
mark(const struct rh_datatype *t, struct rh_value *v, int depth)
{
    enum rh_datatype_kind kind;

    if (!t || v->kind == RH_UNDEF || depth > DEEPEST)
        return;
    kind = rh_datatype_kind(t);
    if (kind == RH_T_SENSITIVE) {
        v->marks |= RH_SENSITIVE;
    } else if (kind == RH_T_VARIANT) {
        mark_variant(t, v, depth);
    } else if (kind == RH_T_OPTIONAL || kind == RH_T_NOT_UNDEF || kind == RH_T_ALIAS) {
        mark(rh_datatype_inner(t, 0), v, depth + 1);
    } else if (v->kind == RH_HASH) {
        for (uint32_t i = 0; i < v->count; i++)
            mark(rh_datatype_within(t, v, i), v->u.entries->e[i].value, depth + 1);
    } else if (v->kind == RH_ARRAY) {
        for (uint32_t i = 0; i < v->count; i++)
            mark(rh_datatype_within(t, v, i), v->u.items->v[i], depth + 1);
    }
}

void
rh_attribute_mark_sensitive(const struct rh_attr *attr, struct rh_value *v)
{
    if (attr->sensitive && v->kind != RH_UNDEF)
        v->marks |= RH_SENSITIVE;
    else if (attr->sensitive_within)
        mark(attr->type, v, 0);
}

static const struct rh_value *
find_nul(const struct rh_value *v)
{
    const struct rh_value *found = NULL;

    if (rh_kind_has_text(v->kind) && v->kind != RH_BINARY)
        return v->count && memchr(v->u.string, '\0', v->count) ? v : NULL;
    if (v->kind != RH_HASH && !rh_kind_has_items(v->kind))
        return NULL;
    for (uint32_t i = 0; i < v->count && !found; i++)
        found = find_nul(v->kind == RH_HASH ? v->u.entries->e[i].value : v->u.items->v[i]);
    return found;
}

const struct rh_value *
rh_attribute_find_nul(const struct rh_attr *attr, const struct rh_value *v)
{
    return attr->binary || !v ? NULL : find_nul(v);
}
