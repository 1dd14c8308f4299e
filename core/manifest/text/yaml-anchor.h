/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-anchor - anchors of a file (&NAME), and the copies that their aliases (*NAME) are. */
#ifndef RH_MANIFEST_TEXT_YAML_ANCHOR_H
#define RH_MANIFEST_TEXT_YAML_ANCHOR_H

#include "base/map.h"
#include "base/place.h"

#include <stdint.h>

struct rh_arena;
struct rh_complaints;
struct rh_value;
struct rh_yaml_anchor;

struct rh_yaml_anchors {
    struct rh_arena *arena;
    struct rh_complaints *complaints;
    struct rh_map known;     /* name to struct rh_yaml_anchor; the owner's to clear */
    uint32_t nodes, aliased; /* what was read until now, and what aliases have added to it */
    size_t text, aliased_text; /* the same for the bytes of the texts */
};

/* What is read from here on, until it is closed with the value that came of it, has this name. */
struct rh_yaml_anchor *rh_yaml_anchor_open(struct rh_yaml_anchors *anchors, const char *name,
                                           struct rh_place place);
void rh_yaml_anchor_close(const struct rh_yaml_anchors *anchors, struct rh_yaml_anchor *anchor,
                          struct rh_value *v, unsigned height);

/* The copy that stands for an alias at this depth, and how high it is; after a complaint, what
 * rh_yaml_refused gives, or NULL when there would be too much of it. */
struct rh_value *rh_yaml_alias(struct rh_yaml_anchors *anchors, const char *name,
                               struct rh_place place, unsigned depth, unsigned *height);

/* In the place of what was refused: nothing complains about it again, and what is around it is
 * still read. */
struct rh_value *rh_yaml_refused(struct rh_arena *a, struct rh_place place);

#endif
