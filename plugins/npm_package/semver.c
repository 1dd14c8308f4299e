/* SPDX-License-Identifier: Apache-2.0 */
/* semver - versions of npm's packages, and ranges of them, as npm reads them. */

#include "semver.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 128, MOST_COMPARATORS = 32 };

struct version {
    unsigned long long part[3];
    size_t n;          /* parts that were given; a range may have fewer than three */
    char pre[LONGEST]; /* "": it is no pre-release */
};

enum relation { BELOW, AT_MOST, EQUAL, AT_LEAST, ABOVE };

struct comparator {
    enum relation relation;
    struct version than;
};

struct set {
    struct comparator all[MOST_COMPARATORS];
    size_t n;
    int too_many;
};

static int
is_wild(const char *p)
{
    return (*p == 'x' || *p == 'X' || *p == '*') && !isalnum((unsigned char)p[1]);
}

/* Identifiers with dots; where they end. NULL: there are none. */
static const char *
read_identifiers(const char *p, char *to, size_t size)
{
    size_t n = 0;

    for (; isalnum((unsigned char)*p) || *p == '-' || *p == '.'; p++) {
        if (*p == '.' && (n == 0 || p[-1] == '.'))
            return NULL;
        if (n + 1 >= size)
            return NULL;
        to[n++] = *p;
    }
    to[n] = '\0';
    return n && to[n - 1] != '.' ? p : NULL;
}

/* A version, of which parts at the end may be missing or be an x; where it ends. NULL: it is none. */
static const char *
read_partial(const char *p, struct version *v)
{
    char build[LONGEST];
    int wild = 0;

    *v = (struct version){ 0 };
    if (*p == 'v' || *p == '=')
        p++;
    for (size_t i = 0; i < 3; i++) {
        if (is_wild(p)) {
            wild = 1;
            p++;
        } else {
            size_t len = strspn(p, "0123456789");

            if (len == 0 || len > 16 || (len > 1 && *p == '0'))
                return NULL;
            if (!wild) {
                v->part[i] = strtoull(p, NULL, 10);
                v->n = i + 1;
            }
            p += len;
        }
        if (i == 2 || *p != '.')
            break;
        p++;
    }
    if (*p == '-' && v->n == 3 && !(p = read_identifiers(p + 1, v->pre, sizeof v->pre)))
        return NULL;
    if (*p == '+' && v->n == 3 && !(p = read_identifiers(p + 1, build, sizeof build)))
        return NULL;
    return p;
}

static int
order(unsigned long long a, unsigned long long b)
{
    return (a > b) - (a < b);
}

/* Numbers come before words, and fewer identifiers before more. */
static int
compare_pre(const char *a, const char *b)
{
    if (!*a || !*b)
        return !*a - !*b;
    while (*a && *b) {
        size_t n = strcspn(a, "."), m = strcspn(b, ".");
        int na = strspn(a, "0123456789") >= n, nb = strspn(b, "0123456789") >= m, c;

        if (na && nb)
            c = n == m ? strncmp(a, b, n) : order(n, m);
        else if (na != nb)
            c = nb - na;
        else if ((c = strncmp(a, b, n < m ? n : m)) == 0)
            c = order(n, m);
        if (c)
            return c;
        a += n + (a[n] == '.');
        b += m + (b[m] == '.');
    }
    return (*a != '\0') - (*b != '\0');
}

static int
same_parts(const struct version *a, const struct version *b)
{
    return memcmp(a->part, b->part, sizeof a->part) == 0;
}

static int
compare(const struct version *a, const struct version *b)
{
    int c = 0;

    for (size_t i = 0; i < 3 && c == 0; i++)
        c = order(a->part[i], b->part[i]);
    return c ? c : compare_pre(a->pre, b->pre);
}

static void
add(struct set *s, enum relation relation, const struct version *than)
{
    if (s->n < MOST_COMPARATORS)
        s->all[s->n++] = (struct comparator){ relation, *than };
    else
        s->too_many = 1;
}

/* Below the next version whose part `at` is higher. "-0" is the lowest pre-release of it. */
static void
add_below_next(struct set *s, const struct version *v, size_t at)
{
    struct version next = { .n = 3, .pre = "0" };

    for (size_t i = 0; i < at; i++)
        next.part[i] = v->part[i];
    next.part[at] = v->part[at] + 1;
    add(s, BELOW, &next);
}

static void
add_caret(struct set *s, const struct version *v)
{
    size_t at = 0;

    add(s, AT_LEAST, v);
    while (at < 2 && at + 1 < v->n && v->part[at] == 0)
        at++;
    if (v->n)
        add_below_next(s, v, at);
}

