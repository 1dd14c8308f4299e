/* SPDX-License-Identifier: Apache-2.0 */
/* newer - a plugin as an SDK to come would make it: behind what we know of its structs there is
 * more, and none of it is nothing. */
#include "note.h"

struct new_attr {
    struct rhost_attr known;
    const char *unit;
    uint64_t more[3];
};

struct new_action {
    struct rhost_action known;
    const char *icon;
};

struct new_provider {
    struct rhost_provider known;
    int32_t (*rename)(rhost_ctx *ctx, const struct rhost_change *change);
    uint64_t more[16];
};

struct new_plugin {
    struct rhost_plugin known;
    const char *homepage;
    uint64_t more[4];
};

static const struct new_attr attrs[] = {
    { { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "Where it lies.", .behaviour = RHOST_NAMEVAR },
      "path",
      { 1, 2, 3 } },
    { { .name = "ensure",
        .type = "Enum[present, absent]",
        .desc = "Whether it is there.",
        .default_value = "\"present\"" },
      "state",
      { 1, 2, 3 } },
    { { .name = "text",
        .type = "String",
        .desc = "What stands in it.",
        .behaviour = UINT64_C(1) << 40,
        .initial = "\"from days to come\"" },
      "letters",
      { 1, 2, 3 } },
};

static const struct new_action actions[] = {
    { { "clean", "Leaves nothing in it.", "{\"text\": \"\"}" }, "broom" },
    { { "blot", "Leaves a blot.", "{\"text\": \"blot\"}" }, "ink" },
};

static int32_t
new_rename(rhost_ctx *ctx, const struct rhost_change *change)
{
    (void)change;
    return rhost_fail(ctx, "nobody knows of this yet");
}

static const struct new_provider newer = {
    .known = {
        .struct_size = sizeof(struct new_provider),
        .features = UINT64_C(1) << 63, /* which may be ignored */
        .attr_stride = sizeof(struct new_attr),
        .n_attrs = sizeof attrs / sizeof attrs[0],
        .attrs = &attrs[0].known,
        .type = "newer",
        .name = "newer",
        .desc = "Made by an SDK to come.",
        .action_stride = sizeof(struct new_action),
        .n_actions = sizeof actions / sizeof actions[0],
        .actions = &actions[0].known,
        .load = note_load,
        .create = note_write,
        .update = note_write,
        .remove = note_remove,
    },
    .rename = new_rename,
    .more = { 1, 2, 3, 4 },
};

static const struct rhost_provider *const providers[] = { &newer.known, NULL };

static const struct new_plugin plugin = {
    .known = {
        .struct_size = sizeof(struct new_plugin),
        .name = "newer",
        .version = "9.0",
        .providers = providers,
    },
    .homepage = "https://example.org/newer",
    .more = { 1, 2, 3, 4 },
};

RHOST_EXPORT const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    return &plugin.known;
}
