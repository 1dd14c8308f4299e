/* SPDX-License-Identifier: Apache-2.0 */
/* explain - where an attribute's value came from, as text. */
#ifndef RH_CLI_EXPLAIN_H
#define RH_CLI_EXPLAIN_H

struct rh_buf;
struct rh_value;

/* Adds what rh_node_explain found out: the value, and a line for each step: its number, the place,
 * level and operation, the value, what became of it. Then the data files that were looked for, where
 * `data_files` has them. */
void rh_explanation_show(struct rh_buf *b, const struct rh_value *explanation);

#endif
