/* SPDX-License-Identifier: Apache-2.0 */
/* semver - versions as semver.org has them, and ranges as node-semver writes them. */
#include "config.h"

#include "datatype/semver.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "datatype/scan.h"

#include <string.h>

/* A version of a range, which may leave parts out or have x for them. */
struct partial {
    struct rh_semver v; /* 0 for what is missing */
    unsigned n_numbers; /* numbers before the first that is missing */
};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_part(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool
scan_number(struct rh_scan *in, int64_t *n)
{
    const char *from = in->s;

    *n = 0;
    while (in->s < in->end && in->s - from < 18
           && is_digit(*in->s)) /* no place takes the digits behind them */
        *n = *n * 10 + (*in->s++ - '0');
    return in->s > from && (*from != '0' || in->s == from + 1);
}

/* "rc.1": parts of letters, digits and hyphens; numbers without leading zeros where `strict`. */
static bool
scan_parts(struct rh_scan *in, bool strict)
{
    do {
        const char *from = in->s;
        bool number = true;

        while (in->s < in->end && is_part(*in->s))
            number = is_digit(*in->s++) && number;
        if (in->s == from || (strict && number && *from == '0' && in->s > from + 1))
            return false;
    } while (rh_scan_take(in, '.'));
    return true;
}

static bool
scan_qualifiers(struct rh_scan *in, struct rh_semver *v)
{
    if (rh_scan_take(in, '-')) {
        v->pre = in->s;
        if (!scan_parts(in, true))
            return false;
        v->pre_n = (size_t)(in->s - v->pre);
    }
    return !rh_scan_take(in, '+') || scan_parts(in, false);
}

bool
rh_semver_parse(const char *s, size_t n, struct rh_semver *v)
{
    struct rh_scan in = { s, s + n };

    *v = (struct rh_semver){ 0 };
    for (int i = 0; i < 3; i++)
        if ((i && !rh_scan_take(&in, '.')) || !scan_number(&in, &v->number[i]))
            return false;
    return scan_qualifiers(&in, v) && in.s == in.end;
}

static int
compare_part(const char *a, size_t an, const char *b, size_t bn)
{
    bool a_number = true, b_number = true;
    int order;

    for (size_t i = 0; i < an; i++)
        a_number = a_number && is_digit(a[i]);
    for (size_t i = 0; i < bn; i++)
        b_number = b_number && is_digit(b[i]);
    if (a_number != b_number)
        return a_number ? -1 : 1;
    if (a_number && an != bn)
        return an < bn ? -1 : 1;
    order = memcmp(a, b, an < bn ? an : bn);
    return order ? order : (an > bn) - (an < bn);
}

static size_t
part_length(const char *s, size_t n)
{
    const char *dot = n ? memchr(s, '.', n) : NULL;

    return dot ? (size_t)(dot - s) : n;
}

/* A prerelease comes before its release. */
static int
compare_pre(const struct rh_semver *a, const struct rh_semver *b)
{
    const char *x = a->pre, *y = b->pre;
    size_t xn = a->pre_n, yn = b->pre_n;

    if (!xn || !yn)
        return !xn - !yn;
    while (xn && yn) {
        size_t xp = part_length(x, xn), yp = part_length(y, yn);
        int order = compare_part(x, xp, y, yp);

        if (order)
            return order;
        xp += xp < xn;
        yp += yp < yn;
        x += xp;
        y += yp;
        xn -= xp;
        yn -= yp;
    }
    return (xn > 0) - (yn > 0);
}

static int
semver_compare(const struct rh_semver *a, const struct rh_semver *b)
{
    for (int i = 0; i < 3; i++)
        if (a->number[i] != b->number[i])
            return a->number[i] < b->number[i] ? -1 : 1;
    return compare_pre(a, b);
}

/* "1", "1.2.x", "*", "1.2.3-rc.1". */
static bool
scan_partial(struct rh_scan *in, struct partial *p)
{
    bool open = false;

    *p = (struct partial){ 0 };
    (void)rh_scan_take(in, 'v');
    for (int i = 0; i < 3; i++) {
        if (i && !rh_scan_take(in, '.'))
            return i > 0;
        if (rh_scan_take(in, 'x') || rh_scan_take(in, 'X') || rh_scan_take(in, '*')) {
            open = true;
        } else {
            if (!scan_number(in, &p->v.number[i]))
                return false;
            if (open)
                p->v.number[i] = 0;
            else
                p->n_numbers++;
        }
    }
    return scan_qualifiers(in, &p->v);
}

static void
bump(struct rh_semver *v, unsigned number)
{
    v->number[number]++;
    for (unsigned i = number + 1; i < 3; i++)
        v->number[i] = 0;
    v->pre = NULL;
    v->pre_n = 0;
}

/* From the version to, without, the one that differs in number `number`. */
static struct rh_semver_span
span_up_to(const struct partial *p, unsigned number)
{
    struct rh_semver_span s = { .min = p->v, .max = p->v, .below = true };

    bump(&s.max, number);
    return s;
}

static const struct rh_semver_span everything = { .open = true };
static const struct rh_semver_span nothing = { .below = true };

static struct rh_semver_span
span_of(char op, bool equal, const struct partial *p)
{
    struct rh_semver_span s = { .min = p->v, .open = true };

    if (!p->n_numbers && op != '<' && op != '>') {
        s = everything;
        s.pres = true;
        return s;
    }
    switch (op) {
    case '>':
        if (equal)
            return s;
        if (!p->n_numbers)
            return nothing;
        if (p->n_numbers < 3)
            bump(&s.min, p->n_numbers - 1);
        else
            s.above = true;
        return s;
    case '<':
        s = (struct rh_semver_span){ .max = p->v, .below = !equal };
        if (!p->n_numbers)
            return equal ? everything : nothing;
        if (equal && p->n_numbers < 3) {
            bump(&s.max, p->n_numbers - 1);
            s.below = true;
        }
        return s;
    case '~':
        return span_up_to(p, p->n_numbers > 1 ? 1 : 0);
    case '^':
        if (p->v.number[0] || p->n_numbers == 1)
            return span_up_to(p, 0);
        return span_up_to(p, 1);
    default:
        if (p->n_numbers < 3)
            return span_up_to(p, p->n_numbers - 1);
        return (struct rh_semver_span){ .min = p->v, .max = p->v };
    }
}

static void
narrow(struct rh_semver_span *a, const struct rh_semver_span *b)
{
    int order = semver_compare(&b->min, &a->min);

    if (order > 0 || (order == 0 && b->above)) {
        a->min = b->min;
        a->above = b->above;
    }
    if (!b->open) {
        order = a->open ? -1 : semver_compare(&b->max, &a->max);
        if (order < 0 || (order == 0 && b->below)) {
            a->max = b->max;
            a->below = b->below;
        }
        a->open = false;
    }
    a->pres = a->pres && b->pres;
}

static void
skip_blanks(struct rh_scan *in)
{
    while (in->s < in->end && is_blank(*in->s))
        in->s++;
}

static bool
scan_simple(struct rh_scan *in, struct rh_semver_span *s)
{
    struct partial p;
    char op = '=';
    bool equal = false;

    if (in->s < in->end && *in->s && strchr("<>=~^", *in->s)) {
        op = *in->s++;
        equal = op != '^' && rh_scan_take(in, '=');
        if (op == '~' && !equal)
            (void)rh_scan_take(in, '>');
        skip_blanks(in);
    }
    if (!scan_partial(in, &p))
        return false;
    *s = span_of(op, equal, &p);
    return true;
}

/* "1.0 - 2.0", which takes in 2.0 and nothing above. false without moving when it isn't that. */
static bool
scan_hyphen(struct rh_scan *in, struct rh_semver_span *s)
{
    struct rh_scan ahead = *in;
    struct partial from, to;

    if (!scan_partial(&ahead, &from) || ahead.s == ahead.end || !is_blank(*ahead.s))
        return false;
    skip_blanks(&ahead);
    if (!rh_scan_take(&ahead, '-') || ahead.s == ahead.end || !is_blank(*ahead.s))
        return false;
    skip_blanks(&ahead);
    if (!scan_partial(&ahead, &to))
        return false;
    *s = (struct rh_semver_span){ .min = from.v, .max = to.v };
    *in = ahead;
    return true;
}

static bool
scan_alternative(struct rh_scan in, struct rh_semver_span *s)
{
    struct rh_semver_span simple;

    skip_blanks(&in);
    if (scan_hyphen(&in, s)) {
        skip_blanks(&in);
        return in.s == in.end;
    }
    *s = everything;
    s->pres = true;
    do {
        if (!scan_simple(&in, &simple) || (in.s < in.end && !is_blank(*in.s)))
            return false;
        narrow(s, &simple);
        skip_blanks(&in);
    } while (in.s < in.end);
    return true;
}

bool
rh_semver_range_parse(struct rh_arena *a, const char *s, struct rh_semver_range *r)
{
    size_t n = strlen(s), count = 1, from = 0, i = 0;
    struct rh_semver_span *spans;

    for (const char *bar = strstr(s, "||"); bar; bar = strstr(bar + 2, "||"))
        count++;
    spans = rh_arena_alloc(a, rh_xmul(count, sizeof *spans));
    while (i < count) {
        const char *bar = strstr(s + from, "||");
        size_t to = bar ? (size_t)(bar - s) : n;

        if (!scan_alternative((struct rh_scan){ s + from, s + to }, &spans[i++]))
            return false;
        from = to + 2;
    }
    *r = (struct rh_semver_range){ s, spans, count };
    return true;
}

static bool
same_numbers(const struct rh_semver *a, const struct rh_semver *b)
{
    return memcmp(a->number, b->number, sizeof a->number) == 0;
}

/* A prerelease is only meant by a range that names one of the same release. */
static bool
span_has(const struct rh_semver_span *s, const struct rh_semver *v)
{
    int low = semver_compare(v, &s->min);
    int high = s->open ? -1 : semver_compare(v, &s->max);

    if (low < 0 || (low == 0 && s->above) || high > 0 || (high == 0 && s->below))
        return false;
    return !v->pre_n || s->pres || (s->min.pre_n && same_numbers(&s->min, v))
           || (!s->open && s->max.pre_n && same_numbers(&s->max, v));
}

bool
rh_semver_range_has(const struct rh_semver_range *r, const struct rh_semver *v)
{
    for (size_t i = 0; i < r->count; i++)
        if (span_has(&r->spans[i], v))
            return true;
    return false;
}

static bool
span_covers(const struct rh_semver_span *outer, const struct rh_semver_span *inner)
{
    int low = semver_compare(&outer->min, &inner->min), high;

    if (low > 0 || (low == 0 && outer->above && !inner->above))
        return false;
    if (outer->open)
        return true;
    if (inner->open)
        return false;
    high = semver_compare(&outer->max, &inner->max);
    return high > 0 || (high == 0 && (!outer->below || inner->below));
}

bool
rh_semver_range_covers(const struct rh_semver_range *outer, const struct rh_semver_range *inner)
{
    for (size_t i = 0; i < inner->count; i++) {
        size_t j = 0;

        while (j < outer->count && !span_covers(&outer->spans[j], &inner->spans[i]))
            j++;
        if (j == outer->count)
            return false;
    }
    return true;
}
