/* SPDX-License-Identifier: Apache-2.0 */
/* print-manifest - resources that were read, as a manifest that can be applied. */
#ifndef RH_CLI_PRINT_MANIFEST_H
#define RH_CLI_PRINT_MANIFEST_H

#include <stdbool.h>
#include <stdio.h>

struct rh_type;
struct rh_value;

/* `items` is a list of hashes of attributes. As YAML, what is read-only and what is sensitive stands
 * in comments; as JSON it is left out. */
void rh_print_manifest(FILE *to, const struct rh_type *t, const struct rh_value *items, bool json);

#endif
