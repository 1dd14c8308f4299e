/* SPDX-License-Identifier: Apache-2.0 */
/* scalar-place - where in a file a character of a scalar's text was written.
 *
 * The text that YAML makes of a scalar is not what stands in the file: indentation is taken away, lines
 * are folded, escapes are read. For a complaint about a part of it the scalar is gone through again.
 * Nothing is kept for that while a manifest is read: it costs only who complains. */
#ifndef RH_MANIFEST_TEXT_SCALAR_PLACE_H
#define RH_MANIFEST_TEXT_SCALAR_PLACE_H

#include "base/place.h"

#include <stddef.h>

struct rh_sources;
struct rh_value;

/* The place of byte `offset` of the text of `v`, as rh_yaml_read made it; of its end, the place
 * behind its last character. The place of `v` itself where nothing better is known. */
struct rh_place rh_scalar_place(const struct rh_sources *sources, const struct rh_value *v,
                                size_t offset);

/* The same in the text of a file: `start` is where the scalar starts, or what stands before it (an
 * anchor, a tag). */
struct rh_place rh_scalar_place_in(const char *text, size_t n, struct rh_place start,
                                   const char *value, size_t length, size_t offset);

#endif
