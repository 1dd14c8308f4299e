/* SPDX-License-Identifier: Apache-2.0 */
/* rich - text to what has no way of writing of its own in YAML. */
#include "config.h"

#include "datatype/rich.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "datatype/regex.h"
#include "datatype/semver.h"
#include "datatype/timestamp.h"
#include "datatype/uri.h"

#include <string.h>

enum { MOST_WRAPPINGS = 64 };

bool
rh_is_rich(const struct rh_datatype *t)
{
    switch (rh_datatype_kind(t)) {
    case RH_T_REGEXP:
    case RH_T_TIMESTAMP:
    case RH_T_TIMESPAN:
    case RH_T_SEMVER:
    case RH_T_SEMVER_RANGE:
    case RH_T_URI:
    case RH_T_BINARY:
        return true;
    default:
        return false;
    }
}

/* Base64 with its padding; white space between is skipped. */
static bool
read_base64(struct rh_arena *a, struct rh_value *v)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *out = rh_arena_alloc(a, v->count / 4 * 3 + 4);
    uint32_t bits = 0;
    size_t n = 0, used = 0, padding = 0;

    for (uint32_t i = 0; i < v->count; i++) {
        char c = v->u.string[i];
        const char *digit = c ? strchr(digits, c) : NULL;

        if (c == ' ' || c == '\n')
            continue;
        if (c == '=' && used % 4 >= 2 && padding < 2)
            padding++;
        else if (!digit || padding)
            return false;
        bits = bits << 6 | (digit ? (uint32_t)(digit - digits) : 0);
        if (++used % 4 == 0) {
            out[n++] = (unsigned char)(bits >> 16);
            out[n++] = (unsigned char)(bits >> 8);
            out[n++] = (unsigned char)bits;
        }
    }
    if (used % 4)
        return false;
    n -= padding;
    out[n] = '\0';
    v->kind = RH_BINARY;
    v->u.string = (const char *)out;
    v->count = (uint32_t)n;
    return true;
}

/* Whether the text is well formed as that kind. */
static bool
is_kind(struct rh_arena *a, enum rh_kind kind, const struct rh_value *v)
{
    struct rh_semver semver;
    struct rh_semver_range range;
    struct rh_instant instant;
    struct rh_uri uri;

    switch (kind) {
    case RH_SEMVER:
        return rh_semver_parse(v->u.string, v->count, &semver);
    case RH_SEMVER_RANGE:
        return rh_semver_range_parse(a, v->u.string, &range);
    case RH_TIMESTAMP:
        return rh_timestamp_parse(v->u.string, v->count, &instant);
    case RH_TIMESPAN:
        return rh_timespan_parse(v->u.string, v->count, &instant);
    case RH_URI:
        return rh_uri_parse(v->u.string, v->count, &uri);
    default:
        return rh_regex_new(a, v->u.string, v->count, NULL) != NULL;
    }
}

static bool
read_one(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v)
{
    static const struct {
        enum rh_datatype_kind type;
        enum rh_kind kind;
    } kinds[] = {
        { RH_T_SEMVER, RH_SEMVER },
        { RH_T_SEMVER_RANGE, RH_SEMVER_RANGE },
        { RH_T_TIMESTAMP, RH_TIMESTAMP },
        { RH_T_TIMESPAN, RH_TIMESPAN },
        { RH_T_URI, RH_URI },
        { RH_T_REGEXP, RH_REGEXP },
    };
    struct rh_value made = *v;

    if (rh_datatype_kind(t) == RH_T_BINARY) {
        if (!read_base64(a, &made) || !rh_datatype_match(t, &made))
            return false;
        *v = made;
        return true;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        made.kind = (uint8_t)kinds[i].kind;
        if (kinds[i].type == rh_datatype_kind(t) && is_kind(a, kinds[i].kind, v)
            && rh_datatype_match(t, &made)) {
            *v = made;
            return true;
        }
    }
    return false;
}

void
rh_rich_read(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v)
{
    if (strlen(v->u.string) != v->count)
        return;
    if (rh_is_rich(t)) {
        (void)read_one(a, t, v);
        return;
    }
    if (rh_datatype_kind(t) != RH_T_VARIANT || rh_datatype_match(t, v))
        return;
    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const struct rh_datatype *member = rh_datatype_inner(t, i);

        if (member && rh_is_rich(member) && read_one(a, member, v))
            return;
    }
}

bool
rh_rich_take(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v)
{
    const struct rh_datatype *inner = t;
    struct rh_value made = *v;

    if (v->kind != RH_STRING)
        return false;
    for (int i = 0; inner && i < MOST_WRAPPINGS; i++) {
        enum rh_datatype_kind kind = rh_datatype_kind(inner);

        if (kind != RH_T_OPTIONAL && kind != RH_T_NOT_UNDEF && kind != RH_T_SENSITIVE
            && kind != RH_T_ALIAS)
            break;
        inner = rh_datatype_inner(inner, 0);
    }
    if (inner)
        rh_rich_read(a, inner, &made);
    if (made.kind == RH_STRING || made.kind == RH_BINARY || !rh_datatype_match(t, &made))
        return false;
    *v = made;
    return true;
}
