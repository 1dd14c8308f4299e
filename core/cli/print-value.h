/* SPDX-License-Identifier: Apache-2.0 */
/* print-value - a value on standard output, as --format asks for it. */
#ifndef RH_CLI_PRINT_VALUE_H
#define RH_CLI_PRINT_VALUE_H

#include "cli/options.h"

struct rh_value;

/* As text, a text stands by itself, and all else as YAML. */
void rh_print_value(enum rh_format format, const struct rh_value *v);

#endif
