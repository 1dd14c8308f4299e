/* SPDX-License-Identifier: Apache-2.0 */
/* renamed - a plugin whose attributes had other names once, and one of which is to be given up. */
#include "note.h"

static const char *const older[] = { "body", "content", NULL };

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "Where it lies.", .behaviour = RHOST_NAMEVAR },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .desc = "Whether it exists.",
      .default_value = "\"present\"" },
    { .name = "text",
      .type = "String",
      .desc = "What stands in it.",
      .default_value = "\"new\"",
      .formerly = older },
    { .name = "flavour",
      .type = "Optional[Enum[plain, sweet]]",
      .desc = "How it tastes.",
      .behaviour = RHOST_PARAMETER,
      .deprecated = "it has no effect, remove it" },
};

static const struct rhost_provider provider = {
    RHOST_PROVIDER("renamed", "A small file."),
    RHOST_ATTRS(attrs),
    .load = note_load,
    .create = note_write,
    .update = note_write,
    .remove = note_remove,
};

RHOST_PLUGIN(renamed, "2.0", &provider)
