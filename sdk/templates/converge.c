/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* @NAME@ - keep a file that has one line.
 *
 * A place to begin: put what you manage in the place of the file, attribute by attribute. */

#include <rhost/file.h>
#include <rhost/path.h>
#include <rhost/provider.h>

enum { LARGEST = 1 << 20 }; /* bytes that are read of a file */

static const struct rhost_attr attrs[] = {
    { .name = "path", .type = "Pattern[/\\A\\//]", .behaviour = RHOST_NAMEVAR,
      .desc = "Absolute path of the file." },
    { .name = "ensure", .type = "Enum[present, absent]", .default_value = "\"present\"",
      .desc = "Whether the file should exist." },
    { .name = "value", .type = "Pattern[/\\A[^\\n]{0,1000}\\z/]",
      .desc = "The line that is in it." },
};

/* Reads what is there into the attributes of a resource. */
static int32_t
read_file(rhost_ctx *ctx, const char *path, rhost_value *into)
{
    /* As open() and read(), but root follows no link that another user could have made. */
    char *text = rhost_path_read(ctx, path, 0, LARGEST, NULL, NULL);

    if (!text && errno == ENOENT)
        return RHOST_ABSENT;
    if (!text)
        return rhost_fail_path(ctx, "cannot read '%s'", path);
    text[strcspn(text, "\n")] = '\0';
    rhost_put_str(into, "value", text);
    return 0;
}

static int32_t
@NAME@_load(rhost_ctx *ctx, const rhost_value *name, const rhost_value *should,
            rhost_value *current)
{
    (void)should; /* what is wanted, for those whose reading depends on it */
    return read_file(ctx, rhost_str(name, "path"), current);
}

/* What creates a file changes it as well. */
static int32_t
write_file(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *value = rhost_str_of(change, "value");
    size_t size = strlen(value) + 2; /* a newline and the NUL */
    char *line = rhost_alloc(ctx, size);
    const struct rhost_new_file file = {
        .struct_size = sizeof file,
        .path = rhost_str(change->name, "path"),
        .content = line,
        .content_len = size - 1,
        .mode = -1, /* as it was */
        .uid = -1,
        .gid = -1,
    };

    snprintf(line, size, "%s\n", value);
    return rhost_replace_file(ctx, &file);
}

static int32_t
remove_file(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_path_unlink(ctx, path, 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

/* Finds out by itself what is to be done: changed() compares, reports, and says whether to act; under
 * noop it never does. */
static int32_t
@NAME@_converge(rhost_ctx *ctx, const struct rhost_change *change)
{
    if (!rhost_changed_any(ctx, change))
        return 0;
    return rhost_gone(change) ? remove_file(ctx, change) : write_file(ctx, change);
}

/* All that it does to the machine: rhost types --needs shows it. */
static const char *const needs[] = { "write[$path]", NULL };

static const struct rhost_provider @NAME@_provider = {
    RHOST_PROVIDER("@TYPE@", "Keep a file that has one line."),
    RHOST_ATTRS(attrs),
    .load     = @NAME@_load,
    .converge = @NAME@_converge,
    .needs    = needs,
};

RHOST_PLUGIN(@NAME@, "0.1.0", &@NAME@_provider)
