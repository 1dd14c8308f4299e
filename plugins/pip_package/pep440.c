/* SPDX-License-Identifier: Apache-2.0 */
/* pep440 - versions of Python packages, and what a manifest says of them: PEP 440. */

#include "pep440.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <strings.h>

enum { MOST_PARTS = 16, LONGEST = 128, FINAL = INT32_MAX };

struct version {
    unsigned long long epoch, release[MOST_PARTS];
    size_t n;
    int pre; /* 'a', 'b', 'c'; FINAL: it is no pre-release */
    unsigned long long pre_n;
    int has_post, has_dev, wildcard;
    unsigned long long post, dev;
    char local[LONGEST]; /* in small letters, with dots; "": none */
};

/* A number; 0: there is none, or it is too large. */
static int
read_number(const char **p, unsigned long long *n)
{
    size_t len = strspn(*p, "0123456789");

    if (len == 0 || len > 18)
        return 0;
    *n = strtoull(*p, NULL, 10);
    *p += len;
    return 1;
}

static const char *
skip_separator(const char *p)
{
    return *p && strchr("._-", *p) ? p + 1 : p;
}

/* One of these words, perhaps behind a separator, and its number, perhaps behind another one: its index; -1:
 * none. */
static int
read_segment(const char **p, const char *const *words, unsigned long long *n)
{
    const char *at = skip_separator(*p);

    for (int i = 0; words[i]; i++) {
        const char *behind;

        if (strncasecmp(at, words[i], strlen(words[i])) != 0)
            continue;
        at += strlen(words[i]);
        behind = skip_separator(at);
        *n = 0;
        *p = read_number(&behind, n) ? behind : at;
        return i;
    }
    return -1;
}

static int
read_local(const char **p, char local[LONGEST])
{
    size_t n = 0;

    local[0] = '\0';
    if (**p != '+')
        return 1;
    for ((*p)++; **p && n + 1 < LONGEST; (*p)++) {
        if (isalnum((unsigned char)**p))
            local[n++] = (char)tolower((unsigned char)**p);
        else if (strchr("._-", **p) && n && local[n - 1] != '.')
            local[n++] = '.';
        else
            return 0;
    }
    local[n] = '\0';
    return n && local[n - 1] != '.';
}

/* Longer words first. */
static int
read_suffixes(const char **p, struct version *v)
{
    static const char *const pres[] = { "alpha", "beta", "preview", "pre", "rc", "a", "b", "c", NULL };
    static const char *const posts[] = { "post", "rev", "r", NULL };
    static const char *const devs[] = { "dev", NULL };
    static const char letters[] = "abcccabc";
    int i = read_segment(p, pres, &v->pre_n);

    v->pre = i < 0 ? FINAL : letters[i];
    if (**p == '-' && isdigit((unsigned char)(*p)[1])) {
        (*p)++;
        v->has_post = read_number(p, &v->post);
    } else {
        v->has_post = read_segment(p, posts, &v->post) >= 0;
    }
    v->has_dev = read_segment(p, devs, &v->dev) >= 0;
    return read_local(p, v->local);
}

static int
parse(const char *text, size_t len, int wildcard, struct version *v)
{
    char copy[LONGEST];
    const char *p = copy;

    if (len == 0 || len >= sizeof copy)
        return 0;
    memcpy(copy, text, len);
    copy[len] = '\0';
    *v = (struct version){ .pre = FINAL };
    if (*p == 'v' || *p == 'V')
        p++;
    do {
        if (v->n == MOST_PARTS || !read_number(&p, &v->release[v->n]))
            return 0;
        v->n++;
        if (*p == '!' && v->n == 1) {
            v->epoch = v->release[0];
            v->n = 0;
            p++;
            continue;
        }
        if (wildcard && strcmp(p, ".*") == 0) {
            v->wildcard = 1;
            return 1;
        }
        if (*p != '.' || !isdigit((unsigned char)p[1]))
            break;
        p++;
    } while (1);
    return v->n && read_suffixes(&p, v) && *p == '\0';
}

static int
order(unsigned long long a, unsigned long long b)
{
    return (a > b) - (a < b);
}

/* Numbers come after words, and longer after shorter. */
static int
compare_local(const char *a, const char *b)
{
    while (*a && *b) {
        size_t n = strcspn(a, "."), m = strcspn(b, ".");
        int na = strspn(a, "0123456789") == n, nb = strspn(b, "0123456789") == m, c;

        if (na && nb)
            c = order(strtoull(a, NULL, 10), strtoull(b, NULL, 10));
        else if (na != nb)
            c = na - nb;
        else if ((c = strncmp(a, b, n < m ? n : m)) == 0)
            c = order(n, m);
        if (c)
            return c;
        a += n + (a[n] == '.');
        b += m + (b[m] == '.');
    }
    return (*a != '\0') - (*b != '\0');
}

/* The release alone, in its first `n` parts. */
static int
compare_release(const struct version *a, const struct version *b, size_t n)
{
    int c = order(a->epoch, b->epoch);

    for (size_t i = 0; i < n && c == 0; i++)
        c = order(i < a->n ? a->release[i] : 0, i < b->n ? b->release[i] : 0);
    return c;
}

