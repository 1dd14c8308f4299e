/* SPDX-License-Identifier: Apache-2.0 */
/* assignable - whether every value of one type fits another type. */
#include "config.h"

#include "datatype/match.h"

#include "datatype/tree.h"

#include "base/value.h"

#include <string.h>

/* Pairs of aliases that are being compared: met again, they fit as far as was seen. */
struct pair {
    const struct rh_datatype *to, *from;
    const struct pair *up;
};

static bool fits(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up);

static const struct rh_datatype *
inner(const struct rh_datatype *t, size_t i)
{
    return t->u.inner[i] ? t->u.inner[i] : &rh_type_any;
}

static bool
within(struct rh_range inside, struct rh_range outside)
{
    return outside.min <= inside.min && outside.max >= inside.max;
}

static bool
takes_undef(const struct rh_datatype *t)
{
    return rh_type_takes_undef(t);
}

static bool
is_empty(const struct rh_datatype *t)
{
    return t->range.min == 0 && t->range.max == 0;
}

static struct rh_range
size_of(const struct rh_datatype *t)
{
    if (t->kind == RH_T_TUPLE)
        return rh_range_open(t->range) ? (struct rh_range){ t->count, t->count } : t->range;
    if (t->kind == RH_T_STRUCT)
        return (struct rh_range){ t->count, t->count };
    return rh_size(t->range);
}

static bool
word_fits(const struct rh_datatype *to, struct rh_word w)
{
    struct rh_value v = { .kind = RH_STRING, .count = (uint32_t)w.n, .u.string = w.s };

    return rh_datatype_match(to, &v);
}

static bool
words_fit(const struct rh_datatype *to, const struct rh_datatype *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (!word_fits(to, from->u.words[i]))
            return false;
    return from->count > 0;
}

static bool
to_string(const struct rh_datatype *to, const struct rh_datatype *from)
{
    bool any = rh_size(to->range).min == 0 && to->range.max == INT64_MAX && !to->u.literal.s;

    switch (from->kind) {
    case RH_T_STRING:
        if (from->u.literal.s)
            return word_fits(to, from->u.literal);
        return any || (!to->u.literal.s && within(rh_size(from->range), rh_size(to->range)));
    case RH_T_ENUM:
        return any || (!(to->u.literal.s && from->fold) && words_fit(to, from));
    case RH_T_PATTERN:
        return any;
    default:
        return false;
    }
}

static bool
to_enum(const struct rh_datatype *to, const struct rh_datatype *from)
{
    if (!to->count)
        return from->kind == RH_T_STRING || from->kind == RH_T_ENUM || from->kind == RH_T_PATTERN;
    if (from->kind == RH_T_STRING)
        return from->u.literal.s && word_fits(to, from->u.literal);
    return from->kind == RH_T_ENUM && (to->fold || !from->fold) && words_fit(to, from);
}

static bool
to_pattern(const struct rh_datatype *to, const struct rh_datatype *from)
{
    if (rh_type_same(to, from))
        return true;
    if (!to->count)
        return from->kind == RH_T_STRING || from->kind == RH_T_ENUM || from->kind == RH_T_PATTERN;
    if (from->kind == RH_T_STRING)
        return from->u.literal.s && word_fits(to, from->u.literal);
    return from->kind == RH_T_ENUM && words_fit(to, from);
}

static bool
is_text(const struct rh_datatype *t)
{
    return t->kind == RH_T_STRING || t->kind == RH_T_ENUM || t->kind == RH_T_PATTERN;
}

static bool
is_scalar_data(const struct rh_datatype *t)
{
    return is_text(t) || t->kind == RH_T_INTEGER || t->kind == RH_T_FLOAT || t->kind == RH_T_NUMERIC
           || t->kind == RH_T_BOOLEAN || t->kind == RH_T_SCALAR_DATA;
}

static bool
is_scalar(const struct rh_datatype *t)
{
    return is_scalar_data(t) || t->kind == RH_T_SCALAR || t->kind == RH_T_REGEXP || t->kind == RH_T_SEMVER
           || t->kind == RH_T_SEMVER_RANGE || t->kind == RH_T_TIMESTAMP || t->kind == RH_T_TIMESPAN;
}

static bool
members_fit(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    for (size_t i = 0; i < from->count; i++)
        if (!fits(to, from->u.members[i], up))
            return false;
    return true;
}

static bool
to_array(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    if (!within(size_of(from), rh_size(to->range)))
        return false;
    if (from->kind == RH_T_TUPLE)
        return members_fit(inner(to, 0), from, up);
    return from->kind == RH_T_ARRAY && (is_empty(from) || fits(inner(to, 0), inner(from, 0), up));
}

