/* SPDX-License-Identifier: Apache-2.0 */
/* types - the types that need no text: bare ones, the built-in aliases, and questions to a node. */
#include "config.h"

#include "datatype/tree.h"

#include "datatype/regex.h"

#include "base/alloc.h"
#include "base/arena.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define OPEN .range = { INT64_MIN, INT64_MAX }
#define BARE(k)                                                                                              \
    {                                                                                                        \
        .kind = (k), OPEN                                                                                    \
    }

const struct rh_datatype rh_type_any = BARE(RH_T_ANY);
const struct rh_datatype rh_type_undef = BARE(RH_T_UNDEF);
const struct rh_datatype rh_type_string = BARE(RH_T_STRING);
const struct rh_datatype rh_type_numeric = BARE(RH_T_NUMERIC);
const struct rh_datatype rh_type_scalar = BARE(RH_T_SCALAR);
const struct rh_datatype rh_type_scalar_data = BARE(RH_T_SCALAR_DATA);
const struct rh_datatype rh_type_unit = { .kind = RH_T_NAMED, OPEN, .u.named.name = "Unit" };

static const struct rh_datatype type_default = BARE(RH_T_DEFAULT);
static const struct rh_datatype type_binary = BARE(RH_T_BINARY);
static const struct rh_datatype type_uri = BARE(RH_T_URI);
static const struct rh_datatype type_semver_range = BARE(RH_T_SEMVER_RANGE);
static const struct rh_datatype type_sensitive = BARE(RH_T_SENSITIVE);
static const struct rh_datatype type_type = BARE(RH_T_TYPE);
static const struct rh_datatype type_object = { .kind = RH_T_NAMED, OPEN, .u.named.name = "Object" };
static const struct rh_datatype type_type_set = { .kind = RH_T_NAMED, OPEN, .u.named.name = "TypeSet" };

/* Data is what JSON can say: Optional[Variant[ScalarData, Hash[String, Data], Array[Data]]]. */
static const struct rh_datatype data_hash = {
    .kind = RH_T_HASH, .count = 2, OPEN, .u.inner = { &rh_type_string, &rh_type_data }
};
static const struct rh_datatype data_array = {
    .kind = RH_T_ARRAY, .count = 1, OPEN, .u.inner = { &rh_type_data }
};
static const struct rh_datatype *const data_members[] = { &rh_type_scalar_data, &data_hash, &data_array };
static const struct rh_datatype data_variant = {
    .kind = RH_T_VARIANT, .count = 3, OPEN, .u.members = data_members
};
static const struct rh_datatype data_target = {
    .kind = RH_T_OPTIONAL, .count = 1, OPEN, .u.inner = { &data_variant }
};
static const struct rh_alias data_alias = { .name = "Data", .target = &data_target, .builtin = true };
const struct rh_datatype rh_type_data = { .kind = RH_T_DATA, OPEN, .u.alias = &data_alias };

static const struct rh_datatype *const key_members[] = { &rh_type_string, &rh_type_numeric };
static const struct rh_datatype key_target = {
    .kind = RH_T_VARIANT, .count = 2, OPEN, .u.members = key_members
};
static const struct rh_alias key_alias = { .name = "RichDataKey", .target = &key_target, .builtin = true };
const struct rh_datatype rh_type_rich_data_key = { .kind = RH_T_ALIAS, OPEN, .u.alias = &key_alias };

static const struct rh_datatype rich_hash = {
    .kind = RH_T_HASH, .count = 2, OPEN, .u.inner = { &rh_type_rich_data_key, &rh_type_rich_data }
};
static const struct rh_datatype rich_array = {
    .kind = RH_T_ARRAY, .count = 1, OPEN, .u.inner = { &rh_type_rich_data }
};
static const struct rh_datatype *const rich_members[] = {
    &rh_type_scalar, &type_semver_range, &type_binary,  &type_sensitive, &type_type,  &type_type_set,
    &type_uri,       &type_object,       &type_default, &rich_hash,      &rich_array,
};
static const struct rh_datatype rich_variant = {
    .kind = RH_T_VARIANT, .count = 11, OPEN, .u.members = rich_members
};
static const struct rh_datatype rich_target = {
    .kind = RH_T_OPTIONAL, .count = 1, OPEN, .u.inner = { &rich_variant }
};
static const struct rh_alias rich_alias = { .name = "RichData", .target = &rich_target, .builtin = true };
const struct rh_datatype rh_type_rich_data = { .kind = RH_T_RICH_DATA, OPEN, .u.alias = &rich_alias };