/* ">1.2" is at least 1.3, and "<=1.2" is below it. */
static void
add_relation(struct set *s, enum relation relation, const struct version *v)
{
    struct version next = *v;

    if (v->n == 3) {
        add(s, relation, v);
    } else if (relation == ABOVE && v->n) {
        next.part[v->n - 1]++;
        add(s, AT_LEAST, &next);
    } else if (relation == AT_MOST && v->n) {
        add_below_next(s, v, v->n - 1);
    } else if ((relation == BELOW || relation == ABOVE) && !v->n) { /* nothing */
        next = (struct version){ .n = 3, .pre = "0" };
        add(s, BELOW, &next);
    } else if (relation == BELOW) {
        next.pre[0] = '0';
        add(s, BELOW, &next);
    } else {
        add(s, AT_LEAST, v);
        if (relation == EQUAL && v->n)
            add_below_next(s, v, v->n - 1);
    }
}

/* One word of a range; where it ends. NULL: it is none. */
static const char *
read_word(const char *p, struct set *s)
{
    static const char *const words[] = { ">=", "<=", ">", "<", "=", "^", "~>", "~", NULL };
    static const enum relation relations[] = { AT_LEAST, AT_MOST, ABOVE, BELOW, EQUAL };
    struct version v;
    int i = 0;

    while (words[i] && strncmp(p, words[i], strlen(words[i])) != 0)
        i++;
    if (words[i])
        p += strlen(words[i]);
    p += strspn(p, " ");
    p = read_partial(p, &v);
    if (!p)
        return NULL;
    if (i < 5)
        add_relation(s, relations[i], &v);
    else if (i == 5)
        add_caret(s, &v);
    else if (!words[i])
        add_relation(s, EQUAL, &v);
    else {
        add(s, AT_LEAST, &v);
        if (v.n)
            add_below_next(s, &v, v.n == 1 ? 0 : 1);
    }
    return p;
}

/* "A - B" where it is one: where it ends, and else NULL. */
static const char *
read_hyphen(const char *p, struct set *s)
{
    struct version from, to;

    p = read_partial(p, &from);
    if (!p || strncmp(p, " - ", 3) != 0)
        return NULL;
    p = read_partial(p + 3 + strspn(p + 3, " "), &to);
    if (!p)
        return NULL;
    add(s, AT_LEAST, &from);
    add_relation(s, AT_MOST, &to);
    return p;
}

/* Up to "||" or the end. */
static const char *
read_set(const char *p, struct set *s)
{
    const char *end;

    *s = (struct set){ 0 };
    p += strspn(p, " ");
    end = read_hyphen(p, s);
    if (end) {
        p = end + strspn(end, " ");
    } else {
        s->n = 0;
        while (*p && *p != '|') {
            p = read_word(p, s);
            if (!p || (*p && *p != ' ' && *p != '|'))
                return NULL;
            p += strspn(p, " ");
        }
    }
    return s->too_many || (*p && *p != '|') ? NULL : p;
}

static int
holds(const struct comparator *c, const struct version *v)
{
    int order = compare(v, &c->than);

    switch (c->relation) {
    case BELOW:
        return order < 0;
    case AT_MOST:
        return order <= 0;
    case EQUAL:
        return order == 0;
    case AT_LEAST:
        return order >= 0;
    default:
        return order > 0;
    }
}

/* A pre-release is only in a range that names one of the same version. */
static int
is_in(const struct set *s, const struct version *v)
{
    int named = !*v->pre;

    for (size_t i = 0; i < s->n; i++) {
        if (!holds(&s->all[i], v))
            return 0;
        named |= *s->all[i].than.pre && same_parts(&s->all[i].than, v);
    }
    return named;
}

/* Whether the range can be read, and with `v`, whether that is in it. */
static int
check(const char *p, const struct version *v)
{
    struct set s;
    int found = 0;

    if (!*p || strlen(p) >= 4 * LONGEST)
        return 0;
    for (;; p += 2) {
        p = read_set(p, &s);
        if (!p)
            return 0;
        found |= !v || is_in(&s, v);
        if (!*p)
            return found;
        if (p[1] != '|')
            return 0;
    }
}

int
semver_is_range(const char *text)
{
    return check(text, NULL);
}

int
semver_is_version(const char *text)
{
    struct version v;
    const char *end = isdigit((unsigned char)*text) ? read_partial(text, &v) : NULL;

    return end && !*end && v.n == 3;
}

int
semver_matches(const char *version, const char *range)
{
    struct version v;
    const char *end = read_partial(version, &v);

    return end && !*end && v.n == 3 && check(range, &v);
}
