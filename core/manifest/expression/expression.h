/* SPDX-License-Identifier: Apache-2.0 */
/* expression - expressions and templates in a manifest. */
#ifndef RH_MANIFEST_EXPRESSION_EXPRESSION_H
#define RH_MANIFEST_EXPRESSION_EXPRESSION_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_load;
struct rh_keyword_values;
struct rh_script;
struct rh_value;

/* evaluate.c: expressions of a manifest: what they see of the world, and complaints about them.
 *
 * The script is made for the first of them: a manifest without expressions knows nothing of it. */

struct rh_script *rh_load_script(struct rh_load *load);

/* What the expression means that is bytes `at` to `at + n` of the text of `v`, with load->context.scope; a
 * value of its own, perhaps an RH_UNKNOWN. NULL after a complaint at the place in it. */
struct rh_value *rh_evaluate(struct rh_load *load, const struct rh_value *v, size_t at, size_t n);

/* The same for a value that is an expression, in "${...}" or bare. */
struct rh_value *rh_evaluate_bare(struct rh_load *load, const struct rh_value *v);

/* Whether a text is one "${...}" and nothing else. */
bool rh_is_one_expression(const struct rh_value *v);

/* A hint when YAML took for a comment what was meant as a part of the value: `x == "a #1"`; or NULL. */
const char *rh_cut_hint(const struct rh_load *load, const struct rh_value *v);

/* A secret has come out of an expression: nobody else may read it in our memory. */
void rh_load_keep_secret(struct rh_load *load, const struct rh_value *v);

/* substitute.c: `${...}` in the values of a manifest: what the expressions in them mean. */

/* Replaces `${...}` in any text within `v`, in place, by what the expressions mean, and makes `$${`
 * what it stands for. A value that is exactly one `${...}` keeps its type; in mixed text it becomes
 * text, which undef, lists and hashes can't. What comes out is not looked at again, and counts as
 * quoted. What can't be known yet is an RH_UNKNOWN. Complains, and returns -1, where an expression
 * is wrong: such a text becomes an RH_UNKNOWN with the mark RH_INVALID. */
int rh_substitute(struct rh_load *load, struct rh_value *v);

/* From now on no text within `v` is looked through for expressions. */
void rh_set_literal(struct rh_value *v);

/* Whether there is a "${" in a text. */
bool rh_has_expression(const struct rh_value *v);

/* template.c: `template: FILE` in an entry: what the template makes is the value of `content`. */

/* The reader of the keyword, which rh_template_render is called in place of. */
int rh_read_template(struct rh_load *load, struct rh_keyword_values *source, struct rh_value *v);

/* What the template makes of load->context.scope: text, or an RH_UNKNOWN. `source` is the name of a file, or
 * {file: NAME, variables: {...}}; `secret`: what is in the file is. NULL after a complaint. */
struct rh_value *rh_template_render(struct rh_load *load, struct rh_value *source, bool secret);

#endif
