/* SPDX-License-Identifier: Apache-2.0 */
/* infer - the type that a value is called in "got ...". */
#include "config.h"

#include "datatype/infer.h"

#include "datatype/match.h"
#include "datatype/normalize.h"
#include "datatype/regex.h"
#include "datatype/uri.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/value.h"

#include <string.h>

/* So many keys and values of a hash are looked at to say what it has, and strings so long (in
 * bytes) may be told as what they are. */
enum { MOST_KEYS = 64, LONGEST_WORD = 64 };

static const struct rh_datatype *general(struct rh_arena *a, const struct rh_value *v);

static enum rh_datatype_kind
kind_for(const struct rh_value *v)
{
    static const unsigned char kinds[] = {
        [RH_UNDEF] = RH_T_UNDEF,
        [RH_BOOLEAN] = RH_T_BOOLEAN,
        [RH_INTEGER] = RH_T_INTEGER,
        [RH_FLOAT] = RH_T_FLOAT,
        [RH_STRING] = RH_T_STRING,
        [RH_BINARY] = RH_T_BINARY,
        [RH_ARRAY] = RH_T_ARRAY,
        [RH_HASH] = RH_T_HASH,
        [RH_UNKNOWN] = RH_T_ANY,
        [RH_DEFAULT] = RH_T_DEFAULT,
        [RH_REGEXP] = RH_T_REGEXP,
        [RH_SEMVER] = RH_T_SEMVER,
        [RH_SEMVER_RANGE] = RH_T_SEMVER_RANGE,
        [RH_TIMESTAMP] = RH_T_TIMESTAMP,
        [RH_TIMESPAN] = RH_T_TIMESPAN,
        [RH_URI] = RH_T_URI,
        [RH_TYPE] = RH_T_TYPE,
        [RH_WRAPPED] = RH_T_SENSITIVE,
        [RH_MAP] = RH_T_HASH,
    };

    return v->kind < sizeof kinds ? kinds[v->kind] : RH_T_ANY;
}

static struct rh_datatype *
bare(struct rh_arena *a, const struct rh_value *v)
{
    return rh_type_bare(a, kind_for(v));
}

static struct rh_datatype *
hash_of(struct rh_arena *a, const struct rh_datatype *key, const struct rh_datatype *value)
{
    struct rh_datatype *t = rh_type_new(a, RH_T_HASH);

    t->count = 2;
    t->u.inner[0] = key;
    t->u.inner[1] = value;
    return t;
}

static struct rh_datatype *
array_of(struct rh_arena *a, const struct rh_datatype *inner)
{
    struct rh_datatype *t = rh_type_new(a, RH_T_ARRAY);

    t->count = 1;
    t->u.inner[0] = inner;
    return t;
}

static struct rh_datatype *
empty(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_datatype *t = bare(a, v);

    t->range = (struct rh_range){ 0, 0 };
    return t;
}

/* The narrowest general type for both. */
static const struct rh_datatype *
common(struct rh_arena *a, const struct rh_datatype *x, const struct rh_datatype *y)
{
    static const struct rh_datatype *const wider[] = { &rh_type_numeric, &rh_type_scalar_data,
                                                       &rh_type_scalar, &rh_type_data, &rh_type_rich_data };

    if (!x || x->kind == RH_T_UNDEF)
        return y;
    if (!y || y->kind == RH_T_UNDEF || rh_type_same(x, y) || (x->kind == y->kind && y->range.max == 0))
        return x;
    if (x->kind == y->kind && x->range.max == 0)
        return y;
    if (x->kind == RH_T_ARRAY && y->kind == RH_T_ARRAY)
        return array_of(a, common(a, x->u.inner[0], y->u.inner[0]));
    if (x->kind == RH_T_HASH && y->kind == RH_T_HASH)
        return hash_of(a, common(a, x->u.inner[0], y->u.inner[0]), common(a, x->u.inner[1], y->u.inner[1]));
    for (size_t i = 0; i < sizeof wider / sizeof wider[0]; i++)
        if (rh_assignable(wider[i], x) && rh_assignable(wider[i], y))
            return wider[i];
    return &rh_type_any;
}

static const struct rh_datatype *
general_items(struct rh_arena *a, const struct rh_value *v)
{
    const struct rh_datatype *item[2] = { NULL, NULL };
    size_t step = v->kind == RH_MAP ? 2 : 1;

    if (v->kind == RH_HASH) {
        item[0] = &rh_type_string;
        for (size_t i = 0; i < v->count && i < MOST_KEYS; i++)
            item[1] = common(a, item[1], general(a, v->u.entries[i].value));
        return hash_of(a, item[0], item[1]);
    }
    for (size_t i = 0; i < v->count && i < step * MOST_KEYS; i++)
        item[i % step] = common(a, item[i % step], general(a, v->u.items[i]));
    return step == 2 ? hash_of(a, item[0], item[1]) : array_of(a, item[0]);
}

/* Without anything that tells of one value rather than of others of its kind. */
static const struct rh_datatype *
general(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_datatype *t;

    if (!v)
        return &rh_type_undef;
    switch (v->kind) {
    case RH_ARRAY:
    case RH_HASH:
    case RH_MAP:
        return v->count ? general_items(a, v) : empty(a, v);
    case RH_WRAPPED:
        t = bare(a, v);
        t->count = 1;
        t->u.inner[0] = general(a, rh_value_at(v, 0));
        return t;
    default:
        return bare(a, v);
    }
}

