/* SPDX-License-Identifier: Apache-2.0 */
/* title - from a resource's title to the attributes that make its name (S8, I26 to I29). */
#ifndef RH_SCHEMA_TITLE_H
#define RH_SCHEMA_TITLE_H

struct rh_arena;
struct rh_error;
struct rh_title_pattern;
struct rh_type;
struct rh_value;

/* Compiles the patterns of a description and holds their groups against the namevars. */
int rh_title_patterns_read(struct rh_arena *a, struct rh_type *t, const struct rh_value *patterns,
                           struct rh_error *err);

/* Puts into `name` (a hash) what the title says: the whole of it into a single namevar, which shares
 * the text, or what the first matching pattern captures. 1, or 0 when there are patterns and none matches, or
 * several namevars and no pattern: then the attributes must say it; -1 when
 * a pattern takes too many steps for this title. */
int rh_title_parse(const struct rh_type *t, const char *title, struct rh_value *name,
                   struct rh_error *err);

/* The text of pattern i, for messages and descriptions. */
const char *rh_title_pattern_text(const struct rh_type *t, unsigned i);

#endif
