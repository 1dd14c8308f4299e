/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-record-parts - what is in the bytes of a record: see yaml-record.c. */
#ifndef RH_MANIFEST_TEXT_YAML_RECORD_PARTS_H
#define RH_MANIFEST_TEXT_YAML_RECORD_PARTS_H

#include <stdbool.h>
#include <yaml.h>

/* The first byte of an event: its kind, and these. */
enum {
    RH_YAML_KIND = 0x0f,
    RH_YAML_IS_PLAIN = 0x10,
    RH_YAML_IS_FLOW = 0x20,
    RH_YAML_IS_NAMED = 0x40,
};

/* How the value of a scalar is written down: these, or RH_YAML_PARTS and the number of its parts. */
enum {
    RH_YAML_DECODED,   /* one part of the text, which libyaml decodes again */
    RH_YAML_UNESCAPED, /* one part of the text, for rh_yaml_unescape() */
    RH_YAML_PARTS,
};

/* Nothing asks for the places of the others. */
static inline bool
rh_yaml_has_place(yaml_event_type_t type)
{
    return type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT || type == YAML_SEQUENCE_START_EVENT
           || type == YAML_MAPPING_START_EVENT;
}

#endif
