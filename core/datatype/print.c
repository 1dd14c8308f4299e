/* SPDX-License-Identifier: Apache-2.0 */
/* print - types and what stands in them as canonical text. */
#include "config.h"

#include "datatype/print.h"

#include "datatype/regex.h"
#include "datatype/uri.h"

#include "base/text.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

/* Aliases that are being expanded, innermost first. */
struct open_alias {
    const struct rh_alias *alias;
    const struct open_alias *up;
};

struct printer {
    struct rh_buf *b;
    bool expand;
    const struct open_alias *open;
};

static void print(struct printer *p, const struct rh_datatype *t);

static void
print_bound(struct rh_buf *b, int64_t n, int64_t open)
{
    if (n == open)
        rh_buf_add(b, "default");
    else
        rh_buf_addf(b, "%" PRId64, n);
}

/* "1, 3"; nothing when open. `sep` goes in front of it. */
static void
print_range(struct rh_buf *b, struct rh_range r, const char *sep)
{
    if (rh_range_open(r))
        return;
    rh_buf_add(b, sep);
    print_bound(b, r.min, INT64_MIN);
    if (r.max != INT64_MAX) {
        rh_buf_add(b, ", ");
        print_bound(b, r.max, INT64_MAX);
    }
}

static bool
any_size(struct rh_range r)
{
    return r.min <= 0 && r.max == INT64_MAX;
}

static void
print_bracketed_range(struct printer *p, struct rh_range r)
{
    if (rh_range_open(r))
        return;
    rh_buf_addc(p->b, '[');
    print_range(p->b, r, "");
    rh_buf_addc(p->b, ']');
}

static void
print_real(struct printer *p, const struct rh_datatype *t)
{
    if (t->u.real.min == -DBL_MAX && t->u.real.max == DBL_MAX)
        return;
    rh_buf_addc(p->b, '[');
    if (t->u.real.min == -DBL_MAX)
        rh_buf_add(p->b, "default");
    else
        rh_print_float(p->b, t->u.real.min);
    if (t->u.real.max != DBL_MAX) {
        rh_buf_add(p->b, ", ");
        rh_print_float(p->b, t->u.real.max);
    }
    rh_buf_addc(p->b, ']');
}

static void
print_instant(struct printer *p, const struct rh_datatype *t, struct rh_instant i)
{
    rh_buf_addc(p->b, '\'');
    if (t->kind == RH_T_TIMESTAMP)
        rh_timestamp_print(p->b, i);
    else
        rh_timespan_print(p->b, i);
    rh_buf_addc(p->b, '\'');
}

static void
print_time(struct printer *p, const struct rh_datatype *t)
{
    bool from = t->u.time.min.s != INT64_MIN, to = t->u.time.max.s != INT64_MAX;

    if (!from && !to)
        return;
    rh_buf_addc(p->b, '[');
    if (from)
        print_instant(p, t, t->u.time.min);
    else
        rh_buf_add(p->b, "default");
    /* What a value is (infer.c) has one point in time for both ends: said once. */
    if (to && !(t->known && rh_instant_compare(t->u.time.min, t->u.time.max) == 0)) {
        rh_buf_add(p->b, ", ");
        print_instant(p, t, t->u.time.max);
    }
    rh_buf_addc(p->b, ']');
}

static void
print_inner(struct printer *p, const struct rh_datatype *t)
{
    const struct rh_datatype *inner = t->u.inner[0];

    if (!inner
        || (inner->kind == RH_T_ANY && t->kind != RH_T_OPTIONAL && t->kind != RH_T_ITERABLE
            && t->kind != RH_T_TYPE))
        return;
    rh_buf_addc(p->b, '[');
    if (inner->kind == RH_T_STRING && inner->u.literal.s
        && (t->kind == RH_T_OPTIONAL || t->kind == RH_T_NOT_UNDEF))
        rh_print_word(p->b, inner->u.literal);
    else
        print(p, inner);
    rh_buf_addc(p->b, ']');
}

static bool
is_any(const struct rh_datatype *t)
{
    return !t || t->kind == RH_T_ANY;
}

static void
print_container(struct printer *p, const struct rh_datatype *t)
{
    bool any = is_any(t->u.inner[0]) && (t->kind == RH_T_ARRAY || is_any(t->u.inner[1]));
    bool sized = !any_size(t->range);

    if (t->range.max == 0) {
        rh_buf_add(p->b, "[0, 0]");
        return;
    }
    if (any && !sized)
        return;
    rh_buf_addc(p->b, '[');
    print(p, t->u.inner[0] ? t->u.inner[0] : &rh_type_any);
    if (t->kind == RH_T_HASH) {
        rh_buf_add(p->b, ", ");
        print(p, t->u.inner[1] ? t->u.inner[1] : &rh_type_any);
    }
    if (t->range.min != INT64_MIN)
        print_range(p->b, t->range, ", ");
    rh_buf_addc(p->b, ']');
}

