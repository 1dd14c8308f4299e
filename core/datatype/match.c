/* SPDX-License-Identifier: Apache-2.0 */
/* match - whether a value fits a type. Allocates nothing, but for a Type held against a Type, and
 * once for a pattern that has been used so often that it becomes machine code.
 *
 * What makes a value sensitive is a mark beside its content, so most types don't look at it: only
 * Sensitive asks, and what is inside of something sensitive is sensitive too. A wrapped value
 * (RH_WRAPPED) is a datum of its own, which is not what is inside of it. */
#include "config.h"

#include "datatype/match.h"

#include "datatype/regex.h"
#include "datatype/scan.h"
#include "datatype/uri.h"

#include "base/arena.h"
#include "base/text.h"
#include "base/value.h"

#include <string.h>

static bool match(const struct rh_datatype *t, const struct rh_value *v, bool sensitive);

/* The pattern whose search came to its limit, since the question was put: then nothing is known,
 * and nothing else is tried. */
static _Thread_local const struct rh_regex *stuck;

static bool
search(const struct rh_regex *r, const char *s, size_t n)
{
    enum rh_regex_result found = stuck ? RH_REGEX_NO : rh_regex_match(r, s, n);

    if (found == RH_REGEX_LIMIT)
        stuck = r;
    return found == RH_REGEX_YES;
}

const struct rh_regex *
rh_match_stuck(void)
{
    return stuck;
}

void
rh_match_reset(void)
{
    stuck = NULL;
}

static bool
match_inner(const struct rh_datatype *inner, const struct rh_value *v, bool sensitive)
{
    return !inner || match(inner, v, sensitive);
}

static unsigned
kind_of(const struct rh_value *v)
{
    return v ? v->kind : RH_UNDEF;
}

static bool
match_string(const struct rh_datatype *t, const struct rh_value *v)
{
    if (t->u.literal.s)
        return t->u.literal.n == v->count && memcmp(t->u.literal.s, v->u.string, v->count) == 0;
    /* As many characters as bytes at most, a quarter of it at least. */
    if (t->range.min <= v->count / 4 && t->range.max >= v->count)
        return true;
    return rh_range_has(t->range, (int64_t)rh_utf8_count(v->u.string, v->count));
}

static bool
match_word(const struct rh_datatype *t, const struct rh_value *v)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct rh_word *w = &t->u.words[i];

        if (w->n != v->count)
            continue;
        if (t->fold ? rh_ascii_same(w->s, v->u.string, w->n) : memcmp(w->s, v->u.string, w->n) == 0)
            return true;
    }
    return false;
}

static bool
match_pattern(const struct rh_datatype *t, const struct rh_value *v)
{
    for (size_t i = 0; i < t->count; i++)
        if (search(t->u.regexes[i], v->u.string, v->count))
            return true;
    return !t->count;
}

static bool
match_regexp(const struct rh_datatype *t, const struct rh_value *v)
{
    size_t n;
    const char *s;

    if (!t->count)
        return true;
    s = rh_regex_source(t->u.regexes[0], &n);
    return n == v->count && memcmp(s, v->u.string, n) == 0;
}

static bool
match_array(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    if (!rh_range_has(t->range, v->count))
        return false;
    if (!t->u.inner[0])
        return true;
    for (size_t i = 0; i < v->count; i++)
        if (!match(t->u.inner[0], v->u.items[i], sensitive))
            return false;
    return true;
}

static bool
match_tuple(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    if (!rh_range_has(rh_tuple_size(t), v->count))
        return false;
    for (size_t i = 0; t->count && i < v->count; i++)
        if (!match(t->u.members[i < t->count ? i : t->count - 1], v->u.items[i], sensitive))
            return false;
    return true;
}

bool
rh_match_key(const struct rh_datatype *key, const struct rh_entry *e)
{
    struct rh_value v = { .kind = RH_STRING };

    if (!key)
        return true;
    v.u.string = e->key;
    v.count = (uint32_t)strlen(e->key);
    return match(key, &v, false);
}

