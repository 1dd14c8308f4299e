/* SPDX-License-Identifier: Apache-2.0 */
/* value-toml - values as TOML 1.0, and TOML read.
 *
 * Debian has no library for TOML in C that is maintained: this is a reader of the whole specification. */
#ifndef RH_BASE_VALUE_TOML_H
#define RH_BASE_VALUE_TOML_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_buf;
struct rh_error;
struct rh_value;

/* Reads a document: a hash. Dates and times become the text that they are written as. Refused are what TOML
 * refuses, infinite and undefined numbers, keys with a NUL character, and nesting over 64. NULL on error,
 * with the line in err->place. Takes time in proportion to n. */
RH_CHECKED struct rh_value *rh_value_from_toml(struct rh_arena *a, const char *text, size_t n,
                                               struct rh_error *err);

/* Adds a hash as a document: first its values, then a table for each hash in it, and for each element of a
 * list of hashes. Entries that are null are left out. -1: a list has a null, which TOML cannot have. */
RH_CHECKED int rh_toml_add(struct rh_buf *b, const struct rh_value *hash, struct rh_error *err);

#endif
