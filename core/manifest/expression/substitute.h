/* SPDX-License-Identifier: Apache-2.0 */
/* substitute - `${...}` in the values of a manifest: what the expressions in them mean. */
#ifndef RH_MANIFEST_EXPRESSION_SUBSTITUTE_H
#define RH_MANIFEST_EXPRESSION_SUBSTITUTE_H

#include <stdbool.h>

struct rh_load;
struct rh_value;

/* Replaces `${...}` in any text within `v`, in place, by what the expressions mean, and makes `$${`
 * what it stands for. A value that is exactly one `${...}` keeps its type; in mixed text it becomes
 * text, which undef, lists and hashes can't. What comes out is not looked at again, and counts as
 * quoted. What can't be known yet is an RH_UNKNOWN. Complains, and returns -1, where an expression
 * is wrong: such a text becomes an RH_UNKNOWN with the mark RH_GIVEN_UP. */
int rh_substitute(struct rh_load *load, struct rh_value *v);

/* Whether there is a "${" in a text. */
bool rh_has_expression(const struct rh_value *v);

#endif
