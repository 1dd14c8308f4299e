/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - Lua's patterns in the notation of PCRE2. Sets and classes are worked out byte by byte,
 * so that they are Lua's whatever is in them; the rest has an equal each. */
#include "config.h"

#include "script/match.h"

#include "base/text.h"

#include <string.h>

enum { DEEPEST_BALANCE_GROUPS = 1000 };

struct set {
    uint64_t bits[4];
};

struct translating {
    const unsigned char *at, *end;
    struct rh_buf *out;
    struct rh_pattern *p;
    unsigned groups;                    /* of PCRE2, so far */
    unsigned open[RH_PATTERN_CAPTURES]; /* captures that are not closed */
    unsigned n_open;
    bool started; /* what a match starts with is settled */
};

static bool
in_set(const struct set *s, unsigned c)
{
    return s->bits[c >> 6] >> (c & 63) & 1;
}

static void
put(struct set *s, unsigned c)
{
    s->bits[c >> 6] |= UINT64_C(1) << (c & 63);
}

static bool
is_alpha(unsigned c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool
is_digit(unsigned c)
{
    return c >= '0' && c <= '9';
}

static bool
is_punct(unsigned c)
{
    return c > ' ' && c < 127 && !is_alpha(c) && !is_digit(c);
}

/* Whether `c` is in the class of this letter, as in the C locale; a letter that is none stands for
 * itself. */
static bool
in_class(unsigned c, unsigned letter)
{
    bool in;

    switch (letter | 32) {
    case 'a':
        in = is_alpha(c);
        break;
    case 'c':
        in = c < 32 || c == 127;
        break;
    case 'd':
        in = is_digit(c);
        break;
    case 'g':
        in = c > ' ' && c < 127;
        break;
    case 'l':
        in = c >= 'a' && c <= 'z';
        break;
    case 'p':
        in = is_punct(c);
        break;
    case 's':
        in = c == ' ' || (c >= '\t' && c <= '\r');
        break;
    case 'u':
        in = c >= 'A' && c <= 'Z';
        break;
    case 'w':
        in = is_alpha(c) || is_digit(c);
        break;
    case 'x':
        in = is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f');
        break;
    case 'z':
        in = c == 0;
        break;
    default:
        return c == letter;
    }
    if (!is_alpha(letter))
        return c == letter;
    return letter & 32 ? in : !in;
}

static void
put_class(struct set *s, unsigned letter)
{
    for (unsigned c = 0; c < 256; c++)
        if (in_class(c, letter))
            put(s, c);
}

/* The ']' that ends the set which starts at `p`, or NULL. */
static const unsigned char *
end_of_set(const unsigned char *p, const unsigned char *end)
{
    if (++p < end && *p == '^')
        p++;
    do {
        if (p >= end)
            return NULL;
        if (*p++ == '%')
            p++;
    } while (p >= end || *p != ']');
    return p;
}

static const char *
read_set(struct translating *t, struct set *s)
{
    const unsigned char *p = t->at, *close = end_of_set(p, t->end);
    bool complement = false;

    if (!close || close >= t->end)
        return "malformed pattern (missing ']')";
    if (p[1] == '^') {
        complement = true;
        p++;
    }
    while (++p < close) {
        if (*p == '%') {
            put_class(s, *++p);
        } else if (p[1] == '-' && p + 2 < close) {
            for (unsigned c = *p; c <= p[2]; c++)
                put(s, c);
            p += 2;
        } else {
            put(s, *p);
        }
    }
    for (int i = 0; complement && i < 4; i++)
        s->bits[i] = ~s->bits[i];
    t->at = close + 1;
    return NULL;
}

/* A single character: what it can be. */
static const char *
read_single(struct translating *t, struct set *s)
{
    switch (*t->at) {
    case '%':
        if (t->at + 1 >= t->end)
            return "malformed pattern (ends with '%')";
        put_class(s, t->at[1]);
        t->at += 2;
        return NULL;
    case '[':
        return read_set(t, s);
    case '.':
        memset(s, 0xff, sizeof *s);
        t->at++;
        return NULL;
    default:
        put(s, *t->at++);
        return NULL;
    }
}

static unsigned
count(const struct set *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 4; i++)
        n += (unsigned)__builtin_popcountll(s->bits[i]);
    return n;
}

static void
add_set(struct rh_buf *out, const struct set *s)
{
    unsigned n = count(s);

    if (n == 256) {
        rh_buf_addc(out, '.');
        return;
    }
    if (n == 0) {
        rh_buf_add(out, "(?!)");
        return;
    }
    if (n > 1)
        rh_buf_addc(out, '[');
    for (unsigned c = 0; c < 256; c++) {
        unsigned last = c;

        if (!in_set(s, c))
            continue;
        while (last < 255 && in_set(s, last + 1))
            last++;
        rh_buf_addf(out, "\\x%02x", c);
        if (last > c)
            rh_buf_addf(out, "-\\x%02x", last);
        c = last;
    }
    if (n > 1)
        rh_buf_addc(out, ']');
}

/* What a match may start with: every item that can be left out adds to it, the first that can't
 * settles it. */
static void
note_start(struct translating *t, const struct set *s, bool optional)
{
    if (t->started)
        return;
    for (int i = 0; s && i < 4; i++)
        t->p->first[i] |= s->bits[i];
    if (!s)
        t->p->any = true;
    t->started = !s || !optional;
}

