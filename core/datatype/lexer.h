/* SPDX-License-Identifier: Apache-2.0 */
/* lexer - the words of type text. */
#ifndef RH_DATATYPE_LEXER_H
#define RH_DATATYPE_LEXER_H

#include <stddef.h>
#include <stdint.h>

struct rh_arena;
struct rh_error;

enum rh_token_kind {
    RH_TOK_END,
    RH_TOK_TYPE,   /* Capitalized, Mod::Capitalized */
    RH_TOK_WORD,   /* lower case, hyphens allowed */
    RH_TOK_STRING, /* quoted; `text` is what the quotes mean */
    RH_TOK_REGEX,  /* /.../; `text` is what is between, with \/ made / */
    RH_TOK_INTEGER,
    RH_TOK_FLOAT,
    RH_TOK_ARROW, /* => */
    RH_TOK_CHAR,  /* any of []{}(),- ; `integer` says which */
};

struct rh_token {
    enum rh_token_kind kind;
    size_t at, end; /* bytes of the text: [at, end) */
    const char *text;
    size_t n; /* bytes of `text` */
    int64_t integer;
    double real;
};

struct rh_lexer {
    struct rh_arena *arena;
    const char *text;
    size_t n, pos;
    struct rh_error *err;
};

/* Reads the next word. -1 with err->at where it went wrong. */
int rh_lexer_next(struct rh_lexer *l, struct rh_token *t);

/* What a message calls it: "',' ", "end of text", "'Integer'". Lives in the arena. */
const char *rh_token_name(struct rh_lexer *l, const struct rh_token *t);

/* Fails at a byte of the text. Always -1. */
int rh_lexer_fail(struct rh_lexer *l, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
