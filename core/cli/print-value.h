/* SPDX-License-Identifier: Apache-2.0 */
/* print-value - a value on standard output, as --format asks for it. */
#ifndef RH_CLI_PRINT_VALUE_H
#define RH_CLI_PRINT_VALUE_H

#include "cli/options.h"

#include <stdbool.h>
#include <stdio.h>

struct rh_buf;
struct rh_type;
struct rh_value;

/* As text, a text stands by itself, and all else as YAML. */
void rh_print_value(enum rh_format format, const struct rh_value *v);

/* JSON text as it is, or in a page for browsers (run/html.h). */
void rh_print_json(enum rh_format format, const struct rh_buf *json);

/* print-manifest.c: resources that were read, as a manifest that can be applied. */

/* `items` is a list of hashes of attributes; `title` (may be NULL) is what the only one was asked for
 * by, and `provider` (may be NULL) what each entry is to name as its own. What no manifest may say
 * (read-only) or can say (secrets, bytes where text is expected) stands in comments as YAML, and beside the
 * resources as JSON, under `read_only` and `omitted`. Parameters are no state, and are left out. */
void rh_print_manifest(FILE *to, const struct rh_type *t, const char *title, const char *provider,
                       const struct rh_value *items, bool json);

/* print-yaml.c: values as YAML that people read. */

/* On one line: text that YAML reads as that text stands without quotes, all else as in JSON. */
void rh_yaml_add(struct rh_buf *b, const struct rh_value *v);

/* Text of several lines as a literal block behind "key:", its lines indented by `depth` levels; false, and
 * nothing is added, where YAML would not read that text again byte for byte. */
bool rh_yaml_add_literal(struct rh_buf *b, const struct rh_value *v, size_t depth);

/* On lines of its own, with what is within below it and further in; ends with a newline. */
void rh_yaml_add_block(struct rh_buf *b, const struct rh_value *v);

#endif
