/* SPDX-License-Identifier: Apache-2.0 */
/* pacman-version - which of two versions of pacman is the newer one, by the rules of vercmp(8): runs of
 * digits are numbers, runs of letters are compared as text, a number is newer than letters, and letters at
 * the end are older than nothing ("1.0rc" < "1.0" < "1.0.1"). */

#include "pacman-version.h"

#include <ctype.h>
#include <string.h>

struct part {
    const char *at;
    size_t n;
};

static int
is_number(struct part p)
{
    return p.n && isdigit((unsigned char)*p.at);
}

/* What stands before the next run of letters or digits is skipped; how much that was is left in *gap. */
static struct part
next_run(struct part *rest, size_t *gap)
{
    struct part run;
    int digits;

    for (*gap = 0; rest->n && !isalnum((unsigned char)*rest->at); (*gap)++) {
        rest->at++;
        rest->n--;
    }
    run = (struct part){ rest->at, 0 };
    digits = is_number(*rest);
    while (run.n < rest->n && isalnum((unsigned char)run.at[run.n])
           && !isdigit((unsigned char)run.at[run.n]) == !digits)
        run.n++;
    rest->at += run.n;
    rest->n -= run.n;
    return run;
}

static int
sign(long difference)
{
    return (difference > 0) - (difference < 0);
}

static int
compare_numbers(struct part a, struct part b)
{
    for (; a.n && *a.at == '0'; a.at++)
        a.n--;
    for (; b.n && *b.at == '0'; b.at++)
        b.n--;
    return a.n != b.n ? sign((long)a.n - (long)b.n) : sign(memcmp(a.at, b.at, a.n));
}

static int
compare_texts(struct part a, struct part b)
{
    int order = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);

    return order ? sign(order) : sign((long)a.n - (long)b.n);
}

static int
compare_parts(struct part a, struct part b)
{
    for (;;) {
        size_t gap_a, gap_b;
        struct part x = next_run(&a, &gap_a), y = next_run(&b, &gap_b);
        int order;

        if (!x.n && !y.n)
            return 0;
        if (!x.n || !y.n) { /* what goes on is newer, unless with letters that follow at once */
            int sooner = x.n ? 1 : -1;
            struct part more = x.n ? x : y;

            return !is_number(more) && !(x.n ? gap_a : gap_b) ? -sooner : sooner;
        }
        if (gap_a != gap_b)
            return sign((long)gap_a - (long)gap_b);
        if (is_number(x) != is_number(y))
            return is_number(x) ? 1 : -1;
        order = is_number(x) ? compare_numbers(x, y) : compare_texts(x, y);
        if (order)
            return order;
    }
}

/* Cuts [EPOCH:]VERSION[-RELEASE] in three. */
static void
cut(const char *text, struct part *epoch, struct part *version, struct part *release)
{
    size_t n = strspn(text, "0123456789");
    const char *dash;

    *epoch = (struct part){ "0", 1 };
    if (text[n] == ':') {
        if (n)
            *epoch = (struct part){ text, n };
        text += n + 1;
    }
    dash = strrchr(text, '-');
    *version = (struct part){ text, dash ? (size_t)(dash - text) : strlen(text) };
    *release = (struct part){ dash ? dash + 1 : "", dash ? strlen(dash + 1) : 0 };
}

int
pacman_version_compare(const char *a, const char *b)
{
    struct part x[3], y[3];
    int order;

    cut(a, &x[0], &x[1], &x[2]);
    cut(b, &y[0], &y[1], &y[2]);
    order = compare_numbers(x[0], y[0]);
    if (!order)
        order = compare_parts(x[1], y[1]);
    if (!order && x[2].n && y[2].n)
        order = compare_parts(x[2], y[2]);
    return order;
}
