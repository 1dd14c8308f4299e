/* SPDX-License-Identifier: Apache-2.0 */
/* ruby - classes and values as Ruby has them, in vectors. */
#ifndef RH_TESTS_CONFORMANCE_RUBY_H
#define RH_TESTS_CONFORMANCE_RUBY_H

#include <json.h>
#include <stdbool.h>
#include <stddef.h>

/* Whether a value is one that the property takes ("type", "equal_to"); as far as vectors go. */
bool ruby_fits(struct json_object *prop, struct json_object *v);

/* Reads a value as Ruby shows it; returns how much of the text it was. */
size_t ruby_read(const char *text, struct json_object **v);

#endif
