/* SPDX-License-Identifier: Apache-2.0 */
/* feature - a plugin that asks for a feature which no host knows yet (the last bit that is not ignored). */
#include "note.h"

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "Where it lies.", .behaviour = RHOST_NAMEVAR },
    { .name = "text", .type = "String", .desc = "What stands in it." },
};

static const struct rhost_provider provider = {
    RHOST_PROVIDER("feature", "Asks for what is not there."),
    RHOST_ATTRS(attrs),
    .features = UINT64_C(1) << 31,
    .load = note_load,
    .create = note_write,
    .update = note_write,
    .remove = note_remove,
};

RHOST_PLUGIN(feature, "9.0", &provider)