/* Of 1.0.dev1, 1.0a1, 1.0 in this order: a development release without more comes before all pre-releases. */
static int
stage(const struct version *v)
{
    return v->pre == FINAL && v->has_dev && !v->has_post ? 0 : v->pre;
}

static int
compare(const struct version *a, const struct version *b)
{
    int c = compare_release(a, b, MOST_PARTS);

    if (c == 0)
        c = (stage(a) > stage(b)) - (stage(a) < stage(b));
    if (c == 0)
        c = order(a->pre_n, b->pre_n);
    if (c == 0)
        c = order(a->has_post ? a->post + 1 : 0, b->has_post ? b->post + 1 : 0);
    if (c == 0)
        c = order(a->has_dev ? a->dev : UINT64_MAX, b->has_dev ? b->dev : UINT64_MAX);
    return c ? c : compare_local(a->local, b->local);
}

static const char *const operators[] = { "===", "==", "!=", "<=", ">=", "~=", "<", ">", NULL };
enum comparison { IDENTICAL, EQUAL, DIFFERENT, AT_MOST, AT_LEAST, COMPATIBLE, BELOW, ABOVE, NONE };

static enum comparison
read_operator(const char **p)
{
    for (int i = 0; operators[i]; i++)
        if (strncmp(*p, operators[i], strlen(operators[i])) == 0) {
            *p += strlen(operators[i]);
            return (enum comparison)i;
        }
    return NONE;
}

/* The next specifier of a list, without blanks around. */
static size_t
next_specifier(const char **p)
{
    size_t n;

    *p += strspn(*p, " ");
    n = strcspn(*p, ",");
    while (n && (*p)[n - 1] == ' ')
        n--;
    return n;
}

static int
is_equal(const struct version *is, struct version *wanted)
{
    struct version public = *is;

    if (wanted->wildcard)
        return compare_release(is, wanted, wanted->n) == 0;
    if (!*wanted->local)
    public.local[0] = '\0';
    return compare(&public, wanted) == 0;
}

static int
is_prerelease(const struct version *v)
{
    return v->pre != FINAL || v->has_dev;
}

static int
holds(const struct version *is, enum comparison op, struct version *wanted)
{
    struct version public = *is;

    public.local[0] = '\0';
    switch (op) {
    case EQUAL:
    case NONE:
        return is_equal(is, wanted);
    case DIFFERENT:
        return !is_equal(is, wanted);
    case AT_MOST:
        return compare(&public, wanted) <= 0;
    case AT_LEAST:
        return compare(&public, wanted) >= 0;
    case COMPATIBLE:
        return compare(&public, wanted) >= 0 && compare_release(is, wanted, wanted->n - 1) == 0;
    case BELOW: /* a pre-release of what it is to be below does not count */
        return compare(&public, wanted) < 0
               && (is_prerelease(wanted) || !is_prerelease(is)
                   || compare_release(is, wanted, MOST_PARTS) != 0);
    case ABOVE: /* nor does a post-release or a local version of what it is to be above */
        return compare(&public, wanted) > 0
               && (((wanted->has_post || !is->has_post) && !*is->local)
                   || compare_release(is, wanted, MOST_PARTS) != 0);
    default:
        return 0;
    }
}

/* What '===' compares is any text to Python; here, one that a version can be. */
static int
is_plain(const char *text, size_t len)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!+_-";

    return len && strspn(text, all) >= len;
}

/* One specifier: whether it can be read, and with `version`, whether that fits. */
static int
check(const char *text, size_t len, const char *version)
{
    const char *p = text;
    enum comparison op = read_operator(&p);
    struct version is, wanted;

    p += strspn(p, " ");
    if (p >= text + len)
        return 0;
    len -= (size_t)(p - text);
    if (op == IDENTICAL && !is_plain(p, len))
        return 0;
    if (op == IDENTICAL)
        return !version || (strlen(version) == len && strncasecmp(version, p, len) == 0);
    if (!parse(p, len, op == EQUAL || op == DIFFERENT, &wanted))
        return 0;
    if ((op == COMPATIBLE && wanted.n < 2) || (op >= AT_MOST && op <= ABOVE && *wanted.local))
        return 0;
    if (!version)
        return 1;
    if (!parse(version, strlen(version), 0, &is))
        return (op == NONE || op == EQUAL) && strlen(version) == len && strncasecmp(version, p, len) == 0;
    return holds(&is, op, &wanted);
}

static int
check_all(const char *text, const char *version)
{
    for (const char *p = text;; p++) {
        size_t n = next_specifier(&p);

        if (!check(p, n, version))
            return 0;
        p += n + strspn(p + n, " ");
        if (!*p)
            return 1;
    }
}

int
pep440_is_wanted(const char *text)
{
    const char *p = text;

    if (strpbrk(text, "\"';\t\n"))
        return 0;
    while (strchr(text, ',') && *p) {
        size_t n = next_specifier(&p);

        if (!*p || !strchr("<>=!~", *p))
            return 0; /* of several, each has an operator */
        p += n + strspn(p + n, " ");
        p += *p == ',';
    }
    return check_all(text, NULL);
}

int
pep440_matches(const char *version, const char *wanted)
{
    return check_all(wanted, version);
}

const char *
pep440_specifiers(rhost_ctx *ctx, const char *wanted)
{
    return strchr("<>=!~", *wanted) ? wanted : rhost_fmt(ctx, "==%s", wanted);
}
