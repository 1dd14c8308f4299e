/* SPDX-License-Identifier: Apache-2.0 */
/* toml-parts - what the files that read TOML share. */
#ifndef RH_BASE_TOML_PARTS_H
#define RH_BASE_TOML_PARTS_H

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_value;

/* A text while it is read. `at` is where reading goes on, or failed. */
struct rh_toml_text {
    struct rh_arena *arena;
    const char *at, *end;
    struct rh_error *err;
};

/* The character at `at`, or NUL at the end (and for a NUL, which nothing takes). */
static inline char
rh_toml_next(const struct rh_toml_text *t)
{
    return t->at < t->end ? *t->at : '\0';
}

/* Passes over blanks and tabs. */
void rh_toml_skip_blanks(struct rh_toml_text *t);

/* Passes over a comment, if one begins here, and over the end of the line: 1; 0: something else is here, or
 * the text ends; -1 with the reason: the comment has a control character. */
int rh_toml_skip_line_end(struct rh_toml_text *t);

/* A text in quotes; `lines`: one of several lines may stand here. NULL with the reason. */
struct rh_value *rh_toml_read_text(struct rh_toml_text *t, bool lines);

/* A boolean, a number, a date or a time. NULL with the reason. */
struct rh_value *rh_toml_read_word(struct rh_toml_text *t);

#endif
