/* SPDX-License-Identifier: Apache-2.0 */
/* checksum - whether the disk has kept what was written. It is no defence against others: what is checked by
 * it is in a place where only this user, or root, can write. */
#ifndef RH_BASE_CHECKSUM_H
#define RH_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of the `n` bytes. The same on each machine of one byte order. */
uint64_t rh_checksum(const char *bytes, size_t n);

#endif
