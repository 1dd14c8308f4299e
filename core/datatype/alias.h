/* SPDX-License-Identifier: Apache-2.0 */
/* alias - data types with names of their own: `Mymod::Port` for `Integer[0, 65535]`.
 *
 * First every name is declared with its text, in any order, then the set is resolved: bodies may
 * use each other and themselves. After that it is only read. */
#ifndef RH_DATATYPE_ALIAS_H
#define RH_DATATYPE_ALIAS_H

struct rh_alias;
struct rh_aliases;
struct rh_arena;
struct rh_error;
struct rh_suggest;

/* Lives, with all its types, as long as the arena. */
struct rh_aliases *rh_aliases_new(struct rh_arena *a);

/* -1 when the name is not one (`Name`, `Mod::Name`), is taken, or is that of a built-in type. */
int rh_aliases_declare(struct rh_aliases *s, const char *name, const char *text,
                       struct rh_error *err);

/* Reads the bodies. -1 at the first that can't be read, with its name in front and err->at the byte
 * of its text; also when an alias stands for nothing but itself (A = Optional[A]). */
int rh_aliases_resolve(struct rh_aliases *s, struct rh_error *err);

/* For the parser; `s` may be NULL. */
const struct rh_alias *rh_aliases_find(const struct rh_aliases *s, const char *name);
void rh_aliases_suggest(const struct rh_aliases *s, struct rh_suggest *suggest);

#endif
