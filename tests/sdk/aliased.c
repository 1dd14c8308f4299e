/* SPDX-License-Identifier: Apache-2.0 */
/* aliased - a plugin whose attributes have data types that the file beside it declares. */
#include "note.h"

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Note::Path", .behaviour = RHOST_NAMEVAR, .desc = "Where it is." },
    { .name = "text", .type = "Note::Text", .desc = "What is in it." },
    { .name = "tree",
      .type = "Optional[Note::Tree]",
      .behaviour = RHOST_PARAMETER,
      .desc = "Words within words." },
};

static const struct rhost_provider provider = {
    RHOST_PROVIDER("aliased", "Keeps a note."),
    RHOST_ATTRS(attrs),
    .load = note_load,
    .create = note_write,
    .update = note_write,
    .remove = note_remove,
};

RHOST_PLUGIN(aliased, "0.1", &provider)