static void
print_key(struct printer *p, const struct rh_member *k)
{
    bool optional = rh_type_takes_undef(k->type);

    if (k->presence == RH_KEY_OPTIONAL && !optional)
        rh_buf_add(p->b, "Optional[");
    else if (k->presence == RH_KEY_REQUIRED && optional)
        rh_buf_add(p->b, "NotUndef[");
    rh_print_word(p->b, k->key);
    if ((k->presence == RH_KEY_OPTIONAL && !optional) || (k->presence == RH_KEY_REQUIRED && optional))
        rh_buf_addc(p->b, ']');
    rh_buf_add(p->b, " => ");
    print(p, k->type);
}

static void
print_uri_part(struct printer *p, const struct rh_uri_part *part)
{
    const char *s;
    size_t n;

    rh_buf_addf(p->b, "'%s' => ", rh_uri_component_name(part->part));
    if (part->regex) {
        s = rh_regex_source(part->regex, &n);
        rh_print_regex(p->b, s, n);
    } else if (part->type) {
        print(p, part->type);
    } else {
        rh_print_word(p->b, part->word);
    }
}

static void
print_item(struct printer *p, const struct rh_datatype *t, size_t i)
{
    const char *s;
    size_t n;

    switch (t->kind) {
    case RH_T_ENUM:
        rh_print_word(p->b, t->u.words[i]);
        return;
    case RH_T_PATTERN:
    case RH_T_REGEXP:
        s = rh_regex_source(t->u.regexes[i], &n);
        rh_print_regex(p->b, s, n);
        return;
    case RH_T_STRUCT:
        print_key(p, &t->u.keys[i]);
        return;
    case RH_T_SEMVER:
        rh_print_word(p->b, (struct rh_word){ t->u.versions[i].text, strlen(t->u.versions[i].text) });
        return;
    case RH_T_URI:
        print_uri_part(p, &t->u.parts[i]);
        return;
    default:
        print(p, t->u.members[i]);
    }
}

static void
print_items(struct printer *p, const struct rh_datatype *t)
{
    bool braces = t->kind == RH_T_STRUCT || t->kind == RH_T_URI;
    bool sized = t->kind == RH_T_TUPLE && !rh_range_open(t->range);

    if (!t->count && !sized)
        return;
    rh_buf_add(p->b, braces ? "[{" : "[");
    for (size_t i = 0; i < t->count; i++) {
        if (i)
            rh_buf_add(p->b, ", ");
        print_item(p, t, i);
    }
    if (t->kind == RH_T_ENUM && t->fold)
        rh_buf_add(p->b, ", true");
    if (sized)
        print_range(p->b, t->range, t->count ? ", " : "");
    rh_buf_add(p->b, braces ? "}]" : "]");
}

static void
print_alias(struct printer *p, const struct rh_alias *alias)
{
    struct open_alias here = { alias, p->open };

    rh_buf_add(p->b, alias->name);
    if (!p->expand || alias->builtin || !alias->target)
        return;
    for (const struct open_alias *o = p->open; o; o = o->up)
        if (o->alias == alias)
            return;
    rh_buf_add(p->b, " = ");
    p->open = &here;
    print(p, alias->target);
    p->open = here.up;
}

static void
print(struct printer *p, const struct rh_datatype *t)
{
    if (rh_type_is_alias(t)) {
        print_alias(p, t->u.alias);
        return;
    }
    rh_buf_add(p->b, rh_type_name(t));
    switch (t->kind) {
    case RH_T_BOOLEAN:
        if (t->known)
            rh_buf_add(p->b, t->u.truth ? "[true]" : "[false]");
        return;
    case RH_T_INTEGER:
        print_bracketed_range(p, t->range);
        return;
    case RH_T_STRING:
    case RH_T_COLLECTION:
        if (t->range.min > 0 || t->range.max != INT64_MAX)
            print_bracketed_range(p, rh_size(t->range));
        else if (t->range.min == 0)
            rh_buf_add(p->b, "[0]");
        return;
    case RH_T_FLOAT:
        print_real(p, t);
        return;
    case RH_T_TIMESTAMP:
    case RH_T_TIMESPAN:
        print_time(p, t);
        return;
    case RH_T_OPTIONAL:
    case RH_T_NOT_UNDEF:
    case RH_T_SENSITIVE:
    case RH_T_TYPE:
    case RH_T_ITERABLE:
        print_inner(p, t);
        return;
    case RH_T_ARRAY:
    case RH_T_HASH:
        print_container(p, t);
        return;
    case RH_T_NAMED:
        if (t->u.named.params)
            rh_buf_addf(p->b, "[%s]", t->u.named.params);
        return;
    case RH_T_VARIANT:
    case RH_T_TUPLE:
    case RH_T_ENUM:
    case RH_T_PATTERN:
    case RH_T_REGEXP:
    case RH_T_STRUCT:
    case RH_T_SEMVER:
    case RH_T_URI:
        print_items(p, t);
        return;
    default:
        return;
    }
}

void
rh_datatype_print(const struct rh_datatype *t, struct rh_buf *b)
{
    struct printer p = { .b = b };

    print(&p, t);
}

void
rh_print_expanded(struct rh_buf *b, const struct rh_datatype *t)
{
    struct printer p = { .b = b, .expand = true };

    print(&p, t);
}
