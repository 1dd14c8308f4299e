/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-anchor - anchors of a file, and the copies that their aliases are. */
#include "config.h"

#include "manifest/text/yaml-parts.h"

#include "base/arena.h"
#include "base/complaint.h"
#include "base/value.h"
#include "manifest/text/yaml.h"

#include <string.h>

struct rh_yaml_anchor {
    struct rh_value *value; /* NULL while it is being read */
    struct rh_place place;
    uint32_t nodes, height;
    size_t text;
};

struct rh_yaml_anchor *
rh_yaml_anchor_open(struct rh_yaml_anchors *anchors, const char *name, struct rh_place place)
{
    struct rh_yaml_anchor *anchor = rh_arena_alloc(anchors->arena, sizeof *anchor);

    *anchor = (struct rh_yaml_anchor){ .place = place,
                                       .nodes = anchors->nodes + anchors->aliased,
                                       .text = anchors->text + anchors->aliased_text };
    rh_map_replace(&anchors->known, rh_arena_strndup(anchors->arena, name, strlen(name)), anchor);
    return anchor;
}

void
rh_yaml_anchor_close(const struct rh_yaml_anchors *anchors, struct rh_yaml_anchor *anchor, struct rh_value *v,
                     unsigned height)
{
    anchor->value = v;
    anchor->nodes = anchors->nodes + anchors->aliased - anchor->nodes;
    anchor->text = anchors->text + anchors->aliased_text - anchor->text;
    anchor->height = height;
}

struct rh_value *
rh_yaml_refused(struct rh_arena *a, struct rh_place place)
{
    struct rh_value *v = rh_value_new(a, RH_UNKNOWN);

    rh_value_set_place(v, place);
    v->marks = RH_INVALID;
    return v;
}

/* The text itself stays out of the messages: "password: *hunter2". */
struct rh_value *
rh_yaml_alias(struct rh_yaml_anchors *anchors, const char *name, struct rh_place place, unsigned depth,
              unsigned *height)
{
    struct rh_yaml_anchor *anchor = rh_map_get(&anchors->known, name);
    struct rh_complaints *complaints = anchors->complaints;

    *height = 0;
    if (!anchor) {
        rh_complain(complaints, place,
                    "write the anchor (&NAME) before its aliases (*NAME); quote text that starts with '*'",
                    "unknown anchor for this alias");
        return rh_yaml_refused(anchors->arena, place);
    }
    if (!anchor->value) {
        rh_complain(complaints, place, NULL, "this alias is inside its own anchor");
        rh_complain_also(complaints, anchor->place, "the anchor starts here");
        return rh_yaml_refused(anchors->arena, place);
    }
    if (anchors->aliased + anchor->nodes > RH_YAML_MOST_ALIASED) {
        rh_complain(complaints, place, NULL, "the aliases of this file expand to more than %u values",
                    RH_YAML_MOST_ALIASED);
        return NULL;
    }
    if (anchors->aliased_text + anchor->text > RH_YAML_MOST_ALIASED_TEXT) {
        rh_complain(complaints, place, NULL, "the aliases of this file expand to more than %zu MiB of text",
                    RH_YAML_MOST_ALIASED_TEXT >> 20);
        return NULL;
    }
    if (depth + anchor->height > RH_YAML_DEEPEST) {
        rh_complain(complaints, place, NULL, "nested deeper than %u levels", RH_YAML_DEEPEST);
        return NULL;
    }
    anchors->aliased += anchor->nodes;
    anchors->aliased_text += anchor->text;
    *height = anchor->height;
    return rh_value_copy_sharing(anchors->arena, anchor->value);
}
