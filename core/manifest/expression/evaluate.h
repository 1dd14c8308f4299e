/* SPDX-License-Identifier: Apache-2.0 */
/* evaluate - expressions of a manifest: what they see of the world, and complaints about them.
 *
 * The script is made for the first of them: a manifest without expressions knows nothing of it. */
#ifndef RH_MANIFEST_EXPRESSION_EVALUATE_H
#define RH_MANIFEST_EXPRESSION_EVALUATE_H

#include "base/place.h"

#include <stddef.h>

struct rh_load;
struct rh_script;
struct rh_script_problem;
struct rh_value;

struct rh_script *rh_load_script(struct rh_load *load);

/* What the expression means that is bytes `at` to `at + n` of the text of `v`, with load->scope; a
 * value of its own, perhaps an RH_UNKNOWN. NULL after a complaint at the place in it. */
struct rh_value *rh_evaluate(struct rh_load *load, const struct rh_value *v, size_t at, size_t n);

/* Warns, at `v`, when the expression that was just evaluated has looked for a key that is not there and
 * that is nearly one that is: nobody else would tell a slip from what is missing on purpose. */
void rh_warn_missed(struct rh_load *load, const struct rh_value *v);

/* A hint when YAML took for a comment what was meant as a part of the value: `x == "a #1"`; or NULL. */
const char *rh_cut_hint(const struct rh_load *load, const struct rh_value *v);

/* Complains of what went wrong in a script; `place` is where, when the problem does not say. Clears
 * the problem. */
void rh_complain_script(struct rh_load *load, struct rh_script_problem *problem,
                        struct rh_place place);

/* A secret has come out of an expression: nobody else may read it in our memory. */
void rh_load_keep_secret(struct rh_load *load, const struct rh_value *v);

#endif