static bool
to_tuple(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    struct rh_range size = from->kind == RH_T_TUPLE ? rh_tuple_size(from) : size_of(from);
    const struct rh_datatype *last = to->count ? to->u.members[to->count - 1] : NULL;

    if ((from->kind != RH_T_TUPLE && from->kind != RH_T_ARRAY) || !within(size, rh_tuple_size(to)))
        return false;
    if (!last)
        return true;
    if (from->kind == RH_T_ARRAY) {
        for (size_t i = 0; i < to->count && (int64_t)i < size.max; i++)
            if (!fits(to->u.members[i], inner(from, 0), up))
                return false;
        return true;
    }
    if (!from->count)
        return rh_tuple_size(to).min == 0;
    for (size_t i = 0; i < from->count; i++)
        if (!fits(i < to->count ? to->u.members[i] : last, from->u.members[i], up))
            return false;
    return true;
}

static bool
to_hash(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    if (from->kind == RH_T_HASH) {
        if (is_empty(from) && rh_size(to->range).min == 0)
            return true;
        return within(rh_size(from->range), rh_size(to->range)) && fits(inner(to, 0), inner(from, 0), up)
               && fits(inner(to, 1), inner(from, 1), up);
    }
    if (from->kind != RH_T_STRUCT || !within(size_of(from), rh_size(to->range)))
        return false;
    for (size_t i = 0; i < from->count; i++)
        if (!word_fits(inner(to, 0), from->u.keys[i].key) || !fits(inner(to, 1), from->u.keys[i].type, up))
            return false;
    return true;
}

static const struct rh_member *
find_key(const struct rh_datatype *t, struct rh_word key)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->u.keys[i].key.n == key.n && memcmp(t->u.keys[i].key.s, key.s, key.n) == 0)
            return &t->u.keys[i];
    return NULL;
}

static bool
struct_from_struct(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    size_t found = 0;

    for (size_t i = 0; i < to->count; i++) {
        const struct rh_member *k = &to->u.keys[i], *other = find_key(from, k->key);

        if (!other) {
            if (!rh_member_optional(k))
                return false;
            continue;
        }
        found++;
        if ((rh_member_optional(other) && !rh_member_optional(k)) || !fits(k->type, other->type, up))
            return false;
    }
    return found == from->count;
}

/* A hash has what a Struct requires when its values fit and it has as many; which keys it has can't
 * be known. */
static bool
struct_from_hash(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    struct rh_range size = { 0, to->count };

    for (size_t i = 0; i < to->count; i++) {
        if (rh_member_optional(&to->u.keys[i]))
            continue;
        size.min++;
        if (!fits(to->u.keys[i].type, inner(from, 1), up) || !fits(&rh_type_string, inner(from, 0), up))
            return false;
    }
    return within(rh_size(from->range), size);
}

/* What walking over a value of the type gives; false when it can't be walked or isn't known. */
static bool
walks(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    static const struct rh_datatype character = { .kind = RH_T_STRING, .range = { 1, 1 } };
    static const struct rh_datatype integer = { .kind = RH_T_INTEGER, .range = { INT64_MIN, INT64_MAX } };
    const struct rh_datatype *want = rh_type_resolved(inner(to, 0));
    bool any = want->kind == RH_T_ANY;

    switch (from->kind) {
    case RH_T_STRING:
    case RH_T_ENUM:
        return any || fits(want, &character, up);
    case RH_T_INTEGER:
        return any ? from->range.min != INT64_MIN && from->range.max != INT64_MAX : fits(want, &integer, up);
    case RH_T_ARRAY:
        return any || (from->u.inner[0] && fits(want, from->u.inner[0], up));
    case RH_T_TUPLE:
        return any || (from->count && members_fit(want, from, up));
    case RH_T_ITERABLE:
        return any || (from->u.inner[0] && fits(want, from->u.inner[0], up));
    case RH_T_HASH:
    case RH_T_STRUCT:
    case RH_T_COLLECTION:
        return any;
    default:
        return false;
    }
}

static bool
versions_cover(const struct rh_datatype *to, const struct rh_datatype *from)
{
    if (!to->count)
        return true;
    for (size_t i = 0; i < from->count; i++) {
        size_t j = 0;

        while (j < to->count && !rh_semver_range_covers(&to->u.versions[j], &from->u.versions[i]))
            j++;
        if (j == to->count)
            return false;
    }
    return from->count > 0;
}

