/* SPDX-License-Identifier: Apache-2.0 */
/* scalar - what plain text in a manifest means: its attribute's type says so, not YAML's guess.
 *
 * A plain scalar is first what YAML 1.2's core schema says; where the type refuses that but accepts
 * the text as it was written, it is the text. So `mode: 0644` stays "0644" for a String. One
 * exception: what the core schema calls null is never text; someone who wrote `target: null` (or a
 * program that wrote JSON) meant no value, and a link to a file called "null" would be a surprise.
 *
 * Quoted text is text, save where the type wants one of those that have no way of writing of their
 * own: versions, timestamps, URIs and the like are read from it. */
#ifndef RH_MANIFEST_TEXT_SCALAR_H
#define RH_MANIFEST_TEXT_SCALAR_H

#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>

struct rh_arena;
struct rh_datatype;
struct rh_sources;
struct rh_value;

/* Reads `v` and all that is within by type `t` (NULL: by the core schema only), in place, and
 * returns it; no RH_PLAIN is left. What fits no reading is left as the core schema has it: holding
 * the value against its type then says what is wrong. `v` must not be shared with what another type
 * reads. */
struct rh_value *rh_scalar_read(struct rh_arena *a, const struct rh_datatype *t, struct rh_value *v);

/* Whether it is plain text that the core schema calls null. */
bool rh_scalar_is_null(const struct rh_value *v);

/* Reads text as what a tag of the core schema says: "str", "int", "float", "bool", "null". -1 when
 * the text is none of that. */
int rh_scalar_read_as(struct rh_value *v, const char *core);

/* scalar-place.c: where in a file a character of a scalar's text was written.
 *
 * The text that YAML makes of a scalar is not what stands in the file: indentation is taken away, lines
 * are folded, escapes are read. For a complaint about a part of it the scalar is gone through again.
 * Nothing is kept for that while a manifest is read: it costs only who complains. */

/* The place of byte `offset` of the text of `v`, as rh_yaml_read made it; of its end, the place
 * behind its last character. The place of `v` itself where nothing better is known. */
struct rh_place rh_scalar_place(const struct rh_sources *sources, const struct rh_value *v, size_t offset);

/* The same in the text of a file: `start` is where the scalar starts, or what stands before it (an
 * anchor, a tag). */
struct rh_place rh_scalar_place_in(const char *text, size_t n, struct rh_place start, const char *value,
                                   size_t length, size_t offset);

#endif
