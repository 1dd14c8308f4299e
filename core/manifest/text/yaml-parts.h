/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-parts - what the files behind yaml.c share. */
#ifndef RH_MANIFEST_TEXT_YAML_PARTS_H
#define RH_MANIFEST_TEXT_YAML_PARTS_H

#include "base/map.h"
#include "base/place.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yaml.h>

struct rh_arena;
struct rh_complaints;
struct rh_value;
struct rh_yaml_anchor;

/* yaml-anchor.c: anchors of a file (&NAME), and the copies that their aliases (*NAME) are. */

struct rh_yaml_anchors {
    struct rh_arena *arena;
    struct rh_complaints *complaints;
    struct rh_map known;       /* name to struct rh_yaml_anchor; the owner's to clear */
    uint32_t nodes, aliased;   /* what was read until now, and what aliases have added to it */
    size_t text, aliased_text; /* the same for the bytes of the texts */
};

/* What is read from here on, until it is closed with the value that came of it, has this name. */
struct rh_yaml_anchor *rh_yaml_anchor_open(struct rh_yaml_anchors *anchors, const char *name,
                                           struct rh_place place);
void rh_yaml_anchor_close(const struct rh_yaml_anchors *anchors, struct rh_yaml_anchor *anchor,
                          struct rh_value *v, unsigned height);

/* The copy that stands for an alias at this depth, and how high it is; after a complaint, what
 * rh_yaml_refused gives, or NULL when there would be too much of it. */
struct rh_value *rh_yaml_alias(struct rh_yaml_anchors *anchors, const char *name, struct rh_place place,
                               unsigned depth, unsigned *height);

/* In the place of what was refused: nothing complains about it again, and what is around it is
 * still read. */
struct rh_value *rh_yaml_refused(struct rh_arena *a, struct rh_place place);

/* yaml-json.c: the one thing in JSON that is not YAML. */

/* JSON writes a character beyond U+FFFF as two escapes, "\ud83d\ude00", which YAML refuses. Returns
 * JSON text with one YAML escape for each such pair, the caller's to free; NULL when there is
 * nothing to do, or the text is not JSON (does not start with a brace or bracket). Columns behind
 * such a character on its line are off by two. */
char *rh_yaml_from_json(const char *text, size_t n, size_t *length);

/* yaml-spacing.c: an error on a line above the one that libyaml reports. */

/* Complains of a space that is missing on the last line with text before this one (from 1). False: nothing
 * is. */
bool rh_yaml_missing_space(const char *text, size_t n, unsigned number, unsigned file,
                           struct rh_complaints *complaints);

/* yaml-tag.c: what a node of YAML says about itself beside its content. */

struct rh_yaml_tag {
    uint8_t marks;
    const char *core; /* "str", "int"...: the tag of YAML's core schema; or NULL */
};

/* One that nobody knows is a complaint. Most nodes have none: no text. */
struct rh_yaml_tag rh_yaml_tag_read(const char *text, struct rh_place place,
                                    struct rh_complaints *complaints);
static inline struct rh_yaml_tag
rh_yaml_tag(const char *text, struct rh_place place, struct rh_complaints *complaints)
{
    return text ? rh_yaml_tag_read(text, place, complaints) : (struct rh_yaml_tag){ 0 };
}

/* Complains when it is not what a list ("seq") or a hash ("map") may have. */
void rh_yaml_tag_fits(const struct rh_yaml_tag *tag, const char *want, struct rh_place place,
                      struct rh_complaints *complaints);

/* yaml-problem.c: why text is not YAML, in words that say what to do. */

/* Complains about what stopped the parser. `text` is what it reads. */
void rh_yaml_problem(const yaml_parser_t *parser, const char *text, size_t n, unsigned file,
                     struct rh_complaints *complaints);

#endif
