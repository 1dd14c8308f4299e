/* SPDX-License-Identifier: Apache-2.0 */
/* scan - text that is read from its start on, byte by byte. */
#ifndef RH_DATATYPE_SCAN_H
#define RH_DATATYPE_SCAN_H

#include <stdbool.h>
#include <stddef.h>

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

/* The same but for the case of ASCII letters. */
static inline bool
rh_ascii_same(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)a[i], y = (unsigned char)b[i];

        if (x >= 'A' && x <= 'Z')
            x |= 0x20;
        if (y >= 'A' && y <= 'Z')
            y |= 0x20;
        if (x != y)
            return false;
    }
    return true;
}

#endif
