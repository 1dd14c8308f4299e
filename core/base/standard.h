/* SPDX-License-Identifier: Apache-2.0 */
/* standard - what is written to standard output. */
#ifndef RH_BASE_STANDARD_H
#define RH_BASE_STANDARD_H

#include "base/cleanup.h"

#include <stddef.h>

/* Writes all of it to the descriptor of standard output, past the buffers of stdio. That it failed is
 * remembered for rh_standard_close, unless its reader has gone: that one has seen enough. */
void rh_standard_write(int fd, const void *p, size_t n);

/* Writes what is still in the buffers, and closes standard output: 0, or -1 when anything that this process
 * wrote to it was lost, whichever write it was. errno is the reason, 0 where it is not known any more. The
 * last thing that a program does. */
RH_CHECKED int rh_standard_close(void);

#endif
