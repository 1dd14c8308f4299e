/* SPDX-License-Identifier: Apache-2.0 */
/* print - types and what stands in them as canonical text. */
#ifndef RH_DATATYPE_PRINT_H
#define RH_DATATYPE_PRINT_H

#include "datatype/tree.h"

struct rh_buf;

/* As rh_datatype_print, with aliases as `Mymod::Port = Integer[0, 65535]`, nested ones too; where
 * one comes back to itself only its name is printed. */
void rh_print_expanded(struct rh_buf *b, const struct rh_datatype *t);

/* Quoted: 'it\'s', or "a\nb" when it has control characters. */
void rh_print_word(struct rh_buf *b, struct rh_word w);
void rh_print_regex(struct rh_buf *b, const char *source, size_t n); /* with its slashes */
void rh_print_float(struct rh_buf *b, double d);                     /* 1.0, 1.0e-07 */

#endif
