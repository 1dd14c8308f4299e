/* SPDX-License-Identifier: Apache-2.0 */
/* suggest - what somebody probably meant: the nearest word by edits, swaps of neighbours counted
 * as one. */
#include "config.h"

#include "base/suggest.h"

#include "base/alloc.h"

#include <string.h>
#include <strings.h>

enum { LONGEST = 63 };

static size_t
least(size_t a, size_t b, size_t c)
{
    size_t m = a < b ? a : b;

    return m < c ? m : c;
}

static size_t
distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    size_t rows[3][LONGEST + 1];

    if (la > LONGEST || lb > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            row[j] = least(up[j] + 1, row[j - 1] + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && up2[j - 2] + 1 < row[j])
                row[j] = up2[j - 2] + 1;
        }
    }
    return rows[la % 3][lb];
}

static size_t
common_start(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

void
rh_suggest_init(struct rh_suggest *s, const char *word)
{
    size_t allowed = strlen(word) / 3;

    *s = (struct rh_suggest){ .word = word, .distance = (allowed < 3 ? allowed : 3) + 1 };
    if (s->distance < 2)
        s->distance = 2;
}

void
rh_suggest_try(struct rh_suggest *s, const char *candidate)
{
    size_t word = strlen(s->word), other = strlen(candidate), d, start;

    if ((word > other ? word - other : other - word) > s->distance)
        return;
    d = strcasecmp(s->word, candidate) == 0 ? 0 : distance(s->word, candidate);
    start = common_start(s->word, candidate);
    /* Of two that are as near, the one that begins alike: "shel" is "shell", and not "skel". */
    if ((d < s->distance || (s->best && d == s->distance && start > s->start)) && d < other) {
        s->distance = d;
        s->start = start;
        s->best = candidate;
    }
}

char *
rh_did_you_mean(const char *best, const char *otherwise)
{
    if (best)
        return rh_printf("did you mean '%s'?", best);
    return otherwise ? rh_xstrdup(otherwise) : NULL;
}