static const char *const names[] = {
    [RH_T_ANY] = "Any",
    [RH_T_UNDEF] = "Undef",
    [RH_T_NOT_UNDEF] = "NotUndef",
    [RH_T_OPTIONAL] = "Optional",
    [RH_T_VARIANT] = "Variant",
    [RH_T_ENUM] = "Enum",
    [RH_T_PATTERN] = "Pattern",
    [RH_T_REGEXP] = "Regexp",
    [RH_T_STRING] = "String",
    [RH_T_INTEGER] = "Integer",
    [RH_T_FLOAT] = "Float",
    [RH_T_NUMERIC] = "Numeric",
    [RH_T_BOOLEAN] = "Boolean",
    [RH_T_SCALAR] = "Scalar",
    [RH_T_SCALAR_DATA] = "ScalarData",
    [RH_T_DATA] = "Data",
    [RH_T_RICH_DATA] = "RichData",
    [RH_T_ARRAY] = "Array",
    [RH_T_HASH] = "Hash",
    [RH_T_TUPLE] = "Tuple",
    [RH_T_STRUCT] = "Struct",
    [RH_T_COLLECTION] = "Collection",
    [RH_T_ITERABLE] = "Iterable",
    [RH_T_SENSITIVE] = "Sensitive",
    [RH_T_TIMESTAMP] = "Timestamp",
    [RH_T_TIMESPAN] = "Timespan",
    [RH_T_SEMVER] = "SemVer",
    [RH_T_SEMVER_RANGE] = "SemVerRange",
    [RH_T_URI] = "URI",
    [RH_T_BINARY] = "Binary",
    [RH_T_DEFAULT] = "Default",
    [RH_T_TYPE] = "Type",
};

struct rh_datatype *
rh_type_new(struct rh_arena *a, enum rh_datatype_kind kind)
{
    struct rh_datatype *t = rh_arena_alloc(a, sizeof *t);

    t->kind = (uint8_t)kind;
    t->range = (struct rh_range){ INT64_MIN, INT64_MAX };
    return t;
}

struct rh_datatype *
rh_type_copy(struct rh_arena *a, const struct rh_datatype *t)
{
    struct rh_datatype *c = rh_arena_alloc(a, sizeof *c);

    *c = *t;
    return c;
}

const struct rh_datatype **
rh_type_room(struct rh_arena *a, size_t n)
{
    return rh_arena_alloc(a, rh_xmul(n + 1, sizeof(void *)));
}

struct rh_range
rh_tuple_size(const struct rh_datatype *t)
{
    if (!rh_range_open(t->range))
        return t->range;
    return t->count ? (struct rh_range){ t->count, t->count } : (struct rh_range){ 0, INT64_MAX };
}

struct rh_datatype *
rh_type_bare(struct rh_arena *a, enum rh_datatype_kind kind)
{
    struct rh_datatype *t = rh_type_new(a, kind);

    if (kind == RH_T_FLOAT) {
        t->u.real.min = -DBL_MAX;
        t->u.real.max = DBL_MAX;
    } else if (kind == RH_T_TIMESTAMP || kind == RH_T_TIMESPAN) {
        t->u.time.min.s = INT64_MIN;
        t->u.time.max.s = INT64_MAX;
    }
    return t;
}

const char *
rh_type_name(const struct rh_datatype *t)
{
    if (t->kind == RH_T_NAMED)
        return t->u.named.name;
    if (rh_type_is_alias(t))
        return t->u.alias->name;
    return names[t->kind];
}

bool
rh_type_is_alias(const struct rh_datatype *t)
{
    return t->kind == RH_T_ALIAS || t->kind == RH_T_DATA || t->kind == RH_T_RICH_DATA;
}

const struct rh_datatype *
rh_type_resolved(const struct rh_datatype *t)
{
    while (t && rh_type_is_alias(t))
        t = t->u.alias->target;
    return t;
}

static bool
same_word(struct rh_word a, struct rh_word b)
{
    if (!a.s || !b.s)
        return a.s == b.s;
    return a.n == b.n && memcmp(a.s, b.s, a.n) == 0;
}

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool
same_inner(const struct rh_datatype *a, const struct rh_datatype *b)
{
    return a == b || (a && b && rh_type_same(a, b));
}