/* `from` is none of those that stand for other types. */
static bool
to_plain(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    bool same = to->kind == from->kind;

    switch (to->kind) {
    case RH_T_ANY:
        return true;
    case RH_T_NOT_UNDEF:
        return !takes_undef(from) && fits(inner(to, 0), from, up);
    case RH_T_OPTIONAL:
        return from->kind == RH_T_UNDEF || !to->u.inner[0] || fits(to->u.inner[0], from, up);
    case RH_T_VARIANT:
        for (size_t i = 0; i < to->count; i++)
            if (fits(to->u.members[i], from, up))
                return true;
        return false;
    case RH_T_ENUM:
        return to_enum(to, from);
    case RH_T_PATTERN:
        return to_pattern(to, from);
    case RH_T_STRING:
        return to_string(to, from);
    case RH_T_NUMERIC:
        return same || from->kind == RH_T_INTEGER || from->kind == RH_T_FLOAT;
    case RH_T_SCALAR:
        return is_scalar(from);
    case RH_T_SCALAR_DATA:
        return is_scalar_data(from);
    case RH_T_REGEXP:
        return same && (!to->count || rh_type_same(to, from));
    case RH_T_BOOLEAN:
        return same && (!to->known || (from->known && to->u.truth == from->u.truth));
    case RH_T_INTEGER:
        return same && within(from->range, to->range);
    case RH_T_FLOAT:
        return same && to->u.real.min <= from->u.real.min && to->u.real.max >= from->u.real.max;
    case RH_T_TIMESTAMP:
    case RH_T_TIMESPAN:
        return same && rh_instant_compare(to->u.time.min, from->u.time.min) <= 0
               && rh_instant_compare(to->u.time.max, from->u.time.max) >= 0;
    case RH_T_ARRAY:
        return (same || from->kind == RH_T_TUPLE) && to_array(to, from, up);
    case RH_T_TUPLE:
        return rh_type_same(to, from) || to_tuple(to, from, up);
    case RH_T_HASH:
        return to_hash(to, from, up);
    case RH_T_STRUCT:
        return same ? struct_from_struct(to, from, up)
                    : from->kind == RH_T_HASH && struct_from_hash(to, from, up);
    case RH_T_COLLECTION:
        return (same || from->kind == RH_T_ARRAY || from->kind == RH_T_HASH || from->kind == RH_T_TUPLE
                || from->kind == RH_T_STRUCT)
               && within(size_of(from), rh_size(to->range));
    case RH_T_ITERABLE:
        return walks(to, from, up);
    case RH_T_SENSITIVE:
        return same && fits(inner(to, 0), inner(from, 0), up);
    case RH_T_TYPE:
        return same && (!to->u.inner[0] || (from->u.inner[0] && fits(to->u.inner[0], from->u.inner[0], up)));
    case RH_T_SEMVER:
        return same && versions_cover(to, from);
    case RH_T_URI:
        return same && (!to->count || rh_type_same(to, from));
    case RH_T_NAMED:
        if (strcmp(to->u.named.name, "Object") == 0 && from->kind == RH_T_TYPE)
            return true;
        return same && strcmp(to->u.named.name, from->u.named.name) == 0
               && (!to->u.named.params || rh_type_same(to, from));
    default: /* Undef, Default, Binary, SemVerRange */
        return same;
    }
}

static bool
fits_alias(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    struct pair here = { to, from, up };

    for (const struct pair *p = up; p; p = p->up)
        if (rh_type_same(p->to, to) && rh_type_same(p->from, from))
            return true;
    to = rh_type_resolved(to);
    from = rh_type_resolved(from);
    return to && from && fits(to, from, &here);
}

static bool
fits(const struct rh_datatype *to, const struct rh_datatype *from, const struct pair *up)
{
    if (to->kind == RH_T_ANY || from == &rh_type_unit)
        return true;
    if (rh_type_is_alias(to) || rh_type_is_alias(from))
        return fits_alias(to, from, up);
    switch (from->kind) {
    case RH_T_VARIANT:
        if (!from->count)
            return to->kind == RH_T_VARIANT && !to->count;
        return members_fit(to, from, up);
    case RH_T_OPTIONAL:
        return takes_undef(to) && (!from->u.inner[0] || fits(to, from->u.inner[0], up));
    case RH_T_NOT_UNDEF:
        if (from->u.inner[0] && !takes_undef(from->u.inner[0]))
            return fits(to, from->u.inner[0], up);
        if (to->kind == RH_T_NOT_UNDEF)
            return fits(inner(to, 0), inner(from, 0), up);
        return to_plain(to, from, up);
    default:
        return to_plain(to, from, up);
    }
}

bool
rh_assignable(const struct rh_datatype *to, const struct rh_datatype *from)
{
    return fits(to, from, NULL);
}
