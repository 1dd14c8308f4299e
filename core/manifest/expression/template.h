/* SPDX-License-Identifier: Apache-2.0 */
/* template - `template: FILE` in an entry: what the template makes is the value of `content`. */
#ifndef RH_MANIFEST_EXPRESSION_TEMPLATE_H
#define RH_MANIFEST_EXPRESSION_TEMPLATE_H

#include <stdbool.h>

struct rh_load;
struct rh_said;
struct rh_value;

/* The reader of the keyword, which rh_template_render is called in place of. */
int rh_read_template(struct rh_load *load, struct rh_said *said, struct rh_value *v);

/* What the template makes of load->scope: text, or an RH_UNKNOWN. `said` is the name of a file, or
 * {file: NAME, variables: {...}}; `secret`: what is in the file is. NULL after a complaint. */
struct rh_value *rh_template_render(struct rh_load *load, struct rh_value *said, bool secret);

#endif
