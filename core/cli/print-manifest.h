/* SPDX-License-Identifier: Apache-2.0 */
/* print-manifest - resources that were read, as a manifest that can be applied. */
#ifndef RH_CLI_PRINT_MANIFEST_H
#define RH_CLI_PRINT_MANIFEST_H

#include <stdbool.h>
#include <stdio.h>

struct rh_type;
struct rh_value;

/* `items` is a list of hashes of attributes; `title` (may be NULL) is what the only one was asked for
 * by, and `provider` (may be NULL) what each entry is to name as its own. What no manifest may say (read-only) or can say (secrets, bytes where text is expected) stands
 * in comments as YAML, and beside the resources as JSON, under `read_only` and `left_out`.
 * Parameters are no state, and are left out. */
void rh_print_manifest(FILE *to, const struct rh_type *t, const char *title, const char *provider,
                       const struct rh_value *items, bool json);

#endif
