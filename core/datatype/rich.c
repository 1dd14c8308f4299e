/* SPDX-License-Identifier: Apache-2.0 */
/* rich - text to what has no way of writing of its own in YAML. */
#include "config.h"

#include "datatype/rich.h"

#include "base/value.h"
#include "datatype/datatype.h"

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
        { RH_T_BINARY, RH_BINARY },
    };
    struct rh_value made = *v;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].type == rh_datatype_kind(t) && rh_rich_convert(a, kinds[i].kind, &made)
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

        if (kind != RH_T_OPTIONAL && kind != RH_T_NOT_UNDEF && kind != RH_T_SENSITIVE && kind != RH_T_ALIAS)
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
