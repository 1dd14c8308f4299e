/* SPDX-License-Identifier: Apache-2.0 */
/* link - keep symbolic links pointing where they should. */

#include <rhost/dry-run.h>
#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/posix.h>
#include <rhost/provider.h>

#include <limits.h>

static const struct rhost_attr attrs[] = {
    { .name = "path",
      .type = "Pattern[/\\A\\//]",
      .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the link." },
    { .name = "ensure",
      .type = "Enum[present, absent]",
      .default_value = "\"present\"",
      .desc = "Whether the link should exist." },
    { .name = "target", .type = "String[1]", .desc = "What the link points at, word for word." },
    { .name = "force",
      .type = "Boolean",
      .behaviour = RHOST_PARAMETER,
      .default_value = "false",
      .desc = "Whether a file may give way to the link." },
};

static const char *const relations[] = {
    "autorequire directory[$path/..]",
    "owns path[$path]",
    NULL,
};

static int32_t
link_canonicalize(rhost_ctx *ctx, rhost_value *resource)
{
    rhost_tidy_path(ctx, resource, "path");
    return 0;
}

static int32_t
link_validate(rhost_ctx *ctx, const rhost_value *resource)
{
    const char *target = rhost_str(resource, "target");

    if (!target)
        return rhost_fail_attr(ctx, "target", "'target' is required: what the link points at");
    if (strcmp(target, rhost_str_or(resource, "path", "")) == 0)
        return rhost_fail_attr(ctx, "target", "the link would point at itself");
    return 0;
}

static int32_t
link_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    char target[PATH_MAX];
    struct stat st;

    if (rhost_path_readlink(ctx, path, target, sizeof target) >= 0) {
        rhost_put_str(current, "target", target);
        return 0;
    }
    if (errno == ENOENT || errno == ENOTDIR)
        return rhost_absent_at(ctx, should, path);
    if (errno != EINVAL || rhost_path_stat(ctx, path, 0, &st) < 0)
        return rhost_fail_path(ctx, "cannot read link '%s'", path);
    if (S_ISDIR(st.st_mode))
        return rhost_fail(ctx, "'%s' is a directory, not a link", path);
    return rhost_bool(should, "force", 0) ? RHOST_ABSENT /* a file, which may be replaced */
                                          : rhost_fail(ctx, "'%s' exists, but is not a link", path);
}

/* Serves create and update. The link takes its place in one step, so that no reader ever finds the
 * path missing. */
static int32_t
link_point(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    const char *target = rhost_str_or(change->should, "target", "");

    if (rhost_path_symlink(ctx, target, path, rhost_bool(change->should, "force", 0) ? RHOST_PATH_REPLACE : 0)
        < 0)
        return rhost_fail_create(ctx, path);
    rhost_touched(ctx, path);
    return 0;
}

static int32_t
link_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_path_unlink(ctx, path, 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

static const char *const needs[] = { "write[$path]",
                                     "capability[chown dac_override dac_read_search fowner fsetid]", NULL };

static const struct rhost_provider link_provider = {
    RHOST_PROVIDER("link", "Keep symbolic links pointing where they should."),
    RHOST_ATTRS(attrs),
    .features = RHOST_READ_BACK,
    .relations = relations,
    .canonicalize = link_canonicalize,
    .load = link_load,
    .validate = link_validate,
    .create = link_point,
    .update = link_point,
    .remove = link_remove,
    .needs = needs,
};

RHOST_PLUGIN(link, "1.0", &link_provider)
