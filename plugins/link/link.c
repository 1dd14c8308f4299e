/* SPDX-License-Identifier: Apache-2.0 */
/* link - keep symbolic links pointing where they should. */

#include <rhost/file.h>
#include <rhost/provider.h>

#include <limits.h>
#include <unistd.h>

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the link." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether the link should exist." },
    { .name = "target", .type = "String[1]",
      .desc = "What the link points at, word for word." },
    { .name = "force", .type = "Boolean", .behaviour = RHOST_PARAMETER, .default_value = "false",
      .desc = "Whether a file may give way to the link." },
};

static int32_t
link_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should, rhost_value *current)
{
    const char *path = rhost_str(name, "path");
    char target[PATH_MAX];
    ssize_t len = readlink(path, target, sizeof target - 1);

    if (len < 0 && errno == ENOENT)
        return RHOST_ABSENT;
    if (len < 0 && errno == EINVAL && rhost_bool(should, "force", 0))
        return RHOST_ABSENT; /* something else is there, which may be replaced */
    if (len < 0 && errno == EINVAL)
        return rhost_fail(ctx, "'%s' is there, and not a link", path);
    if (len < 0)
        return rhost_fail_errno(ctx, "cannot read link '%s'", path);

    target[len] = '\0';
    rhost_put_str(current, "target", target);
    return 0;
}

/* Serves create and update.  The link is made beside its place and renamed into it, so that no
 * reader ever finds the path missing. */
static int32_t
link_point(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");
    char beside[PATH_MAX];

    if (snprintf(beside, sizeof beside, "%s.rhost-new", path) >= (int)sizeof beside)
        return rhost_fail(ctx, "cannot create '%s': its name is too long", path);
    (void)unlink(beside); /* left by a run that was killed */
    if (symlink(rhost_str_or(change->should, "target", ""), beside) < 0)
        return rhost_fail_errno(ctx, "cannot create '%s'", beside);
    if (rename(beside, path) < 0) {
        rhost_fail_errno(ctx, "cannot put the link '%s' in its place", path);
        (void)unlink(beside);
        return -1;
    }
    rhost_touched(ctx, path);
    return 0;
}

static int32_t
link_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (unlink(path) < 0)
        return rhost_fail_errno(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

static const struct rhost_provider link_provider = {
    RHOST_PROVIDER("link", "Keep symbolic links pointing where they should."),
    RHOST_ATTRS(attrs),
    .load   = link_load,
    .create = link_point,
    .update = link_point,
    .remove = link_remove,
};

RHOST_PLUGIN(link, "1.0", &link_provider)
