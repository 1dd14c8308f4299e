/* SPDX-License-Identifier: Apache-2.0 */
/* checksum - whether the disk has kept what was written. */
#include "config.h"

#include "base/checksum.h"

#include <string.h>

uint64_t
rh_checksum(const char *bytes, size_t n)
{
    uint64_t sum = n, word;

    for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    for (; n; n--)
        sum = (sum ^ (unsigned char)*bytes++) * UINT64_C(0x100000001b3);
    return sum;
}
