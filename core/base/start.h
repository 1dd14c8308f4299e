/* SPDX-License-Identifier: Apache-2.0 */
/* start - how each program begins, whoever has started it. */
#ifndef RH_BASE_START_H
#define RH_BASE_START_H

#include "base/cleanup.h"

/* Opens /dev/null in the place of each standard stream that is closed, so that no file, socket or lock gets
 * its number and then what is meant for the stream. Has a write beyond the limit for files fail (SIGXFSZ), so
 * that it is reported. The first thing that each program does; -1 when not even that is possible. */
RH_CHECKED int rh_program_start(void);

#endif
