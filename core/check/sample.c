/* SPDX-License-Identifier: Apache-2.0 */
/* sample - values that fit a type: tried from a list, and taken when the type does. */
#include "config.h"

#include "check/parts.h"

#include "base/arena.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "schema/type.h"

#include <string.h>

enum { TRIES = 60, LONG = 100000 };

static const char *const texts[] = {
    "",
    "a",
    "one",
    "/",
    "/a",
    "/rhost-check/nothing",
    "/rhost-check//x/../y/",
    "0644",
    "0",
    "-1",
    "root",
    "present",
    "absent",
    "true",
    "A B",
    " ",
    "\n",
    "a\nb",
    "%s%n%d",
    "$HOME",
    "../..",
    "caf\xc3\xa9",
    "\xe2\x80\xae",
    "'\"`;|&",
    "*",
    "10.0.0.1",
    "::1",
    "example.org",
    "http://example.org/x",
    "1.2.3",
    "latest",
    "file",
    "directory",
};

/* splitmix64 */
static uint64_t
next(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

static struct rh_value *
some_text(struct rh_arena *a, uint64_t *seed)
{
    uint64_t r = next(seed) % 20;

    if (r < 14)
        return rh_value_string(a, texts[next(seed) % (sizeof texts / sizeof texts[0])]);
    if (r == 14) {
        char *s = rh_arena_alloc(a, LONG + 1);

        memset(s, 'x', LONG);
        s[0] = next(seed) % 2 ? '/' : 'x';
        return rh_value_string_ref(a, s, LONG);
    }
    if (r == 15)
        return rh_value_stringn(a, "a\0b", 3);
    return rh_value_string(a, rh_arena_printf(a, "%s%llu", r % 2 ? "/rhost-check/" : "x",
                                              (unsigned long long)(next(seed) % 1000000)));
}

static struct rh_value *
something(struct rh_arena *a, uint64_t *seed, int depth)
{
    static const int64_t numbers[] = { 0, 1, -1, 2, 80, 443, 65535, 65536, INT32_MAX, INT64_MAX, INT64_MIN };
    struct rh_value *v;
    uint64_t n;

    switch (next(seed) % (depth ? 6 : 8)) {
    case 0:
        return rh_value_boolean(a, next(seed) % 2);
    case 1:
        return rh_value_integer(a, numbers[next(seed) % (sizeof numbers / sizeof numbers[0])]);
    case 2:
        return rh_value_float(a, (double)(int64_t)next(seed) / 1e6);
    case 6:
        v = rh_value_new(a, RH_ARRAY);
        for (n = next(seed) % 5; n; n--)
            rh_value_append(v, something(a, seed, depth + 1));
        return v;
    case 7:
        v = rh_value_new(a, RH_HASH);
        for (n = next(seed) % 4; n; n--)
            rh_value_put(v, rh_arena_printf(a, "k%d", (int)n), something(a, seed, depth + 1));
        return v;
    default:
        return some_text(a, seed);
    }
}

/* One that fits, or NULL. */
static struct rh_value *
fitting(struct rh_arena *a, const struct rh_datatype *t, uint64_t *seed)
{
    for (int i = 0; i < TRIES; i++) {
        struct rh_value *v = something(a, seed, 0);

        if (rh_datatype_match(t, v))
            return v;
    }
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct rh_value *v = rh_value_string(a, texts[i]);

        if (rh_datatype_match(t, v))
            return v;
    }
    return NULL;
}

struct rh_value *
rh_sample_resource(struct rh_arena *a, const struct rh_type *t, uint64_t *seed)
{
    struct rh_value *resource = rh_value_new(a, RH_HASH);

    for (size_t i = 0; i < t->n_attrs; i++) {
        const struct rh_attr *attr = &t->attrs[i];
        struct rh_value *v;

        if (attr->behaviour & RH_READ_ONLY || (!(attr->behaviour & RH_NAMEVAR) && next(seed) % 2))
            continue;
        v = fitting(a, attr->type, seed);
        if (v)
            rh_value_put(resource, attr->name, v);
    }
    return resource;
}

struct rh_value *
rh_sample_nothing(struct rh_arena *a, const struct rh_datatype *t)
{
    static const char *const names[] = {
        "rhost-check-nothing", "/nonexistent/rhost-check-nothing",
        "rhost_check_nothing", "rhost.check.nothing",
        "rhostchecknothing",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct rh_value *v = rh_value_string(a, names[i]);

        if (rh_datatype_match(t, v))
            return v;
    }
    return NULL;
}
