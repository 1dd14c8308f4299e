/* SPDX-License-Identifier: Apache-2.0 */
/* compound - a file whose content and mode are two pieces of work, each done when it is needed. */
#include "text.h"

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "Where it is.", .behaviour = RHOST_NAMEVAR },
    { .name = "mode", .type = "Optional[Pattern[/\\A0[0-7]{3}\\z/]]", .desc = "Its permissions." },
    { .name = "content", .type = "Optional[String]", .desc = "What stands in it." },
};

static int32_t
compound_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
              rhost_value *current)
{
    (void)should;
    return text_load(ctx, rhost_str(name, "path"), current, "content");
}

/* Content first: what is not there yet has no mode. Both groups are held against the one reading
 * from before, so the second does not see what the first has done. */
static int32_t
compound_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    const char *mode = rhost_str_of(change, "mode"), *content = rhost_str_of(change, "content");

    if (rhost_changed(ctx, change, "content")) {
        rhost_info(ctx, "writing");
        if (text_write(ctx, path, content ? content : "") < 0)
            return -1;
    }
    if (rhost_changed(ctx, change, "mode") && mode) {
        rhost_info(ctx, "changing the mode");
        if (chmod(path, (mode_t)strtoul(mode, NULL, 8)) < 0)
            return rhost_fail_errno(ctx, "cannot change the mode of '%s'", path);
    }
    return 0;
}

static const struct rhost_provider compound = {
    RHOST_PROVIDER("compound", "A file whose content and mode are two pieces of work."),
    RHOST_ATTRS(attrs),
    .load = compound_load,
    .converge = compound_converge,
};

RHOST_PLUGIN(compound, "1.0", &compound)
