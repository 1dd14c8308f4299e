/* SPDX-License-Identifier: Apache-2.0 */
/* garbled - a type with a default that is no JSON. */
#include "note.h"

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "String[1]", .behaviour = RHOST_NAMEVAR },
    { .name = "size", .type = "Integer", .default_value = "large" },
};

static const struct rhost_provider provider = {
    RHOST_PROVIDER("garbled", "Is wrong."),
    RHOST_ATTRS(attrs),
    .load = note_load,
    .update = note_write,
};

RHOST_PLUGIN(garbled, "0.1", &provider)
