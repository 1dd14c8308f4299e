/* SPDX-License-Identifier: Apache-2.0 */
/* lamp - what is left of an attribute that was renamed: "color" became "colour" in 2.0. */
#include "text.h"

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .behaviour = RHOST_NAMEVAR, .desc = "Its file." },
    { .name = "colour", .type = "Optional[Pattern[/\\A[a-z]+\\z/]]", .desc = "The colour of its light." },
    { .name = "color", .type = "Optional[Pattern[/\\A[a-z]+\\z/]]", .behaviour = RHOST_PARAMETER,
      .desc = "What `colour` was called before 2.0." },
    { .name = "mode", .type = "String", .behaviour = RHOST_READ_ONLY, .desc = "Who may see it." },
};

static int32_t
lamp_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    (void)ctx;
    if (rhost_has(resource, "color") && !rhost_has(resource, "colour"))
        rhost_put_str(resource, "colour", rhost_str(resource, "color"));
    return 0;
}

static int32_t
lamp_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    if (rhost_has(should, "color"))
        rhost_warning(ctx, "'color' is called 'colour' now, and will be refused in 3.0");
    return text_load(ctx, rhost_str(name, "path"), current, "colour");
}

static int32_t
lamp_write(rhost_ctx *ctx, const struct rhost_change *change)
{
    return text_write(ctx, rhost_str(change->name, "path"), rhost_str_or(change->should, "colour", ""));
}

static const struct rhost_provider lamp = {
    RHOST_PROVIDER("lamp", "A lamp."),
    RHOST_ATTRS(attrs),
    .canonicalize = lamp_canonicalize,
    .load = lamp_load,
    .create = lamp_write,
    .update = lamp_write,
};

RHOST_PLUGIN(lamp, "2.0", &lamp)