static bool
match_hash(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    const struct rh_datatype *key = t->u.inner[0], *value = t->u.inner[1];

    if (!rh_range_has(t->range, v->count))
        return false;
    for (size_t i = 0; (key || value) && i < v->count; i++)
        if (!rh_match_key(key, &v->u.entries[i]) || !match_inner(value, v->u.entries[i].value, sensitive))
            return false;
    return true;
}

static bool
match_map(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    if (!rh_range_has(t->range, v->count / 2))
        return false;
    for (size_t i = 0; i < v->count; i++)
        if (!match_inner(t->u.inner[i % 2], v->u.items[i], sensitive))
            return false;
    return true;
}

static bool
match_struct(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    size_t found = 0;

    for (size_t i = 0; i < t->count; i++) {
        const struct rh_member *k = &t->u.keys[i];
        const struct rh_value *item = rh_value_get(v, k->key.s);

        if (item ? !match(k->type, item, sensitive) : !rh_member_optional(k))
            return false;
        found += item != NULL;
    }
    return found == v->count;
}

/* A hash as the [key, value] pairs that one gets by walking it. */
static bool
match_pairs(const struct rh_datatype *inner, const struct rh_value *v, bool sensitive)
{
    const struct rh_value *both[2];
    struct rh_value key = { .kind = RH_STRING };
    const struct rh_value pair = { .kind = RH_ARRAY, .count = 2, .u.items = both };
    static const struct rh_datatype *const units[] = { &rh_type_unit, &rh_type_unit };
    static const struct rh_datatype some_pair = {
        .kind = RH_T_TUPLE, .count = 2, .range = { INT64_MIN, INT64_MAX }, .u.members = units
    };
    size_t n = v->kind == RH_MAP ? v->count / 2 : v->count;

    if (!n)
        return rh_assignable(inner, &some_pair);
    for (size_t i = 0; i < n; i++) {
        if (v->kind == RH_MAP) {
            both[0] = v->u.items[2 * i];
            both[1] = v->u.items[2 * i + 1];
        } else {
            key.u.string = v->u.entries[i].key;
            key.count = (uint32_t)strlen(key.u.string);
            both[0] = &key;
            both[1] = v->u.entries[i].value;
        }
        if (!match(inner, &pair, sensitive))
            return false;
    }
    return true;
}

/* What one gets by walking it: elements, pairs, the characters of a string, the whole numbers below
 * a number. */
static bool
match_iterable(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    static const struct rh_datatype character = { .kind = RH_T_STRING, .range = { 1, 1 } };
    static const struct rh_datatype integer = { .kind = RH_T_INTEGER, .range = { INT64_MIN, INT64_MAX } };
    const struct rh_datatype *inner = rh_type_resolved(t->u.inner[0]);
    bool any = !inner || inner->kind == RH_T_ANY;

    switch (v->kind) {
    case RH_ARRAY:
        for (size_t i = 0; !any && i < v->count; i++)
            if (!match(inner, v->u.items[i], sensitive))
                return false;
        return true;
    case RH_STRING:
        return any || rh_assignable(inner, &character);
    case RH_INTEGER:
        return any ? v->u.integer >= 0 : rh_assignable(inner, &integer);
    case RH_HASH:
    case RH_MAP:
        return any || match_pairs(inner, v, sensitive);
    default:
        return false;
    }
}

static bool
match_time(const struct rh_datatype *t, const struct rh_value *v)
{
    struct rh_instant i;
    bool ok = t->kind == RH_T_TIMESTAMP ? rh_timestamp_parse(v->u.string, v->count, &i)
                                        : rh_timespan_parse(v->u.string, v->count, &i);

    return ok && rh_instant_compare(t->u.time.min, i) <= 0 && rh_instant_compare(i, t->u.time.max) <= 0;
}

