/* SPDX-License-Identifier: Apache-2.0 */
/* value-yaml - values as YAML that people read. */
#ifndef RH_BASE_VALUE_YAML_H
#define RH_BASE_VALUE_YAML_H

#include <stdbool.h>
#include <stddef.h>

struct rh_buf;
struct rh_value;

/* On one line: text that YAML reads as that text stands without quotes, all else as in JSON. Sensitive values
 * are "[redacted]". */
void rh_yaml_add(struct rh_buf *b, const struct rh_value *v);

/* Text of several lines as a literal block behind "key:", its lines indented by `depth` levels; false, and
 * nothing is added, where YAML would not read that text again byte for byte. */
bool rh_yaml_add_literal(struct rh_buf *b, const struct rh_value *v, size_t depth);

/* On lines of its own, with what is within below it and further in; ends with a newline. `sensitive` decides
 * whether sensitive values are written out, or as "[redacted]". */
void rh_yaml_add_block(struct rh_buf *b, const struct rh_value *v, bool sensitive);

#endif
