/* SPDX-License-Identifier: Apache-2.0 */
/* print-yaml - values as YAML that people read. */
#ifndef RH_CLI_PRINT_YAML_H
#define RH_CLI_PRINT_YAML_H

struct rh_buf;
struct rh_value;

/* On one line: text that YAML reads as that text stands without quotes, all else as in JSON. */
void rh_yaml_add(struct rh_buf *b, const struct rh_value *v);

/* On lines of its own, with what is within below it and further in; ends with a newline. */
void rh_yaml_add_block(struct rh_buf *b, const struct rh_value *v);

#endif
