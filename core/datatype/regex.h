/* SPDX-License-Identifier: Apache-2.0 */
/* regex - patterns as Ruby reads them, matched by PCRE2 within limits. */
#ifndef RH_DATATYPE_REGEX_H
#define RH_DATATYPE_REGEX_H

#include "base/cleanup.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_error;
struct rh_regex;

enum rh_regex_result {
    RH_REGEX_NO,
    RH_REGEX_YES,
    RH_REGEX_LIMIT, /* the search took more steps or memory than we allow */
};

/* Compiles; the arena frees it. NULL on error, with err->at the byte within `source`. */
RH_CHECKED const struct rh_regex *rh_regex_new(struct rh_arena *a, const char *source, size_t n,
                                               struct rh_error *err);

/* Looks for a match anywhere in the text. */
enum rh_regex_result rh_regex_match(const struct rh_regex *r, const char *s, size_t n);

/* Named groups, by number from 0; and where the last match of `r` against `s` found one: false when
 * that group took no part in it. */
size_t rh_regex_groups(const struct rh_regex *r);
const char *rh_regex_group_name(const struct rh_regex *r, size_t i);
bool rh_regex_group(const struct rh_regex *r, const char *s, size_t i, const char **at, size_t *n);

const char *rh_regex_source(const struct rh_regex *r, size_t *n);
bool rh_regex_same(const struct rh_regex *a, const struct rh_regex *b); /* NULL equals NULL */

#endif
