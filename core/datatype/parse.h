/* SPDX-License-Identifier: Apache-2.0 */
/* parse - what the parser and the rules for each type's parameters know of each other. */
#ifndef RH_DATATYPE_PARSE_H
#define RH_DATATYPE_PARSE_H

#include "datatype/lexer.h"
#include "datatype/tree.h"

struct rh_aliases;

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

#endif