bool
rh_is_struct(const struct rh_value *v)
{
    if (!rh_value_is(v, RH_HASH) || !v->count)
        return false;
    for (size_t i = 0; i < v->count; i++)
        if (!*v->u.entries[i].key)
            return false;
    return true;
}

const struct rh_datatype *
rh_infer_hash(struct rh_arena *a, const struct rh_value *v)
{
    const struct rh_datatype *keys[MOST_KEYS], *values[MOST_KEYS];
    size_t n = v->kind == RH_MAP ? v->count / 2 : v->count;

    if (n > MOST_KEYS)
        n = MOST_KEYS;
    for (size_t i = 0; i < n; i++) {
        keys[i] = v->kind == RH_MAP ? rh_infer(a, v->u.items[2 * i])
                                    : rh_infer(a, rh_value_string(a, v->u.entries[i].key));
        values[i] = rh_infer(a, v->kind == RH_MAP ? v->u.items[2 * i + 1] : v->u.entries[i].value);
    }
    return hash_of(a, rh_variant_of(a, keys, n), rh_variant_of(a, values, n));
}

static const struct rh_datatype *
sized_hash(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_datatype *t = rh_arena_alloc(a, sizeof *t);
    int64_t n = v->kind == RH_MAP ? v->count / 2 : v->count;

    *t = *rh_infer_hash(a, v);
    t->range = (struct rh_range){ n, n };
    return t;
}

static const struct rh_datatype *
uri(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_datatype *t = bare(a, v);
    struct rh_uri_part *parts = rh_arena_alloc(a, RH_URI_PARTS * sizeof *parts);
    struct rh_uri u;

    if (rh_uri_parse(v->u.string, v->count, &u)) {
        t->count = (uint32_t)rh_uri_to_parts(a, &u, parts);
        t->u.parts = parts;
    }
    return t;
}

static const struct rh_datatype *
tuple(struct rh_arena *a, const struct rh_value *v)
{
    const struct rh_datatype **m = rh_arena_alloc(a, rh_xmul(v->count, sizeof(void *)));
    struct rh_datatype *t = rh_type_new(a, RH_T_TUPLE);

    for (size_t i = 0; i < v->count; i++)
        m[i] = rh_infer(a, v->u.items[i]);
    t->count = v->count;
    t->u.members = m;
    return t;
}

static const struct rh_datatype *
structure(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_member *keys = rh_arena_alloc(a, rh_xmul(v->count, sizeof *keys));
    struct rh_datatype *t = rh_type_new(a, RH_T_STRUCT);

    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = &v->u.entries[i];

        keys[i].key = (struct rh_word){ e->key, strlen(e->key) };
        keys[i].type = rh_infer(a, e->value);
        keys[i].presence = RH_KEY_REQUIRED;
    }
    t->count = v->count;
    t->u.keys = keys;
    return t;
}

static const struct rh_datatype *
version(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_datatype *t = bare(a, v);
    const char *text = rh_arena_printf(a, "%s - %s", v->u.string, v->u.string);
    struct rh_semver_range *r = rh_arena_alloc(a, sizeof *r);

    r->text = text;
    t->count = 1;
    t->u.versions = r;
    return t;
}

static const struct rh_datatype *
instant(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_datatype *t = bare(a, v);
    struct rh_instant i;
    bool ok = v->kind == RH_TIMESTAMP ? rh_timestamp_parse(v->u.string, v->count, &i)
                                      : rh_timespan_parse(v->u.string, v->count, &i);

    if (ok) {
        t->known = true;
        t->u.time.min = t->u.time.max = i;
    }
    return t;
}

static const struct rh_datatype *
scalar(struct rh_arena *a, const struct rh_value *v)
{
    struct rh_datatype *t = bare(a, v);
    const struct rh_regex **r;

    switch (v->kind) {
    case RH_BOOLEAN:
        t->known = true;
        t->u.truth = v->u.integer != 0;
        break;
    case RH_INTEGER:
        t->range = (struct rh_range){ v->u.integer, v->u.integer };
        break;
    case RH_FLOAT:
        t->u.real.min = t->u.real.max = v->u.real;
        break;
    case RH_STRING:
        if (v->count <= LONGEST_WORD)
            t->u.literal = (struct rh_word){ v->u.string, v->count };
        break;
    case RH_REGEXP:
        r = rh_arena_alloc(a, sizeof(void *));
        r[0] = rh_regex_new(a, v->u.string, v->count, NULL);
        t->count = r[0] != NULL;
        t->u.regexes = r;
        break;
    case RH_TYPE:
        t->u.inner[0] = rh_datatype_parse(a, NULL, v->u.string, NULL);
        t->count = t->u.inner[0] != NULL;
        break;
    default:
        break;
    }
    return t;
}

const struct rh_datatype *
rh_infer(struct rh_arena *a, const struct rh_value *v)
{
    if (!v)
        return &rh_type_undef;
    if (v->marks & RH_SENSITIVE)
        return bare(a, v);
    switch (v->kind) {
    case RH_ARRAY:
        return v->count ? tuple(a, v) : empty(a, v);
    case RH_HASH:
    case RH_MAP:
        if (!v->count)
            return empty(a, v);
        return rh_is_struct(v) ? structure(a, v) : sized_hash(a, v);
    case RH_SEMVER:
        return version(a, v);
    case RH_TIMESTAMP:
    case RH_TIMESPAN:
        return instant(a, v);
    case RH_URI:
        return uri(a, v);
    case RH_WRAPPED:
        return general(a, v);
    default:
        return scalar(a, v);
    }
}
