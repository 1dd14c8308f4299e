/* SPDX-License-Identifier: Apache-2.0 */
/* attribute-value - rules for the value of an attribute that no data type states. */
#include "config.h"

#include "schema/attribute-value.h"

#include "base/arena.h"
#include "base/draft.h"
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

static const struct rh_value *marked(struct rh_arena *a, const struct rh_datatype *t,
                                     const struct rh_value *v, int depth);

/* A value that fits a member as it is keeps its marks; otherwise the first member counts that it
 * fits once it is marked for it. */
static const struct rh_value *
marked_variant(struct rh_arena *to, const struct rh_datatype *t, const struct rh_value *v, int depth)
{
    struct rh_arena *a;
    const struct rh_value *out = v;

    if (rh_datatype_match(t, v))
        return v;
    a = rh_arena_new(NULL);
    rh_arena_keep_secret(a);
    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const struct rh_datatype *member = rh_datatype_inner(t, i);

        if (!rh_datatype_match(member, marked(a, member, v, depth + 1)))
            continue;
        out = marked(to, member, v, depth + 1);
        break;
    }
    rh_arena_free(a);
    return out;
}

static const struct rh_value *
marked_within(struct rh_arena *a, const struct rh_datatype *t, const struct rh_value *v, int depth)
{
    struct rh_value *copy = NULL;

    for (uint32_t i = 0; i < v->count; i++) {
        const struct rh_value *part = rh_value_part(v, i);
        const struct rh_value *secret = marked(a, rh_datatype_within(t, v, i), part, depth + 1);

        if (secret == part)
            continue;
        if (!copy)
            copy = rh_value_copy_sharing(a, v);
        if (v->kind == RH_HASH)
            rh_draft_set_entry(copy, i, v->u.entries[i].key, secret);
        else
            rh_draft_set_item(copy, i, secret);
    }
    return copy ? copy : v;
}

static const struct rh_value *
marked(struct rh_arena *a, const struct rh_datatype *t, const struct rh_value *v, int depth)
{
    enum rh_datatype_kind kind;

    if (!t || v->kind == RH_UNDEF || depth > DEEPEST)
        return v;
    kind = rh_datatype_kind(t);
    if (kind == RH_T_SENSITIVE)
        return rh_value_marked(a, v, RH_SENSITIVE);
    if (kind == RH_T_VARIANT)
        return marked_variant(a, t, v, depth);
    if (kind == RH_T_OPTIONAL || kind == RH_T_NOT_UNDEF || kind == RH_T_ALIAS)
        return marked(a, rh_datatype_inner(t, 0), v, depth + 1);
    return v->kind == RH_HASH || v->kind == RH_ARRAY ? marked_within(a, t, v, depth) : v;
}

const struct rh_value *
rh_attribute_marked(struct rh_arena *a, const struct rh_attr *attr, const struct rh_value *v)
{
    if (attr->sensitive && v->kind != RH_UNDEF)
        return rh_value_marked(a, v, RH_SENSITIVE);
    return attr->sensitive_within && !attr->sensitive ? marked(a, attr->type, v, 0) : v;
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
        found = find_nul(rh_value_part(v, i));
    return found;
}

const struct rh_value *
rh_attribute_find_nul(const struct rh_attr *attr, const struct rh_value *v)
{
    return attr->binary || !v ? NULL : find_nul(v);
}
