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

/* Emits those of the names that there are. When all are asked for there is nothing to emit, since any
 * file could be one of ours. */
static int32_t
@NAME@_get(rhost_ctx *ctx, const rhost_value *names)
{
    for (size_t i = 0; i < rhost_count(names); i++) {
        const char *path = rhost_str(rhost_at(names, i, NULL), "path");
        rhost_value *one = ctx->host->new_hash(ctx);
        int32_t found;

        rhost_put_str(one, "path", path);
        rhost_put_str(one, "ensure", "present");
        found = read_file(ctx, path, one);
        if (found < 0 || (found == 0 && ctx->host->emit(ctx, one) < 0))
            return -1;
    }
    return 0;
}

/* Serves create and update. */
static int32_t
@NAME@_write(rhost_ctx *ctx, const struct rhost_change *change)
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
@NAME@_remove(rhost_ctx *ctx, const struct rhost_change *change)
{
    const char *path = rhost_str(change->name, "path");

    if (rhost_path_unlink(ctx, path, 0) < 0)
        return rhost_fail_path(ctx, "cannot remove '%s'", path);
    rhost_touched(ctx, path);
    return 0;
}

/* All that it does to the machine: rhost types --needs shows it. */
static const char *const needs[] = { "write[$path]", NULL };

static const struct rhost_provider @NAME@_provider = {
    RHOST_PROVIDER("@TYPE@", "Keep a file that has one line."),
    RHOST_ATTRS(attrs),
    .features = RHOST_SIMPLE_GET_FILTER, /* get() reads those that are named, and no others */
    .get      = @NAME@_get,
    .create   = @NAME@_write,
    .update   = @NAME@_write,
    .remove   = @NAME@_remove,
    .needs    = needs,
};

RHOST_PLUGIN(@NAME@, "0.1.0", &@NAME@_provider)
