/* SPDX-License-Identifier: Apache-2.0 */
/* diff - two texts as people compare them: Myers' greedy algorithm over lines, with a limit. */
#include "config.h"

#include "run/report.h"

#include "base/alloc.h"
#include "base/cleanup.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3, MOST_EDITS = 2000 };

struct line {
    const char *s;
    size_t n;
};

struct text {
    struct line *v;
    size_t n;
    bool unfinished; /* no newline at the end */
};

static struct text
split(const char *s, size_t n)
{
    struct text t = { 0 };
    size_t cap = 0;
    const char *end = s + n;

    while (s < end) {
        const char *newline = memchr(s, '\n', (size_t)(end - s));
        const char *stop = newline ? newline : end;

        t.v = rh_xgrow(t.v, &cap, t.n, sizeof *t.v);
        t.v[t.n++] = (struct line){ s, (size_t)(stop - s) };
        t.unfinished = !newline;
        s = newline ? newline + 1 : end;
    }
    return t;
}

static bool
same(const struct line *a, const struct line *b)
{
    return a->n == b->n && memcmp(a->s, b->s, a->n) == 0;
}

/* Marks the lines that have to go and to come, by walking back through the recorded steps. */
static void
walk_back(int32_t *const *steps, int d, size_t n, size_t m, bool *gone, bool *come)
{
    int x = (int)n, y = (int)m;

    for (; d > 0; d--) {
        const int32_t *v = steps[d - 1] + d; /* v[k] for k in -d+1 .. d-1, shifted */
        int k = x - y;
        bool down = k == -d || (k != d && v[k - 1] < v[k + 1]);
        int before = down ? v[k + 1] : v[k - 1];
        int k_before = down ? k + 1 : k - 1;

        if (down)
            come[before - k_before] = true;
        else
            gone[before] = true;
        x = before;
        y = before - k_before;
    }
}

/* Fills in what has to go and to come; false when that takes too many edits. */
static bool
compare(const struct text *a, const struct text *b, bool *gone, bool *come)
{
    int n = (int)a->n, m = (int)b->n;
    int most = n + m < MOST_EDITS ? n + m : MOST_EDITS;
    size_t width = 2 * (size_t)most + 3;
    rh_autofree int32_t *now = rh_xalloc(rh_xmul(width, sizeof *now));
    int32_t **steps = rh_xalloc(rh_xmul((size_t)most + 1, sizeof(int32_t *)));
    int32_t *v = now + most + 1;
    bool found = false;
    int d;

    for (d = 0; d <= most && !found; d++) {
        for (int k = -d; k <= d && !found; k += 2) {
            int x = d == 0 ? 0 : k == -d || (k != d && v[k - 1] < v[k + 1]) ? v[k + 1] : v[k - 1] + 1;

            while (x < n && x - k < m && x - k >= 0 && same(&a->v[x], &b->v[x - k]))
                x++;
            v[k] = x;
            found = x >= n && x - k >= m;
        }
        /* What step d reached, for -d .. d with a margin of one, at index k + d + 1. */
        steps[d] = rh_xalloc(rh_xmul(2 * (size_t)d + 3, sizeof(int32_t)));
        memcpy(steps[d], v - d - 1, (2 * (size_t)d + 3) * sizeof(int32_t));
    }
    if (found)
        walk_back(steps, d - 1, a->n, b->n, gone, come);
    for (int i = 0; i < d; i++)
        free(steps[i]);
    free(steps);
    return found;
}

struct printer {
    struct rh_buf *b;
    const char *indent;
    bool colour;
};

static void
print_line(const struct printer *p, char mark, const struct line *l)
{
    static const char *const red = "\033[31m", *const green = "\033[32m";
    bool coloured = p->colour && mark != ' ';

    rh_buf_add(p->b, p->indent);
    if (coloured)
        rh_buf_add(p->b, mark == '-' ? red : green);
    rh_buf_addc(p->b, mark);
    rh_buf_add_safe(p->b, l->s, l->n, false);
    rh_buf_add(p->b, coloured ? "\033[0m\n" : "\n");
}

/* One hunk: from line i of `a` and k of `b`, up to the end of its last change and the context. */
static void
print_hunk(const struct printer *p, const struct text *a, const struct text *b, const bool *gone,
           const bool *come, size_t *i, size_t *k)
{
    size_t ai = *i, bi = *k, quiet = 0, na, nb;

    while (ai < a->n || bi < b->n) {
        bool change = (ai < a->n && gone[ai]) || (bi < b->n && come[bi]);

        quiet = change ? 0 : quiet + 1;
        if (quiet > 2 * CONTEXT)
            break;
        if (ai < a->n && gone[ai])
            ai++;
        else if (bi < b->n && come[bi])
            bi++;
        else
            ai++, bi++;
    }
    /* Of the unchanged lines at its end, only the context belongs to it. */
    quiet = quiet > 2 * CONTEXT ? 2 * CONTEXT : quiet;
    if (quiet > CONTEXT) {
        ai -= quiet - CONTEXT;
        bi -= quiet - CONTEXT;
    }
    na = ai - *i;
    nb = bi - *k;
    rh_buf_addf(p->b, "%s@@ -%zu,%zu +%zu,%zu @@\n", p->indent, na ? *i + 1 : *i, na, nb ? *k + 1 : *k, nb);
    while (*i < ai || *k < bi) {
        if (*i < ai && gone[*i])
            print_line(p, '-', &a->v[(*i)++]);
        else if (*k < bi && come[*k])
            print_line(p, '+', &b->v[(*k)++]);
        else {
            print_line(p, ' ', &a->v[(*i)++]);
            (*k)++;
        }
    }
}

void
rh_diff_unified(struct rh_buf *out, const char *from, size_t n_from, const char *to, size_t n_to,
                const char *indent, int colour)
{
    struct text a = split(from, n_from), b = split(to, n_to);
    rh_autofree bool *gone = rh_xalloc(a.n);
    rh_autofree bool *come = rh_xalloc(b.n);
    const struct printer p = { .b = out, .indent = indent, .colour = colour };
    size_t i = 0, k = 0;

    if (a.n > INT32_MAX / 4 || b.n > INT32_MAX / 4 || !compare(&a, &b, gone, come)) {
        memset(gone, true, a.n);
        memset(come, true, b.n);
    }
    while (i < a.n || k < b.n) {
        size_t ahead = 0;

        /* Go on to CONTEXT lines before the next change. */
        while (i + ahead < a.n && k + ahead < b.n && !gone[i + ahead] && !come[k + ahead])
            ahead++;
        if (i + ahead >= a.n && k + ahead >= b.n)
            break;
        if (ahead > CONTEXT) {
            i += ahead - CONTEXT;
            k += ahead - CONTEXT;
        }
        print_hunk(&p, &a, &b, gone, come, &i, &k);
    }
    if (a.unfinished != b.unfinished && a.n && b.n)
        rh_buf_addf(out, "%s\\ %s has no newline at its end\n", indent,
                    a.unfinished ? "the old text" : "the new text");
    free(a.v);
    free(b.v);
}
