/* SPDX-License-Identifier: Apache-2.0 */
/* words - lists of words, lines of output, and names that look alike. All memory is the call's. */
#ifndef PACKAGE_WORDS_H
#define PACKAGE_WORDS_H

#include <rhost/provider.h>

struct words {
    const char **at; /* NULL-terminated once something was added */
    size_t n, room;
};

void words_add(rhost_ctx *ctx, struct words *w, const char *word);
void words_add_array(rhost_ctx *ctx, struct words *w, const rhost_value *array);
int words_have(const struct words *w, const char *word);

/* One text and another, on lines of their own. */
const char *words_join(rhost_ctx *ctx, const char *a, const char *b);

/* "a, b, c and 7 more": at most `shown` of them. */
const char *words_list(rhost_ctx *ctx, const struct words *w, size_t shown);

/* Cuts the next line off *text, in place, without its end; NULL at the end of the text. */
char *words_line(char **text);

/* Whether a line begins so; the rest of it, or NULL. */
const char *words_after(const char *line, const char *start);

/* Whether `line` has `name` as a word of its own, as packages are named. */
int words_mention(const char *line, const char *name);

/* How many letters are to be changed to come from one to the other; more than `most`: most + 1. */
unsigned words_distance(const char *a, const char *b, unsigned most);

/* Of the words in these lines, the one most like `name`; NULL when none is. */
const char *words_closest(rhost_ctx *ctx, const char *lines, const char *name);

#endif
