/* SPDX-License-Identifier: Apache-2.0 */
/* scalar - what plain text in a manifest means. */
#include "config.h"

#include "manifest/text/scalar.h"

#include "base/draft.h"
#include "base/value.h"
#include "datatype/datatype.h"
#include "datatype/rich.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WRAPPINGS = 64 };

/* The core schema (YAML 1.2.2, 10.3.2). Each says whether the text is of its form. */

static bool
is_one_of(const char *s, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(s, *words) == 0)
            return true;
    return false;
}

static bool
is_null(const char *s, size_t n)
{
    static const char *const words[] = { "~", "null", "Null", "NULL", NULL };

    return n == 0 || is_one_of(s, words);
}

static bool
read_boolean(const char *s, int64_t *b)
{
    static const char *const yes[] = { "true", "True", "TRUE", NULL };
    static const char *const no[] = { "false", "False", "FALSE", NULL };

    *b = is_one_of(s, yes);
    return *b || is_one_of(s, no);
}

static size_t
digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* False also for what is too large: the text then stays what it is. */
static bool
read_integer(const char *s, size_t n, int64_t *i)
{
    const char *at = s;
    char *end;
    int base = 10;

    if (s[0] == '0' && (s[1] == 'o' || s[1] == 'x')) {
        base = s[1] == 'o' ? 8 : 16;
        at = s + 2;
        if (strspn(at, base == 8 ? "01234567" : "0123456789abcdefABCDEF") != n - 2 || n == 2)
            return false;
    } else {
        size_t sign = *s == '-' || *s == '+';

        if (n == sign || digits(s + sign) != n - sign)
            return false;
    }
    errno = 0;
    *i = strtoll(at, &end, base);
    return errno == 0 && *end == '\0';
}

static bool
read_float(const char *s, size_t n, double *d)
{
    static const char *const infinite[] = { ".inf", ".Inf", ".INF", NULL };
    static const char *const none[] = { ".nan", ".NaN", ".NAN", NULL };
    const char *at = s + (*s == '-' || *s == '+');
    bool marked;
    size_t whole, part = 0;

    if (is_one_of(at, infinite)) {
        *d = *s == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (is_one_of(s, none)) {
        *d = NAN;
        return true;
    }
    whole = digits(at);
    at += whole;
    if (*at == '.') {
        part = digits(at + 1);
        at += 1 + part;
    }
    if (!whole && !part)
        return false;
    marked = at[-1] == '.' || part || *at == 'e' || *at == 'E';
    if (*at == 'e' || *at == 'E') {
        size_t exponent;

        at += 1 + (at[1] == '-' || at[1] == '+');
        exponent = digits(at);
        if (!exponent)
            return false;
        at += exponent;
    }
    if (at != s + n || !marked) /* an integer that is too large is not a float instead */
        return false;
    *d = strtod(s, NULL);
    return isfinite(*d);
}

bool
rh_scalar_is_null(const struct rh_value *v)
{
    return v->kind == RH_UNDEF
           || (v->kind == RH_STRING && v->marks & RH_PLAIN && is_null(v->u.string, v->count));
}

/* Makes of a text what the core schema says; false when that is text. */
static bool
read_core(struct rh_value *v)
{
    const char *s = v->u.string;
    size_t n = v->count;
    int64_t i = 0;
    double d = 0;

    /* Most text starts with a letter that none of the forms has. */
    if (n && !strchr("-+.0123456789~nNtTfF", s[0]))
        return false;
    if (memchr(s, '\0', n))
        return false;
    if (is_null(s, n))
        v->kind = RH_UNDEF;
    else if (read_boolean(s, &i))
        v->kind = RH_BOOLEAN;
    else if (read_integer(s, n, &i))
        v->kind = RH_INTEGER;
    else if (read_float(s, n, &d))
        v->kind = RH_FLOAT;
    else
        return false;
    v->count = 0;
    if (v->kind == RH_UNDEF)
        v->u.string = "";
    else if (v->kind == RH_FLOAT)
        v->u.real = d;
    else
        v->u.integer = i;
    return true;
}

int
rh_scalar_read_as(struct rh_value *v, const char *core)
{
    static const struct {
        const char *tag;
        uint8_t kind;
    } kinds[] = {
        { "null", RH_UNDEF },
        { "bool", RH_BOOLEAN },
        { "int", RH_INTEGER },
        { "float", RH_FLOAT },
    };
    struct rh_value read = *v;

    v->marks &= (uint8_t)~RH_PLAIN;
    if (strcmp(core, "str") == 0)
        return 0;
    if (!read_core(&read))
        return -1;
    if (strcmp(core, "float") == 0 && read.kind == RH_INTEGER) {
        read.u.real = (double)read.u.integer;
        read.kind = RH_FLOAT;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].tag, core) == 0 && kinds[i].kind == read.kind) {
            read.marks &= (uint8_t)~RH_PLAIN;
            *v = read;
            return 0;
        }
    return -1;
}

/* Types. */