static const char *
add_single(struct translating *t)
{
    struct set s = { { 0 } };
    const char *wrong = read_single(t, &s), *suffix = "";
    bool optional = false;

    if (wrong)
        return wrong;
    if (t->at < t->end && strchr("*+-?", *t->at) && *t->at) {
        suffix = *t->at == '*' ? "*" : *t->at == '+' ? "+" : *t->at == '-' ? "*?" : "?";
        optional = *t->at != '+';
        t->at++;
    }
    note_start(t, &s, optional);
    if (count(&s) == 0 && *suffix) {
        if (!optional)
            rh_buf_add(t->out, "(?!)");
        return NULL;
    }
    add_set(t->out, &s);
    rh_buf_add(t->out, suffix);
    return NULL;
}

static const char *
open_capture(struct translating *t)
{
    struct rh_pattern *p = t->p;

    if (p->n == RH_PATTERN_CAPTURES)
        return "too many captures";
    p->capture[p->n].group = ++t->groups;
    if (t->at + 1 < t->end && t->at[1] == ')') {
        p->capture[p->n++].position = true;
        rh_buf_add(t->out, "()");
        t->at += 2;
        return NULL;
    }
    t->open[t->n_open++] = p->n++;
    rh_buf_addc(t->out, '(');
    t->at++;
    return NULL;
}

static const char *
close_capture(struct translating *t)
{
    if (!t->n_open)
        return "invalid pattern capture";
    t->n_open--;
    rh_buf_addc(t->out, ')');
    t->at++;
    return NULL;
}

/* %bxy: the group calls itself; nothing within is tried in another way. */
static const char *
add_balance(struct translating *t)
{
    struct set s = { { 0 } };
    unsigned x, y;

    if (t->at + 3 >= t->end)
        return "malformed pattern (missing arguments to '%b')";
    x = t->at[2];
    y = t->at[3];
    t->at += 4;
    t->p->back = true;
    put(&s, x);
    note_start(t, &s, false);
    if (x == y) {
        rh_buf_addf(t->out, "\\x%02x[^\\x%02x]*+\\x%02x", x, x, x);
        return NULL;
    }
    if (++t->groups > DEEPEST_BALANCE_GROUPS)
        return "pattern too complex";
    rh_buf_addf(t->out, "(\\x%02x(?:[^\\x%02x\\x%02x]++|(?%u))*+\\x%02x)", x, x, y, t->groups, y);
    return NULL;
}

/* %f[set]: both ends of the text count as a NUL. */
static const char *
add_frontier(struct translating *t)
{
    struct set s = { { 0 } }, not ;
    const char *wrong;

    t->at += 2;
    if (t->at >= t->end || *t->at != '[')
        return "missing '[' after '%f' in pattern";
    wrong = read_set(t, &s);
    if (wrong)
        return wrong;
    note_start(t, NULL, false);
    for (int i = 0; i < 4; i++)
        not .bits[i] = ~s.bits[i];
    if (in_set(&s, 0)) {
        rh_buf_add(t->out, "(?<=");
        add_set(t->out, &not );
        rh_buf_add(t->out, ")(?!");
        add_set(t->out, &not );
    } else {
        rh_buf_add(t->out, "(?<!");
        add_set(t->out, &s);
        rh_buf_add(t->out, ")(?=");
        add_set(t->out, &s);
    }
    rh_buf_addc(t->out, ')');
    return NULL;
}

static const char *
add_back(struct translating *t)
{
    unsigned i = (unsigned)(t->at[1] - '1');

    if (i >= t->p->n)
        return "invalid capture index in pattern";
    for (unsigned k = 0; k < t->n_open; k++)
        if (t->open[k] == i)
            return "invalid capture index in pattern";
    t->at += 2;
    note_start(t, NULL, false);
    t->p->back = true;
    if (t->p->capture[i].position)
        rh_buf_add(t->out, "(?!)");
    else
        rh_buf_addf(t->out, "\\g{%u}", t->p->capture[i].group);
    return NULL;
}

static const char *
add_item(struct translating *t)
{
    unsigned next = t->at + 1 < t->end ? t->at[1] : 0;

    switch (*t->at) {
    case '(':
        return open_capture(t);
    case ')':
        return close_capture(t);
    case '$':
        if (t->at + 1 != t->end)
            return add_single(t);
        t->at++;
        note_start(t, NULL, false);
        rh_buf_add(t->out, "\\z");
        return NULL;
    case '%':
        if (next == 'b')
            return add_balance(t);
        if (next == 'f')
            return add_frontier(t);
        if (next == '0')
            return "invalid capture index %0 in pattern";
        if (is_digit(next))
            return add_back(t);
        return add_single(t);
    default:
        return add_single(t);
    }
}

const char *
rh_pattern_translate(const char *s, size_t n, bool anchors, struct rh_buf *out, struct rh_pattern *pattern)
{
    struct translating t = {
        .at = (const unsigned char *)s, .end = (const unsigned char *)s + n, .out = out, .p = pattern
    };

    *pattern = (struct rh_pattern){ 0 };
    if (anchors && n && *s == '^') {
        pattern->anchored = true;
        t.at++;
    }
    while (t.at < t.end) {
        const char *wrong = add_item(&t);

        if (wrong)
            return wrong;
    }
    if (t.n_open)
        return "unfinished capture";
    if (!t.started)
        pattern->any = true;
    return NULL;
}
