/* SPDX-License-Identifier: Apache-2.0 */
/* other-syntax - what is written as other languages have it, and how it is said here. */
#ifndef RH_SCRIPT_OTHER_SYNTAX_H
#define RH_SCRIPT_OTHER_SYNTAX_H

#include <stdbool.h>
#include <stddef.h>

/* A hint for what was said of the text that starts at `start`; `at` and the `n` bytes that are left
 * are what it was said of. NULL when there is none. `recipe`: it is no single expression. */
const char *rh_other_syntax_hint(const char *message, const char *start, const char *at, size_t n,
                                 bool recipe);

/* A hint for a name that nobody knows: "item", "ansible_os_family"; NULL when there is none. */
const char *rh_other_syntax_name(const char *name);

#endif
