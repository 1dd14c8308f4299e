/* SPDX-License-Identifier: Apache-2.0 */
/* ruby-class - rewrites a bracket class of Ruby's, which may nest and intersect. */
#ifndef RH_DATATYPE_RUBY_CLASS_H
#define RH_DATATYPE_RUBY_CLASS_H

#include <stddef.h>

struct rh_buf;
struct rh_error;

/* `*pos` stands at the '[' and is left behind its ']'. -1 with err->at set. */
int rh_ruby_class(const char *s, size_t n, size_t *pos, struct rh_buf *out, struct rh_error *err);

#endif