/* What is inside of Optional, NotUndef, Sensitive and aliases; NULL: anything. */
static const struct rh_datatype *
unwrap(const struct rh_datatype *t)
{
    for (int i = 0; t && i < MOST_WRAPPINGS; i++) {
        switch (rh_datatype_kind(t)) {
        case RH_T_OPTIONAL:
        case RH_T_NOT_UNDEF:
        case RH_T_SENSITIVE:
        case RH_T_ALIAS:
            t = rh_datatype_inner(t, 0);
            break;
        default:
            return t;
        }
    }
    return NULL;
}

static void
read_plain(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v)
{
    struct rh_value text;

    v->marks &= (uint8_t)~RH_PLAIN;
    text = *v;
    switch (t ? rh_datatype_kind(t) : RH_T_ANY) {
    case RH_T_STRING:
    case RH_T_PATTERN:
    case RH_T_ENUM:
        /* Only text fits: there is nothing to weigh. */
        if (is_null(v->u.string, v->count))
            (void)read_core(v);
        return;
    default:
        break;
    }
    if (t && rh_is_rich(t) && !is_null(v->u.string, v->count)) {
        rh_rich_read(a, t, v);
        return;
    }
    if (!read_core(v)) {
        if (t)
            rh_rich_read(a, t, v);
        return;
    }
    if (!t || v->kind == RH_UNDEF || rh_datatype_match(t, v))
        return;
    if (rh_datatype_match(t, &text)) {
        *v = text;
        return;
    }
    rh_rich_read(a, t, &text); /* 12 as a version range, say */
    if (text.kind != RH_STRING)
        *v = text;
}

/* Containers. */

static bool
may_contain(const struct rh_datatype *t, const struct rh_value *v)
{
    switch (rh_datatype_kind(t)) {
    case RH_T_ARRAY:
    case RH_T_TUPLE:
        return v->kind == RH_ARRAY;
    case RH_T_HASH:
    case RH_T_STRUCT:
        return v->kind == RH_HASH;
    case RH_T_ANY:
    case RH_T_DATA:
    case RH_T_RICH_DATA:
    case RH_T_COLLECTION:
    case RH_T_ITERABLE:
        return true;
    default:
        return false;
    }
}

static const struct rh_datatype *
member_for(const struct rh_datatype *variant, const struct rh_value *v, size_t *i)
{
    for (; *i < rh_datatype_count(variant); ++*i) {
        const struct rh_datatype *member = unwrap(rh_datatype_inner(variant, *i));

        if (member && rh_datatype_kind(member) == RH_T_VARIANT) {
            size_t within = 0;

            member = member_for(member, v, &within);
        }
        if (member && may_contain(member, v))
            return member;
    }
    return NULL;
}

/* Of a Variant's members that are lists (or hashes), the first that fits when it has read it. */
static void
read_variant(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v)
{
    size_t i = 0, next;
    const struct rh_datatype *first = member_for(t, v, &i), *member;

    next = i + 1;
    if (!first || !member_for(t, v, &next)) {
        (void)rh_scalar_read(a, first, v);
        return;
    }
    for (member = first; member; i++, member = member_for(t, v, &i)) {
        struct rh_value *read = rh_scalar_read(a, member, rh_value_copy(a, v));

        if (rh_datatype_match(member, read)) {
            *v = *read;
            return;
        }
    }
    (void)rh_scalar_read(a, first, v);
}

static const struct rh_datatype *
struct_key(const struct rh_datatype *t, const char *key)
{
    for (size_t i = 0; i < rh_datatype_count(t); i++) {
        const struct rh_datatype *type = NULL;

        if (strcmp(rh_datatype_key(t, i, &type), key) == 0)
            return type;
    }
    return NULL;
}

/* The type of element i of what `t` describes; NULL: anything. */
static const struct rh_datatype *
inside(const struct rh_datatype *t, const struct rh_value *v, size_t i)
{
    size_t n;

    switch (t ? rh_datatype_kind(t) : RH_T_ANY) {
    case RH_T_ARRAY:
        return v->kind == RH_ARRAY ? rh_datatype_inner(t, 0) : NULL;
    case RH_T_TUPLE:
        n = rh_datatype_count(t);
        return v->kind == RH_ARRAY && n ? rh_datatype_inner(t, i < n ? i : n - 1) : NULL;
    case RH_T_HASH:
        return v->kind == RH_HASH ? rh_datatype_inner(t, 1) : NULL;
    case RH_T_STRUCT:
        return v->kind == RH_HASH ? struct_key(t, v->u.entries[i].key) : NULL;
    default:
        return NULL;
    }
}

struct rh_value *
rh_scalar_read(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v)
{
    t = unwrap(t);
    if (v->kind == RH_STRING) {
        if (v->marks & RH_PLAIN)
            read_plain(a, t, v);
        else if (t)
            rh_rich_read(a, t, v);
    } else if (v->kind == RH_ARRAY || v->kind == RH_HASH) {
        if (t && rh_datatype_kind(t) == RH_T_VARIANT) {
            read_variant(a, t, v);
            return v;
        }
        for (uint32_t i = 0; i < v->count; i++)
            (void)rh_scalar_read(a, inside(t, v, i), rh_draft_part(v, i));
    }
    return v;
}
