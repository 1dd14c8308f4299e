/* SPDX-License-Identifier: Apache-2.0 */
/* pattern - Lua's patterns in the notation of PCRE2, since Lua's own matcher can't be limited. */
#ifndef RH_SCRIPT_PATTERN_H
#define RH_SCRIPT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;

enum { RH_PATTERN_CAPTURES = 32 };

/* What a pattern's captures are. */
struct rh_pattern {
    bool anchored; /* it started with '^' */
    unsigned n;    /* captures */
    bool back;     /* it refers back to what it captured, or balances */
    struct {
        unsigned group; /* PCRE2's number of it */
        bool position;
    } capture[RH_PATTERN_CAPTURES];
    /* The bytes that a match can start with, unless `any`: it may be empty too. */
    bool any;
    uint64_t first[4];
};

/* Adds the pattern to `out`. With `anchors` a '^' in front is an anchor. NULL, or what is wrong
 * with it. */
const char *rh_pattern_translate(const char *s, size_t n, bool anchors, struct rh_buf *out,
                                 struct rh_pattern *pattern);

#endif
