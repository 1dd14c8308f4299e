/* SPDX-License-Identifier: Apache-2.0 */
/* text - text that grows, and names that resemble each other. */

#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 60 };

void *
need(size_t n)
{
    void *p = calloc(1, n ? n : 1);

    if (!p)
        abort();
    return p;
}

char *
need_text(const char *s, size_t n)
{
    char *copy = need(n + 1);

    memcpy(copy, s, n);
    return copy;
}

/* Grown by hand, so that no copy of what it held stays behind. */
static void
make_room(struct text *t, size_t more)
{
    size_t room = t->room ? t->room : 256;
    char *s;

    while (room - t->n <= more)
        room *= 2;
    if (room == t->room)
        return;
    s = need(room);
    if (t->s) {
        memcpy(s, t->s, t->n);
        explicit_bzero(t->s, t->n);
        free(t->s);
    }
    t->s = s;
    t->room = room;
}

void
text_add(struct text *t, const char *s, size_t n)
{
    make_room(t, n);
    memcpy(t->s + t->n, s, n);
    t->n += n;
    t->s[t->n] = '\0';
}

void
text_adds(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void
text_addv(struct text *t, const char *fmt, va_list ap)
{
    va_list again;
    int n;

    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0)
        return;
    make_room(t, (size_t)n);
    (void)vsnprintf(t->s + t->n, (size_t)n + 1, fmt, ap);
    t->n += (size_t)n;
}

void
text_addf(struct text *t, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    text_addv(t, fmt, ap);
    va_end(ap);
}

void
text_clear(struct text *t)
{
    if (t->s)
        explicit_bzero(t->s, t->n);
    free(t->s);
    *t = (struct text){ 0 };
}

/* How many bytes a character has that begins so; 0: none does. */
static size_t
length_of(const unsigned char *s, size_t n)
{
    size_t len = s[0] < 0x80                   ? 1
                 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                 : (s[0] & 0xf0) == 0xe0       ? 3
                 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                               : 0;

    if (!len || len > n)
        return 0;
    for (size_t i = 1; i < len; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90)
        || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0; /* longer than needed, half of a pair, or beyond the last */
    return len;
}

size_t
utf8_fault(const char *s, size_t n)
{
    for (size_t at = 0, len; at < n; at += len) {
        len = length_of((const unsigned char *)s + at, n - at);
        if (!len)
            return at + 1;
    }
    return 0;
}

/* Letters to be changed, left out, put in or exchanged with their neighbour. */
static size_t
distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST_NAME + 1], n = strlen(a), m = strlen(b);
    size_t *now = rows[0], *next = rows[1], *later = rows[2];

    /* From the ends: no letter is equal to the NUL there, so none is exchanged with it. */
    for (size_t k = 0; k <= m; k++)
        next[k] = m - k;
    for (size_t i = n; i-- > 0;) {
        size_t *old = later;

        now[m] = n - i;
        for (size_t k = m; k-- > 0;) {
            size_t least = next[k + 1] + (a[i] != b[k]);

            least = next[k] + 1 < least ? next[k] + 1 : least;
            least = now[k + 1] + 1 < least ? now[k + 1] + 1 : least;
            if (a[i] == b[k + 1] && a[i + 1] == b[k] && later[k + 2] + 1 < least)
                least = later[k + 2] + 1;
            now[k] = least;
        }
        later = next;
        next = now;
        now = old;
    }
    return next[0];
}

void
near_try(struct near *near, const char *word)
{
    size_t n = strlen(near->wanted), d;

    if (n > LONGEST_NAME || strlen(word) > LONGEST_NAME)
        return;
    d = distance(near->wanted, word);
    if (d > (n < 4 ? 1 : 2) || (near->best && d >= near->distance))
        return;
    near->best = word;
    near->distance = d;
}

void
near_add(const struct near *near, struct text *t)
{
    if (near->best)
        text_addf(t, ": did you mean '%s'?", near->best);
}
