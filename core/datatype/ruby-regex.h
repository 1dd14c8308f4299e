/* SPDX-License-Identifier: Apache-2.0 */
/* ruby-regex - rewrites a pattern in Ruby's dialect into PCRE2's. */
#ifndef RH_DATATYPE_RUBY_REGEX_H
#define RH_DATATYPE_RUBY_REGEX_H

#include "base/cleanup.h"

#include <stddef.h>

struct rh_buf;
struct rh_error;

/* Adds the pattern to `out`. What PCRE2 alone understands (verbs, callouts, recursion by number) is
 * refused, so that a pattern can't lift the limits it is matched within. -1 with err->at set. */
RH_CHECKED int rh_ruby_regex(const char *source, size_t n, struct rh_buf *out, struct rh_error *err);

/* ruby-class.c: rewrites a bracket class of Ruby's, which may nest and intersect. */

/* `*pos` stands at the '[' and is left behind its ']'. -1 with err->at set. */
RH_CHECKED int rh_ruby_class(const char *s, size_t n, size_t *pos, struct rh_buf *out, struct rh_error *err);

#endif
