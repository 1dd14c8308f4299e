/* SPDX-License-Identifier: Apache-2.0 */
/* template - text with expressions and statements in it, turned into a chunk of Lua. */
#ifndef RH_SCRIPT_TEMPLATE_H
#define RH_SCRIPT_TEMPLATE_H

#include <stddef.h>

struct rh_buf;

/* Why a template can't be read. */
struct rh_template_fault {
    const char *message;
    const char *statement; /* of another template language; else NULL */
    unsigned line;
};

/* Adds the chunk to `out`. It is called with its names (an _ENV), a function that adds text, and
 * one that adds the value of an expression, which is given the expression's text first. Each
 * statement stands on the line that it has in the template. -1 with `fault`. */
int rh_template_translate(const char *text, size_t n, struct rh_buf *out, struct rh_template_fault *fault);

/* scan.c: where things end in Lua's source: rh_script_expression_end of script/script.h. */

/* Behind what starts at `at`: a text, a comment, a long bracket, or one byte. SIZE_MAX when it does
 * not end. */
size_t rh_script_skip(const char *text, size_t n, size_t at);

#endif