static bool
match_semver(const struct rh_datatype *t, const struct rh_value *v)
{
    struct rh_semver version;

    if (!rh_semver_parse(v->u.string, v->count, &version))
        return false;
    for (size_t i = 0; i < t->count; i++)
        if (rh_semver_range_has(&t->u.versions[i], &version))
            return true;
    return !t->count;
}

static bool
match_uri_part(const struct rh_uri_part *part, struct rh_word w)
{
    struct rh_value v = { .kind = w.s ? RH_STRING : RH_UNDEF };

    if (part->type) {
        v.u.string = w.s;
        v.count = (uint32_t)w.n;
        return match(part->type, &v, false);
    }
    if (!w.s)
        return false;
    if (part->regex)
        return search(part->regex, w.s, w.n);
    if (part->part == RH_URI_SCHEME || part->part == RH_URI_HOST)
        return w.n == part->word.n && rh_ascii_same(w.s, part->word.s, w.n);
    return w.n == part->word.n && memcmp(w.s, part->word.s, w.n) == 0;
}

static bool
match_uri(const struct rh_datatype *t, const struct rh_value *v)
{
    struct rh_uri uri;

    if (!t->count)
        return true;
    if (!rh_uri_parse(v->u.string, v->count, &uri))
        return false;
    for (size_t i = 0; i < t->count; i++)
        if (!match_uri_part(&t->u.parts[i], uri.part[t->u.parts[i].part]))
            return false;
    return true;
}

static bool
match_type(const struct rh_datatype *t, const struct rh_value *v)
{
    rh_autoarena struct rh_arena *a = NULL;
    const struct rh_datatype *type;

    if (!t->u.inner[0] || t->u.inner[0]->kind == RH_T_ANY)
        return true;
    a = rh_arena_new(NULL);
    type = rh_datatype_parse(a, NULL, v->u.string, NULL);
    return type && rh_assignable(t->u.inner[0], type);
}

static bool
is_scalar_data(unsigned kind)
{
    return kind == RH_STRING || kind == RH_INTEGER || kind == RH_FLOAT || kind == RH_BOOLEAN;
}

static bool
is_scalar(unsigned kind)
{
    return is_scalar_data(kind) || kind == RH_REGEXP || kind == RH_SEMVER || kind == RH_SEMVER_RANGE
           || kind == RH_TIMESTAMP || kind == RH_TIMESPAN;
}

/* What must have the one kind that its type is about; then it is only a question of parameters. */
static bool
match_exact(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    switch (t->kind) {
    case RH_T_BOOLEAN:
        return v->kind == RH_BOOLEAN && (!t->known || t->u.truth == (v->u.integer != 0));
    case RH_T_INTEGER:
        return v->kind == RH_INTEGER && rh_range_has(t->range, v->u.integer);
    case RH_T_FLOAT:
        return v->kind == RH_FLOAT && v->u.real >= t->u.real.min && v->u.real <= t->u.real.max;
    case RH_T_STRING:
        return v->kind == RH_STRING && match_string(t, v);
    case RH_T_ENUM:
        return v->kind == RH_STRING && match_word(t, v);
    case RH_T_PATTERN:
        return v->kind == RH_STRING && match_pattern(t, v);
    case RH_T_REGEXP:
        return v->kind == RH_REGEXP && match_regexp(t, v);
    case RH_T_ARRAY:
        return v->kind == RH_ARRAY && match_array(t, v, sensitive);
    case RH_T_TUPLE:
        return v->kind == RH_ARRAY && match_tuple(t, v, sensitive);
    case RH_T_HASH:
        return (v->kind == RH_HASH && match_hash(t, v, sensitive))
               || (v->kind == RH_MAP && match_map(t, v, sensitive));
    case RH_T_STRUCT:
        return (v->kind == RH_HASH && match_struct(t, v, sensitive))
               || (v->kind == RH_MAP && !v->count && match_struct(t, v, sensitive));
    case RH_T_TIMESTAMP:
        return v->kind == RH_TIMESTAMP && match_time(t, v);
    case RH_T_TIMESPAN:
        return v->kind == RH_TIMESPAN && match_time(t, v);
    case RH_T_SEMVER:
        return v->kind == RH_SEMVER && match_semver(t, v);
    case RH_T_URI:
        return v->kind == RH_URI && match_uri(t, v);
    case RH_T_TYPE:
        return v->kind == RH_TYPE && match_type(t, v);
    default:
        return false;
    }
}

