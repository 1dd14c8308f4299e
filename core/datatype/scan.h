/* SPDX-License-Identifier: Apache-2.0 */
/* scan - text that is read from its start on, byte by byte. */
#ifndef RH_DATATYPE_SCAN_H
#define RH_DATATYPE_SCAN_H

#include <stdbool.h>

struct rh_scan {
    const char *s, *end;
};

static inline bool
rh_scan_take(struct rh_scan *in, char c)
{
    if (in->s == in->end || *in->s != c)
        return false;
    in->s++;
    return true;
}

#endif
