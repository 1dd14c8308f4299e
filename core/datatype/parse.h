/* SPDX-License-Identifier: Apache-2.0 */
/* parse - what the parser and the rules for each type's parameters know of each other. */
#ifndef RH_DATATYPE_PARSE_H
#define RH_DATATYPE_PARSE_H

#include "datatype/tree.h"

#include <stddef.h>
#include <stdint.h>

struct rh_aliases;
struct rh_arena;
struct rh_error;

/* lexer.c: the words of type text. */

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
int rh_lexer_fail(struct rh_lexer *l, size_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

enum rh_param_kind {
    RH_P_TYPE,
    RH_P_STRING, /* quoted, or a word in lower case */
    RH_P_REGEX,
    RH_P_INTEGER,
    RH_P_FLOAT,
    RH_P_BOOLEAN,
    RH_P_DEFAULT,
    RH_P_UNDEF,
    RH_P_HASH,
    RH_P_LIST,
};

struct rh_param {
    enum rh_param_kind kind;
    size_t at;
    const char *name; /* for messages: as written */
    const struct rh_datatype *type;
    struct rh_word text;
    int64_t integer; /* Boolean: 0 or 1 */
    double real;
    struct rh_param *items; /* List; Hash: key, value, key, value... */
    size_t count;
};

struct rh_parser {
    struct rh_lexer lexer;
    struct rh_token token; /* the one not yet used */
    const struct rh_aliases *aliases;
    size_t end; /* of the token before it */
    size_t depth;
    bool words; /* within Enum: a capital is a word that lacks its quotes */
};

/* What `Name[...]` means. `at` is where the name stands. NULL on error. */
const struct rh_datatype *rh_parse_params(struct rh_parser *p, const char *name, size_t at,
                                          const struct rh_param *params, size_t n);

/* What a bare name means: a type or an alias. NULL on error, which proposes what was meant. */
const struct rh_datatype *rh_parse_name(struct rh_parser *p, const char *name, size_t at);

/* parse-call: a type with its parameters, while one is made of the other. */

struct rh_type_call {
    struct rh_parser *p;
    const char *name;
    size_t at; /* of the name */
    const struct rh_param *v;
    size_t n;
    struct rh_datatype *t; /* to be filled */
};

static inline struct rh_arena *
rh_call_arena(const struct rh_type_call *c)
{
    return c->p->lexer.arena;
}

/* "String takes a size here, not 'a'". Always -1. */
int rh_call_refuse(const struct rh_type_call *c, const struct rh_param *v, const char *wanted);

/* "... its lower bound 3 above its upper bound 1", of the first two parameters from `v` on. */
int rh_call_refuse_bounds(const struct rh_type_call *c, const struct rh_param *v);

/* The number of parameters is within what the table of types allows. -1 on error. */
int rh_fill_array(struct rh_type_call *c);
int rh_fill_boolean(struct rh_type_call *c);
int rh_fill_enum(struct rh_type_call *c);
int rh_fill_float(struct rh_type_call *c);
int rh_fill_hash(struct rh_type_call *c);
int rh_fill_inner(struct rh_type_call *c);         /* Sensitive, Type, Iterable */
int rh_fill_inner_or_word(struct rh_type_call *c); /* Optional, NotUndef */
int rh_fill_integer(struct rh_type_call *c);
int rh_fill_named(struct rh_type_call *c);
int rh_fill_regexes(struct rh_type_call *c); /* Pattern, Regexp */
int rh_fill_semver(struct rh_type_call *c);
int rh_fill_size(struct rh_type_call *c); /* String, Collection */
int rh_fill_struct(struct rh_type_call *c);
int rh_fill_time(struct rh_type_call *c); /* Timestamp, Timespan */
int rh_fill_tuple(struct rh_type_call *c);
int rh_fill_uri(struct rh_type_call *c);
int rh_fill_variant(struct rh_type_call *c);

#endif
