/* SPDX-License-Identifier: Apache-2.0 */
/* text - text that grows, and names that resemble each other. */
#ifndef BRIDGE_TEXT_H
#define BRIDGE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *s; /* with a NUL behind it, once anything was added */
    size_t n, room;
};

void text_add(struct text *t, const char *s, size_t n);
void text_adds(struct text *t, const char *s);
void text_addf(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void text_addv(struct text *t, const char *fmt, __builtin_va_list ap) __attribute__((format(printf, 2, 0)));
void text_clear(struct text *t); /* and nothing is left of it in memory */

/* Memory, zeroed; there always is, or the process ends. */
void *need(size_t n);
char *need_text(const char *s, size_t n);

/* 0, or how far into it the bytes are no UTF-8, plus one. */
size_t utf8_fault(const char *s, size_t n);

/* The best so far of words that `wanted` may have been meant to be. */
struct near {
    const char *wanted, *best;
    size_t distance;
};

void near_try(struct near *near, const char *word);

/* ": did you mean 'x'?", or nothing. */
void near_add(const struct near *near, struct text *t);

#endif
