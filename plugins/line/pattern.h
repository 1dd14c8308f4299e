/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - what a line is held against: a regular expression, or a whole line. */
#ifndef LINE_PATTERN_H
#define LINE_PATTERN_H

#include <rhost/provider.h>

struct pattern {
    const char *text; /* NULL: none, which nothing matches */
    size_t len;
    void *code, *data, *limits; /* NULL: a whole line */
};

enum pattern_how {
    PATTERN_REGEX,   /* held against one line */
    PATTERN_LITERAL, /* the line itself */
    PATTERN_TEXT, /* held against a text of many lines in UTF-8: ^ and $ match at each of them, however they
                     end */
    PATTERN_BYTES /* the same of a text in another encoding, byte by byte */
};

/* Compiles `text` (which may be NULL). 0, or -1 with the reason in `why`. What was compiled is for
 * pattern_clear(). */
int pattern_init(struct pattern *p, const char *text, enum pattern_how how, char *why, size_t size);
void pattern_clear(struct pattern *p);

/* 1: it matches, 0: it does not, -1: it took too many steps to tell. */
int pattern_matches(const struct pattern *p, const char *line, size_t len);

#endif
