/* SPDX-License-Identifier: Apache-2.0 */
/* letter - types that note each call they get, to be held against the letter of the specification.
 *
 * The folder that LETTER names is their world. Its file TYPE has a line for each resource that exists,
 * with tabs between its attributes: "name=a<tab>value=x<tab>size=3". What is a number or a truth value
 * in such a line is one; "undef" is undef; s:TEXT is a text whatever it looks like. TYPE.wrong has what
 * goes wrong: "get it is broken". Calls are noted in `calls`. */
#ifndef TESTS_CONFORMANCE_LETTER_H
#define TESTS_CONFORMANCE_LETTER_H

#include <rhost/provider.h>

#include <stdbool.h>

/* world.c */

/* Adds a line to `calls`: the type, and what is said here. */
void letter_note(const char *type, const char *fmt, ...) RHOST_PRINTF(2, 3);

/* A value as text, {name: a, size: 3}; NULL is "absent". In memory of the call. */
const char *letter_show(rhost_ctx *ctx, const rhost_value *v);

/* Whether something is to go wrong in this callback: fails the call then, and returns -1. */
int32_t letter_wrong(rhost_ctx *ctx, const char *type, const char *callback);

/* Emits the resources of a type: those of `names`, all when it is NULL. */
void letter_emit(rhost_ctx *ctx, const char *type, const rhost_value *names);

/* Fills in one; false when it does not exist. */
bool letter_fill(const char *type, const rhost_value *name, rhost_value *current);

/* Brings the world to what a change wants. */
void letter_write(const char *type, const struct rhost_change *change);

/* script.c: does what the parameter `tell` of a change says, a list of texts:
 *   log|LEVEL|TEXT  log|LEVEL|TEXT|TITLE,TITLE   begin|DOING|TITLE,TITLE|TEXT   end   end|NUMBER
 *   did|DOING|TITLE,TITLE|TEXT   unchanged|TITLE|TEXT   attr|TITLE|NAME|IS|SHOULD|TEXT
 *   fail|TEXT   return   find|TYPE|TITLE   all|TYPE
 * What is left out, or empty, is NULL. Returns what the callback is to return. */
int32_t letter_tell(rhost_ctx *ctx, const struct rhost_change *change);

/* Notes what the catalog says of type[title], or of all of the type. */
void letter_look(rhost_ctx *ctx, const char *type, const char *title, bool all);

#endif
