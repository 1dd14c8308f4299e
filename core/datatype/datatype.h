/* SPDX-License-Identifier: Apache-2.0 */
/* datatype - the data type language: parse a type, match a value, print a type, explain why a
 * value does not fit, read a value from text.
 *
 * A type is parsed once into a tree that lives in an arena and is only read afterwards; matching a
 * value that fits allocates nothing (match.c says what is excepted). */
#ifndef RH_DATATYPE_DATATYPE_H
#define RH_DATATYPE_DATATYPE_H

#include "base/cleanup.h"
#include "base/message-code.h"
#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_error;
struct rh_value;
struct rh_datatype;
struct rh_aliases;

enum rh_datatype_kind {
    RH_T_ANY,
    RH_T_UNDEF,
    RH_T_NOT_UNDEF,
    RH_T_OPTIONAL,
    RH_T_VARIANT,
    RH_T_ENUM,
    RH_T_PATTERN,
    RH_T_REGEXP,
    RH_T_STRING,
    RH_T_INTEGER,
    RH_T_FLOAT,
    RH_T_NUMERIC,
    RH_T_BOOLEAN,
    RH_T_SCALAR,
    RH_T_SCALAR_DATA,
    RH_T_DATA,
    RH_T_RICH_DATA,
    RH_T_ARRAY,
    RH_T_HASH,
    RH_T_TUPLE,
    RH_T_STRUCT,
    RH_T_COLLECTION,
    RH_T_ITERABLE,
    RH_T_SENSITIVE,
    RH_T_TIMESTAMP,
    RH_T_TIMESPAN,
    RH_T_SEMVER,
    RH_T_SEMVER_RANGE,
    RH_T_URI,
    RH_T_BINARY,
    RH_T_DEFAULT,
    RH_T_TYPE,
    RH_T_NAMED, /* known by name only: Callable, Runtime, ...: no datum of ours is one */
    RH_T_ALIAS,
};

/* Reads type text. `aliases` may be NULL. NULL on error, with err->at the byte of the text where it
 * went wrong and a message that says what was expected there. */
RH_CHECKED const struct rh_datatype *rh_datatype_parse(struct rh_arena *a, const struct rh_aliases *aliases,
                                                       const char *text, struct rh_error *err);

/* NULL is undef. What isn't known yet (RH_UNKNOWN) fits everything. The mark of being sensitive is
 * asked for by Sensitive, and no hindrance elsewhere; a wrapped value fits only Sensitive. */
enum rh_fit {
    RH_FITS,
    RH_MISFITS,
    RH_UNDECIDED, /* a pattern takes too many steps for this value: it must be told as an error */
};

enum rh_fit rh_datatype_fit(const struct rh_datatype *t, const struct rh_value *v);

/* The same as a yes or no: undecided is no, and rh_datatype_explain says that it is. */
bool rh_datatype_match(const struct rh_datatype *t, const struct rh_value *v);

/* Canonical text: "Enum['absent', 'present']". */
void rh_datatype_print(const struct rh_datatype *t, struct rh_buf *b);

/* The wording of what rh_datatype_explain says, for its code: the specification fixes the texts, of several
 * kinds. */
#define RH_DOES_NOT_FIT RH_WORDING("%s expects %s, got %s")

/* Why `v` does not fit: "SUBJECT expects an Integer value, got String"; several complaints come on
 * lines of their own. An empty subject leaves it out. Says nothing of what is sensitive but its
 * kind, and escapes what came from outside. */
void rh_datatype_explain(const struct rh_datatype *t, const char *subject, const struct rh_value *v,
                         struct rh_buf *b);

/* Reads a value from command-line text by its type ("0x1F" for an Integer, "true" for a Boolean,
 * strings last). NULL on error, with the message a mismatch has. */
RH_CHECKED const struct rh_value *rh_datatype_from_text(struct rh_arena *a, const struct rh_datatype *t,
                                                        const char *subject, const char *text,
                                                        struct rh_error *err);

/* The same for a value with text where there may be numbers and booleans: strings anywhere within
 * are read by the type that stands for them; what is of the right kind already stays. Sensitive
 * marks what it reads. */
RH_CHECKED const struct rh_value *rh_datatype_read(struct rh_arena *a, const struct rh_datatype *t,
                                                   const char *subject, const struct rh_value *v,
                                                   struct rh_error *err);

/* The shape of a type, for those who walk a value beside it. */
enum rh_datatype_kind rh_datatype_kind(const struct rh_datatype *t);
size_t rh_datatype_count(const struct rh_datatype *t); /* members, elements, keys, words */
/* Member i of a Variant or Tuple; the inside of Optional, NotUndef, Sensitive, Array (0: elements)
 * and Hash (0: keys, 1: values); an alias's target; NULL when there is none. */
const struct rh_datatype *rh_datatype_inner(const struct rh_datatype *t, size_t i);
/* Key i of a Struct with its type; word i of an Enum (type NULL). */
const char *rh_datatype_key(const struct rh_datatype *t, size_t i, const struct rh_datatype **type);

/* The type of part i of a list or hash that the type describes; NULL: anything. */
const struct rh_datatype *rh_datatype_within(const struct rh_datatype *t, const struct rh_value *v, size_t i);

/* kinds.c: which kinds a value of the type can have: a bit for each enum rh_kind. All where that can't be
 * told. */
unsigned rh_datatype_kinds(const struct rh_datatype *t);

/* Whether it or what is directly within (Optional, Variant, alias) is Sensitive. */
bool rh_datatype_sensitive(const struct rh_datatype *t);

#endif
