/* SPDX-License-Identifier: Apache-2.0 */
/* alias - data types with names of their own: `Mymod::Port` for `Integer[0, 65535]`.
 *
 * First every name is declared with its text, in any order, then the set is resolved: bodies may
 * use each other and themselves. After that it is only read. */
#ifndef RH_DATATYPE_ALIAS_H
#define RH_DATATYPE_ALIAS_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_alias;
struct rh_aliases;
struct rh_arena;
struct rh_error;
struct rh_suggest;
struct rh_value;

/* Lives, with all its types, as long as the arena. */
struct rh_aliases *rh_aliases_new(struct rh_arena *a);

/* -1 when the name is not one (`Name`, `Mod::Name`), is taken, or is that of a built-in type. */
RH_CHECKED int rh_aliases_declare(struct rh_aliases *s, const char *name, const char *text,
                                  struct rh_error *err);

/* Reads the bodies. -1 at the first that can't be read, with its name in front and err->at the byte
 * of its text; also when an alias stands for nothing but itself (A = Optional[A]). */
RH_CHECKED int rh_aliases_resolve(struct rh_aliases *s, struct rh_error *err);

/* Where the text of a declared name was written: messages then start with "FILE:LINE:COLUMN: ". The
 * texts are borrowed for as long as the set lives; `at` is the byte of `whole` where it starts. */
void rh_aliases_set_origin(struct rh_aliases *s, const char *name, const char *file, const char *whole,
                           size_t at);

/* Line and column, both from 1, the latter in characters, of a byte. */
void rh_alias_place(const char *text, size_t at, unsigned *line, unsigned *column);

struct rh_arena *rh_aliases_arena(const struct rh_aliases *s);
const struct rh_alias *rh_aliases_at(const struct rh_aliases *s, size_t i); /* NULL: no more */

/* For the parser; `s` may be NULL. */
const struct rh_alias *rh_aliases_find(const struct rh_aliases *s, const char *name);
void rh_aliases_suggest(const struct rh_aliases *s, struct rh_suggest *suggest);

/* alias-file.c: data types with names of their own, as a file declares them:
 *
 *     # Ports that anybody may open.
 *     type My::Port = Integer[1024, 65535]
 *     type My::Tree = Variant[
 *         String,
 *         Array[My::Tree],
 *     ]
 *
 * A declaration goes on until its brackets are closed. `#` starts a comment. */

/* Declares what stands in the text; `file` is what messages call it. -1 with "FILE:LINE:COLUMN: "
 * in front of the reason. Bodies are read by rh_aliases_resolve, which names places as well. */
RH_CHECKED int rh_aliases_read(struct rh_aliases *s, const char *file, const char *text, size_t n,
                               struct rh_error *err);

/* The whole file, declared and resolved. NULL with the reason. */
RH_CHECKED struct rh_aliases *rh_aliases_load(struct rh_arena *a, const char *path, struct rh_error *err);

/* As data: a hash of names and canonical texts, in the order of declaration; and back again. */
struct rh_value *rh_aliases_to_value(struct rh_arena *a, const struct rh_aliases *s);
RH_CHECKED struct rh_aliases *rh_aliases_from_value(struct rh_arena *a, const struct rh_value *v,
                                                    struct rh_error *err);

#endif
