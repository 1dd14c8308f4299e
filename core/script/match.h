/* SPDX-License-Identifier: Apache-2.0 */
/* match - patterns and regular expressions are searched for, on the evaluation's budget. */
#ifndef RH_SCRIPT_MATCH_H
#define RH_SCRIPT_MATCH_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh_buf;
struct rh_script;

/* pattern.c: Lua's patterns in the notation of PCRE2, since Lua's own matcher can't be limited. */

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

/* A pattern that was compiled; Lua's garbage collection frees it. */
struct rh_matcher {
    struct rh_pattern p; /* of a regular expression: its groups */
    void *code, *data;   /* pcre2_code, pcre2_match_data */
    bool utf;
};

/* Pushes what the text at `index` compiles to, as Lua's pattern (with `anchors` a '^' in front is
 * one) or as a regular expression. Each text is compiled once. Raises what is wrong with it. */
const struct rh_matcher *rh_matcher_pattern(lua_State *l, int index, bool anchors);
const struct rh_matcher *rh_matcher_regex(lua_State *l, int index);

/* Looks for it in `s`, from byte `from` on. */
bool rh_matcher_find(lua_State *l, const struct rh_matcher *m, const char *s, size_t n, size_t from,
                     size_t *start, size_t *end);

/* After a match: pushes capture `i`, from 0, or the whole match when there are no captures. */
void rh_matcher_push(lua_State *l, const struct rh_matcher *m, const char *s, unsigned i);

/* gsub of the text at index 1 by what is at index 3, as string.gsub does; pushes two results. */
int rh_gsub(lua_State *l, const struct rh_matcher *m, lua_Integer most);

/* The name of capture `i` of a regular expression; NULL when it has none. */
const char *rh_matcher_name(const struct rh_matcher *m, unsigned i);

void rh_matcher_open(lua_State *l);
void rh_matcher_close(struct rh_script *s);

#endif
