/* SPDX-License-Identifier: Apache-2.0 */
/* diff - two texts as people compare them: a unified diff. */
#ifndef RH_RUN_DIFF_H
#define RH_RUN_DIFF_H

#include <stddef.h>

struct rh_buf;

/* Adds a unified diff with three lines of context, each line behind `indent`, escaped for a
 * terminal; colours when asked. Texts too different to be compared in reasonable time come as
 * everything removed and everything added. */
void rh_diff_unified(struct rh_buf *b, const char *from, size_t n_from, const char *to, size_t n_to,
                     const char *indent, int colour);

#endif