static bool
match_named(const struct rh_datatype *t, const struct rh_value *v)
{
    if (strcmp(t->u.named.name, "Object") == 0)
        return v->kind == RH_TYPE;
    return strcmp(t->u.named.name, "Init") == 0;
}

static bool
match_sensitive(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    if (v->kind == RH_WRAPPED)
        return match_inner(t->u.inner[0], rh_value_at(v, 0), false);
    return sensitive && match_inner(t->u.inner[0], v, true);
}

static bool
match(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    static const struct rh_value undef = { .kind = RH_UNDEF };
    unsigned kind = kind_of(v);

    if (!v)
        v = &undef;
    sensitive = sensitive || v->marks & RH_SENSITIVE;
    if (kind == RH_UNKNOWN)
        return true;
    switch (t->kind) {
    case RH_T_ANY:
        return true;
    case RH_T_UNDEF:
        return kind == RH_UNDEF;
    case RH_T_NOT_UNDEF:
        return kind != RH_UNDEF && match_inner(t->u.inner[0], v, sensitive);
    case RH_T_OPTIONAL:
        return kind == RH_UNDEF || (t->u.inner[0] && match(t->u.inner[0], v, sensitive));
    case RH_T_VARIANT:
        for (size_t i = 0; i < t->count && !stuck; i++)
            if (match(t->u.members[i], v, sensitive))
                return true;
        return false;
    case RH_T_NUMERIC:
        return kind == RH_INTEGER || kind == RH_FLOAT;
    case RH_T_SCALAR:
        return is_scalar(kind);
    case RH_T_SCALAR_DATA:
        return is_scalar_data(kind);
    case RH_T_COLLECTION:
        return (kind == RH_ARRAY || kind == RH_HASH || kind == RH_MAP)
               && rh_range_has(t->range, kind == RH_MAP ? v->count / 2 : v->count);
    case RH_T_ITERABLE:
        return match_iterable(t, v, sensitive);
    case RH_T_SENSITIVE:
        return match_sensitive(t, v, sensitive);
    case RH_T_SEMVER_RANGE:
        return kind == RH_SEMVER_RANGE;
    case RH_T_BINARY:
        return kind == RH_BINARY;
    case RH_T_DEFAULT:
        return kind == RH_DEFAULT;
    case RH_T_NAMED:
        return match_named(t, v);
    case RH_T_ALIAS:
    case RH_T_DATA:
    case RH_T_RICH_DATA:
        return t->u.alias->target && match(t->u.alias->target, v, sensitive);
    default:
        return match_exact(t, v, sensitive);
    }
}

bool
rh_match(const struct rh_datatype *t, const struct rh_value *v, bool sensitive)
{
    return match(t, v, sensitive);
}

enum rh_fit
rh_datatype_fit(const struct rh_datatype *t, const struct rh_value *v)
{
    const struct rh_regex *before = stuck; /* when asked in the course of another question */
    enum rh_fit fit;

    stuck = NULL;
    fit = match(t, v, false) ? RH_FITS : stuck ? RH_UNDECIDED : RH_MISFITS;
    stuck = before;
    return fit;
}

bool
rh_datatype_match(const struct rh_datatype *t, const struct rh_value *v)
{
    return rh_datatype_fit(t, v) == RH_FITS;
}
