/* SPDX-License-Identifier: Apache-2.0 */
/* version - versions of gems, and requirements of them, as RubyGems reads them. */

#include "version.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEGMENTS = 24, LONGEST = 128 };

struct segment {
    const char *word; /* NULL: it is a number */
    size_t len;
    unsigned long long number;
};

struct version {
    struct segment all[MOST_SEGMENTS];
    size_t n;
};

static int
parse(const char *text, size_t len, struct version *v)
{
    static const char pre[] = "pre";
    const char *p = text, *end = text + len;

    *v = (struct version){ 0 };
    if (len == 0 || len >= LONGEST || !isdigit((unsigned char)*p))
        return 0;
    while (p < end) {
        struct segment *s = &v->all[v->n];
        const char *from = p;

        if (v->n + 1 >= MOST_SEGMENTS)
            return 0;
        if (isdigit((unsigned char)*p)) {
            while (p < end && isdigit((unsigned char)*p))
                p++;
            if (p - from > 18)
                return 0;
            s->number = strtoull(from, NULL, 10);
            if (v->n == 0 && p < end && isalpha((unsigned char)*p))
                return 0; /* 1a is none, and 1.a1 is one */
        } else {
            while (p < end && isalpha((unsigned char)*p))
                p++;
            s->word = from;
            s->len = (size_t)(p - from);
            if (s->len == 0)
                return 0;
        }
        v->n++;
        if (p == end)
            break;
        if (*p == '-') /* 1.0-x is 1.0.pre.x */
            v->all[v->n++] = (struct segment){ .word = pre, .len = sizeof pre - 1 };
        if (*p == '.' || *p == '-') {
            if (++p == end)
                return 0;
        }
    }
    return 1;
}

/* A word comes before each number. */
static int
compare_segments(const struct segment *a, const struct segment *b)
{
    int c;

    if (!a->word != !b->word)
        return a->word ? -1 : 1;
    if (!a->word)
        return (a->number > b->number) - (a->number < b->number);
    c = strncmp(a->word, b->word, a->len < b->len ? a->len : b->len);
    return c ? c : (a->len > b->len) - (a->len < b->len);
}

/* Without zeros before the first word, and at the end: "1.0.a" is "1.a". */
static struct version
canonical(const struct version *v)
{
    struct version to = { .n = 0 };
    int words = 0;

    for (size_t i = 0; i <= v->n; i++) {
        if (i == v->n || (v->all[i].word && !words)) {
            while (to.n && !to.all[to.n - 1].word && to.all[to.n - 1].number == 0)
                to.n--;
            words = 1;
        }
        if (i < v->n)
            to.all[to.n++] = v->all[i];
    }
    return to;
}

static int
compare(const struct version *a, const struct version *b)
{
    static const struct segment zero;
    struct version x = canonical(a), y = canonical(b);

    for (size_t i = 0; i < x.n || i < y.n; i++) {
        int c = compare_segments(i < x.n ? &x.all[i] : &zero, i < y.n ? &y.all[i] : &zero);

        if (c)
            return c;
    }
    return 0;
}

/* Up to the first word. */
static struct version
release_of(const struct version *v)
{
    struct version release = { .n = 0 };

    while (release.n < v->n && !v->all[release.n].word) {
        release.all[release.n] = v->all[release.n];
        release.n++;
    }
    return release;
}

/* "~> 1.2.3" is below 1.3, and "~> 1" below 2. */
static int
is_below_next(const struct version *is, const struct version *wanted)
{
    struct version next = release_of(wanted), release = release_of(is);

    if (next.n > 1)
        next.n--;
    next.all[next.n - 1].number++;
    return compare(&release, &next) < 0;
}

static int
check(const char *text, size_t len, const char *version)
{
    static const char *const operators[] = { "~>", ">=", "<=", "!=", "=", ">", "<", NULL };
    struct version is, wanted;
    int i = 0, c;

    while (operators[i] && strncmp(text, operators[i], strlen(operators[i])) != 0)
        i++;
    if (operators[i]) {
        size_t skip = strlen(operators[i]);

        skip += strspn(text + skip, " ");
        if (skip >= len)
            return 0;
        text += skip;
        len -= skip;
    }
    if (!parse(text, len, &wanted))
        return 0;
    if (!version)
        return 1;
    if (!parse(version, strlen(version), &is))
        return 0;
    c = compare(&is, &wanted);
    switch (i) {
    case 0:
        return c >= 0 && is_below_next(&is, &wanted);
    case 1:
        return c >= 0;
    case 2:
        return c <= 0;
    case 3:
        return c != 0;
    case 5:
        return c > 0;
    case 6:
        return c < 0;
    default:
        return c == 0;
    }
}

static int
check_all(const char *text, const char *version)
{
    for (const char *p = text;; p++) {
        size_t n;

        p += strspn(p, " ");
        n = strcspn(p, ",");
        while (n && p[n - 1] == ' ')
            n--;
        if (n == 0 || !check(p, n, version))
            return 0;
        p += strcspn(p, ",");
        if (!*p)
            return 1;
    }
}

int
version_is(const char *text)
{
    struct version v;

    return parse(text, strlen(text), &v);
}

int
version_is_requirement(const char *text)
{
    return check_all(text, NULL);
}

int
version_matches(const char *version, const char *requirement)
{
    return check_all(requirement, version);
}

int
version_compare(const char *a, const char *b)
{
    struct version x, y;

    return parse(a, strlen(a), &x) && parse(b, strlen(b), &y) ? compare(&x, &y) : strcmp(a, b);
}
