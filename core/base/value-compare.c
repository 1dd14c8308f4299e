/* SPDX-License-Identifier: Apache-2.0 */
/* value-compare - when two values are the same. */
#include "config.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/value.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 16 };

static int
by_key(const void *a, const void *b)
{
    return strcmp(((const struct rh_entry *)a)->key, ((const struct rh_entry *)b)->key);
}

static struct rh_entry *
sorted(const struct rh_value *hash)
{
    struct rh_entry *e = rh_xalloc(rh_xmul(hash->count, sizeof *e));

    memcpy(e, hash->u.entries, hash->count * sizeof *e);
    qsort(e, hash->count, sizeof *e, by_key);
    return e;
}

static bool
many_equal(const struct rh_value *a, const struct rh_value *b)
{
    rh_autofree struct rh_entry *left = sorted(a);
    rh_autofree struct rh_entry *right = sorted(b);

    for (uint32_t i = 0; i < a->count; i++)
        if (strcmp(left[i].key, right[i].key) != 0 || !rh_value_equal(left[i].value, right[i].value))
            return false;
    return true;
}

static bool
hash_equal(const struct rh_value *a, const struct rh_value *b)
{
    if (a->count != b->count)
        return false;
    if (a->count > FEW)
        return many_equal(a, b);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct rh_entry *x = &a->u.entries[i], *y = &b->u.entries[i];

        /* Mostly one is a copy of the other, in the same order. */
        if (!rh_value_equal(x->value, x->key == y->key ? y->value : rh_value_get(b, x->key)))
            return false;
    }
    return true;
}

bool
rh_value_equal(const struct rh_value *a, const struct rh_value *b)
{
    if (a == b)
        return true;
    if (!a || !b)
        return rh_value_is(a, RH_UNDEF) || rh_value_is(b, RH_UNDEF);
    if (a->kind != b->kind) {
        if (a->kind == RH_INTEGER && b->kind == RH_FLOAT)
            return (double)a->u.integer == b->u.real;
        return a->kind == RH_FLOAT && b->kind == RH_INTEGER && a->u.real == (double)b->u.integer;
    }
    switch (a->kind) {
    case RH_BOOLEAN:
    case RH_INTEGER:
        return a->u.integer == b->u.integer;
    case RH_FLOAT:
        return a->u.real == b->u.real;
    case RH_UNKNOWN:
        return false;
    case RH_HASH:
        return hash_equal(a, b);
    case RH_ARRAY:
    case RH_WRAPPED:
    case RH_MAP:
        if (a->count != b->count)
            return false;
        for (uint32_t i = 0; i < a->count; i++)
            if (!rh_value_equal(a->u.items[i], b->u.items[i]))
                return false;
        return true;
    default:
        return a->count == b->count
               && (a->u.string == b->u.string || memcmp(a->u.string, b->u.string, a->count) == 0);
    }
}

static bool
contains(const struct rh_value *array, const struct rh_value *v)
{
    for (uint32_t i = 0; i < array->count; i++)
        if (rh_value_equal(array->u.items[i], v))
            return true;
    return false;
}

bool
rh_value_equal_unordered(const struct rh_value *a, const struct rh_value *b)
{
    if (!rh_value_is(a, RH_ARRAY) || !rh_value_is(b, RH_ARRAY))
        return rh_value_equal(a, b);
    for (uint32_t i = 0; i < a->count; i++)
        if (!contains(b, a->u.items[i]))
            return false;
    for (uint32_t i = 0; i < b->count; i++)
        if (!contains(a, b->u.items[i]))
            return false;
    return true;
}
