/* SPDX-License-Identifier: Apache-2.0 */
/* parse-call - a type with its parameters, while one is made of the other. */
#ifndef RH_DATATYPE_PARSE_CALL_H
#define RH_DATATYPE_PARSE_CALL_H

#include "datatype/parse.h"

struct rh_call {
    struct rh_parser *p;
    const char *name;
    size_t at; /* of the name */
    const struct rh_param *v;
    size_t n;
    struct rh_datatype *t; /* to be filled */
};

static inline struct rh_arena *
rh_call_arena(const struct rh_call *c)
{
    return c->p->lexer.arena;
}

/* "String takes a size here, not 'a'". Always -1. */
int rh_call_refuse(const struct rh_call *c, const struct rh_param *v, const char *wanted);

/* "... its lower bound 3 above its upper bound 1", of the first two parameters from `v` on. */
int rh_call_refuse_bounds(const struct rh_call *c, const struct rh_param *v);

/* The number of parameters is within what the table of types allows. -1 on error. */
int rh_fill_array(struct rh_call *c);
int rh_fill_boolean(struct rh_call *c);
int rh_fill_enum(struct rh_call *c);
int rh_fill_float(struct rh_call *c);
int rh_fill_hash(struct rh_call *c);
int rh_fill_inner(struct rh_call *c);         /* Sensitive, Type, Iterable */
int rh_fill_inner_or_word(struct rh_call *c); /* Optional, NotUndef */
int rh_fill_integer(struct rh_call *c);
int rh_fill_named(struct rh_call *c);
int rh_fill_regexes(struct rh_call *c); /* Pattern, Regexp */
int rh_fill_semver(struct rh_call *c);
int rh_fill_size(struct rh_call *c); /* String, Collection */
int rh_fill_struct(struct rh_call *c);
int rh_fill_time(struct rh_call *c); /* Timestamp, Timespan */
int rh_fill_tuple(struct rh_call *c);
int rh_fill_uri(struct rh_call *c);
int rh_fill_variant(struct rh_call *c);

#endif
