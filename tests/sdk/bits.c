/* SPDX-License-Identifier: Apache-2.0 */
/* bits - flags that no host knows yet, at both ends of what it ignores (bits 32 to 63): of attributes, types,
 * and, by BITS_FLAGS, of the plugin. The type "bits" also passes one to the host's functions. */
#include "note.h"

#include <rhost/exec.h>
#include <rhost/file.h>

#include <string.h>

#define BIT(n) (UINT64_C(1) << (n))
#define PATH(bits)                                                                                           \
    {                                                                                                        \
        .name = "path", .type = "String[1]", .behaviour = RHOST_NAMEVAR | (bits), .desc = "Where."           \
    }
#define CALLBACKS .load = note_load, .create = note_write, .update = note_write, .remove = note_remove
#define TYPE(t, features_bits, behaviour_bits)                                                               \
    static const struct rhost_attr t##_attrs[] = {                                                           \
        PATH(behaviour_bits),                                                                                \
        { .name = "text", .type = "String", .desc = "What it says." },                                       \
    };                                                                                                       \
    static const struct rhost_provider t = { RHOST_PROVIDER(#t, "Has a bit."), RHOST_ATTRS(t##_attrs),       \
                                             .features = (features_bits), CALLBACKS }

TYPE(feature_32, BIT(32), 0);
TYPE(feature_63, BIT(63), 0);
TYPE(behaviour_32, 0, BIT(32));
TYPE(behaviour_63, 0, BIT(63));

static const struct rhost_attr bits_attrs[] = {
    PATH(0),
    { .name = "text", .type = "Optional[String]", .desc = "What it says." },
    { .name = "of", .type = "Enum[command, file]", .desc = "Whose flags.", .behaviour = RHOST_PARAMETER },
    { .name = "bit", .type = "Integer[0, 63]", .desc = "Which of them.", .behaviour = RHOST_PARAMETER },
};

static int32_t
write_with_flags(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *const argv[] = { "touch", rhost_str(change->name, "path"), NULL };
    uint64_t flags = BIT(rhost_int(change->should, "bit", 0));
    const struct rhost_command command = { .struct_size = sizeof command, .argv = argv, .flags = flags };
    const struct rhost_new_file file = { .struct_size = sizeof file,
                                         .path = argv[1],
                                         .content = "",
                                         .mode = -1,
                                         .uid = -1,
                                         .gid = -1,
                                         .flags = flags };
    struct rhost_output out;

    if (strcmp(rhost_str_or(change->should, "of", ""), "command") == 0)
        return rhost_run(ctx, &command, &out);
    return rhost_replace_file(ctx, &file);
}

static const struct rhost_provider bits = { RHOST_PROVIDER("bits", "Passes a bit."),
                                            RHOST_ATTRS(bits_attrs),
                                            .load = note_load,
                                            .create = write_with_flags,
                                            .update = write_with_flags,
                                            .remove = note_remove };

static const struct rhost_provider *const providers[] = { &feature_32,   &feature_63, &behaviour_32,
                                                          &behaviour_63, &bits,       NULL };

RHOST_PLUGIN_OF("bits", "9.0", BITS_FLAGS, providers, NULL, NULL, NULL)
