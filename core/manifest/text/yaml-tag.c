/* SPDX-License-Identifier: Apache-2.0 */
/* yaml-tag - what a node of YAML says about itself beside its content. */
#include "config.h"

#include "manifest/text/yaml-parts.h"

#include "base/complaint.h"
#include "base/value.h"

#include <string.h>

struct rh_yaml_tag
rh_yaml_tag_read(const char *text, struct rh_place place, struct rh_complaints *complaints)
{
    static const char core[] = "tag:yaml.org,2002:";
    static const char *const known[] = { "null", "bool", "int", "float", "str", "seq", "map" };
    struct rh_yaml_tag tag = { 0 };

    if (strcmp(text, "!") == 0) {
        tag.core = "str";
        return tag;
    }
    if (strcmp(text, "!append") == 0 || strcmp(text, "!remove") == 0) {
        tag.marks = text[1] == 'a' ? RH_APPEND : RH_REMOVE;
        return tag;
    }
    if (strncmp(text, core, strlen(core)) == 0)
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (strcmp(text + strlen(core), known[i]) == 0)
                tag.core = known[i];
    if (!tag.core)
        rh_complain(complaints, place,
                    "known tags: !append, !remove and YAML's core schema (!!str, !!int...); quote text that "
                    "starts with '!'",
                    "unknown tag");
    return tag;
}

void
rh_yaml_tag_fits(const struct rh_yaml_tag *tag, const char *want, struct rh_place place,
                 struct rh_complaints *complaints)
{
    if (tag->core && strcmp(tag->core, want) != 0)
        rh_complain(complaints, place, "remove the tag", "the tag '!!%s' does not fit %s", tag->core,
                    strcmp(want, "seq") == 0 ? "a list" : "a hash");
}
