/* SPDX-License-Identifier: Apache-2.0 */
/* older - a plugin as an older SDK would have made it: its structs are shorter than ours. Behind
 * each stands something that crashes whoever takes it for a member. */
#include "note.h"

#define POISON ((void (*)(void))(uintptr_t)0xdeadbeef)

struct old_attr {
    const char *name, *type, *desc;
    uint64_t behaviour;
    const char *default_value;
    /* `initial` came later. */
};

/* Up to and without `act`. */
struct old_provider {
    size_t struct_size;
    size_t attr_stride, n_attrs;
    const struct old_attr *attrs;
    const char *type, *name, *desc;
    uint64_t features;
    const char *const *title_patterns, *const *relations;
    size_t action_stride, n_actions;
    const void *actions;
    const char *default_action, *refresh_action;
    int32_t (*suits)(rhost_ctx *ctx);
    int32_t (*open)(rhost_ctx *ctx);
    void (*close)(rhost_ctx *ctx);
    int32_t (*canonicalize)(rhost_ctx *ctx, rhost_value *resource);
    int32_t (*insync)(rhost_ctx *ctx, const struct rhost_change *change, const char *attribute);
    int32_t (*get)(rhost_ctx *ctx, const rhost_value *names);
    int32_t (*load)(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current);
    int32_t (*set)(rhost_ctx *ctx, const struct rhost_change *const *changes, size_t n);
    rhost_change_fn *create, *update, *remove, *converge;
};

struct old_plugin {
    size_t struct_size;
    const char *name, *version;
    const struct old_provider *const *providers;
};

static const struct old_attr attrs[] = {
    { "path", "Pattern[/\\A\\//]", "Where it lies.", RHOST_NAMEVAR, NULL },
    { "ensure", "Enum[present, absent]", "Whether it is there.", 0, "\"present\"" },
    { "text", "String", "What stands in it.", 0, "\"from long ago\"" },
};

static const struct {
    struct old_provider provider;
    void (*poison[8])(void);
} older = {
    .provider = {
        .struct_size = sizeof(struct old_provider),
        .attr_stride = sizeof(struct old_attr),
        .n_attrs = sizeof attrs / sizeof attrs[0],
        .attrs = attrs,
        .type = "older",
        .name = "older",
        .desc = "Made by an older SDK.",
        .load = note_load,
        .create = note_write,
        .update = note_write,
        .remove = note_remove,
    },
    .poison = { POISON, POISON, POISON, POISON, POISON, POISON, POISON, POISON },
};

static const struct old_provider *const providers[] = { &older.provider, NULL };

static const struct {
    struct old_plugin plugin;
    void (*poison[4])(void);
} plugin = {
    .plugin = { sizeof(struct old_plugin), "older", "0.1", providers },
    .poison = { POISON, POISON, POISON, POISON },
};

RHOST_EXPORT const struct rhost_plugin *rhost_plugin_v1(void);

const struct rhost_plugin *
rhost_plugin_v1(void)
{
    return (const struct rhost_plugin *)(const void *)&plugin.plugin;
}
