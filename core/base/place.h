/* SPDX-License-Identifier: Apache-2.0 */
/* place - where in which file something was written. */
#ifndef RH_BASE_PLACE_H
#define RH_BASE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct rh_place {
    uint32_t line;   /* from 1; 0: nowhere in particular */
    uint16_t column; /* from 1, in characters; stops at 65535; 0: only the line is known */
    uint16_t file;   /* number in a struct rh_sources; 0: none */
};

static inline bool
rh_place_same(struct rh_place a, struct rh_place b)
{
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

#endif
