/* SPDX-License-Identifier: Apache-2.0 */
/* rich-text - text that stands for a rich scalar. */
#include "config.h"

#include "datatype/rich.h"

#include "datatype/datatype.h"
#include "datatype/regex.h"
#include "datatype/semver.h"
#include "datatype/timestamp.h"
#include "datatype/uri.h"

#include "base/arena.h"
#include "base/error.h"

#include <string.h>

/* White space between the digits is skipped. */
static bool
read_base64(struct rh_arena *a, struct rh_value *v)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char *out = rh_arena_alloc(a, (size_t)v->count / 4 * 3 + 4);
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
    v->u.string = (const char *)out;
    v->count = (uint32_t)n;
    return true;
}

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
    case RH_TYPE:
        return rh_datatype_parse(a, NULL, v->u.string, NULL) != NULL;
    case RH_REGEXP:
        return rh_regex_new(a, v->u.string, v->count, NULL) != NULL;
    default:
        return false;
    }
}

bool
rh_rich_convert(struct rh_arena *a, enum rh_kind kind, struct rh_value *v)
{
    bool ok = kind == RH_BINARY ? read_base64(a, v) : strlen(v->u.string) == v->count && is_kind(a, kind, v);

    if (ok)
        v->kind = (uint8_t)kind;
    return ok;
}
