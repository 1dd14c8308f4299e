/* SPDX-License-Identifier: Apache-2.0 */
/* scan - where things end in Lua's source: rh_script_expression_end of script/script.h. */
#ifndef RH_SCRIPT_SCAN_H
#define RH_SCRIPT_SCAN_H

#include <stddef.h>

/* Behind what starts at `at`: a text, a comment, a long bracket, or one byte. SIZE_MAX when it does
 * not end. */
size_t rh_script_skip(const char *text, size_t n, size_t at);

#endif