static bool
same_item(const struct rh_datatype *a, const struct rh_datatype *b, size_t i)
{
    const struct rh_member *ka, *kb;

    switch (a->kind) {
    case RH_T_ENUM:
        return same_word(a->u.words[i], b->u.words[i]);
    case RH_T_PATTERN:
    case RH_T_REGEXP:
        return rh_regex_same(a->u.regexes[i], b->u.regexes[i]);
    case RH_T_STRUCT:
        ka = &a->u.keys[i];
        kb = &b->u.keys[i];
        return same_word(ka->key, kb->key) && ka->presence == kb->presence
               && rh_type_same(ka->type, kb->type);
    case RH_T_SEMVER:
        return same_text(a->u.versions[i].text, b->u.versions[i].text);
    case RH_T_URI:
        return a->u.parts[i].part == b->u.parts[i].part && same_word(a->u.parts[i].word, b->u.parts[i].word)
               && rh_regex_same(a->u.parts[i].regex, b->u.parts[i].regex)
               && same_inner(a->u.parts[i].type, b->u.parts[i].type);
    default:
        return rh_type_same(a->u.members[i], b->u.members[i]);
    }
}

static bool
same_instant(struct rh_instant a, struct rh_instant b)
{
    return rh_instant_compare(a, b) == 0;
}

bool
rh_type_same(const struct rh_datatype *a, const struct rh_datatype *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->fold != b->fold || a->known != b->known || a->count != b->count
        || a->range.min != b->range.min || a->range.max != b->range.max)
        return false;
    switch (a->kind) {
    case RH_T_BOOLEAN:
        return a->u.truth == b->u.truth;
    case RH_T_STRING:
        return same_word(a->u.literal, b->u.literal);
    case RH_T_FLOAT:
        return a->u.real.min == b->u.real.min && a->u.real.max == b->u.real.max;
    case RH_T_TIMESTAMP:
    case RH_T_TIMESPAN:
        return same_instant(a->u.time.min, b->u.time.min) && same_instant(a->u.time.max, b->u.time.max);
    case RH_T_NAMED:
        return same_text(a->u.named.name, b->u.named.name) && same_text(a->u.named.params, b->u.named.params);
    case RH_T_ALIAS:
    case RH_T_DATA:
    case RH_T_RICH_DATA:
        return same_text(a->u.alias->name, b->u.alias->name);
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
    case RH_T_SENSITIVE:
    case RH_T_TYPE:
    case RH_T_ITERABLE:
    case RH_T_ARRAY:
    case RH_T_HASH:
        return same_inner(a->u.inner[0], b->u.inner[0]) && same_inner(a->u.inner[1], b->u.inner[1]);
    case RH_T_VARIANT:
    case RH_T_TUPLE:
    case RH_T_ENUM:
    case RH_T_PATTERN:
    case RH_T_REGEXP:
    case RH_T_STRUCT:
    case RH_T_SEMVER:
    case RH_T_URI:
        for (size_t i = 0; i < a->count; i++)
            if (!same_item(a, b, i))
                return false;
        return true;
    default:
        return true;
    }
}

bool
rh_type_takes_undef(const struct rh_datatype *t)
{
    switch (t->kind) {
    case RH_T_ANY:
    case RH_T_UNDEF:
    case RH_T_OPTIONAL:
        return true;
    case RH_T_VARIANT:
        for (size_t i = 0; i < t->count; i++)
            if (rh_type_takes_undef(t->u.members[i]))
                return true;
        return false;
    case RH_T_NAMED:
        return strcmp(t->u.named.name, "Init") == 0;
    case RH_T_ALIAS:
    case RH_T_DATA:
    case RH_T_RICH_DATA:
        return t->u.alias->target && rh_type_takes_undef(t->u.alias->target);
    default:
        return false;
    }
}

bool
rh_member_optional(const struct rh_member *k)
{
    return k->presence == RH_KEY_OPTIONAL || (k->presence == RH_KEY_PLAIN && rh_type_takes_undef(k->type));
}

int
rh_word_compare(const void *a, const void *b)
{
    const struct rh_word *x = a, *y = b;
    int order = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);

    return order ? order : (x->n > y->n) - (x->n < y->n);
}

void
rh_type_set_words(struct rh_datatype *t, struct rh_word *words, size_t n)
{
    size_t kept = 0;

    if (n)
        qsort(words, n, sizeof *words, rh_word_compare);
    for (size_t i = 0; i < n; i++)
        if (!kept || rh_word_compare(&words[kept - 1], &words[i]) != 0)
            words[kept++] = words[i];
    t->count = (uint32_t)kept;
    t->u.words = words;
}
