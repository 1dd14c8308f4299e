/* SPDX-License-Identifier: Apache-2.0 */
/* standard - the standard streams, which a caller may have closed. */
#ifndef RH_BASE_STANDARD_H
#define RH_BASE_STANDARD_H

/* Opens /dev/null in the place of each standard stream that is closed, so that no file, socket or
 * lock gets its number and then what is meant for the stream. The first thing that a program does; -1
 * when not even that is possible. */
int rh_standard_streams(void);

#endif
