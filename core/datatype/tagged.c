/* SPDX-License-Identifier: Apache-2.0 */
/* tagged - what JSON can't say, as hashes that say what they stand for. */
#include "config.h"

#include "datatype/tagged.h"

#include "datatype/rich.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/suggest.h"
#include "base/value.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *tag;
    enum rh_kind kind;
} tags[] = {
    { "Binary", RH_BINARY },     { "Default", RH_DEFAULT },   { "Float", RH_FLOAT },
    { "Regexp", RH_REGEXP },     { "SemVer", RH_SEMVER },     { "SemVerRange", RH_SEMVER_RANGE },
    { "Sensitive", RH_WRAPPED }, { "Timespan", RH_TIMESPAN }, { "Timestamp", RH_TIMESTAMP },
    { "Type", RH_TYPE },         { "URI", RH_URI },           { "hash", RH_MAP },
};

enum { N_TAGS = sizeof tags / sizeof tags[0] };

static void
refuse_tag(const char *tag, struct rh_error *err)
{
    struct rh_suggest s;

    rh_suggest_init(&s, tag);
    for (size_t i = 0; i < N_TAGS; i++)
        rh_suggest_try(&s, tags[i].tag);
    rh_error_set(err, RH_EINPUT, "unknown tag '%.80s'", tag);
    (void)rh_error_suggest(err, s.best, NULL);
}

static struct rh_value *
read_scalar(struct rh_arena *a, const char *tag, enum rh_kind kind, const struct rh_value *inner,
            struct rh_error *err)
{
    struct rh_value *v;
    char *end;
    double d;

    if (!rh_value_is(inner, RH_STRING)) {
        rh_error_set(err, RH_EINPUT, "the value of tag %s must be a string", tag);
        return NULL;
    }
    if (kind == RH_FLOAT) {
        d = strtod(inner->u.string, &end);
        if (end != inner->u.string && end == inner->u.string + inner->count)
            return rh_value_float(a, d);
    } else {
        v = rh_value_stringn(a, inner->u.string, inner->count);
        if (rh_rich_convert(a, kind, v))
            return v;
    }
    rh_error_set(err, RH_EINPUT, "'%.80s' is not a valid value of tag %s", inner->u.string, tag);
    return NULL;
}

static struct rh_value *
read_map(struct rh_arena *a, const struct rh_value *inner, struct rh_error *err)
{
    struct rh_value *map = rh_value_new(a, RH_MAP);

    if (!rh_value_is(inner, RH_ARRAY) || inner->count % 2) {
        rh_error_set(err, RH_EINPUT, "the value of tag hash must be a list of keys and values in turn");
        return NULL;
    }
    for (size_t i = 0; i < inner->count; i++) {
        struct rh_value *item = rh_value_untag(a, rh_value_at(inner, i), err);

        if (!item)
            return NULL;
        rh_value_append(map, item);
    }
    return map;
}

static struct rh_value *
read_tagged(struct rh_arena *a, const struct rh_value *v, struct rh_error *err)
{
    const char *tag = rh_value_get_str(v, "__ptype", NULL);
    const struct rh_value *inner = rh_value_get(v, "__pvalue");
    struct rh_value *made, *wrapped;
    size_t i = 0;

    while (tag && i < N_TAGS && strcmp(tags[i].tag, tag) != 0)
        i++;
    if (!tag || i == N_TAGS) {
        refuse_tag(tag ? tag : "", err);
        return NULL;
    }
    switch (tags[i].kind) {
    case RH_DEFAULT:
        return rh_value_new(a, RH_DEFAULT);
    case RH_MAP:
        return read_map(a, inner, err);
    case RH_WRAPPED:
        made = inner ? rh_value_untag(a, inner, err) : rh_value_new(a, RH_UNDEF);
        if (!made)
            return NULL;
        wrapped = rh_value_new(a, RH_WRAPPED);
        rh_value_append(wrapped, made);
        return wrapped;
    default:
        return read_scalar(a, tag, tags[i].kind, inner, err);
    }
}

struct rh_value *
rh_value_untag(struct rh_arena *a, const struct rh_value *v, struct rh_error *err)
{
    struct rh_value *made;

    if (rh_value_get(v, "__ptype"))
        return read_tagged(a, v, err);
    if (!rh_value_is(v, RH_ARRAY) && !rh_value_is(v, RH_HASH))
        return v ? rh_value_copy(a, v) : rh_value_new(a, RH_UNDEF);
    made = rh_value_new(a, v->kind);
    for (size_t i = 0; i < v->count; i++) {
        const struct rh_entry *e = v->kind == RH_HASH ? rh_value_entry(v, i) : NULL;
        struct rh_value *item = rh_value_untag(a, e ? e->value : rh_value_at(v, i), err);

        if (!item)
            return NULL;
        if (e)
            rh_value_add_ref(made, rh_arena_strdup(a, e->key), item);
        else
            rh_value_append(made, item);
    }
    return made;
}
