/* SPDX-License-Identifier: Apache-2.0 */
/* words - lists of words, lines of output, and names that look alike. */

#include "words.h"

#include <ctype.h>

enum { LONGEST_NAME = 100 };

void
words_add(rhost_ctx *ctx, struct words *w, const char *word)
{
    if (w->n + 2 > w->room) {
        size_t room = w->room ? w->room * 2 : 16;
        const char **at = rhost_alloc(ctx, room * sizeof *at);

        if (w->n)
            memcpy(at, w->at, w->n * sizeof *at);
        w->at = at;
        w->room = room;
    }
    w->at[w->n++] = word;
    w->at[w->n] = NULL;
}

void
words_add_array(rhost_ctx *ctx, struct words *w, const rhost_value *array)
{
    for (size_t i = 0; i < rhost_count(array); i++)
        if (rhost_str_at(array, i))
            words_add(ctx, w, rhost_str_at(array, i));
}

int
words_have(const struct words *w, const char *word)
{
    for (size_t i = 0; i < w->n; i++)
        if (strcmp(w->at[i], word) == 0)
            return 1;
    return 0;
}

const char *
words_join(rhost_ctx *ctx, const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 2;
    char *both = rhost_alloc(ctx, size);

    snprintf(both, size, "%s%s%s", a, *a && *b && a[strlen(a) - 1] != '\n' ? "\n" : "", b);
    return both;
}

const char *
words_list(rhost_ctx *ctx, const struct words *w, size_t shown)
{
    size_t n = w->n > shown ? shown : w->n, size = 32;
    char *text, *to;

    for (size_t i = 0; i < n; i++)
        size += strlen(w->at[i]) + 2;
    text = to = rhost_alloc(ctx, size);
    for (size_t i = 0; i < n; i++)
        to = stpcpy(stpcpy(to, i ? ", " : ""), w->at[i]);
    if (w->n > n)
        snprintf(to, size - (size_t)(to - text), " and %zu more", w->n - n);
    return text;
}

char *
words_line(char **text)
{
    char *line = *text, *end;

    if (!line || !*line)
        return NULL;
    end = line + strcspn(line, "\n");
    *text = *end ? end + 1 : end;
    *end = '\0';
    if (end > line && end[-1] == '\r')
        end[-1] = '\0';
    return line;
}

const char *
words_after(const char *line, const char *start)
{
    size_t n = strlen(start);

    return strncmp(line, start, n) == 0 ? line + n : NULL;
}

static int
is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '+' || c == '-' || c == '.';
}

int
words_mention(const char *line, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name)) {
        char after = at[n];

        if (after == '.' && !is_of_name(at[n + 1])) /* the end of a sentence */
            after = ' ';
        if ((at == line || !is_of_name(at[-1])) && !is_of_name(after))
            return 1;
    }
    return 0;
}

unsigned
words_distance(const char *a, const char *b, unsigned most)
{
    size_t la = strlen(a), lb = strlen(b);
    unsigned rows[3][LONGEST_NAME + 1];
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];

    if (la > LONGEST_NAME || lb > LONGEST_NAME || la > lb + most || lb > la + most)
        return most + 1;
    for (size_t k = 0; k <= lb; k++)
        last[k] = before[k] = (unsigned)k;
    for (size_t i = 1; i <= la; i++) {
        unsigned *swap = before, least = now[0] = (unsigned)i;

        for (size_t k = 1; k <= lb; k++) {
            unsigned d = last[k - 1] + (a[i - 1] != b[k - 1]);

            if (last[k] + 1 < d)
                d = last[k] + 1;
            if (now[k - 1] + 1 < d)
                d = now[k - 1] + 1;
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && before[k - 2] + 1 < d)
                d = before[k - 2] + 1;
            now[k] = d;
            least = d < least ? d : least;
        }
        if (least > most)
            return most + 1;
        before = last;
        last = now;
        now = swap;
    }
    return last[lb] > most ? most + 1 : last[lb];
}

const char *
words_closest(rhost_ctx *ctx, const char *lines, const char *name)
{
    /* "lib" and the version at the end are alike in many names, and say nothing. */
    size_t start = strncmp(name, "lib", 3) == 0 ? 3 : 0, end = strlen(name);
    unsigned most;
    const char *best = NULL;

    while (end > start && strchr("0123456789.-", name[end - 1]))
        end--;
    most = end - start > 8 ? 3 : end - start > 4 ? 2 : 1;
    for (const char *at = lines; *at; at += strspn(at, "\n")) {
        size_t n = strcspn(at, "\n");
        char word[LONGEST_NAME + 1];

        if (n <= LONGEST_NAME) {
            unsigned d;

            memcpy(word, at, n);
            word[n] = '\0';
            d = words_distance(word, name, most);
            /* Of those that are as near, one that begins alike. */
            if (d && d <= most && (!best || d < most || (*best != *name && *word == *name))) {
                best = rhost_copy(ctx, word, n);
                most = d;
            }
        }
        at += n;
    }
    return best;
}
