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

#endif
