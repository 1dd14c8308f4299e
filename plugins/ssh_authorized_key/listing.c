/* SPDX-License-Identifier: Apache-2.0 */
/* listing - all keys of a file, each with the name that it is listed by. */

#include "listing.h"

#include <stdlib.h>

/* A key, a comment or a fingerprint, and whose it is. */
struct word {
    struct key_part text;
    size_t of;
    int is_comment;
};

static int
is_same(struct key_part a, struct key_part b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

/* Equal ones beside each other, the upmost line first. */
static int
by_text(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    size_t len = x->text.len < y->text.len ? x->text.len : y->text.len;
    int order = memcmp(x->text.at, y->text.at, len);

    if (!order && x->text.len != y->text.len)
        return x->text.len < y->text.len ? -1 : 1;
    if (!order && x->of != y->of)
        return x->of < y->of ? -1 : 1;
    return order;
}

static void
sort(struct word *words, size_t n)
{
    if (n)
        qsort(words, n, sizeof *words, by_text);
}

size_t
listing_make(rhost_ctx *ctx, const struct rhost_lines *l, const struct listing_key **keys)
{
    struct listing_key *all = rhost_alloc(ctx, l->n * sizeof *all);
    struct word *words = rhost_alloc(ctx, 2 * l->n * sizeof *words);
    size_t n = 0, first = 0;

    for (size_t i = 0; i < l->n; i++) {
        if (!key_parse(l->at[i].text, l->at[i].len, &all[n].k))
            continue;
        key_fingerprint(all[n].k.blob, all[n].fingerprint);
        words[n] = (struct word){ all[n].k.blob, n, 0 };
        n++;
    }
    sort(words, n);
    for (size_t i = 0; i < n; i++)
        all[words[i].of].is_first = i == 0 || !is_same(words[i].text, words[i - 1].text);
    for (size_t i = 0; i < n; i++) {
        words[2 * i] = (struct word){ all[i].k.comment, i, 1 };
        words[2 * i + 1] = (struct word){ { all[i].fingerprint, strlen(all[i].fingerprint) }, i, 0 };
    }
    sort(words, 2 * n);
    for (size_t i = 0; i < 2 * n; i++) {
        if (i == 0 || !is_same(words[i].text, words[i - 1].text))
            first = i;
        if (words[i].is_comment)
            all[words[i].of].has_name = words[i].of == words[first].of;
    }
    *keys = all;
    return n;
}
