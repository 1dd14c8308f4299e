/* SPDX-License-Identifier: Apache-2.0 */
/* version - versions as dpkg orders them, and what is required of one. */
#include "config.h"

#include "base/version.h"

#include "base/error.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* A piece of a version. */
struct piece {
    const char *s, *end;
};

/* Its first character, or '\0' at its end. */
static char
first_of(const struct piece *p)
{
    return p->s < p->end ? *p->s : '\0';
}

/* As dpkg orders characters outside of numbers: '~' before the end, letters before others. */
static int
weight(char c)
{
    return c == '~'                          ? -1
           : isdigit((unsigned char)c) || !c ? 0
           : isalpha((unsigned char)c)       ? c
                                             : 256 + (unsigned char)c;
}

/* The digits that are next, without zeros in front. */
static struct piece
take_number(struct piece *p)
{
    struct piece number;

    while (first_of(p) == '0')
        p->s++;
    number.s = p->s;
    while (isdigit((unsigned char)first_of(p)))
        p->s++;
    number.end = p->s;
    return number;
}

static int
compare_numbers(struct piece a, struct piece b)
{
    size_t na = (size_t)(a.end - a.s), nb = (size_t)(b.end - b.s);
    int order = na != nb ? (na < nb ? -1 : 1) : memcmp(a.s, b.s, na);

    return (order > 0) - (order < 0);
}

static int
compare_pieces(struct piece a, struct piece b)
{
    int order = 0;

    while (!order && (first_of(&a) || first_of(&b))) {
        while ((first_of(&a) && !isdigit((unsigned char)first_of(&a)))
               || (first_of(&b) && !isdigit((unsigned char)first_of(&b)))) {
            int wa = weight(first_of(&a)), wb = weight(first_of(&b));

            if (wa != wb)
                return wa < wb ? -1 : 1;
            a.s += a.s < a.end;
            b.s += b.s < b.end;
        }
        order = compare_numbers(take_number(&a), take_number(&b));
    }
    return order;
}

/* The three parts of "2:1.0-3", as dpkg divides it: "2", "1.0", "3". What is missing is empty. */
static void
divide(const char *s, struct piece parts[3])
{
    const char *end = s + strlen(s), *revision;
    size_t digits = strspn(s, "0123456789");

    parts[0] = (struct piece){ s, s };
    if (s[digits] == ':') {
        parts[0].end = s + digits;
        s += digits + 1;
    }
    revision = strrchr(s, '-');
    parts[1] = (struct piece){ s, revision ? revision : end };
    parts[2] = (struct piece){ revision ? revision + 1 : end, end };
}

int
rh_version_compare(const char *a, const char *b)
{
    struct piece pa[3], pb[3];
    int order = 0;

    divide(a, pa);
    divide(b, pb);
    for (int i = 0; !order && i < 3; i++)
        order = compare_pieces(pa[i], pb[i]);
    return order;
}

/* One comparison of a requirement. */
struct comparison {
    char sign[3]; /* "" as well as "=": equal */
    char version[128];
};

/* The next one: 1; 0 at the end, -1 when it is none. */
static int
next_comparison(const char **at, struct comparison *c)
{
    size_t n;

    *at += strspn(*at, " ,");
    if (!**at)
        return 0;
    n = strspn(*at, "<>=!");
    if (n >= sizeof c->sign)
        return -1;
    memcpy(c->sign, *at, n);
    c->sign[n] = '\0';
    *at += n;
    *at += strspn(*at, " ");
    n = strcspn(*at, " ,<>=!");
    if (!n || n >= sizeof c->version || !isdigit((unsigned char)**at))
        return -1;
    memcpy(c->version, *at, n);
    c->version[n] = '\0';
    *at += n;
    return 1;
}

static bool
holds(const struct comparison *c, const char *version)
{
    int order = rh_version_compare(version, c->version);

    if (strcmp(c->sign, "<") == 0)
        return order < 0;
    if (strcmp(c->sign, "<=") == 0)
        return order <= 0;
    if (strcmp(c->sign, ">") == 0)
        return order > 0;
    if (strcmp(c->sign, ">=") == 0)
        return order >= 0;
    if (strcmp(c->sign, "!=") == 0)
        return order != 0;
    return order == 0;
}

int
rh_version_check(const char *wanted, struct rh_error *err)
{
    static const char *const signs[] = { "", "=", "==", "!=", "<", "<=", ">", ">=" };
    const char *at = wanted;
    struct comparison c;
    int next, n = 0;

    while ((next = next_comparison(&at, &c)) > 0) {
        bool known = false;

        for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
            known |= strcmp(c.sign, signs[i]) == 0;
        if (!known)
            next = -1;
        if (!known)
            break;
        n++;
    }
    if (next == 0 && n)
        return 0;
    return rh_error_set(err, RH_EINPUT, "'%s' is not a requirement on a version, as '>= 1.2, < 2' is",
                        wanted);
}

bool
rh_version_meets(const char *version, const char *wanted)
{
    struct comparison c;
    int next;

    while ((next = next_comparison(&wanted, &c)) > 0)
        if (!holds(&c, version))
            return false;
    return next == 0;
}
