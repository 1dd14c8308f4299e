/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-tag - what a node of YAML says about itself beside its content. */
#ifndef RH_MANIFEST_TEXT_YAML_TAG_H
#define RH_MANIFEST_TEXT_YAML_TAG_H

#include "base/place.h"

#include <stdint.h>
#include <yaml.h>

struct rh_complaints;

struct rh_yaml_tag {
    uint8_t marks;
    const char *core; /* "str", "int"...: the tag of YAML's core schema; or NULL */
};

/* One that nobody knows is a complaint. Most nodes have none: no text. */
struct rh_yaml_tag rh_yaml_tag_read(const char *text, struct rh_place place,
                                    struct rh_complaints *complaints);
static inline struct rh_yaml_tag
rh_yaml_tag(const yaml_char_t *text, struct rh_place place, struct rh_complaints *complaints)
{
    return text ? rh_yaml_tag_read((const char *)text, place, complaints)
                : (struct rh_yaml_tag){ 0 };
}

/* Complains when it is not what a list ("seq") or a hash ("map") may have. */
void rh_yaml_tag_fits(const struct rh_yaml_tag *tag, const char *want, struct rh_place place,
                      struct rh_complaints *complaints);

#endif
