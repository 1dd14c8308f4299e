/* SPDX-License-Identifier: Apache-2.0 */
/* patchy - a file of which only what was asked for is changed. */
#include "text.h"

#include <stdlib.h>

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .desc = "Where it is.", .behaviour = RHOST_NAMEVAR },
    { .name = "mode", .type = "Pattern[/\\A0[0-7]{3}\\z/]", .desc = "Its permissions.",
      .initial = "\"0666\"" },
    { .name = "content", .type = "Optional[String]", .desc = "What stands in it." },
};

static int32_t
patchy_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    (void)should;
    return text_load(ctx, rhost_str(name, "path"), current, "content");
}

/* One block for everything. What nobody asked for has the value that it has: writing it back changes
 * nothing. On creation the mode that nobody asked for is the initial one, and there is no content. */
static int32_t
patchy_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    const char *content = rhost_str_of(change, "content");

    if (!rhost_changed_any(ctx, change))
        return 0;
    if (text_write(ctx, path, content ? content : "") < 0)
        return -1;
    if (chmod(path, (mode_t)strtoul(rhost_str_of(change, "mode"), NULL, 8)) < 0)
        return rhost_fail_errno(ctx, "cannot change the mode of '%s'", path);
    return 0;
}

static const struct rhost_provider patchy = {
    RHOST_PROVIDER("patchy", "A file of which only what was asked for is changed."),
    RHOST_ATTRS(attrs),
    .load = patchy_load,
    .converge = patchy_converge,
};

RHOST_PLUGIN(patchy, "1.0", &patchy)
